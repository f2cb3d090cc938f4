"""Where the person stands between the model and the sandbox.

The agent comes to the gate twice: before it asks the model, and before each call. What happens
there follows from the mode, which may be changed at any moment:

    auto    nothing waits
    ask     the calls wait about which the policy says so, or says nothing for certain
    step    every call waits until a person decides
    paused  requests wait as well

What the policy denies does not run in any mode; what a person allowed for the rest of the run waits
in none but paused. A decision taken while a call waits is about that one call; the mode stays as it
is. Words for the model wait here too, until the agent takes them with it to its next request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from .events import AnyEvent, CallHeld, Mode, ModeChanged, RuleGranted, ToolCall, Verdict
from .policy import Judgement, Policy, Rule, decide, granted_rules, suggested


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What shall become of a call. Fields as in `events.CallDecided`."""

    verdict: Verdict
    by: Literal["human", "policy"]
    rule: str | None = None
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


def as_message(text: str) -> str:
    """A person's words as the model reads them."""
    return f"A person who watches this run writes to you:\n{text}"


@dataclass(frozen=True, slots=True)
class _Pending:
    call: ToolCall
    future: asyncio.Future[Decision]


class Gate:
    """The gate of one run.

    Args:
        post: writes an event to the run's journal.
        policy: about which calls to ask, and which to refuse.
    """

    def __init__(self, post: Callable[[AnyEvent], AnyEvent], policy: Policy | None = None) -> None:
        self._post = post
        self._policy = policy or Policy()
        self._granted: tuple[Rule, ...] = ()
        self._mode: Mode = "auto"
        self._going: Mode = "auto"
        self._pending: _Pending | None = None
        self._changed = asyncio.Event()
        self._ahead: Decision | None = None
        self.outbox: list[Waiting] = []

    def decide_next(self, decision: Decision) -> None:
        """Decide about the next call before it comes; what the policy denies stays denied."""
        self._ahead = decision

    def take_up(self, mode: Mode, going: Mode, granted: Sequence[tuple[str, str]]) -> None:
        """Stand as the gate of a program that is gone stood.

        Args:
            mode: how the run proceeded.
            going: the last mode in which it went by itself.
            granted: tool and pattern of what a person allowed, in order.
        """
        self._mode, self._going = mode, going
        for tool, pattern in granted:
            self._granted += granted_rules(tool, [pattern])

    @property
    def mode(self) -> Mode:
        """How the run proceeds."""
        return self._mode

    @property
    def pending(self) -> ToolCall | None:
        """The call that waits for a person, if one does."""
        return self._pending.call if self._pending else None

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
        """What shall become of `call`; waits for a person where mode and policy say so."""
        judgement = self._judge(call)
        ahead, self._ahead = self._ahead, None
        if ahead is not None and judgement.action != "deny":
            return ahead
        decision = self._settled(judgement)
        if decision is not None:
            return decision
        future: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._pending = _Pending(call, future)
        asked = self._mode == "ask"
        why, reason = (judgement.why, judgement.reason) if asked else (None, "")
        self._post(CallHeld(call=call.number, rule=why, reason=reason))
        try:
            return await future
        finally:
            self._pending = None

    def take_outbox(self) -> list[Waiting]:
        """The words that wait, in order; the outbox is empty afterwards."""
        taken, self.outbox = self.outbox, []
        return taken

    def _judge(self, call: ToolCall) -> Judgement:
        return decide(self._policy, call.name, call.arguments, self._granted)

    def _settled(self, judgement: Judgement) -> Decision | None:
        """The decision that needs no person, or None."""
        if judgement.action == "deny":
            words = judgement.reason or None
            return Decision(verdict="reject", by="policy", rule=judgement.why, feedback=words)
        if self._mode == "auto":
            return Decision(verdict="approve", by="policy")
        allowed = judgement.action == "allow" and (self._mode == "ask" or judgement.granted)
        if allowed and self._mode != "paused":
            return Decision(verdict="approve", by="policy", rule=judgement.why)
        return None

    # --- the person's side

    def set_mode(self, mode: Mode) -> None:
        """Change how the run proceeds; a waiting call that need not wait any more goes through."""
        if mode == self._mode:
            return
        self._mode = mode
        if mode in ("auto", "ask"):
            self._going = mode
        self._post(ModeChanged(mode=mode))
        self._changed.set()
        if mode == "auto" and self._pending:
            self.decide(self._pending.call.number, Decision(verdict="approve", by="human"))
        else:
            self._settle_pending()

    def go_on(self) -> None:
        """Back to the last mode in which the run went by itself: auto or ask."""
        self.set_mode(self._going)

    def step(self) -> None:
        """Go one call further: approve the waiting one, else let the run go on to the next."""
        waiting = self._pending
        self.set_mode("step")
        if waiting is not None:
            self.decide(waiting.call.number, Decision(verdict="approve", by="human"))

    def suggested(self) -> tuple[str, ...]:
        """Patterns that would allow the waiting call and its like."""
        call = self.pending
        if call is None:
            return ()
        return suggested(self._policy, call.name, call.arguments, self._granted)

    def grant(self, number: int, patterns: Sequence[str]) -> bool:
        """Let the waiting call run, and allow all like it for the rest of the run.

        Args:
            number: the call's.
            patterns: in the form of `suggested`.

        Returns:
            False when that call is not waiting (any more); then nothing is allowed.
        """
        pending = self._pending
        if pending is None or pending.call.number != number or pending.future.done():
            return False
        for pattern in patterns:
            self._granted += granted_rules(pending.call.name, [pattern])
            self._post(RuleGranted(tool=pending.call.name, pattern=pattern))
        words = f"you allowed: {', '.join(patterns)}"
        return self.decide(number, Decision(verdict="approve", by="human", rule=words))

    def decide(self, number: int, decision: Decision) -> bool:
        """Decide about the waiting call; False when that call is not waiting (any more)."""
        pending = self._pending
        if pending is None or pending.call.number != number or pending.future.done():
            return False
        pending.future.set_result(decision)
        return True

    def reword(self, item: int, text: str) -> bool:
        """Change words the model has not seen; False when it has."""
        for waiting in self.outbox:
            if waiting.id == item:
                waiting.text = text
                return True
        return False

    def withdraw(self, item: int) -> bool:
        """Take back words the model has not seen; False when it has."""
        for waiting in self.outbox:
            if waiting.id == item:
                self.outbox.remove(waiting)
                return True
        return False

    def _settle_pending(self) -> None:
        """After a change: the waiting call may need nobody any more."""
        if self._pending is None:
            return
        decision = self._settled(self._judge(self._pending.call))
        if decision is not None:
            self.decide(self._pending.call.number, decision)
