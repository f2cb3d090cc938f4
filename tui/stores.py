"""The session database as commands open it, and a session by what a person calls it."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import TYPE_CHECKING

from ..core.errors import ConfigError

if TYPE_CHECKING:
    from ..sessions import RunSummary, Store


@contextlib.contextmanager
def open_store() -> Generator[Store, None, None]:
    from ..core.config import data_dir
    from ..sessions import Store

    store = Store(data_dir() / "sessions.db")
    try:
        yield store
    finally:
        store.close()


@contextlib.contextmanager
def store_to_read() -> Generator[Store, None, None]:
    """The same for commands that only look: it may be read-only."""
    from ..core.config import data_dir
    from ..sessions import Store

    store = Store.to_read(data_dir() / "sessions.db")
    try:
        yield store
    finally:
        store.close()


def session_named(store: Store, name: str) -> RunSummary:
    if name != "last":
        return store.run(name)
    newest = store.runs(limit=1)
    if not newest:
        raise ConfigError("There is no session yet; `sandbox-tui demo` makes one.")
    return newest[0]
