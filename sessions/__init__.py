"""What is kept: every run's events in one SQLite file, and ways to read them back."""

from __future__ import annotations

from .ids import new_id
from .recorder import record
from .replay import Player, replay
from .store import Store
from .summary import RunSummary
from .worker import Worker
from .workers import Workers

__all__ = ["Player", "RunSummary", "Store", "Worker", "Workers", "new_id", "record", "replay"]
