"""Opens the session database for a command, and finds sessions by name."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable
from typing import TYPE_CHECKING, TypeVar

import click

from sandbox_tui.core.base.errors import ConfigError

if TYPE_CHECKING:
    from sandbox_tui.sessions import RunSummary, Store

NO_SESSIONS = "There are no sessions yet; `sandbox-tui demo` records one."
ONLY_OF_OTHERS = (
    "All sessions are of evaluations or trainings; `sandbox-tui sessions ls --all` lists them."
)

_T = TypeVar("_T")


@contextlib.contextmanager
def open_store() -> Generator[Store, None, None]:
    from sandbox_tui.core.config.settings import data_dir
    from sandbox_tui.sessions import Store
    from sandbox_tui.tui.cli.settings.mistakes import say_if_file_is_broken

    say_if_file_is_broken()
    with Store(data_dir() / "sessions.db") as store:
        yield store


@contextlib.contextmanager
def store_to_read() -> Generator[Store, None, None]:
    """Like `open_store`, for commands that only read: the file may be read-only."""
    from sandbox_tui.core.config.settings import data_dir
    from sandbox_tui.sessions import Store
    from sandbox_tui.tui.cli.settings.mistakes import say_if_file_is_broken

    say_if_file_is_broken()
    with Store.open_readonly_if_needed(data_dir() / "sessions.db") as store:
        if store.copied_because:
            click.echo(
                f"sandbox-tui: {store.path} {store.copied_because}: "
                "a private copy is read instead.",
                err=True,
            )
        yield store


def session_named(store: Store, name: str, *, strict: bool = False) -> RunSummary:
    """Return the session with this name; `strict` if the command is irreversible (see
    `Store.run`). `last` is the newest one that belongs to no evaluation or training."""
    if name != "last":
        return store.run(name, strict=strict)
    newest = store.standalone_runs(limit=1)
    if not newest:
        raise ConfigError(none_listed(store))
    return newest[0]


def none_listed(store: Store) -> str:
    """Return why there is no session outside evaluations and trainings."""
    return ONLY_OF_OTHERS if store.count() else NO_SESSIONS


def unique_by_id(found: Iterable[_T], id_of: Callable[[_T], str]) -> list[_T]:
    """Return the items without duplicates, in order."""
    return list({id_of(one): one for one in found}.values())
