from __future__ import annotations

import asyncio

from hypothesis import given

from sandbox_tui.core import events as e
from sandbox_tui.core.journal import HIGH_WATER, JOIN_BYTES, Journal
from sandbox_tui.core.state import CallItem, fold
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


async def test_a_flood_waits_for_its_reader() -> None:
    journal = Journal()
    written = 0

    async def flood() -> None:
        nonlocal written
        while written < 10 * HIGH_WATER:
            await journal.output("model", b"x" * JOIN_BYTES)
            written += JOIN_BYTES

    writer = asyncio.create_task(flood())
    for _ in range(200):
        await asyncio.sleep(0)
    assert written <= HIGH_WATER + 2 * JOIN_BYTES
    reader = journal.read()
    got = 0
    while got < 10 * HIGH_WATER:
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


def test_what_became_of_a_file() -> None:
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
