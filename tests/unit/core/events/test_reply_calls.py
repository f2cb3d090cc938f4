"""The calls of a reply that have not been proposed, and the place of each in its reply."""

from __future__ import annotations

import json

import msgspec

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.items import CallItem, ReplyItem
from sandbox_tui.core.events.reply_calls import (
    calls_to_come,
    place_in_reply,
    precedes_calls_to_come,
)
from sandbox_tui.core.events.run_state import RunState, fold
from tests.unit.event_streams import started


def arguments(command: str) -> str:
    return json.dumps({"command": command})


def replied(step: int, *commands: str) -> list[e.AnyEvent]:
    """A reply with a bash call for each command."""
    written = [
        {"id": name, "function": {"name": "execute_bash", "arguments": arguments(name)}}
        for name in commands
    ]
    return [
        e.ModelAsked(step=step, digest="", messages=1),
        e.ModelReplied(
            step=step,
            message={"role": "assistant", "content": "", "tool_calls": written},
            text="",
            reasoning="",
            usage=e.Usage(input_tokens=1, output_tokens=1),
            finish_reason=None,
            latency=1.0,
            cost=None,
        ),
    ]


def proposed(number: int, step: int, command: str) -> e.CallProposed:
    text = arguments(command)
    call = e.ToolCall(number=number, step=step, id=command, name="execute_bash", arguments=text)
    return e.CallProposed(call=call)


def done(number: int) -> list[e.AnyEvent]:
    return [
        e.CallDecided(call=number, verdict="approve", by="human"),
        e.CallStarted(call=number),
        e.CallFinished(call=number, observation="", ok=True, duration=0.1),
    ]


def coming(state: RunState) -> list[tuple[int, int, str]]:
    return [
        (call.number, call.place, json.loads(call.arguments)["command"])
        for call in calls_to_come(state)
    ]


def place_of(state: RunState, number: int) -> tuple[int, int] | None:
    item = state.calls[number]
    assert isinstance(item, CallItem)
    return place_in_reply(state, item)


FIRST: list[e.AnyEvent] = [
    started(),
    *replied(1, "a"),
    proposed(1, 1, "a"),
    *done(1),
    *replied(2, "b", "c", "d"),
]
"""A call that ran, then a reply with three calls."""


def test_calls_that_follow_the_waiting_one_are_to_come() -> None:
    events = [started(), *replied(1, "a", "b", "c")]
    before = fold(events)
    assert coming(before) == [(1, 1, "a"), (2, 2, "b"), (3, 3, "c")]
    assert isinstance(
        before.items[precedes_calls_to_come(before, calls_to_come(before))], ReplyItem
    )
    waits = fold([*events, proposed(1, 1, "a")])
    assert coming(waits) == [(2, 2, "b"), (3, 3, "c")]
    assert waits.items[precedes_calls_to_come(waits, calls_to_come(waits))] is waits.calls[1]
    assert place_of(waits, 1) == (1, 3)


def test_they_follow_correctly_once_the_first_is_decided() -> None:
    events = [started(), *replied(1, "a", "b", "c"), proposed(1, 1, "a"), *done(1)]
    assert coming(fold(events)) == [(2, 2, "b"), (3, 3, "c")]
    second = fold([*events, proposed(2, 1, "b")])
    assert coming(second) == [(3, 3, "c")]
    assert (place_of(second, 1), place_of(second, 2)) == ((1, 3), (2, 3))
    last = fold([*events, proposed(2, 1, "b"), *done(2), proposed(3, 1, "c")])
    assert coming(last) == []
    assert precedes_calls_to_come(last, calls_to_come(last)) == -1


def test_numbers_go_on_after_earlier_replies() -> None:
    earlier = [*replied(1, "a"), proposed(1, 1, "a"), *done(1)]
    state = fold([started(), *earlier, *replied(2, "b", "c"), proposed(2, 2, "b")])
    assert coming(state) == [(3, 2, "c")]
    assert place_of(state, 1) is None
    assert place_of(state, 2) == (1, 2)


def test_the_only_call_of_a_reply_has_no_place() -> None:
    state = fold([started(), *replied(1, "a"), proposed(1, 1, "a")])
    assert coming(state) == []
    assert place_of(state, 1) is None


def test_an_imported_message_may_have_another_form() -> None:
    for written in (None, "text", [1, {"function": "text"}]):
        reply = e.ModelReplied(
            step=1,
            message={"role": "assistant", "tool_calls": written},
            text="",
            reasoning="",
            usage=e.Usage(input_tokens=1, output_tokens=1),
            finish_reason=None,
            latency=1.0,
            cost=None,
        )
        state = fold([started(), e.ModelAsked(step=1, digest="", messages=1), reply])
        assert all(call.name == "" for call in calls_to_come(state))


def test_a_call_that_a_fork_runs_in_another_form_comes_in_that_form() -> None:
    edited = e.ToolCall(
        number=2, step=1, id="b", name="execute_bash", arguments=arguments("changed")
    )
    fork = e.Forked(
        parent="p", parent_seq=4, step=1, snapshot=None, repeats=1, model="m", edited=edited
    )
    before = [started(), *replied(1, "a", "b", "c"), proposed(1, 1, "a"), *done(1)]
    assert coming(fold([*before, fork])) == [(2, 2, "changed"), (3, 3, "c")]
    then = [*before, fork, proposed(2, 1, "b"), *done(2)]
    assert coming(fold(then)) == [(3, 3, "c")]
    again = msgspec.structs.replace(fork, edited=None)  # a fork of the fork, as the model wrote it
    assert coming(fold([*before, fork, again])) == [(2, 2, "b"), (3, 3, "c")]
