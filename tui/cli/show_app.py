"""Shows the app, and prints afterwards how its runs ended."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
    from sandbox_tui.core.config.settings import Settings
    from sandbox_tui.sessions import RunSummary, Store
    from sandbox_tui.tui.lifecycle.first_screen import Begin


class Ended(NamedTuple):
    """The result of showing the app.

    Attributes:
        code: of the program.
        runs: ids of the sessions that it started.
    """

    code: int
    runs: Sequence[str]


def is_terminal() -> bool:
    """Whether there is a screen, and a person in front of it."""
    return _is_served() or (sys.stdout.isatty() and sys.stdin.isatty())


def _is_served() -> bool:
    """Whether a browser is the terminal."""
    return "web_driver" in os.environ.get("TEXTUAL_DRIVER", "")


def show(settings: Settings, store: Store, begin: Begin | None) -> Ended:
    """Show the program on the terminal until the person leaves it.

    Raises:
        SandboxTuiError: a run could not start, or could not be recorded.
    """
    from sandbox_tui.tui.terminal_io import emulator_backend as terminal_engine
    from sandbox_tui.tui.terminal_io import image_protocols

    with image_protocols.preparing(settings.ui.images):
        from sandbox_tui.tui.app import SandboxTui
        from sandbox_tui.tui.lifecycle.shutdown import exit_after

        terminal_engine.prepare(settings.ui.terminal_engine)
        app = SandboxTui(settings, store, begin)
    app.shutdown.force_exit = exit_after
    try:
        app.run()
    finally:  # the stream that Textual writes to
        if app.restore_sequence and sys.__stderr__ is not None:
            sys.__stderr__.write(app.restore_sequence)
            sys.__stderr__.flush()
    if not _is_served():
        _print_outcomes(store, app.seen)
    if app.failure is not None:
        raise app.failure
    return Ended(app.return_code or 0, app.begun)


def _print_outcomes(store: Store, runs: Sequence[str]) -> None:
    """Print outcome, session and results of each run that the screen showed."""
    from sandbox_tui.core.base.errors import StoreError

    for run_id in runs:
        with contextlib.suppress(StoreError):  # a run that could not start has no session
            click.echo(_outcome_line(store.run(run_id)))


def _outcome_line(run: RunSummary) -> str:
    from sandbox_tui.core.base.sanitize import sanitize_line
    from sandbox_tui.tui.format.outcome import outcome_words

    parts = [outcome_words(run), f"session {run.id}"]
    if run.results_dir:
        parts.append(f"results in {sanitize_line(run.results_dir)}")
    elif run.outcome == "running":
        parts.append(f"sandbox-tui attach {run.id}")
    elif run.outcome == "interrupted":
        parts.append(f"sandbox-tui resume {run.id}")
    return " · ".join(parts)


def say_how_it_ended(store: Store, ended: Ended) -> None:
    """Print on stderr why runs failed."""
    from sandbox_tui.core.base.errors import StoreError
    from sandbox_tui.core.base.sanitize import sanitize_line

    for run_id in ended.runs if ended.code else ():
        try:
            run = store.run(run_id)
        except StoreError:  # it ended before anything was recorded
            continue
        if run.error:
            words = sanitize_line(run.error)
            if run.outcome == "sandbox_error":
                words += f" `sandbox-tui fork {run.id}` continues from there in a new sandbox."
            click.echo(f"sandbox-tui: {run.outcome}: {words} ({run.id})", err=True)
