"""Snapshots of a run's sandbox, taken while the model thinks.

A step's calls are done when the model is asked for the next one. From that moment until the
snapshot stands, nothing else is carried out in the sandbox: a reply that comes sooner waits for it.
A snapshot that cannot be taken is a warning and never the end of the run.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from . import events as e
from .errors import FileRefused, SandboxLost, SandboxTuiError
from .sandboxes.base import Sandbox
from .sandboxes.kept_snapshots import remove
from .state import MIRROR

When = Literal["off", "auto", "every"]
"""Never; now and then, when something has changed; after every step that may have changed much."""

AUTO_SECONDS = 30.0
"""`auto` leaves at least so much time between two snapshots, and before the first."""

MOST_FAILURES = 2
"""After so many failures in a row no more are tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotPolicy:
    """When snapshots are taken, and how many are kept.

    Attributes:
        when: see `When`.
        most: how many are kept of one run.
        most_bytes: what they may take together.
    """

    when: When = "off"
    most: int = 12
    most_bytes: int = 4 << 30


@dataclass(frozen=True, slots=True)
class Taken:
    """One that stands: its name, its step, its bytes."""

    name: str
    step: int
    size: int


class Snapshots:
    """Takes the snapshots of one run; `see` is an observer of its journal.

    Args:
        sandbox: whose.
        policy: when and how many.
        post: writes an event.
        turn: held by whatever runs in the model's shell.
        files: held while files are looked at, and while the sandbox is frozen.
        settled: waits until the last look at the files has been written.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        policy: SnapshotPolicy,
        *,
        post: Callable[[e.AnyEvent], e.AnyEvent],
        turn: asyncio.Lock,
        files: asyncio.Lock,
        settled: Callable[[], Awaitable[None]],
    ) -> None:
        self._sandbox = sandbox
        self._policy = policy
        self._post = post
        self._turn = turn
        self._files = files
        self._settled = settled
        self._touched = 0
        self._in_last = 0
        self._last_time = time.monotonic()
        self._failures = 0
        self._taking = False
        self._tasks: set[asyncio.Task[None]] = set()
        self.standing: list[Taken] = []

    def see(self, event: e.AnyEvent) -> None:
        """Notice what touches the sandbox, and the moments at which nothing does."""
        if touches(event):
            self._touched = event.seq
        elif isinstance(event, e.ModelAsked) and event.attempt == 1 and self._due():
            task = asyncio.create_task(self._take(event.step - 1))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def finish(self, step: int) -> None:
        """Wait for the one that is being taken, and take a last one where each step has one."""
        if self._tasks:
            await asyncio.wait(self._tasks)
        if self._policy.when == "every" and self._due():
            await self._take(step)

    def _due(self) -> bool:
        if self._policy.when == "off" or self._failures >= MOST_FAILURES:
            return False
        if self._taking or self._touched == self._in_last:
            return False
        waited = time.monotonic() - self._last_time
        return self._policy.when == "every" or waited >= AUTO_SECONDS

    async def _take(self, step: int) -> None:
        self._taking = True
        try:
            taken = await self._kept(step)
        finally:
            self._taking = False
        if taken is not None:
            self.standing.append(Taken(taken.image, step, taken.size))
            self._post(taken)
            await self._make_room()

    async def _kept(self, step: int) -> e.SnapshotTaken | None:
        async with self._turn:
            at, began = self._touched, time.monotonic()
            try:
                await self._settled()
                async with self._files:
                    name, size = await self._sandbox.snapshot(
                        f"{self._sandbox.spec.session_id}.{step}.{at}",
                        most_bytes=self._policy.most_bytes,
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
        again = "" if self._failures < MOST_FAILURES else " No more will be taken in this run."
        if not isinstance(error, FileRefused | SandboxLost):
            self._post(e.Warned(text=f"No snapshot after this step: {error}{again}"))

    async def _make_room(self) -> None:
        for one in superfluous(self.standing, self._policy):
            self.standing.remove(one)
            try:
                await asyncio.to_thread(remove, one.name)
            except SandboxTuiError as error:
                self._post(e.Warned(text=f"A snapshot could not be removed: {error}"))


def touches(event: e.AnyEvent) -> bool:
    """Whether an event says that something may have changed in the sandbox."""
    match event:
        case e.CallStarted() | e.CallFinished():
            return True
        case e.HumanCommandStarted() | e.HumanCommandFinished() | e.HumanFile() | e.Repeated():
            return True
        case e.TerminalInput(terminal=name):
            return name != MIRROR
        case _:
            return False


def superfluous(standing: list[Taken], policy: SnapshotPolicy) -> list[Taken]:
    """Those to remove so that the policy's bounds hold: of the closest together, the older.

    The newest always stays, and what stays is spread over the whole run.
    """
    left, gone = list(standing), list[Taken]()
    while len(left) > 1 and (
        len(left) > policy.most or sum(one.size for one in left) > policy.most_bytes
    ):
        steps = [0, *(one.step for one in left)]
        gaps = [steps[n + 2] - steps[n] for n in range(len(left) - 1)]
        gone.append(left.pop(gaps.index(min(gaps))))
    return gone
