"""Takes snapshots of a run's sandbox while the model is thinking.

A step's calls are done when the model is asked for the next one. From then until the snapshot is
taken, nothing else runs in the sandbox: a reply that arrives early waits for the snapshot. A failed
snapshot is a warning and never ends the run.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from typing_extensions import override

from sandbox_tui.core.base.errors import FileRefused, SandboxLost, SandboxTuiError
from sandbox_tui.core.environment.environment_parts import SnapshotTaker
from sandbox_tui.core.environment.locks import SandboxLocks
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import MIRROR
from sandbox_tui.core.sandboxes.base import Sandbox

When = Literal["off", "auto", "every"]
"""When to take snapshots: never; at intervals, if something has changed; after every step."""

AUTO_SECONDS = 30.0
"""Minimum time between two snapshots of `auto`, and before the first."""

MAX_FAILURES = 2
"""Consecutive failures after which no more snapshots are attempted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotPolicy:
    """When snapshots are taken, and how many are retained.

    Attributes:
        when: see `When`.
        max_count: maximum number of snapshots retained per run.
        max_bytes: maximum total size of these.
    """

    when: When = "off"
    max_count: int = 12
    max_bytes: int = 4 << 30


@dataclass(frozen=True, slots=True)
class SnapshotRecord:
    """A retained snapshot: its name, the step it follows, its bytes."""

    name: str
    step: int
    size: int


class Snapshotter(SnapshotTaker):
    """Takes the snapshots of one run; `on_event` observes its journal.

    Args:
        sandbox: the sandbox.
        policy: when to take snapshots, and how many to retain.
        post: writes an event.
        locks: the sandbox's locks; both are held while a snapshot is taken.
        flush: waits until the last scan of the files has been written.

    Attributes:
        retained: the retained snapshots, oldest first.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        policy: SnapshotPolicy,
        *,
        post: Callable[[e.AnyEvent], e.AnyEvent],
        locks: SandboxLocks,
        flush: Callable[[], Awaitable[None]],
    ) -> None:
        self._sandbox = sandbox
        self._policy = policy
        self._post = post
        self._locks = locks
        self._flush = flush
        self._touched = 0
        self._in_last = 0
        self._last_time = time.monotonic()
        self._failures = 0
        self._taking = False
        self._tasks: set[asyncio.Task[None]] = set()
        self.retained: list[SnapshotRecord] = []

    @override
    def restore(self, events: Sequence[e.AnyEvent]) -> None:
        # `events` are only this run's own, not those of its parent
        for event in events:
            if isinstance(event, e.SnapshotTaken):
                self.retained.append(SnapshotRecord(event.image, event.step, event.size))
                self._in_last = event.at
                for one in snapshots_to_evict(self.retained, self._policy):
                    self.retained.remove(one)
            elif touches(event):
                self._touched = event.seq

    @override
    def on_event(self, event: e.AnyEvent) -> None:
        if touches(event):
            self._touched = event.seq
        elif isinstance(event, e.ModelAsked) and event.attempt == 1 and self._due():
            task = asyncio.create_task(self._take(event.step - 1))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    @override
    async def finish(self, step: int) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks)
        if self._policy.when == "every" and self._due():
            await self._take(step)

    def _due(self) -> bool:
        if self._policy.when == "off" or self._failures >= MAX_FAILURES:
            return False
        if self._taking or self._touched == self._in_last:
            return False
        waited = time.monotonic() - self._last_time
        return self._policy.when == "every" or waited >= AUTO_SECONDS

    async def _take(self, step: int) -> None:
        self._taking = True
        try:
            taken = await self._take_one(step)
        finally:
            self._taking = False
        if taken is not None:
            self.retained.append(SnapshotRecord(taken.image, step, taken.size))
            self._post(taken)
            await self._make_room()

    async def _take_one(self, step: int) -> e.SnapshotTaken | None:
        async with self._locks.shell:
            at, began = self._touched, time.monotonic()
            try:
                await self._flush()
                async with self._locks.files:
                    name, size = await self._sandbox.snapshot(
                        f"{self._sandbox.spec.session_id}.{step}.{at}",
                        max_bytes=self._policy.max_bytes,
                    )
            except (SandboxTuiError, OSError) as error:
                self._failed(error)
                return None
        self._failures = 0
        self._in_last, self._last_time = at, time.monotonic()
        seconds = round(self._last_time - began, 3)
        return e.SnapshotTaken(step=step, image=name, size=size, at=at, seconds=seconds)

    def _failed(self, error: Exception) -> None:
        self._failures += 1
        again = "" if self._failures < MAX_FAILURES else " This run takes no more snapshots."
        if not isinstance(error, FileRefused | SandboxLost):
            self._post(e.Warned(text=f"No snapshot after this step: {error}{again}"))

    async def _make_room(self) -> None:
        for one in snapshots_to_evict(self.retained, self._policy):
            self.retained.remove(one)
            try:
                await self._sandbox.remove_snapshot(one.name)
            except SandboxTuiError as error:
                self._post(e.Warned(text=f"A snapshot could not be removed: {error}"))


def touches(event: e.AnyEvent) -> bool:
    """Return whether the sandbox may have changed with this event."""
    match event:
        case e.CallStarted() | e.CallFinished():
            return True
        case e.HumanCommandStarted() | e.HumanCommandFinished() | e.HumanFile() | e.Repeated():
            return True
        case e.TerminalInput(terminal=name):
            return name != MIRROR
        case _:
            return False


def snapshots_to_evict(
    retained: list[SnapshotRecord], policy: SnapshotPolicy
) -> list[SnapshotRecord]:
    """Return the snapshots to remove to satisfy the policy: of the two closest together, the older
    one.

    The newest is always kept, and the others stay spread over the whole run.
    """
    left, evicted = list(retained), list[SnapshotRecord]()
    while len(left) > 1 and (
        len(left) > policy.max_count or sum(one.size for one in left) > policy.max_bytes
    ):
        steps = [0, *(one.step for one in left)]
        gaps = [steps[n + 2] - steps[n] for n in range(len(left) - 1)]
        evicted.append(left.pop(gaps.index(min(gaps))))
    return evicted
