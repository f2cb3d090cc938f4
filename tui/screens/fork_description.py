"""The fork that its form describes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.model_names import split_models, without_empty_names
from sandbox_tui.core.config.valid_values import with_scheme
from sandbox_tui.core.events.types import ToolCall
from sandbox_tui.core.lineage.open_fork import ForkRequest
from sandbox_tui.core.models.factory import DEMO_NAMES
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.recording.fork_worker import ForkPlan
from sandbox_tui.tui.format.setting_text import MODEL_NEEDED
from sandbox_tui.tui.screens.dialogs.form import Texts
from sandbox_tui.tui.screens.new_run.run_fields import mistake_in
from sandbox_tui.tui.screens.new_run.run_mistakes import without_server

ROOM = 20
"""Minimum steps left for a fork whose parent has used up its own."""

ONE_MODEL = "A fork continues with one model."

AFTER_SUBMIT = "The model has submitted here: enter a message, or an earlier step."


@dataclass(frozen=True, slots=True)
class ForkDescription:
    """A fork to start."""

    plan: ForkPlan
    request: ForkRequest


def first_choices(plan: ForkPlan, run: RunRequest) -> tuple[str, str]:
    """Return the model and the server in the form at first; no server for a script.

    Args:
        plan: the fork point.
        run: the parent's request.
    """
    url = "" if run.model is not None else run.settings.model.base_url
    name = sanitize_line(plan.started.model)
    if run.model is None and name in DEMO_NAMES and not url:
        name = sanitize_line(run.settings.model.name)  # only the demo here has its script
    return name, url


def first_limit(plan: ForkPlan, run: RunRequest) -> int:
    """Return the limit of steps in the form at first; the arguments are those of
    `first_choices`."""
    steps, at = run.settings.limits.max_steps, plan.fork_point.step
    return at + ROOM if at >= steps else steps


def plan_before(plan: ForkPlan, store: Store, call: ToolCall) -> ForkPlan:
    """Return the fork point just before an executed call.

    Raises:
        SandboxTuiError: no run can be forked there.
    """
    return ForkPlan(store, plan.parent, f"call:{call.number}", before_call=True)


def with_choices(
    run: RunRequest, max_steps: int, model: str, url: str, first: tuple[str, str]
) -> RunRequest:
    """Return the request with what was chosen in the form.

    Args:
        run: the parent's request.
        max_steps: the limit of steps.
        model, url: the model and its server.
        first: those of the parent: no change, so that a script stays one.
    """
    model = without_empty_names(model)
    chosen = run if (model, url) == first else with_model(run, model, url)
    return with_limit(chosen, max_steps)


WHOLE = "Must be a whole number."


def no_step(last_step: int) -> str:
    """Return that a text is no step of the session."""
    return f"Enter a step from 0 to {last_step}."


def step_mistake(text: str, last_step: int) -> str:
    """Return what to enter instead of a text that is no step of the session."""
    return WHOLE if text and not _is_whole(text) else f"Must be from 0 to {last_step}."


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def mistakes_of(
    typed: Texts, plan: ForkPlan, run: RunRequest, first: tuple[str, str], *, is_script: bool
) -> dict[str, str]:
    """Return what is wrong with the form for a fork, except for its step.

    Args:
        typed: the text of each field, without surrounding blanks.
        plan: the fork point.
        run: the parent's request.
        first: the parent's model and server.
        is_script: whether this program has the script that the model plays.
    """
    needs_message = plan.is_after_submit and not typed["message"]
    found = {
        "steps": mistake_of_limit(typed["steps"], plan.fork_point.step + 1),
        "message": AFTER_SUBMIT if needs_message else "",
        "model": mistake_of_model(typed["model"], typed["url"], is_script=is_script),
        "url": mistake_in("url", typed["url"]),
    }
    found = {name: words for name, words in found.items() if words}
    if found.keys() & {"model", "url"}:
        return found
    fork = with_choices(run, 1, typed["model"], with_scheme(typed["url"]), first)
    return found if fork.model is not None else {**found, **without_server(fork.settings)}


def mistake_of_limit(text: str, least: int) -> str:
    """Return why a text is no limit of steps; empty if it is one of at least `least`."""
    if not _is_whole(text):
        return WHOLE
    return "" if int(text) >= least else f"Must be at least {least}."


def mistake_of_model(model: str, url: str, *, is_script: bool) -> str:
    """Return why no fork can go on with a model; empty if one can.

    Args:
        model: its name.
        url: its server; empty for the usual one.
        is_script: whether this program has the script that it plays.
    """
    names = split_models(model)
    if len(names) != 1:
        return ONE_MODEL if names else MODEL_NEEDED
    is_demo = names[0] in DEMO_NAMES and not url and not is_script
    return "Choose a real model." if is_demo else ""


def run_of(run: RunRequest, typed: Texts, first: tuple[str, str]) -> RunRequest:
    """Return the request of the fork for a form without mistakes; the arguments are those of
    `mistakes_of`."""
    return with_choices(run, int(typed["steps"]), typed["model"], with_scheme(typed["url"]), first)


def with_model(run: RunRequest, name: str, base_url: str) -> RunRequest:
    """Return the request with another model, which is asked at this server."""
    settings = run.settings
    model = msgspec.structs.replace(settings.model, name=name, base_url=base_url)
    return replace(run, settings=msgspec.structs.replace(settings, model=model), model=None)


def with_limit(run: RunRequest, max_steps: int) -> RunRequest:
    """Return the request with another limit of steps."""
    settings = run.settings
    limits = msgspec.structs.replace(settings.limits, max_steps=max_steps)
    return replace(run, settings=msgspec.structs.replace(settings, limits=limits))
