"""Writes a line for each step of a training when it ends."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING

import msgspec

from sandbox_tui.core.base.durations import short_duration
from sandbox_tui.core.base.sanitize import sanitize_json, sanitize_line
from sandbox_tui.core.events.kinds.values import STOPPED_EARLY
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.rl.reading import TrainingReader
from sandbox_tui.sessions.rl.step_figures import StepFigures, step_figures
from sandbox_tui.sessions.store.tables.trainings import TrainingSummary
from sandbox_tui.tui.format import numbers

if TYPE_CHECKING:  # `rl watch` runs no training
    from sandbox_tui.sessions.rl.training import BatchProgress

PROGRESS_SECONDS = 10.0
"""Minimum number of seconds between a line and the next one about an unfinished step."""

POLL_SECONDS = 1.0
"""Seconds between checks of the database."""


def write_steps(store: Store, found: TrainingSummary, *, as_json: bool) -> int:
    """Write finished steps until no program trains any more; return the exit code.

    Raises:
        StoreError: the database cannot be read, or the training has been deleted.
    """
    reader = TrainingReader(store, found.id)
    written: set[int] = set()
    while True:
        reading = reader.read()
        if reading is not None:
            found = reading.summary
            _write_new(step_figures(reading), written, as_json=as_json)
        if not found.running:
            stream = sys.stderr if as_json else sys.stdout
            stream.write(f"{_outcome(found)}\n")
            return 0 if found.status == "finished" else STOPPED_EARLY
        time.sleep(POLL_SECONDS)


class StepWriter:
    """Writes the steps of a training in this program as they finish.

    Args:
        store: the database.
        training_id: of the training.
        as_json: write JSON; text for the user then goes to stderr.
        on_error: called once if nothing can be written any more.

    Attributes:
        error: why nothing can be written any more; otherwise None.
    """

    def __init__(
        self, store: Store, training_id: str, *, as_json: bool, on_error: Callable[[], None]
    ) -> None:
        self.error: OSError | None = None
        self._on_error = on_error
        self._reader = TrainingReader(store, training_id)
        self._as_json = as_json
        self._written: set[int] = set()
        self._last_line_at = -math.inf

    def write(self, step: int) -> None:
        """Write a finished step.

        Raises:
            StoreError: the database cannot be read.
        """
        self._written.discard(step)  # it is repeated after a resume
        if (reading := self._reader.read()) is not None:
            steps = [one for one in step_figures(reading) if one.step == step]
            with self._until_it_fails():
                self._last_line_at = time.monotonic()
                _write_new(steps, self._written, as_json=self._as_json)

    def progress(self, batch: BatchProgress) -> None:
        """Write how far a batch of rollouts is to stderr, unless a line was just written."""
        now = time.monotonic()
        if now - self._last_line_at >= PROGRESS_SECONDS:
            self._last_line_at = now
            with self._until_it_fails():
                sys.stderr.write(f"{progress_line(batch)}\n")
                sys.stderr.flush()

    def say(self, words: str) -> None:
        """Write a line for the user."""
        stream = sys.stderr if self._as_json else sys.stdout
        with self._until_it_fails():
            stream.write(f"{sanitize_line(words)}\n")
            stream.flush()

    @contextlib.contextmanager
    def _until_it_fails(self) -> Generator[None, None, None]:
        try:
            yield
        except OSError as error:
            if self.error is None:
                self.error = error
                self._on_error()


def progress_line(batch: BatchProgress) -> str:
    """Return how far a batch of rollouts is, as a line."""
    what = "held-out tasks" if batch.split == "held_out" else "rollouts"
    return f"step {batch.step} · {batch.done} of {batch.total} {what} …"


def step_line(step: StepFigures) -> str:
    """Return a finished step as a line."""
    parts = [f"step {step.step}"]
    if step.reward is not None:
        spread = "" if step.reward_std is None else f" ± {step.reward_std:.3f}"
        parts.append(f"reward {step.reward:.3f}{spread}")
    if step.held_out_reward is not None:
        parts.append(f"held-out {step.held_out_reward:.3f}")
    if "loss" in step.metrics:
        parts.append(f"loss {step.metrics['loss']:.4g}")
    if step.rollouts:
        parts.append(numbers.counted(step.rollouts, "rollout"))
    if step.truncated is not None:
        parts.append(f"truncated {100 * step.truncated:.0f}%")
    if step.tool_calls is not None:
        parts.append(f"{step.tool_calls:.1f} calls")
    if step.tokens is not None:
        parts.append(numbers.token_words(round(step.tokens)))
    if "seconds" in step.metrics:
        parts.append(short_duration(step.metrics["seconds"]))
    return " · ".join(parts)


def _write_new(steps: Sequence[StepFigures], written: set[int], *, as_json: bool) -> None:
    for step in steps:
        if not step.finished or step.step in written:
            continue
        written.add(step.step)
        line = sanitize_json(msgspec.json.encode(step).decode()) if as_json else step_line(step)
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _outcome(found: TrainingSummary) -> str:
    words = f"training {found.id}: {found.status} after {numbers.counted(found.steps, 'step')}"
    if found.status == "interrupted":
        words += " · Its program has exited."
    return sanitize_line(f"{words} · {found.error}" if found.error else words)
