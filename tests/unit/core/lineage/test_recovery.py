"""A run cut off after any of its events resumes and reaches the same end."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sandbox_tui.core.agent.conversation_from_events import conversation
from sandbox_tui.core.agent.loop import messages_digest
from sandbox_tui.core.agent.model_messages import (
    LOST,
    LOST_COMMAND,
    LOST_PROCESSES,
    human_message,
)
from sandbox_tui.core.agent.tool_format_model import ToolFormatModel
from sandbox_tui.core.base.errors import ResumeRefused
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.environment.snapshotter import SnapshotPolicy
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import fold, is_lost
from sandbox_tui.core.lineage.open_resumed import recorded_request
from sandbox_tui.core.lineage.recovery import last_moment, recover
from sandbox_tui.core.lineage.resumed_start import ResumedStart
from sandbox_tui.core.models.base import Delta, RawToolCall, Reply, Request
from sandbox_tui.core.policy.rules import Policy, Rule
from sandbox_tui.core.prompts import load_pack
from sandbox_tui.core.run.recorded_settings import recorded_settings
from sandbox_tui.core.run.run import Run
from sandbox_tui.core.run.spec import RunSpec
from sandbox_tui.sessions import Store
from tests.fakes import FakeSandbox, result
from tests.unit.event_streams import started

BASH = "execute_bash"

TURNS: list[list[tuple[str, str]]] = [
    [(BASH, '{"command": "one"}')],
    [(BASH, '{"command": "two"}'), (BASH, "{not json"), (BASH, '{"command": "three"}')],
    [],
    [("no such tool!", "{}"), (BASH, '{"command": "four"}')],
    [(BASH, '{"command": "five"}'), (BASH, '{"comm')],
    [("submit", "{}"), (BASH, '{"command": "after"}')],
]
"""The model's calls by turn; the last call of the second-to-last turn hits the token limit."""


class Scripted:
    """A model that derives its position from the conversation alone."""

    name = "scripted"
    params: dict[str, Any] = {}  # noqa: RUF012

    async def ask(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
        turn = sum(message["role"] == "assistant" for message in request.messages)
        calls = TURNS[turn]
        yield Delta("text", f"turn {turn}")
        for index, (name, arguments) in enumerate(calls):
            yield Delta("call", arguments[:5], index, name)
            yield Delta("call", arguments[5:], index)
        cut = turn == 4
        yield Reply(
            message=_message(turn, calls),
            text=f"turn {turn}",
            calls=tuple(
                RawToolCall(
                    id=f"t{turn}c{index}",
                    name=name,
                    arguments=arguments,
                    truncated=cut and index == 1,
                )
                for index, (name, arguments) in enumerate(calls)
            ),
            finish_reason="length" if cut else "tool_calls",
        )

    async def prepare(self) -> None: ...

    async def close(self) -> None: ...


def _message(turn: int, calls: list[tuple[str, str]]) -> dict[str, Any]:
    """The assistant message as servers accept it back, without malformed arguments."""
    message: dict[str, Any] = {"role": "assistant", "content": f"turn {turn}"}
    if calls:
        message["tool_calls"] = [
            {
                "id": f"t{turn}c{index}",
                "type": "function",
                "function": {"name": name.replace(" ", "_"), "arguments": _whole(arguments)},
            }
            for index, (name, arguments) in enumerate(calls)
        ]
    return message


def _whole(arguments: str) -> str:
    try:
        json.loads(arguments)
    except ValueError:
        return "{}"
    return arguments


class BlobStore:
    """A blob store that keeps nothing."""

    def put(self, data: bytes) -> str:
        return "x"

    def get(self, name: str) -> bytes | None:
        return None


Act = Callable[[Run, e.AnyEvent], Any]


async def play(
    before: list[e.AnyEvent] | None = None,
    act: Act | None = None,
    sandbox: FakeSandbox | None = None,
    **fields: Any,
) -> list[e.AnyEvent]:
    """Play a run, resumed after the events in `before`, and return all events, old and new."""
    recovered = recover(before or [])
    run = Run(
        RunSpec(run_id="r", task="a task", **fields),
        model=Scripted(),
        sandbox=sandbox or FakeSandbox(),
        pack=load_pack("general"),
        blobs=BlobStore(),
        start=None if recovered is None else ResumedStart(recovered),
    )
    seen: list[e.AnyEvent] = list(before or [])
    async for event in run.events():
        seen.append(event)
        if act is not None:
            act(run, event)
    return seen


def only(kind: type, seen: list[e.AnyEvent]) -> list[Any]:
    return [event for event in seen if isinstance(event, kind)]


def requests_are_right(seen: list[e.AnyEvent]) -> None:
    for asked in only(e.ModelAsked, seen):
        messages = conversation(seen[: asked.seq])
        assert len(messages) == asked.messages
        assert messages_digest(messages) == asked.digest, f"request {asked.seq}"


def everyone_was_answered(seen: list[e.AnyEvent]) -> None:
    """Check that each call is answered once, in the order written, before the next reply."""
    waiting: list[str] = []
    for message in conversation(seen):
        if message["role"] == "assistant":
            assert waiting == []
            waiting = [call["id"] for call in message.get("tool_calls", [])]
        elif message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
    assert waiting == []


async def test_a_run_cut_off_after_any_event_reaches_the_same_end() -> None:
    whole = await play()
    texts = [event.observation for event in only(e.CallFinished, whole)]
    assert len(texts) == 10
    for cut in range(1, len(whole)):
        seen = await play(whole[:cut])
        assert [event.seq for event in seen] == list(range(1, len(seen) + 1))
        assert all(a.t <= b.t for a, b in itertools.pairwise(seen))
        end = seen[-1]
        assert isinstance(end, e.RunFinished)
        assert (end.reason, end.error) == ("submitted", None)
        assert [event.call for event in only(e.CallFinished, seen)] == list(range(1, 11))
        now = [event.observation for event in only(e.CallFinished, seen)]
        lost = [n for n, text in enumerate(now) if text == LOST]
        running = fold(whole[:cut]).running
        assert lost == ([running.call.number - 1] if running and is_lost(running) else [])
        assert [text for n, text in enumerate(now) if n not in lost] == [
            text for n, text in enumerate(texts) if n not in lost
        ], cut
        assert len(only(e.ModelReplied, seen)) == len(TURNS)
        requests_are_right(seen)
        everyone_was_answered(seen)


async def test_a_run_cut_off_twice_reaches_the_same_end() -> None:
    whole = await play()
    for first in range(1, len(whole), 7):
        once = await play(whole[:first])
        for second in range(first + 1, len(once), 5):
            twice = await play(once[:second])
            end = only(e.RunFinished, twice)[0]
            assert (end.reason, end.error) == ("submitted", None)
            assert len(only(e.RunResumed, twice)) == 1 + (second > first)
            requests_are_right(twice)
            everyone_was_answered(twice)


def test_a_repetition_that_the_model_was_not_told_of_is_told() -> None:
    def answered(number: int) -> list[e.AnyEvent]:
        call = e.ToolCall(number=number, step=number, id="c", name=BASH, arguments="{}")
        return [e.CallProposed(call=call), e.CallFinished(call=number, observation="x", ok=True)]

    events: list[e.AnyEvent] = [started(), *answered(1), *answered(2), *answered(3)]
    recovered = recover(events)
    assert recovered is not None
    (delivered,) = recovered.message_queue
    assert "3 times in a row" in delivered.text
    again = recover([*events, e.Delivered(step=4, ids=(), text=delivered.text)])
    assert again is not None
    assert not again.message_queue
    fewer = recover(events[:5])
    assert fewer is not None
    assert not fewer.message_queue


async def test_a_users_message_still_arrives_once() -> None:
    def speak(run: Run, event: e.AnyEvent) -> None:
        if isinstance(event, e.CallFinished) and event.call == 2:
            run.message("first")
            kept = run.message("second")
            run.reword(kept, "second, better")
            run.withdraw(run.message("never mind"))
            run.inject("ls")

    whole = await play(act=speak)
    withdrawn_at = next(event.seq for event in whole if isinstance(event, e.Withdrawn))
    for cut in range(withdrawn_at, len(whole)):
        seen = await play(whole[:cut])
        text = "\n".join(event.text for event in only(e.Delivered, seen))
        assert text.count(human_message("first")) == 1
        assert text.count(human_message("second, better")) == 1
        assert "never mind" not in text
        assert [event.seq for event in seen] == list(range(1, len(seen) + 1))
        if only(e.HumanCommand, seen):
            assert len(only(e.HumanCommandFinished, seen)) == 1
            was_running = fold(whole[:cut]).humans[4]
            if was_running.started and was_running.finished is None:
                assert LOST_COMMAND in text
        requests_are_right(seen)


async def test_the_gate_stands_as_it_stood() -> None:
    def approve(run: Run, event: e.AnyEvent) -> None:
        if isinstance(event, e.CallHeld):
            if event.call == 1:
                run.approve_always(1, ["one"])
            else:
                run.approve(event.call)

    policy = Policy(default="ask", rules=(Rule(action="deny", command="three"),))
    whole = await play(act=approve, mode="ask", policy=policy)
    held = [event.call for event in only(e.CallHeld, whole)]
    assert held == [1, 2, 6, 7, 10]
    cut = next(event.seq for event in whole if isinstance(event, e.CallHeld) and event.call == 6)
    began = msgspec.structs.replace(whole[0], sandbox="docker")
    settings = recorded_request(began, load())  # type: ignore[arg-type]
    assert settings.settings.policy == policy
    assert e.from_json(e.to_json(whole[0])) == whole[0]
    seen = await play(whole[:cut], approve, mode=settings.mode, policy=settings.settings.policy)
    assert [event.call for event in only(e.CallHeld, seen)] == [1, 2, 6, 6, 7, 10]
    state = fold(seen[: seen.index(only(e.CallHeld, seen)[3]) + 1])
    assert state.pending is not None
    assert state.pending.call.number == 6
    assert state.mode == "ask"
    assert any(
        event.by == "policy" and event.verdict == "reject" for event in only(e.CallDecided, seen)
    )


async def test_a_call_that_waited_waits_again_though_the_mode_was_changed_to_auto() -> None:
    def change(run: Run, event: e.AnyEvent) -> None:
        if isinstance(event, e.CallHeld):
            run.set_mode("auto")
            asyncio.get_running_loop().call_soon(run.reject, event.call)

    whole = await play(act=change, mode="step")
    changed = [n for n, x in enumerate(whole) if isinstance(x, e.ModeChanged) and x.mode == "auto"]

    def reject(run: Run, event: e.AnyEvent) -> None:
        if isinstance(event, e.CallHeld):
            run.reject(event.call)

    seen = await play(whole[: changed[0] + 1], reject)
    assert [event.call for event in only(e.CallHeld, seen)] == [1, 1]
    assert only(e.CallDecided, seen)[0].verdict == "reject"
    assert not any(event.call == 1 for event in only(e.CallStarted, seen))


async def test_a_call_that_only_a_pause_held_runs_once_the_resumed_run_goes_on() -> None:
    def go_on(run: Run, event: e.AnyEvent) -> None:
        if isinstance(event, e.CallProposed) and event.call.number == 1:
            run.pause()
        if isinstance(event, e.CallHeld):
            assert event.until_resumed
            asyncio.get_running_loop().call_soon(run.resume)

    whole = await play(act=go_on)
    held = next(n for n, x in enumerate(whole) if isinstance(x, e.CallHeld))
    seen = await play(whole[: held + 1], go_on)
    first, again = only(e.CallHeld, seen)
    assert first.call == again.call
    assert {event.by for event in only(e.CallDecided, seen)} == {"policy"}
    assert only(e.RunFinished, seen)[0].reason == "submitted"


async def test_a_paused_run_stays_paused_and_a_frozen_sandbox_continues() -> None:
    whole = await play()
    asked = next(event.seq for event in whole if isinstance(event, e.ModelReplied))
    t = whole[asked - 1].t
    frozen: list[e.AnyEvent] = [
        *whole[:asked],
        e.ModeChanged(seq=asked + 1, t=t, mode="paused"),
        e.SandboxFrozen(seq=asked + 2, t=t),
    ]
    held: list[str] = []

    def go_on(run: Run, event: e.AnyEvent) -> None:
        held.append(event.kind)
        if isinstance(event, e.CallHeld):
            assert run.gate.mode == "paused"
            assert not run.state.frozen
            run.resume()
            assert run.gate.mode == "auto"
            run.approve(event.call)

    seen = await play(frozen, go_on)
    assert held[:2] == ["RunResumed", "SandboxThawed"]
    assert "CallHeld" in held
    assert "stays paused" in " ".join(only(e.RunResumed, seen)[0].lost)
    assert only(e.RunFinished, seen)[0].reason == "submitted"


async def test_limits_count_what_was_used_before() -> None:
    whole = await play(limits=e.Limits(max_steps=3))
    assert only(e.RunFinished, whole)[0].reason == "max_steps"
    cut = next(n for n, event in enumerate(whole) if isinstance(event, e.ModelReplied)) + 1
    seen = await play(whole[:cut], limits=e.Limits(max_steps=3))
    assert only(e.RunFinished, seen)[0].reason == "max_steps"
    assert len(only(e.ModelReplied, seen)) == 3
    assert recover(whole[:cut]).time_left(0.0) == 0.0  # type: ignore[union-attr]
    used_up = [*whole[: cut - 1], msgspec.structs.replace(whole[cut - 1], t=60.0)]
    seen = await play(used_up, limits=e.Limits(time_limit=30.0))
    assert only(e.RunFinished, seen)[0].reason == "time_limit"


async def test_it_says_how_long_it_was_away_and_what_was_lost() -> None:
    whole = await play()
    cut = next(n for n, event in enumerate(whole) if isinstance(event, e.CallStarted)) + 1
    began: e.RunStarted = whole[0]  # type: ignore[assignment]
    hour_ago = msgspec.structs.replace(began, started_at=began.started_at - 3600)
    seen = await play([hour_ago, *whole[1:cut]])
    resumed = only(e.RunResumed, seen)[0]
    assert 3590 < resumed.away < 3700
    assert resumed.lost == ("Call 1 was running; it is marked as interrupted.",)
    assert resumed.t == pytest.approx(whole[cut - 1].t, abs=5)
    notes = [item.text for item in fold(seen).items if hasattr(item, "level")]
    assert any("resumed after 60 min" in text for text in notes)
    assert last_moment(seen) == pytest.approx(resumed.resumed_at + seen[-1].t - resumed.t)


async def test_when_it_ended_counts_the_time_away(tmp_path: Path) -> None:
    whole = await play()
    cut = len(whole) - 2
    seen = await play(whole[:cut])
    seen = [
        msgspec.structs.replace(event, away=1000.0) if isinstance(event, e.RunResumed) else event
        for event in seen
    ]
    store = Store(tmp_path / "s.db")
    store.append("r", seen)
    run = store.run("r")
    assert run.ended_at == pytest.approx(run.started_at + seen[-1].t + 1000, abs=0.01)
    store.close()


def test_an_incomplete_record_is_refused() -> None:
    with pytest.raises(ResumeRefused, match="imported"):
        recorded_request(started(), load())
    assert recover([]) is None
    assert recover([e.Warned(text="x")]) is None


def test_recorded_nonsense_is_refused() -> None:
    for settings in (
        e.RunSettings(policy={"default": "perhaps"}),
        e.RunSettings(sandbox={"pids": "many"}),
        e.RunSettings(sandbox={"no such": 1}),
    ):
        with pytest.raises(ResumeRefused, match="cannot be read"):
            recorded_request(msgspec.structs.replace(started(), settings=settings), load())


def test_snapshots_are_taken_as_recorded_and_otherwise_as_the_user_wants_now() -> None:
    now = load({"sandbox.snapshots": "every"})

    def when(**recorded: Any) -> str:
        first = msgspec.structs.replace(started(), settings=e.RunSettings(**recorded))
        return recorded_request(first, now).settings.sandbox.snapshots

    assert when(sandbox={"snapshots": "off"}) == "off"
    assert when(sandbox={}) == "every", "an older record lacks it"
    assert when(sandbox={"snapshots": "off"}, labels={"eval": "e"}) == "every", "none of its own"


def test_the_setting_of_snapshots_is_recorded() -> None:
    spec = RunSpec(
        run_id="r", task="a task", limits=e.Limits(), snapshots=SnapshotPolicy(when="every")
    )
    assert recorded_settings(spec, FakeSandbox().spec, ()).sandbox["snapshots"] == "every"


async def test_the_model_is_told_once_which_processes_ended() -> None:
    """Holds wherever the run is cut off, even again before or after the model was told."""

    def ends() -> FakeSandbox:
        sandbox = FakeSandbox()
        sandbox.outlives = False
        return sandbox

    begins = ends()
    begins.results = [result(background=True), result()]  # the first command's background service
    whole = await play(sandbox=begins)
    left = next(event.seq for event in whole if isinstance(event, e.CallFinished))
    for first in range(1, len(whole) - 1, 3):
        once = await play(whole[:first], sandbox=ends())
        delivered = [event for event in only(e.Delivered, once) if LOST_PROCESSES in event.text]
        assert [event.text.splitlines()[1:] for event in delivered] == (
            [["- one"]] if left <= first < len(whole) - 2 and not _handed_in(whole[:first]) else []
        ), first
        requests_are_right(once)
        for second in range(first + 1, len(once) - 1, 7):
            twice = await play(once[:second], sandbox=ends())
            again = [event for event in only(e.Delivered, twice) if LOST_PROCESSES in event.text]
            assert len(again) <= 1
            assert len(again) >= len(delivered), (first, second)
            requests_are_right(twice)


async def test_a_message_in_an_earlier_versions_words_is_not_repeated() -> None:
    def ends() -> FakeSandbox:
        sandbox = FakeSandbox()
        sandbox.outlives = False
        return sandbox

    begins = ends()
    begins.results = [result(background=True), result()]
    whole = await play(sandbox=begins)
    left = next(event.seq for event in whole if isinstance(event, e.CallFinished))
    seen = await play(whole[: left + 1], sandbox=ends())
    at = next(n for n, event in enumerate(seen) if isinstance(event, e.Delivered))
    delivered = seen[at]
    assert isinstance(delivered, e.Delivered)
    words = (
        "The program that runs this sandbox was ended and has been started again. All processes in "
        "the sandbox ended with it, services among them, and what they had not done yet was not "
        "done. These commands had left something running in the background:\n- one"
    )
    seen[at] = msgspec.structs.replace(delivered, text=words)
    before, after = recover(seen[:at]), recover(seen[: at + 1])
    assert before is not None
    assert before.left_running == ("one",)
    assert after is not None
    assert after.left_running == ()


def _handed_in(events: list[e.AnyEvent]) -> bool:
    """Whether the last reply has arrived, so that no request follows."""
    return len(only(e.ModelReplied, events)) == len(TURNS)


async def test_nothing_is_told_if_background_processes_continue() -> None:
    begins = FakeSandbox()
    begins.results = [result(background=True), result()]
    whole = await play(sandbox=begins)
    left = next(event.seq for event in whole if isinstance(event, e.CallFinished))
    seen = await play(whole[: left + 1])
    assert only(e.Delivered, seen) == []
    assert only(e.RunResumed, seen)[0].lost == ()


async def test_a_call_that_was_mended_says_so_though_it_was_not_proposed_before() -> None:
    class Inner(Scripted):
        async def ask(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
            text = """<tool_call>{"name": "execute_bash", "arguments": {'command': 'one'}}"""
            message = {"role": "assistant", "content": text}
            yield Reply(message=message, text=text, finish_reason="stop")

    request = Request(messages=[], tools=[{"type": "function", "function": {"name": BASH}}])
    parts = [part async for part in ToolFormatModel(Inner(), "text").ask(request)]
    reply = parts[-1]
    assert isinstance(reply, Reply)
    (call,) = reply.calls
    assert call.repaired
    before = await play()
    asked = next(n for n, event in enumerate(before) if isinstance(event, e.ModelReplied))
    replied = msgspec.structs.replace(before[asked], message=reply.message)
    recovered = recover([*before[:asked], replied])
    assert recovered is not None
    (left,) = recovered.checkpoint.unproposed
    assert (left.name, left.arguments) == (call.name, call.arguments)
    assert (left.family, left.repaired) == (call.family, call.repaired)
