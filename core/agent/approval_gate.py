"""The gate between the model and the sandbox: run modes, approvals and user decisions.

The agent passes the gate before each request and before each call. What happens there depends on
the mode, which may change at any time:

    auto    no call waits
    ask     a call waits if the policy asks about it or cannot judge it reliably
    step    every call waits for the user
    paused  every call waits, and requests as well

A call that the policy denies runs in no mode. A call that matches one the user allowed for the rest
of the run waits only while the run is paused. The mode is read once, when the call arrives: a
waiting call keeps waiting for its own decision even if the mode changes meanwhile. Only a call that
nothing but the pause holds is judged again when the pause ends, unless the user has begun to edit
it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from typing_extensions import override

from sandbox_tui.core.agent.approver import Approver, Decision
from sandbox_tui.core.events.types import (
    AnyEvent,
    CallHeld,
    Mode,
    ModeChanged,
    RuleGranted,
    RuleRevoked,
    ToolCall,
)
from sandbox_tui.core.policy.rule_matching import PolicyDecision, decide
from sandbox_tui.core.policy.rules import Policy, Rule
from sandbox_tui.core.policy.session_rules import (
    OpenPart,
    granted_rules,
    newly_granted,
    open_parts,
)


def _denied(judgement: PolicyDecision) -> Decision:
    words = judgement.reason or None
    return Decision(verdict="reject", by="policy", rule=judgement.why, feedback=words)


def _without_person(judgement: PolicyDecision, mode: Mode) -> Decision | None:
    """Return the decision if the user does not have to be asked in this mode, else None."""
    if judgement.action == "deny":
        return _denied(judgement)
    if mode == "auto":
        return Decision(verdict="approve", by="policy")
    allowed = judgement.action == "allow" and (mode == "ask" or judgement.granted)
    if allowed and mode != "paused":
        return Decision(verdict="approve", by="policy", rule=judgement.why)
    return None


@dataclass(slots=True)
class _Pending:
    call: ToolCall
    future: asyncio.Future[Decision]
    until_resumed: bool = False


class Gate(Approver):
    """The approval gate of one run.

    Args:
        post: writes an event to the run's journal.
        policy: which calls run, wait for the user or are denied.
    """

    def __init__(self, post: Callable[[AnyEvent], AnyEvent], policy: Policy | None = None) -> None:
        self._post = post
        self._policy = policy or Policy()
        self._rules: dict[tuple[str, str], tuple[Rule, ...]] = {}
        self._mode: Mode = "auto"
        self._resume_mode: Mode = "auto"
        self._pending: _Pending | None = None
        self._changed = asyncio.Event()
        self._waits = asyncio.Event()
        self._closed = False

    def restore(self, mode: Mode, resume_mode: Mode, granted: Sequence[tuple[str, str]]) -> None:
        """Restore the gate of a run that is resumed or forked.

        Args:
            mode: the recorded mode.
            resume_mode: the mode before the last pause.
            granted: (tool, pattern) of each rule the user granted, in order.
        """
        self._mode, self._resume_mode = mode, resume_mode
        for tool, pattern in granted:
            self._rules[tool, pattern] = granted_rules(tool, [pattern])

    @property
    def _granted(self) -> tuple[Rule, ...]:
        return tuple(rule for rules in self._rules.values() for rule in rules)

    @property
    def mode(self) -> Mode:
        """The run mode."""
        return self._mode

    @property
    def resume_mode(self) -> Mode:
        """The mode in which a paused run continues; of any other run, its mode."""
        return self._resume_mode if self._mode == "paused" else self._mode

    @property
    def pending(self) -> ToolCall | None:
        """The call that waits for the user, if any."""
        return self._pending.call if self._pending else None

    # --- the agent's side

    @override
    async def wait_until_resumed(self) -> None:
        while self._mode == "paused" or self._closed:
            await self._wait_for_change()

    @override
    async def authorize(self, call: ToolCall, *, held: bool = False) -> Decision:
        while self._closed:
            await self._wait_for_change()
        judgement = self._judge(call)
        decision = _without_person(judgement, self._mode)
        if decision is not None and not (held and decision.verdict == "approve"):
            return decision
        future: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        pending = self._pending = _Pending(call, future)
        is_paused = self._mode == "paused"
        mode = self.resume_mode
        needs_nobody = not held and _without_person(judgement, mode) is not None
        self._hold(pending, judgement, mode, until_resumed=is_paused and needs_nobody)
        try:
            with self._waiting():
                return await future
        finally:
            self._pending = None

    def _hold(
        self, pending: _Pending, judgement: PolicyDecision, mode: Mode, *, until_resumed: bool
    ) -> None:
        """Record that a call waits, and why in this mode."""
        pending.until_resumed = until_resumed
        asked = mode == "ask" and not until_resumed
        why, reason = (judgement.why, judgement.reason) if asked else (None, "")
        number = pending.call.number
        self._post(CallHeld(call=number, rule=why, reason=reason, until_resumed=until_resumed))

    async def _wait_for_change(self) -> None:
        self._changed.clear()
        with self._waiting():
            await self._changed.wait()

    @contextlib.contextmanager
    def _waiting(self) -> Generator[None]:
        """Mark the agent as stopped at the gate, with no request or call in progress."""
        self._waits.set()
        try:
            yield
        finally:
            self._waits.clear()

    @override
    def authorize_edited(self, call: ToolCall, arguments: str) -> Decision:
        judgement = decide(self._policy, call.name, arguments, self._granted)
        if judgement.action == "deny":
            return _denied(judgement)
        return Decision(verdict="edit", by="human", arguments=arguments)

    def _judge(self, call: ToolCall) -> PolicyDecision:
        return decide(self._policy, call.name, call.arguments, self._granted)

    # --- the user's side

    async def stop_agent(self) -> None:
        """Block every request and call, and wait until the agent has stopped at the gate."""
        self._closed = True
        while not self._waits.is_set():
            await self._waits.wait()

    def release_agent(self) -> None:
        """Undo `stop_agent`."""
        self._closed = False
        self._changed.set()

    def set_mode(self, mode: Mode) -> None:
        """Change the mode; a call that is already waiting keeps waiting, unless only the pause
        holds it, and the mode that ends the pause lets it run."""
        if mode == self._mode:
            return
        if mode == "paused":
            self._resume_mode = self._mode
        self._mode = mode
        self._post(ModeChanged(mode=mode))
        self._changed.set()
        self._end_of_pause()

    def choose_mode(self, mode: Mode) -> None:
        """Change the mode; a paused run stays paused, and continues in it.

        Events tell the mode before a pause by what came before it, so both are recorded again.
        """
        if self._mode != "paused" or mode == "paused":
            self.set_mode(mode)
        elif mode != self._resume_mode:
            self._resume_mode = mode
            self._post(ModeChanged(mode=mode))
            self._post(ModeChanged(mode="paused"))

    def _end_of_pause(self) -> None:
        """Judge the call that only the pause held, now that another mode is set."""
        pending = self._pending
        if pending is None or not pending.until_resumed or pending.future.done():
            return
        judgement = self._judge(pending.call)  # the user may have allowed it meanwhile
        decision = _without_person(judgement, self._mode)
        if decision is not None:
            pending.future.set_result(decision)
        else:
            self._hold(pending, judgement, self._mode, until_resumed=False)

    def resume(self) -> None:
        """Return to the mode before the pause; does nothing unless the run is paused."""
        if self._mode == "paused":
            self.set_mode(self._resume_mode)

    def step(self) -> None:
        """Run up to the next call and wait there."""
        self.set_mode("step")

    def open_parts(self) -> tuple[OpenPart, ...]:
        """Return the parts of the waiting call that nothing allows yet."""
        call = self.pending
        if call is None:
            return ()
        return open_parts(self._policy, call.name, call.arguments, self._granted)

    def grant(self, number: int, patterns: Sequence[str]) -> bool:
        """Approve the waiting call, and allow similar calls for the rest of the run.

        Args:
            number: the call's number.
            patterns: in the form of `OpenPart.proposals`.

        Returns:
            False if that call is not waiting or no longer waiting; nothing is granted then.
        """
        pending = self._pending
        if pending is None or pending.call.number != number or pending.future.done():
            return False
        self._allow(pending.call.name, patterns, number)
        return self._let_through(number, patterns)

    def would_allow(self, tool: str, patterns: Sequence[str]) -> bool:
        """Return whether the waiting call is one that only these patterns would allow."""
        pending = self._pending
        if pending is None or pending.future.done():
            return False
        call, more = pending.call, granted_rules(tool, patterns)
        return newly_granted(self._policy, call.name, call.arguments, self._granted, more)

    def allow(self, tool: str, patterns: Sequence[str], keeps_waiting: int | None = None) -> bool:
        """Allow calls for the rest of the run, as the user did in another run.

        A waiting call that these patterns allow runs: the user has decided on all such calls.

        Args:
            tool: the tool's name.
            patterns: in the form of `OpenPart.proposals`.
            keeps_waiting: number of the call that waits on nevertheless.

        Returns:
            Whether a waiting call runs because of it.
        """
        call, runs = self.pending, self.would_allow(tool, patterns)
        self._allow(tool, patterns, None)
        if call is None or not runs or call.number == keeps_waiting:
            return False
        return self._let_through(call.number, patterns)

    def _allow(self, tool: str, patterns: Sequence[str], number: int | None) -> None:
        for pattern in patterns:
            self._rules[tool, pattern] = granted_rules(tool, [pattern])
            self._post(RuleGranted(tool=tool, pattern=pattern, call=number))

    def _let_through(self, number: int, patterns: Sequence[str]) -> bool:
        words = f"you allowed: {', '.join(patterns)}"
        return self.decide(number, Decision(verdict="approve", by="human", rule=words))

    def keep_waiting(self, number: int) -> bool:
        """Let a call that only the pause holds wait for its own decision after the pause, too.

        Returns:
            False if that call is not waiting or no longer waiting.
        """
        pending = self._pending
        if pending is None or pending.call.number != number or pending.future.done():
            return False
        if pending.until_resumed:
            judgement = self._judge(pending.call)
            self._hold(pending, judgement, self._resume_mode, until_resumed=False)
        return True

    def revoke(self, tool: str, pattern: str) -> bool:
        """No longer allow what the user allowed; False if it is not allowed (any more)."""
        if self._rules.pop((tool, pattern), None) is None:
            return False
        self._post(RuleRevoked(tool=tool, pattern=pattern))
        return True

    def decide(self, number: int, decision: Decision) -> bool:
        """Resolve the waiting call; False if that call is not waiting or no longer waiting."""
        pending = self._pending
        if pending is None or pending.call.number != number or pending.future.done():
            return False
        pending.future.set_result(decision)
        return True
