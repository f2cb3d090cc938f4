"""Commands for runs that outlive a program or its screen: resume, attach, stop."""

from __future__ import annotations

import sys

import click

from .cli_shared import (
    detached_run,
    is_terminal,
    open_store,
    say_how_it_ended,
    session_named,
    settings_in_force,
    show_screen,
)


@click.command()
@click.argument("session", default="last")
@click.option("--headless", is_flag=True, help="Lines of text instead of the screen.")
@click.option("--json", "as_json", is_flag=True, help="Events as JSON, one a line.")
@click.option("--detach", is_flag=True, help="In a program of its own, without a screen.")
@click.pass_obj
def resume(theme: str | None, session: str, headless: bool, as_json: bool, detach: bool) -> None:
    """Go on with a SESSION whose program was killed (its id, the beginning of it, or "last").

    Its sandbox must still be there: it outlives its program by sandbox.grace seconds.
    """
    code = 0
    settings = settings_in_force({}, theme)
    with open_store() as store:
        run = session_named(store, session)
        if detach:
            from ..sessions.detached import Job, begin

            click.echo(begin(Job(settings=settings, resume=run.id)))
            return
        if headless or as_json or not is_terminal():
            import asyncio

            from .headless import resume_headless

            code = asyncio.run(resume_headless(run, settings, store, as_json=as_json))
        else:
            from .app import Resume

            code = show_screen(settings, store, Resume(run))
        if code != 0:
            say_how_it_ended(store, run.id)
    sys.exit(code)


@click.command()
@click.argument("session", required=False)
@click.option("--headless", is_flag=True, help="Lines of text instead of the screen.")
@click.option("--json", "as_json", is_flag=True, help="Events as JSON, one a line.")
@click.pass_obj
def attach(theme: str | None, session: str | None, headless: bool, as_json: bool) -> None:
    """Watch and steer a run that was begun with --detach (default: the newest such SESSION).

    Several screens may watch; one steers, and another takes over with T. Leaving ends nothing.
    """
    settings = settings_in_force({}, theme)
    with open_store() as store:
        run = detached_run(store, session)
        if headless or as_json or not is_terminal():
            import asyncio

            from .headless import follow_headless

            code = asyncio.run(follow_headless(run, store, as_json=as_json))
        else:
            from .app import Attach

            code = show_screen(settings, store, Attach(run))
    sys.exit(code)


@click.command()
@click.argument("session", required=False)
def stop(session: str | None) -> None:
    """End a run that was begun with --detach, in order (default: the newest such SESSION)."""
    import asyncio

    from ..sessions.remote import RemoteWorker

    with open_store() as store:
        run = detached_run(store, session)

        async def end() -> None:
            worker = RemoteWorker(run, store)
            await worker.stop("A person stopped the run.")
            worker.leave()
            if worker.failure is not None:
                raise worker.failure

        asyncio.run(end())
        click.echo(f"stopped {run.id}")
