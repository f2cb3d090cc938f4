"""What is kept: every run's events in one SQLite file, and ways to read them back.

Whatever runs or records runs is imported when it is first asked for: most commands only read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .ids import new_id
from .replay import Player, replay
from .store import Store
from .summary import RunSummary
from .workers import Workers

if TYPE_CHECKING:
    from .recorder import record
    from .worker import Worker

__all__ = ["Player", "RunSummary", "Store", "Worker", "Workers", "new_id", "record", "replay"]


def __getattr__(name: str) -> Any:
    match name:
        case "record":
            from .recorder import record

            return record
        case "Worker":
            from .worker import Worker

            return Worker
        case _:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
