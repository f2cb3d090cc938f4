"""Records every run's events in one SQLite file, and reads them back.

Modules that run or record runs are imported on first use, since most commands only read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox_tui.sessions.playback.player import Player, replay
from sandbox_tui.sessions.recording.run_registry import RunRegistry
from sandbox_tui.sessions.store.ids import new_id
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.store import Store

if TYPE_CHECKING:
    from sandbox_tui.sessions.recording.recorder import record
    from sandbox_tui.sessions.recording.run_worker import RunWorker

__all__ = [
    "Player",
    "RunRegistry",
    "RunSummary",
    "RunWorker",
    "Store",
    "new_id",
    "record",
    "replay",
]


def __getattr__(name: str) -> Any:
    match name:
        case "record":
            from sandbox_tui.sessions.recording.recorder import record

            return record
        case "RunWorker":
            from sandbox_tui.sessions.recording.run_worker import RunWorker

            return RunWorker
        case _:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
