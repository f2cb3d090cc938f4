"""The approval gate: modes, the policy, and decisions made at any time."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Sequence

import pytest

from sandbox_tui.core.agent import approval_gate
from sandbox_tui.core.agent.approval_gate import Gate
from sandbox_tui.core.agent.approver import Decision
from sandbox_tui.core.agent.message_queue import MessageQueue
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.core.policy.rule_matching import decide
from sandbox_tui.core.policy.rules import BASH, Policy, Rule

POLICY = Policy(
    rules=(
        Rule(action="deny", tool=BASH, command="rm *", reason="no"),
        Rule(action="allow", tool=BASH, command="ls *"),
    )
)


class Recorded(Gate):
    """A gate that keeps the events it posts."""

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
    """Send a call to the gate, and let it get as far as it can without a decision."""
    coming = asyncio.create_task(gate.authorize(call(command, number)))
    await asyncio.sleep(0)
    return coming


async def test_a_call_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []

    def counting(policy: Policy, tool: str, arguments: str, granted: Sequence[Rule]) -> object:
        judged.append(arguments)
        return decide(policy, tool, arguments, granted)

    monkeypatch.setattr(approval_gate, "decide", counting)
    modes: tuple[e.Mode, ...] = ("auto", "ask", "step", "paused")
    for mode in modes:
        judged.clear()
        gate = Recorded(mode)
        coming = await come(gate, "pwd")
        assert len(judged) == 1, mode
        coming.cancel()


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


MODES: tuple[e.Mode, ...] = ("auto", "ask", "step", "paused")


@pytest.mark.parametrize("after", MODES)
@pytest.mark.parametrize("before", ["ask", "step", "paused"])
@pytest.mark.parametrize("command", ["pwd", "ls"])
async def test_no_change_of_mode_decides_about_a_call_that_waits(
    command: str, before: e.Mode, after: e.Mode
) -> None:
    gate = Recorded("step")
    coming = await come(gate, command)
    gate.set_mode(before)
    gate.set_mode(after)
    await asyncio.sleep(0)
    assert not coming.done()
    assert gate.pending is not None
    assert gate.decide(1, Decision(verdict="approve", by="human"))
    assert (await coming).by == "human"


async def test_neither_a_step_nor_going_on_nor_any_order_of_modes_decides() -> None:
    gate = Recorded("ask")
    coming = await come(gate, "pwd")
    for change in (gate.step, gate.resume, lambda: gate.set_mode("paused"), gate.resume, gate.step):
        change()
        for mode in itertools.chain.from_iterable(itertools.permutations(MODES)):
            gate.set_mode(mode)
        await asyncio.sleep(0)
        assert not coming.done()
    assert gate.decide(1, Decision(verdict="skip", by="human"))
    assert (await coming).verdict == "skip"


async def test_the_mode_holds_for_the_calls_that_come_after_it_was_changed() -> None:
    gate = Recorded("step")
    first = await come(gate, "pwd")
    gate.set_mode("auto")
    gate.decide(1, Decision(verdict="approve", by="human"))
    assert (await first).by == "human"
    assert (await come(gate, "pwd", 2)).done()


@pytest.mark.parametrize("mode", MODES)
async def test_a_call_that_waited_in_a_killed_program_waits_again(mode: e.Mode) -> None:
    gate = Recorded(mode)
    coming = asyncio.create_task(gate.authorize(call("ls"), held=True))
    await asyncio.sleep(0)
    assert not coming.done()
    gate.decide(1, Decision(verdict="answer", by="human"))
    assert (await coming).verdict == "answer"
    denied = await gate.authorize(call("rm x", 2), held=True)
    assert denied.verdict == "reject"


@pytest.mark.parametrize("mode", ["auto", "ask", "step"])
async def test_resuming_returns_to_the_mode_before_the_pause(mode: e.Mode) -> None:
    gate = Recorded("ask")
    gate.set_mode(mode)
    gate.set_mode("paused")
    gate.set_mode("paused")
    gate.resume()
    assert gate.mode == mode


@pytest.mark.parametrize("mode", ["auto", "ask", "step"])
async def test_a_run_that_is_not_paused_keeps_its_mode_when_it_is_resumed(mode: e.Mode) -> None:
    gate = Recorded("ask")
    gate.set_mode("paused")
    gate.set_mode(mode)
    gate.resume()
    assert gate.mode == mode


@pytest.mark.parametrize(
    ("before", "command", "by_pause"),
    [
        ("auto", "pwd", True),
        ("ask", "ls", True),
        ("ask", "pwd", False),
        ("step", "ls", False),
    ],
)
async def test_a_call_that_only_the_pause_holds_runs_on_resume(
    before: e.Mode, command: str, by_pause: bool
) -> None:
    gate = Recorded(before)
    gate.set_mode("paused")
    coming = await come(gate, command)
    held = gate.events[-1]
    assert isinstance(held, e.CallHeld)
    assert held.until_resumed == by_pause
    assert (held.rule is not None) == (before == "ask" and not by_pause)
    gate.resume()
    await asyncio.sleep(0)
    assert coming.done() == by_pause
    if by_pause:
        decision = await coming
        assert (decision.verdict, decision.by) == ("approve", "policy")
        assert not gate.decide(1, Decision(verdict="skip", by="human"))
    else:
        assert gate.events[-1] == e.ModeChanged(mode=before)
        assert gate.decide(1, Decision(verdict="skip", by="human"))
        assert (await coming).verdict == "skip"


@pytest.mark.parametrize(("mode", "runs"), [("auto", True), ("ask", False), ("step", False)])
async def test_the_mode_that_ends_a_pause_judges_the_call_that_the_pause_held(
    mode: e.Mode, runs: bool
) -> None:
    gate = Recorded("auto")
    gate.set_mode("paused")
    coming = await come(gate, "pwd")
    gate.set_mode(mode)
    await asyncio.sleep(0)
    assert coming.done() == runs
    if not runs:
        held = gate.events[-1]
        assert isinstance(held, e.CallHeld)
        assert not held.until_resumed
        assert (held.rule is not None) == (mode == "ask")
        gate.set_mode("paused")
        gate.set_mode("auto")
        await asyncio.sleep(0)
        assert not coming.done()
        gate.decide(1, Decision(verdict="skip", by="human"))
    await coming


async def test_a_call_that_a_pause_holds_can_be_decided_before_the_run_is_resumed() -> None:
    gate = Recorded("auto")
    gate.set_mode("paused")
    coming = await come(gate, "pwd")
    assert gate.decide(1, Decision(verdict="skip", by="human"))
    gate.resume()
    assert (await coming).verdict == "skip"


async def test_a_decision_too_many_or_too_late_changes_nothing() -> None:
    gate = Recorded("step")
    coming = await come(gate, "pwd")
    skip = Decision(verdict="skip", by="human")
    assert not gate.decide(7, skip)
    assert not gate.grant(7, ["*"])
    assert gate.decide(1, Decision(verdict="approve", by="human"))
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


async def test_granted_calls_wait_only_while_paused() -> None:
    gate = Recorded("step")
    coming = await come(gate, "make all; ls")
    assert [part.text for part in gate.open_parts()] == ["make all"]
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
    gate.decide(3, Decision(verdict="approve", by="human"))
    await waiting
    assert (await come(gate, "make test", 4)).done()


async def test_what_is_allowed_from_another_run_lets_only_such_a_call_through() -> None:
    gate = Recorded("step")
    assert not gate.allow(BASH, ["make *"])
    assert (await come(gate, "make all")).done()
    waiting = await come(gate, "pwd", 2)
    assert not gate.allow(BASH, ["echo *"])
    assert not gate.allow(BASH, ["rm *"])
    assert not waiting.done()
    assert gate.allow(BASH, ["pwd"])
    assert not gate.allow(BASH, ["pwd"])
    decision = await waiting
    assert (decision.verdict, decision.by) == ("approve", "human")
    assert decision.rule == "you allowed: pwd"
    granted = [event for event in gate.events if isinstance(event, e.RuleGranted)]
    assert {event.call for event in granted} == {None}


async def test_a_call_that_the_user_has_begun_to_edit_waits_after_the_pause_too() -> None:
    gate = Recorded("auto")
    gate.set_mode("paused")
    waiting = await come(gate, "pwd", 2)
    assert not gate.keep_waiting(1)
    assert gate.keep_waiting(2)
    gate.resume()
    await asyncio.sleep(0)
    assert not waiting.done()
    held = [event for event in gate.events if isinstance(event, e.CallHeld)]
    assert [event.until_resumed for event in held] == [True, False]
    gate.decide(2, Decision(verdict="approve", by="human"))
    await waiting


async def test_a_waiting_call_can_be_left_out_of_what_is_allowed_from_another_run() -> None:
    gate = Recorded("step")
    waiting = await come(gate, "pwd", 2)
    assert gate.would_allow(BASH, ["pwd"])
    assert not gate.would_allow(BASH, ["echo *"])
    assert not gate.allow(BASH, ["pwd"], keeps_waiting=2)
    assert not waiting.done()
    assert not gate.would_allow(BASH, ["pwd"]), "it is allowed already"
    gate.decide(2, Decision(verdict="approve", by="human"))
    await waiting
    assert (await come(gate, "pwd", 3)).done()


async def test_queued_messages_can_be_edited_and_cancelled() -> None:
    queue = MessageQueue()
    queue.add(1, "one", blocks_submit=True)
    queue.add(2, "two")
    assert queue.blocks_submit
    assert queue.edit(2, "zwei")
    assert not queue.edit(3, "drei")
    assert queue.cancel(1)
    assert not queue.cancel(1)
    assert not queue.blocks_submit
    assert [message.text for message in queue.drain()] == ["zwei"]
    assert not queue.edit(2, "late")


async def test_what_is_revoked_is_asked_about_again() -> None:
    gate = Recorded("step")
    coming = await come(gate, "make all")
    assert gate.grant(1, ["make *"])
    await coming
    assert not gate.revoke(BASH, "make all")
    assert gate.revoke(BASH, "make *")
    assert not gate.revoke(BASH, "make *")
    assert [x.kind for x in gate.events if isinstance(x, e.RuleGranted | e.RuleRevoked)] == [
        "RuleGranted",
        "RuleRevoked",
    ]
    waiting = await come(gate, "make test", 2)
    assert not waiting.done()
    waiting.cancel()


@pytest.mark.parametrize("mode", ["auto", "ask", "step"])
async def test_a_mode_that_is_chosen_during_a_pause_is_that_of_the_run_once_it_is_resumed(
    mode: e.Mode,
) -> None:
    gate = Recorded("ask")
    gate.set_mode("paused")
    coming = await come(gate, "ls")
    gate.choose_mode(mode)
    await asyncio.sleep(0)
    assert (gate.mode, gate.resume_mode) == ("paused", mode)
    assert not coming.done()
    state = fold(one for one in gate.events if isinstance(one, e.ModeChanged))
    assert (state.mode, state.paused_mode) == ("paused", mode)
    gate.resume()
    assert (gate.mode, gate.resume_mode) == (mode, mode)
    await asyncio.sleep(0)
    assert coming.done() == (mode != "step")
    coming.cancel()
