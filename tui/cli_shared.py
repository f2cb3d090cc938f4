"""What the commands share: settings, the session database, the screen."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import click

from ..core.errors import ConfigError

if TYPE_CHECKING:
    from ..core.config import Settings
    from ..sessions import RunSummary, Store
    from .app import Begin


def settings_in_force(overrides: dict[str, Any], theme: str | None) -> Settings:
    from ..core.config import load

    return load({**overrides, "ui.theme": theme})


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


def is_terminal() -> bool:
    served = "web_driver" in os.environ.get("TEXTUAL_DRIVER", "")  # a browser is the terminal
    return served or (sys.stdout.isatty() and sys.stdin.isatty())


def detached_run(store: Store, name: str | None) -> RunSummary:
    """The session of this name, else the newest one, that runs in a program of its own."""
    from ..sessions.sockets import is_detached

    if name is not None and name != "last":
        found = store.run(name)
        if found.outcome != "running" or not is_detached(found.id):
            raise ConfigError(
                f"{found.id} is {found.outcome.replace('_', ' ')}, and not a detached run."
            )
        return found
    running = (run for run in store.runs(limit=500) if run.outcome == "running")
    for found in running:
        if is_detached(found.id):
            return found
    raise ConfigError("No run is detached; `sandbox-tui run --detach` starts one.")


def say_how_it_ended(store: Store, run_id: str | None = None) -> None:
    """The reason on stderr, where scripts and people look for it."""
    runs = store.runs(limit=1) if run_id is None else [store.run(run_id)]
    if runs and runs[0].error:
        from ..core.text import clean_line

        words = clean_line(runs[0].error)
        click.echo(f"sandbox-tui: {runs[0].outcome}: {words} ({runs[0].id})", err=True)


def show_screen(settings: Settings, store: Store, begin: Begin | None) -> int:
    from . import graphics
    from .app import SandboxTui, end_for_sure

    graphics.prepare(settings.ui.images)
    app = SandboxTui(settings, store, begin)
    app.last_resort = end_for_sure
    try:
        app.run()
    finally:  # where Textual wrote everything else, too
        if app.last_words and sys.__stderr__ is not None:
            sys.__stderr__.write(app.last_words)
            sys.__stderr__.flush()
    if app.failure is not None:
        raise app.failure
    return app.return_code or 0
