"""Where the person stands between the model and the sandbox.

The agent comes to the gate twice: before it asks the model, and before each call. What happens
there follows from the mode, which may be changed at any moment:

    auto    nothing waits
    step    every call waits until a person decides
    paused  requests wait as well

A decision taken while a call waits lets that one call through; the mode stays as it is.
Words for the model wait here too, until the agent takes them with it to its next request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from .events import AnyEvent, ModeChanged, ToolCall, Verdict, Withdrawn

Mode = Literal["auto", "step", "paused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What shall become of a call. Fields as in `events.CallDecided`."""

    verdict: Verdict
    by: Literal["human", "policy"]
    arguments: str | None = None
    feedback: str | None = None


@dataclass(slots=True)
class Waiting:
    """Words that wait for the model.

    Attributes:
        id: of the HumanMessage or HumanCommand they come from.
        text: as the model will read them.
        holds_submit: whether the run goes on for them when the model submits first.
    """

    id: int
    text: str
    holds_submit: bool


class Gate:
    """The gate of one run.

    Args:
        post: writes an event to the run's journal.
        mode: how the run begins.
    """

    def __init__(self, post: Callable[[AnyEvent], AnyEvent], mode: Mode = "auto") -> None:
        self._post = post
        self._mode: Mode = mode
        self._pending: tuple[ToolCall, asyncio.Future[Decision]] | None = None
        self._changed = asyncio.Event()
        self.outbox: list[Waiting] = []

    @property
    def mode(self) -> Mode:
        """How the run proceeds."""
        return self._mode

    @property
    def pending(self) -> ToolCall | None:
        """The call that waits for a person, if one does."""
        return self._pending[0] if self._pending else None

    @property
    def holds_submit(self) -> bool:
        """Whether words wait that the model should read before it hands its work in."""
        return any(waiting.holds_submit for waiting in self.outbox)

    # --- the agent's side

    async def before_request(self) -> None:
        """Wait while the run is paused."""
        while self._mode == "paused":
            self._changed.clear()
            await self._changed.wait()

    async def before_call(self, call: ToolCall) -> Decision:
        """What shall become of `call`; waits for a person unless the mode is auto."""
        if self._mode == "auto":
            return Decision(verdict="approve", by="policy")
        future: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._pending = (call, future)
        try:
            return await future
        finally:
            self._pending = None

    def take_outbox(self) -> list[Waiting]:
        """The words that wait, in order; the outbox is empty afterwards."""
        taken, self.outbox = self.outbox, []
        return taken

    # --- the person's side

    def set_mode(self, mode: Mode) -> None:
        """Change how the run proceeds; to auto also lets a waiting call through."""
        if mode == self._mode:
            return
        self._mode = mode
        self._post(ModeChanged(mode=mode))
        self._changed.set()
        if mode == "auto" and self._pending:
            self.decide(self._pending[0].number, Decision(verdict="approve", by="human"))

    def step(self) -> None:
        """Go one call further: approve the waiting one, else let the run go on to the next."""
        if self._mode != "step":
            waiting = self._pending
            self.set_mode("step")
            if waiting is None:
                return
        if self._pending:
            self.decide(self._pending[0].number, Decision(verdict="approve", by="human"))

    def decide(self, number: int, decision: Decision) -> bool:
        """Decide about the waiting call; False when that call is not waiting (any more)."""
        if self._pending is None or self._pending[0].number != number:
            return False
        future = self._pending[1]
        if future.done():
            return False
        future.set_result(decision)
        return True

    def withdraw(self, item: int) -> bool:
        """Take back words the model has not seen; False when it has."""
        for waiting in self.outbox:
            if waiting.id == item:
                self.outbox.remove(waiting)
                self._post(Withdrawn(id=item))
                return True
        return False
