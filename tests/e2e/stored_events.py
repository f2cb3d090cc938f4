"""Reads what a program recorded."""

from __future__ import annotations

from pathlib import Path

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store


def stored(home: Path) -> list[e.AnyEvent]:
    """Return the events of the newest session."""
    store = Store(home / "sessions.db")
    try:
        return list(store.events(store.runs()[0].id))
    finally:
        store.close()
