"""`sandbox-tui attach` and `stop`: runs that go on without a terminal."""

from __future__ import annotations

import sys

import click

from sandbox_tui.tui.cli.completion import complete_session
from sandbox_tui.tui.cli.open_store import open_store, unique_by_id
from sandbox_tui.tui.cli.options import load_settings
from sandbox_tui.tui.cli.show_app import is_terminal, show


@click.command(short_help="Watch or control a detached run.")
@click.argument("session", required=False, shell_complete=complete_session)
@click.option("--headless", is_flag=True, help="Print lines of text instead of opening the screen.")
@click.option("--json", "as_json", is_flag=True, help="Print events as JSON, one per line.")
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
@click.argument("session", nargs=-1, shell_complete=complete_session)
def stop(session: tuple[str, ...]) -> None:
    """End runs that were started with --detach (default: the only such SESSION)."""
    from sandbox_tui.tui.cli.sessions.detached_runs import (
        detached_run,
        only_detached_run,
        stop_run,
    )

    with open_store() as store:
        runs = [detached_run(store, name) for name in session] or [only_detached_run(store)]
        for run in unique_by_id(runs, lambda run: run.id):
            stop_run(run, store)
            click.echo(f"stopped {run.id}")
