"""A run and its record as a screen sees them, in this program or another."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from typing import Protocol, runtime_checkable

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.core.run.human.run_controls import Controls
from sandbox_tui.core.run.run_labels import SAMPLE, SAMPLES
from sandbox_tui.sessions.recording.latest_output import LatestOutput
from sandbox_tui.sessions.store.run_summary import RunSummary


class RunHandle(Protocol):
    """Implemented by `RunWorker`, for runs in this program or on a cluster node, and by
    `RunClient`.

    Attributes:
        run_id: the session's id.
        failure: why the run could not begin or cannot be watched any more; otherwise None.
        ended: set when the run has ended, its events are stored and its sandbox is removed.
    """

    run_id: str
    failure: SandboxTuiError | None
    ended: asyncio.Event

    @property
    def task(self) -> str:
        """The task given to the model."""
        ...

    @property
    def run(self) -> Controls | None:
        """The run; None until it can be steered."""
        ...

    @property
    def began(self) -> float | None:
        """When the run started, on the monotonic clock of this host; None if that is unknown."""
        ...

    @property
    def can_be_steered(self) -> bool:
        """Whether a screen of this program may steer it at all."""
        ...

    @property
    def steers(self) -> bool:
        """Whether this screen steers."""
        ...

    @property
    def audience(self) -> str:
        """Who else is watching, in a few words; empty if nobody is."""
        ...

    @property
    def storage_error(self) -> str:
        """Why the run is blocked because it cannot be recorded; otherwise empty."""
        ...

    @property
    def exit_code(self) -> int:
        """Exit code for a program that was started for this run."""
        ...

    def start(self) -> None:
        """Start the run; may be called again after a `failure` to begin."""
        ...

    def watch(self) -> AsyncGenerator[e.AnyEvent]:
        """Return all events from the first on: those already stored, then each new one."""
        ...

    def take_over(self) -> None:
        """Let this screen steer; the previous one then only watches."""
        ...

    async def stop(self, because: str) -> None:
        """End the run and wait until everything is cleaned up."""
        ...


class FoldedRun(RunHandle, Protocol):
    """A run that keeps the fold of its stored events, so that several can be shown at a glance.

    Attributes:
        state: the fold of the events that this program knows.
        printed: the end of what the running call has printed, as far as this program knows.
    """

    state: RunState
    printed: LatestOutput

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels recorded with the run; empty while they are unknown."""
        ...


@runtime_checkable
class CanMove(Protocol):
    """A run that can go on in another program.

    Attributes:
        left: whether it was handed to that.
    """

    left: bool


def run_clock(run: RunHandle, state: RunState, heard_at: float) -> float:
    """Return the seconds since a run started; they advance between events.

    Args:
        run: the run.
        state: the fold of the events that have been shown.
        heard_at: when the last of them arrived, for a run whose own clock is unknown.
    """
    has_moved = isinstance(run, CanMove) and run.left  # its clock runs on meanwhile
    if (
        state.started is None
        or state.finished is not None
        or (run.ended.is_set() and not has_moved)
    ):
        return state.t
    began = heard_at - state.t if run.began is None else run.began
    return max(state.t, time.monotonic() - began)


def labels_in(state: RunState) -> Mapping[str, str]:
    """Return the labels recorded with a run; empty before its first event, or in old records."""
    settings = None if state.started is None else state.started.settings
    return {} if settings is None else settings.labels


def sample_labels(summary: RunSummary) -> Mapping[str, str]:
    """Return the labels that make a session a sample of its task, before its events are read."""
    if summary.samples is None:
        return {}
    number = {} if summary.sample is None else {SAMPLE: str(summary.sample)}
    return {SAMPLES: summary.samples, **number}
