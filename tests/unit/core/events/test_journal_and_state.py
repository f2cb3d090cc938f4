from __future__ import annotations

import asyncio
import math
from typing import Any, Literal, cast

import msgspec
import pytest
from hypothesis import given

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.journal import JOIN_BYTES, MAX_PENDING_BYTES, Journal
from sandbox_tui.core.events.notes import resumed_words
from sandbox_tui.core.events.run_state import CallItem, NoteItem, ReplyItem, fold
from tests.unit.event_streams import started, streams


async def drained(journal: Journal) -> list[e.AnyEvent]:
    journal.close()
    return [event async for event in journal.read()]


async def test_bursts_are_joined_and_order_holds() -> None:
    journal = Journal()
    journal.post(started())
    for _ in range(100):
        await journal.output("model", b"ab")
    for _ in range(50):
        journal.post_delta(e.ModelDelta(step=1, channel="text", text="x"))
    journal.post(e.Warned(text="after"))
    events = await drained(journal)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert len(events) < 10
    assert b"".join(x.data for x in events if isinstance(x, e.TerminalOutput)) == b"ab" * 100
    assert "".join(x.text for x in events if isinstance(x, e.ModelDelta)) == "x" * 50
    assert isinstance(events[-1], e.Warned)
    assert [x.t for x in events] == sorted(x.t for x in events)


async def test_large_output_is_cut_into_chunks() -> None:
    journal = Journal()
    await journal.output("model", b"x" * (JOIN_BYTES * 2 + 5))
    events = await drained(journal)
    assert [len(x.data) for x in events if isinstance(x, e.TerminalOutput)] == [
        JOIN_BYTES,
        JOIN_BYTES,
        5,
    ]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_unreadable_events_are_not_written(number: float) -> None:
    journal = Journal()
    change = e.FileChange(path="/a", change="created", kind="file", mtime=number)
    with pytest.raises(ValueError, match="mtime"):
        journal.post(e.FilesChanged(step=1, changes=(change,)))
    with pytest.raises(ValueError, match="size"):
        large = msgspec.structs.replace(change, mtime=1.0, size=1 << 63)
        journal.post(e.FilesChanged(step=1, changes=(large,)))
    assert journal.post(e.Warned(text="next")).seq == 1


async def test_a_flood_waits_for_its_reader() -> None:
    journal = Journal()
    written = 0

    async def flood() -> None:
        nonlocal written
        while written < 10 * MAX_PENDING_BYTES:
            await journal.output("model", b"x" * JOIN_BYTES)
            written += JOIN_BYTES

    writer = asyncio.create_task(flood())
    for _ in range(200):
        await asyncio.sleep(0)
    assert written <= MAX_PENDING_BYTES + 2 * JOIN_BYTES
    reader = journal.read()
    got = 0
    while got < 10 * MAX_PENDING_BYTES:
        event = await anext(reader)
        assert isinstance(event, e.TerminalOutput)
        got += len(event.data)
    await writer


@given(streams())
def test_a_fold_can_be_split_anywhere(events: list[e.AnyEvent]) -> None:
    whole = fold(events)
    for place in range(0, len(events), 7):
        state = fold(events[:place])
        for event in events[place:]:
            state.apply(event)
        assert state == whole


def test_a_call_from_proposal_to_answer() -> None:
    call = e.ToolCall(number=1, step=1, id="a", name="execute_bash", arguments='{"command": "ls"}')
    events: list[e.AnyEvent] = [
        started(),
        e.ModeChanged(mode="step"),
        e.CallProposed(call=call),
        e.CallHeld(call=1),
    ]
    state = fold(events)
    assert (state.status, state.pending is not None) == ("waiting", True)
    state.apply(e.CallDecided(call=1, verdict="edit", by="human", arguments='{"command": "pwd"}'))
    state.apply(e.CallStarted(call=1))
    assert (state.status, state.running is not None) == ("running", True)
    state.apply(e.CallFinished(call=1, observation="x", ok=False))
    item = state.items[-1]
    assert isinstance(item, CallItem)
    assert (item.status, item.arguments) == ("failed", '{"command": "pwd"}')
    assert state.totals.failed_calls == 1


@pytest.mark.parametrize("verdict", ["reject", "skip"])
def test_a_call_that_was_kept_from_running_has_not_failed(
    verdict: Literal["reject", "skip"],
) -> None:
    call = e.ToolCall(number=1, step=1, id="a", name="execute_bash", arguments="{}")
    state = fold(
        [
            started(),
            e.CallProposed(call=call),
            e.CallDecided(call=1, verdict=verdict, by="human"),
            e.CallFinished(call=1, observation="not run", ok=False),
        ]
    )
    assert (state.totals.calls, state.totals.failed_calls) == (1, 0)


def test_the_history_of_a_file() -> None:
    def change(kind: str) -> tuple[e.FileChange, ...]:
        return (e.FileChange(path="/testbed/a", change=kind, kind="file"),)  # type: ignore[arg-type]

    state = fold([started(), e.FilesChanged(step=1, changes=change("created"))])
    state.apply(e.FilesChanged(step=2, changes=change("modified")))
    assert state.files["/testbed/a"].run_mark == "created"
    state = fold([started(), e.FilesListed(files=change("created"))])
    assert state.files["/testbed/a"].run_mark is None
    state.apply(e.FilesChanged(step=2, changes=change("modified")))
    assert state.files["/testbed/a"].run_mark == "modified"
    state.apply(e.FilesChanged(step=3, changes=change("deleted")))
    assert state.files["/testbed/a"].run_mark == "deleted"


def test_a_temporary_file_is_not_listed_as_deleted() -> None:
    """Such as an editor's swap file: it did not exist at the start, and nothing is missing now."""

    def change(kind: Any) -> e.FilesChanged:
        return e.FilesChanged(step=1, changes=(e.FileChange(path="/a", change=kind, kind="file"),))

    state = fold([started(), change("created"), change("deleted")])
    assert state.files["/a"].run_mark is None
    assert state.files["/a"].created_and_deleted
    state.apply(change("created"))
    assert state.files["/a"].run_mark == "created"
    state.apply(change("deleted"))
    assert state.files["/a"].created_and_deleted


def test_partial_replies_survive_failures_and_restarts() -> None:
    events = [
        e.ModelAsked(step=1, digest="", messages=2),
        e.ModelFailed(step=1, error="No connection.", attempt=1, retry_in=1.0),
        e.ModelAsked(step=1, digest="", messages=2, attempt=2),
        e.ModelDelta(step=1, channel="text", text="I begin"),
        e.ModelFailed(step=1, error="It broke off.", attempt=2, retry_in=1.0),
        e.ModelAsked(step=1, digest="", messages=2, attempt=3),
        e.ModelDelta(step=1, channel="reasoning", text="Again"),
        e.ModelAsked(step=1, digest="", messages=2),
        e.ModelDelta(step=1, channel="text", text="I do it"),
    ]
    state = fold(msgspec.structs.replace(one, seq=n, t=n / 10) for n, one in enumerate(events, 1))
    first, lost, growing = cast(list[ReplyItem], state.items)
    assert (first.text, [one.attempt for one in first.failures]) == ("I begin", [1, 2])
    assert first.ended
    assert first.remark == "The model was asked again."
    assert lost.reasoning == "Again"
    assert lost.remark.startswith("The program ended before the reply was complete.")
    assert growing is state.reply
    assert (growing.text, growing.ended, growing.remark) == ("I do it", False, "")


def test_a_reply_that_is_asked_for_again_after_a_resume_stands_below_it() -> None:
    error: dict[str, Any] = {"error": "It is away.", "max_attempts": 1}
    state = fold(
        [
            e.ModelAsked(seq=1, t=1.0, step=1, digest="", messages=2, token_count=0),
            e.ModelFailed(seq=2, t=2.0, step=1, attempt=1, retry_in=None, **error),
            e.RunFinished(
                seq=3, t=2.0, reason="model_unavailable", error="It is away.", totals=e.Totals()
            ),
            e.RunResumed(seq=4, t=32.0, resumed_at=1032.0, away=30.0, sandbox_info={}),
            e.ModelAsked(seq=5, t=33.0, step=1, digest="", messages=2, token_count=0),
            e.ModelDelta(seq=6, t=34.0, step=1, channel="text", text="I would"),
            e.ModelFailed(seq=7, t=35.0, step=1, attempt=1, retry_in=1.0, **error),
        ]
    )
    before, note, after = state.items
    assert isinstance(before, ReplyItem)
    assert isinstance(note, NoteItem)
    assert isinstance(after, ReplyItem)
    assert (before.text, len(before.failures), before.ended) == ("", 1, True)
    assert note.text.startswith("resumed after 30 s")
    assert (after.text, len(after.failures), after.ended) == ("I would", 1, False)


@pytest.mark.parametrize(
    ("away", "words"), [(42.0, "42 s"), (88.0, "1 min 28 s"), (125.0, "2 min"), (7300.0, "2 h")]
)
def test_a_run_was_away_as_long_as_the_clocks_say(away: float, words: str) -> None:
    resumed = e.RunResumed(resumed_at=9.0, away=away, sandbox_info={})
    assert resumed_words(resumed) == f"resumed after {words}."
