"""`sandbox-tui attach` and `stop`: runs that go on without a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from sandbox_tui.core.base.errors import ConfigError, SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.tui.cli.completion.stored import complete_detached_run
from sandbox_tui.tui.cli.open_store import open_store
from sandbox_tui.tui.cli.options import headless_option, json_lines_option, load_settings
from sandbox_tui.tui.cli.show_app import is_terminal, show

if TYPE_CHECKING:
    from sandbox_tui.sessions import RunSummary, Store


@click.command(short_help="Watch or control a detached run.")
@click.argument("session", required=False, shell_complete=complete_detached_run)
@headless_option
@json_lines_option("events")
@click.pass_obj
def attach(theme: str | None, session: str | None, headless: bool, as_json: bool) -> None:
    """Watch or control a run that was started with --detach (default: all such SESSIONs, side by
    side; without a screen, the newest one).

    Several terminals may watch; one is in control, and T takes control. Leaving
    does not end the run.
    """
    from sandbox_tui.tui.cli.sessions.detached_runs import detached_run, detached_runs

    settings = load_settings({}, theme)
    with open_store() as store:
        run = detached_run(store, session)
        if headless or as_json or not is_terminal():
            import asyncio

            from sandbox_tui.tui.cli.headless import follow_headless

            code = asyncio.run(follow_headless(run, store, as_json=as_json))
        else:
            from sandbox_tui.tui.lifecycle.first_screen import Attach

            runs = [run] if session is not None else detached_runs(store)
            code = show(settings, store, Attach(runs)).code
    sys.exit(code)


@click.command(short_help="End detached runs.")
@click.argument("session", nargs=-1, shell_complete=complete_detached_run)
@click.option("--all", "every", is_flag=True, help="End all detached runs.")
def stop(session: tuple[str, ...], every: bool) -> None:
    """End runs that were started with --detach (default: the only such SESSION).

    A SESSION that has already ended is left as it is.
    """
    from sandbox_tui.tui.cli.sessions.detached_runs import (
        detached_runs,
        named_runs,
        only_detached_run,
    )

    if every and session:
        raise click.UsageError("Name SESSIONS or use --all, not both.")
    with open_store() as store:
        named = named_runs(store, session)
        runs = named.detached
        try:
            if not session:
                runs = detached_runs(store) if every else [only_detached_run(store)]
        except ConfigError:
            if not every:
                raise
            named.ended.append("There is no detached run: nothing was stopped.")
        problems = [*named.problems, *_stop_each(runs, store)]
    for words in (*named.ended, *problems):
        click.echo(f"sandbox-tui: {sanitize(words)}", err=True)
    sys.exit(2 if problems else 0)


def _stop_each(runs: Sequence[RunSummary], store: Store) -> Iterator[str]:
    """End runs, and print which were ended; yield why others could not be."""
    from sandbox_tui.tui.cli.sessions.detached_runs import stop_run

    for run in runs:
        try:
            stop_run(run, store)
        except SandboxTuiError as error:
            yield str(error)
        else:
            click.echo(f"stopped {run.id}")
