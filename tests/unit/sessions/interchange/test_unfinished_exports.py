"""Exports of sessions that have not ended: killed ones and those that still run."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.interchange.exports import EXPORTERS, Recording
from sandbox_tui.sessions.interchange.exports.html_page.page_data import page_data
from sandbox_tui.sessions.search.across_sessions import search
from sandbox_tui.sessions.search.within_session import occurrences
from tests.unit.event_streams import started
from tests.unit.sample_run import keep


def unfinished_call() -> list[e.AnyEvent]:
    """Return the events of a run whose program was killed during its only call."""
    arguments = json.dumps({"command": "sleep 100"})
    call = e.ToolCall(number=1, step=1, id="c1", name="execute_bash", arguments=arguments)
    events: list[e.AnyEvent] = [
        started(),
        e.TerminalOpened(terminal="model", cols=60, rows=10),
        e.CallProposed(call=call),
        e.CallDecided(call=1, verdict="approve", by="policy"),
        e.CallStarted(call=1),
        e.TerminalOutput(terminal="model", data=b"$ sleep 100\r\n"),
    ]
    return [msgspec.structs.replace(one, seq=n, t=n * 0.2) for n, one in enumerate(events, 1)]


def lost_call() -> list[e.AnyEvent]:
    """Return the same events, and those of the resumed run, which reports the call as lost."""
    events = unfinished_call()
    lost = e.CallFinished(call=1, observation="lost", ok=False, duration=0.0, interrupted=True)
    return [*events, msgspec.structs.replace(lost, seq=len(events) + 1, t=3.0)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    found = Store(tmp_path / "s.db")
    yield found
    found.close()


def recording(store: Store, **changed: Any) -> Recording:
    """Return the recording of the only session, with another state."""
    found = Recording(store, "r")
    found.summary = dataclasses.replace(found.summary, **changed)
    return found


def data_of(found: Recording) -> dict[str, Any]:
    return json.loads(b"".join(page_data(found)))


@pytest.mark.parametrize(
    ("changed", "words", "sign", "colour"),
    [
        ({"outcome": "running"}, "running", "●", "good"),
        ({"outcome": "running", "paused": True}, "paused", "‖", "warn"),
        ({"outcome": "running", "waits": True}, "waits for you", "◆", "human"),
        ({"outcome": "interrupted"}, "interrupted", "◌", "warn"),
    ],
)
def test_the_head_and_the_card_of_the_page_have_one_sign(
    store: Store, changed: dict[str, Any], words: str, sign: str, colour: str
) -> None:
    keep(store, unfinished_call(), [])
    data = data_of(recording(store, **changed))
    assert (data["meta"]["state"], data["meta"]["sign"]) == (words, sign)
    card = data["items"][-1]
    assert (card["text"], card["sign"], card["colour"]) == (words, sign, colour)
    assert data["meta"]["colour"] == colour


def test_a_call_that_was_cut_off_is_said_to_be_interrupted(store: Store) -> None:
    keep(store, unfinished_call(), [])
    (report,) = EXPORTERS["markdown"].write(recording(store, outcome="interrupted"))
    text = report.data.decode()
    assert text.count("◌ interrupted") == 2  # in the table and below the call
    assert "its output so far, as the terminal showed it:\n\n```\n$ sleep 100\n```" in text
    (film,) = EXPORTERS["asciicast"].write(recording(store, outcome="interrupted"))
    assert '"1 bash sleep 100 (interrupted)"' in film.data.decode()


def test_the_calls_that_are_counted_are_those_that_are_listed(store: Store) -> None:
    keep(store, unfinished_call(), [])
    found = recording(store, outcome="interrupted")
    assert data_of(found)["meta"]["calls"] == 1
    (report,) = EXPORTERS["markdown"].write(found)
    assert ", 1 call, " in report.data.decode()


def test_the_page_has_what_a_call_had_printed_when_it_was_cut_off(store: Store) -> None:
    keep(store, unfinished_call(), [])
    (call,) = (x for x in data_of(recording(store))["items"] if x["kind"] == "call")
    assert (call["printed"], call["printed_lines"]) == ("$ sleep 100", "1 line")


def test_the_output_of_a_session_is_read_once_for_all_its_calls(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, reads = unfinished_call(), list[bool]()
    call = e.ToolCall(number=2, step=1, id="c2", name="execute_bash", arguments="{}")
    more: list[e.AnyEvent] = [e.CallProposed(call=call), e.CallStarted(call=2)]
    keep(store, [*first, *(msgspec.structs.replace(x, seq=len(first) + n) for n, x in
                           enumerate(more, 1))], [])  # fmt: skip
    found, events = recording(store, outcome="interrupted"), store.events

    def counted(*args: Any, **options: Any) -> Iterator[e.AnyEvent]:
        reads.append(options.get("output", True))
        return events(*args, **options)

    monkeypatch.setattr(store, "events", counted)
    list(EXPORTERS["markdown"].write(found))
    assert reads == [True]


def test_what_a_cut_off_call_had_printed_is_found_at_the_end(store: Store) -> None:
    keep(store, unfinished_call(), [])
    assert occurrences(store, "r", "$ sleep") == []
    store.give_up("r")
    assert occurrences(store, "r", "$ sleep") == [len(unfinished_call())]


@pytest.mark.parametrize("query", ["sleep", '"$ sleep"', "tool:bash sleep", "100 -absent"])
def test_what_a_cut_off_call_had_printed_is_found_among_all_sessions(
    store: Store, query: str
) -> None:
    keep(store, unfinished_call(), [])
    assert [hit.kind for hit in search(store, query)] == ["call"], "it may still be running"
    store.give_up("r")
    found = search(store, query)
    assert [(hit.kind, hit.in_session) for hit in found] == [("call", 2), ("observation", 2)]
    assert (found[1].seq, found[1].step) == (len(unfinished_call()), 1)
    assert found[1].snippet == "$ sleep 100"
    assert found[1].marks
    assert search(store, f"{query} tool:submit") == []


def test_a_call_of_a_session_that_goes_on_is_running(store: Store) -> None:
    keep(store, unfinished_call(), [])
    (report,) = EXPORTERS["markdown"].write(recording(store, outcome="running"))
    assert report.data.decode().count("● running") == 2
    (film,) = EXPORTERS["asciicast"].write(recording(store, outcome="running"))
    assert '"1 bash sleep 100"' in film.data.decode()


def test_a_call_that_was_lost_with_the_program_is_interrupted_after_a_resume(store: Store) -> None:
    keep(store, lost_call(), [])
    (call,) = (x for x in data_of(recording(store))["items"] if x["kind"] == "call")
    assert call["interrupted"]
    (report,) = EXPORTERS["markdown"].write(recording(store, outcome="interrupted"))
    assert report.data.decode().count("✗ interrupted") == 2
    (film,) = EXPORTERS["asciicast"].write(recording(store, outcome="interrupted"))
    assert '"1 bash sleep 100 (interrupted)"' in film.data.decode()
