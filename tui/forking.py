"""`sandbox-tui fork`: a fork planned, shown to the person, and run."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import click

from ..core.config import Settings
from ..core.errors import ConfigError
from ..core.events import Mode
from ..core.fork_launch import ForkRequest
from ..core.text import clean_line
from ..sessions import RunSummary, Store
from ..sessions.fork import Plan


def execute_fork(
    store: Store,
    parent: RunSummary,
    settings: Settings,
    overrides: Mapping[str, Any],
    mode: Mode | None,
    options: Mapping[str, Any],
) -> int:
    """Run a fork to its end, on the screen where there is one; returns the exit code.

    Args:
        store: where parent and fork are kept.
        parent: the session.
        settings: of today, with the command line's.
        overrides: the command line's alone, by dotted name.
        mode: how it begins, None: as its parent did.
        options: of the command.

    Raises:
        SandboxTuiError: nothing was begun.
    """
    lines = options["headless"] or options["as_json"] or not _is_terminal()
    wanted = str(overrides.get("sandbox.kind") or "auto")
    edited = options["edit_call"]
    plan = Plan(store, parent, options["at"], before_call=edited is not None, kind=wanted)
    run = plan.request(settings, overrides)
    if lines and (mode or run.mode) == "step":
        mode = "auto"
    run = replace(run, mode=mode or run.mode, output=options["output"])
    request = ForkRequest(
        run=run,
        message=options["message"],
        edited=edited,
        prompts=options["prompts"],
        task=options["task"],
    )
    _consent(plan, options, ask=not lines)
    if lines:
        from .headless import fork_headless

        return asyncio.run(fork_headless(plan, request, store, as_json=options["as_json"]))
    from . import graphics, terminal_engine
    from .app import Forking, SandboxTui

    graphics.prepare(settings.ui.images)
    terminal_engine.prepare(settings.ui.terminal_engine)
    app = SandboxTui(settings, store, Forking(plan, request))
    app.run()
    if app.failure is not None:
        raise app.failure
    return app.return_code or 0


def _consent(plan: Plan, options: Mapping[str, Any], *, ask: bool) -> None:
    """Say where the files come from; whoever does not want calls repeated may refuse."""
    if not plan.repeats and plan.base is not None:
        return
    if plan.repeats and options["no_repeat"]:
        raise ConfigError(f"{plan.sentence} Without --no-repeat, or at a step that has a snapshot.")
    click.echo(clean_line(plan.sentence), err=True)
    if ask and plan.repeats and not options["yes"]:
        click.confirm("Go on?", abort=True, default=True, err=True)


def _is_terminal() -> bool:
    return sys.stdout.isatty() and sys.stdin.isatty()
