"""The gate: modes, the policy, decisions at any moment."""

from __future__ import annotations

import asyncio
import json

import pytest

from sandbox_tui.core import events as e
from sandbox_tui.core.gate import Decision, Gate, Waiting
from sandbox_tui.core.policy import BASH, Policy, Rule

POLICY = Policy(
    rules=(
        Rule(action="deny", tool=BASH, command="rm *", reason="no"),
        Rule(action="allow", tool=BASH, command="ls *"),
    )
)


class Recorded(Gate):
    """A gate that keeps what it posts."""

    def __init__(self, mode: e.Mode = "auto", policy: Policy = POLICY) -> None:
        self.events: list[e.AnyEvent] = []
        super().__init__(self._keep, policy)
        self.set_mode(mode)

    def _keep(self, event: e.AnyEvent) -> e.AnyEvent:
        self.events.append(event)
        return event


def call(command: str, number: int = 1) -> e.ToolCall:
    arguments = json.dumps({"command": command})
    return e.ToolCall(number=number, step=1, id="x", name=BASH, arguments=arguments)


async def come(gate: Gate, command: str, number: int = 1) -> asyncio.Task[Decision]:
    """Bring a call to the gate, as far as it gets by itself."""
    coming = asyncio.create_task(gate.before_call(call(command, number)))
    await asyncio.sleep(0)
    return coming


@pytest.mark.parametrize(
    ("mode", "command", "verdict"),
    [
        ("auto", "ls", "approve"),
        ("auto", "pwd", "approve"),
        ("auto", "rm x", "reject"),
        ("ask", "ls", "approve"),
        ("ask", "pwd", None),
        ("ask", "rm x", "reject"),
        ("step", "ls", None),
        ("step", "rm x", "reject"),
        ("paused", "ls", None),
    ],
)
async def test_mode_and_policy_say_what_waits(
    mode: e.Mode, command: str, verdict: str | None
) -> None:
    gate = Recorded(mode)
    coming = await come(gate, command)
    assert coming.done() == (verdict is not None)
    assert (gate.pending is None) == coming.done()
    if verdict is not None:
        decision = coming.result()
        assert (decision.verdict, decision.by) == (verdict, "policy")
        assert verdict != "reject" or (decision.rule, decision.feedback) == (
            "rule 1: deny execute_bash rm *",
            "no",
        )
    else:
        held = gate.events[-1]
        assert isinstance(held, e.CallHeld)
        assert (held.rule is not None) == (mode == "ask")
        gate.decide(1, Decision(verdict="skip", by="human"))
        assert (await coming).verdict == "skip"
    assert gate.pending is None


async def test_a_change_of_mode_lets_through_what_need_not_wait_any_more() -> None:
    gate = Recorded("step")
    listing, other = await come(gate, "ls"), None
    gate.set_mode("ask")
    assert (await listing).by == "policy"
    other = await come(gate, "pwd", 2)
    gate.set_mode("step")
    gate.set_mode("paused")
    gate.set_mode("ask")
    assert not other.done()
    gate.set_mode("auto")
    assert (await other).by == "human"


async def test_going_on_returns_to_the_mode_in_which_it_went() -> None:
    gate = Recorded("ask")
    gate.set_mode("step")
    gate.set_mode("paused")
    gate.go_on()
    assert gate.mode == "ask"


async def test_a_decision_too_many_or_too_late_changes_nothing() -> None:
    gate = Recorded("step")
    coming = await come(gate, "pwd")
    skip = Decision(verdict="skip", by="human")
    assert not gate.decide(7, skip)
    assert not gate.grant(7, ["*"])
    gate.set_mode("auto")
    assert not gate.decide(1, skip)
    assert not gate.grant(1, ["pwd"])
    gate.step()
    gate.set_mode("ask")
    assert (await coming).verdict == "approve"
    assert not gate.decide(1, skip)
    assert not [event for event in gate.events if isinstance(event, e.RuleGranted)]


async def test_a_call_that_is_cancelled_waits_no_longer() -> None:
    gate = Recorded("step")
    coming = await come(gate, "pwd")
    coming.cancel()
    assert not gate.decide(1, Decision(verdict="approve", by="human"))
    await asyncio.wait([coming])
    assert gate.pending is None
    gate.step()
    gate.set_mode("auto")


async def test_what_was_granted_waits_in_no_mode_but_paused() -> None:
    gate = Recorded("step")
    coming = await come(gate, "make all; ls")
    assert gate.suggested() == ("make all *",)
    assert gate.grant(1, ["make *"])
    assert (await coming).rule == "you allowed: make *"
    for mode in ("step", "ask", "auto"):
        gate.set_mode(mode)
        assert (await come(gate, "make test")).done()
    gate.set_mode("step")
    waiting = await come(gate, "ls", 2)
    assert not waiting.done()
    gate.decide(2, Decision(verdict="approve", by="human"))
    await waiting
    gate.set_mode("paused")
    waiting = await come(gate, "make test", 3)
    assert not waiting.done()
    gate.set_mode("step")
    assert (await waiting).by == "policy"


async def test_words_that_wait_can_be_changed_and_taken_back() -> None:
    gate = Recorded()
    gate.outbox += [Waiting(1, "one", True), Waiting(2, "two", False)]
    assert gate.reword(2, "zwei")
    assert not gate.reword(3, "drei")
    assert gate.withdraw(1)
    assert not gate.withdraw(1)
    assert not gate.holds_submit
    assert [waiting.text for waiting in gate.take_outbox()] == ["zwei"]
    assert not gate.reword(2, "late")
