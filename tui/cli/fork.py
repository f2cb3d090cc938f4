"""`sandbox-tui fork`: plans a fork, asks for confirmation if needed, and runs it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import click

from sandbox_tui.core.base.errors import ConfigError, ForkRefused
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.model_names import split_models
from sandbox_tui.core.config.settings import Settings, changed
from sandbox_tui.core.events.types import Mode
from sandbox_tui.core.lineage.open_fork import ForkRequest, check_edited
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.core.tools.edited_call import check_json
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.recording.fork_worker import ForkPlan
from sandbox_tui.sessions.remote.detached import ForkJob, Job, begin
from sandbox_tui.tui.cli.settings.confirm import confirm
from sandbox_tui.tui.cli.show_app import is_terminal, say_how_it_ended, show


def execute_fork(
    store: Store,
    parent: RunSummary,
    settings: Settings,
    overrides: Mapping[str, Any],
    mode: Mode | None,
    options: Mapping[str, Any],
) -> int:
    """Run a fork to its end, on the screen if there is one; return the exit code.

    Args:
        store: the database with the parent, and for the fork.
        parent: the session to fork.
        settings: the current ones, including those from the command line.
        overrides: only those from the command line, by dotted name.
        mode: the initial mode; None: as in the parent.
        options: of the command.

    Raises:
        SandboxTuiError: nothing was started.
    """
    lines = options["headless"] or options["as_json"] or not is_terminal()
    kind = str(overrides.get("sandbox.kind") or "auto")
    edited = options["edit_call"]
    at: str = options["at"] or "end"
    if edited is not None:
        check_json(edited)
    plan = ForkPlan(store, parent, at, before_call=edited is not None, kind=kind)
    if plan.is_after_submit and not options["at"]:
        at = f"step:{plan.submitting_step - 1}"
        plan = ForkPlan(store, parent, at, kind=kind)
        click.echo(
            f"It forks before step {plan.submitting_step}, in which the session submitted; --at "
            "end forks after it.",
            err=True,
        )
    if edited is not None:
        _check_position(store, plan, at)
        check_edited(plan.fork_point, edited)
    run = plan.request(settings, overrides)
    if overrides.get("model.name"):
        run = _with_one_model(run)
    if lines and not options["detach"] and (mode or run.mode) == "step":
        mode = "auto"
    seed = run.seed if options["seed"] is None else options["seed"]
    run = replace(run, mode=mode or run.mode, output=options["output"], seed=seed)
    request = ForkRequest(
        run=run,
        message=options["message"],
        edited=edited,
        prompts=options["prompts"],
        task=options["task"],
    )
    _consent(plan, options, ask=not lines)
    if lines and not options["detach"] and run.model is None:
        from sandbox_tui.tui.cli.model_server.require_server import require_server

        require_server(run.settings.model, options)
    if options["detach"]:
        from sandbox_tui.tui.cli.model_server.warn_unlisted import warn_unlisted

        job = ForkJob(parent=parent.id, at=at, before_call=edited is not None, kind=kind)
        click.echo(begin(Job.of_fork(job, request)))
        warn_unlisted([run])
        return 0
    if lines:
        from sandbox_tui.tui.cli.headless import fork_headless

        ended = asyncio.run(fork_headless(plan, request, store, as_json=options["as_json"]))
    else:
        from sandbox_tui.tui.lifecycle.first_screen import Forking

        ended = show(settings, store, Forking(plan, request))
    say_how_it_ended(store, ended)
    return ended.code


def _with_one_model(run: RunRequest) -> RunRequest:
    """Return the request with the model that the command names, without stray commas.

    Raises:
        ConfigError: it names several.
    """
    names = split_models(run.settings.model.name)
    if len(names) > 1:
        raise ConfigError(f"A fork continues with one model: choose one of {', '.join(names)}.")
    return replace(run, settings=changed(run.settings, {"model.name": "".join(names)}))


def _check_position(store: Store, plan: ForkPlan, at: str) -> None:
    """Check that there is a call to change at a position.

    Raises:
        ForkRefused: there is none, but calls follow; the message names the first of them.
    """
    fork_point = plan.fork_point
    later = [call.number for call in store.calls(plan.parent.id) if call.step > fork_point.step]
    if fork_point.next_call is None and later:
        raise ForkRefused(
            f"{at} is a position between steps, with no call to change. Name the call: --at "
            f"call:{min(later)} changes the next one."
        )


def _consent(plan: ForkPlan, options: Mapping[str, Any], *, ask: bool) -> None:
    """Print where the files come from, and ask before calls are run again."""
    if not plan.repeats and plan.base is not None:
        return
    if plan.repeats and options["no_repeat"]:
        raise ConfigError(
            f"{plan.sentence} Drop --no-repeat, or fork at a step that has a snapshot."
        )
    click.echo(sanitize_line(plan.sentence), err=True)
    if ask and plan.repeats and not options["yes"]:
        confirm("Continue?", "No run was started", default=True, err=True)
