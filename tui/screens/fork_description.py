"""What the form for a fork holds: a fork to start, or the draft of one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from sandbox_tui.core.lineage.open_fork import ForkRequest
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions.recording.fork_worker import ForkPlan


@dataclass(frozen=True, slots=True)
class ForkDescription:
    """A fork to start."""

    plan: ForkPlan
    request: ForkRequest


@dataclass(frozen=True, slots=True)
class ForkDraft:
    """What was typed into the form and not started.

    Attributes:
        plan: the fork point.
        problem: why the typed step is none; empty if it is one.
        edited: the arguments of the changed call; None if no call was changed.
        texts: the text of each field.
    """

    plan: ForkPlan
    problem: str
    edited: str | None
    texts: dict[str, str]


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
