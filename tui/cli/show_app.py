"""Shows the app, and afterwards prints how its runs ended."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
    from sandbox_tui.core.base.errors import SandboxTuiError
    from sandbox_tui.core.config.settings import Settings
    from sandbox_tui.sessions import RunSummary, Store
    from sandbox_tui.tui.app import SandboxTui
    from sandbox_tui.tui.lifecycle.first_screen import Begin


class Ended(NamedTuple):
    """The result of showing the app.

    Attributes:
        code: exit code of the program.
        runs: ids of the sessions that it started, except those of which the reason for the end
            is already printed.
    """

    code: int
    runs: Sequence[str]


NO_STDERR = (
    "The screen is drawn on stderr, which is not a terminal here: do not redirect it (2>), or use "
    "--headless where there is such an option."
)


def is_terminal() -> bool:
    """Return whether there is a screen, with a user in front of it."""
    return _is_served() or (sys.stdout.isatty() and sys.stdin.isatty())


def _is_served() -> bool:
    """Return whether the terminal is a browser."""
    return "web_driver" in os.environ.get("TEXTUAL_DRIVER", "")


def show(settings: Settings, store: Store, begin: Begin | None) -> Ended:
    """Show the app on the terminal until the user leaves it.

    Raises:
        ConfigError: stderr, on which the screen is drawn, is not a terminal.
        SandboxTuiError: a run could not start, or could not be recorded.
    """
    import asyncio

    from sandbox_tui.core.base.errors import ConfigError

    if not sys.stderr.isatty() and not _is_served():
        raise ConfigError(NO_STDERR)
    from sandbox_tui.tui.terminal_io import emulator_backend as terminal_engine
    from sandbox_tui.tui.terminal_io import image_protocols

    with image_protocols.preparing(settings.ui.images):
        from sandbox_tui.tui.app import SandboxTui

        terminal_engine.prepare(settings.ui.terminal_engine)
        app = SandboxTui(settings, store, begin)
    app.typed_ahead = image_protocols.take_typed()
    asyncio.run(_show_and_clean_up(app, store))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to interrupt
    for session_id, failure in app.failures.items():
        raise _failure_with_next_step(store, session_id, failure)
    unexplained = [run_id for run_id in app.started_ids if not _reached_limit(store, run_id)]
    return Ended(app.return_code or 0, unexplained)


def _reached_limit(store: Store, run_id: str) -> bool:
    """Return whether a run ended at a limit, which its printed outcome says."""
    from sandbox_tui.core.base.errors import StoreError
    from sandbox_tui.core.events.kinds.values import EXIT_CODES, STOPPED_EARLY

    try:
        outcome = store.run(run_id).outcome
    except StoreError:
        return False
    return outcome in {reason for reason, code in EXIT_CODES.items() if code == STOPPED_EARLY}


def _failure_with_next_step(
    store: Store, session_id: str, failure: SandboxTuiError
) -> SandboxTuiError:
    """Return a failure; if a run's program has exited, with the command that goes on with it."""
    from sandbox_tui.core.base.errors import StoreError
    from sandbox_tui.sessions.recording.run_worker import ProgramExited
    from sandbox_tui.sessions.store.run_summary import has_lost_sandbox
    from sandbox_tui.tui.format.next_command import how_to_go_on

    if not isinstance(failure, ProgramExited):
        return failure
    try:
        run = store.run(session_id)
    except StoreError:
        return failure
    how = how_to_go_on(run, has_lost_sandbox=has_lost_sandbox(run))
    return ProgramExited(f"{failure} {how}")


async def _show_and_clean_up(app: SandboxTui, store: Store) -> None:
    """Show the app; then print how its runs ended, and only after that wait for their sandboxes to
    be removed."""
    from sandbox_tui.tui.lifecycle.shutdown import SCREEN_TIMEOUT_SECONDS, exit_after

    app.shutdown.owns_process = True
    try:
        await app.run_async()
    finally:  # the stream that Textual writes to
        if app.restore_sequence and sys.__stderr__ is not None:
            sys.__stderr__.write(app.restore_sequence)
            sys.__stderr__.flush()
    await app.shutdown.screen_closed()
    _give_up_unfinished(store, app.seen)
    with contextlib.suppress(OSError):  # the terminal is gone
        if not _is_served():
            _print_outcomes(store, app.seen)
        await app.shutdown.clean_up(_say_nothing if _is_served() else click.echo)
    exit_after(app.return_code or 0, SCREEN_TIMEOUT_SECONDS)  # tasks may ignore that they end


def _say_nothing(words: str) -> None:
    """In a browser, stdout carries what Textual draws."""


def _give_up_unfinished(store: Store, run_ids: Sequence[str]) -> None:
    """Release the runs of this program that have not ended, which happens after a crash: this
    program is about to end, so they no longer run."""
    from sandbox_tui.core.base.errors import StoreError
    from sandbox_tui.core.base.process_identity import ProcessIdentity

    for run_id in run_ids:
        with contextlib.suppress(StoreError):  # it never began, or cannot be read
            known = store.ownership(run_id)
            is_ours = known is not None and known.owner == ProcessIdentity.this_process()
            if is_ours and store.run(run_id).outcome == "running":
                store.give_up(run_id)


def _print_outcomes(store: Store, run_ids: Sequence[str]) -> None:
    """Print the outcome of each run that the screen showed."""
    from sandbox_tui.core.base.errors import StoreError
    from sandbox_tui.tui.cli.sessions import exit_summary

    width = shutil.get_terminal_size().columns
    runs: list[exit_summary.Shown] = []
    for run_id in run_ids:
        with contextlib.suppress(StoreError):  # a run that could not start has no session
            runs.append(exit_summary.read(store, run_id))
    runs.sort(key=lambda shown: shown.run.id)  # as they were started, samples in their order
    for line in exit_summary.lines(runs, width):
        click.echo(line)


def say_how_it_ended(store: Store, ended: Ended) -> None:
    """Print on stderr why runs failed, and each reason once. Runs that the user ended did not fail:
    what is printed about every run says that they were cancelled."""
    from sandbox_tui.core.base.errors import StoreError
    from sandbox_tui.core.base.sanitize import sanitize_line
    from sandbox_tui.tui.format.outcome import outcome_words

    reasons: dict[tuple[str, str], list[str]] = {}
    for run_id in ended.runs if ended.code else ():
        try:
            run = store.run(run_id)
        except StoreError:  # the run ended before anything was recorded
            continue
        if run.error and not _was_ended_by_user(run):
            words = sanitize_line(run.error)
            command = ""
            if run.outcome == "sandbox_error":
                words += " A fork continues from there in a new sandbox:"
                command = f"  sandbox-tui fork {run.id}"
            reasons.setdefault((f"{outcome_words(run)}: {words}", command), []).append(run.id)
    for (reason, command), ids in reasons.items():
        which = ids[0] if len(ids) == 1 else f"{len(ids)} runs"
        click.echo(f"sandbox-tui: {reason}" + ("" if command else f" ({which})"), err=True)
        if command:  # on a line of its own, so that it can be copied
            click.echo(command, err=True)


def _was_ended_by_user(run: RunSummary) -> bool:
    """Return whether the user ended the run on the screen, which its error then says."""
    return run.outcome == "cancelled" and (run.error or "").startswith("You ")
