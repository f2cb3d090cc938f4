"""The fork that its form describes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from sandbox_tui.core.lineage.open_fork import ForkRequest
from sandbox_tui.core.models.factory import DEMO_NAMES
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions.recording.fork_worker import ForkPlan
from sandbox_tui.tui.keys.hint import hint


@dataclass(frozen=True, slots=True)
class ForkDescription:
    """A fork to start."""

    plan: ForkPlan
    request: ForkRequest


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
    chosen = run if (model, url) == first else with_model(run, model, url)
    return with_limit(chosen, max_steps)


def mistake_of_model(model: str, url: str, *, is_script: bool) -> str:
    """Return why no fork can go on with a model; empty if one can.

    Args:
        model: its name.
        url: its server; empty for the usual one.
        is_script: whether this program has the script that it plays.
    """
    if not model:
        return f"{hint('fork.models')} chooses one"
    is_demo = model in DEMO_NAMES and not url and not is_script
    return "choose a real model" if is_demo else ""


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
