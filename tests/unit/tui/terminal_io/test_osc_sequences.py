"""Sequences sent to the surrounding terminal: once each, with only our own commands in them."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.tui.terminal_io.notifications import MAX_NOTIFICATION_CHARACTERS, Notices, cut
from sandbox_tui.tui.terminal_io.osc_sequences import notification_sequence, title_sequence
from sandbox_tui.tui.terminal_io.title import sign_of
from tests.unit.event_streams import started

HOSTILE = "a\x07b\x1b]0;evil\x1b\\c\x9d\x9c\u202e\ud800;d\nsecond line"


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "\x1b]9;t: x;y\x07"),
        ({"TERM": "foot"}, "\x1b]777;notify;t;x,y\x07"),
        ({"VTE_VERSION": "7600"}, "\x1b]777;notify;t;x,y\x07"),
        ({"TMUX": "/tmp/x"}, "\x1bPtmux;\x1b\x1b]9;t: x;y\x07\x1b\\"),
    ],
)
def test_each_terminal_gets_the_form_it_knows(environment: dict[str, str], expected: str) -> None:
    assert notification_sequence("t", "x;y", environment) == expected


@given(st.text(), st.sampled_from([{}, {"TERM": "rxvt"}, {"TMUX": "x"}]))
def test_no_text_gets_out_of_its_sequence(text: str, environment: dict[str, str]) -> None:
    for sequence in (title_sequence(text), notification_sequence(text, text, environment)):
        inside = re.fullmatch(
            r"(?:\x1bPtmux;\x1b)?\x1b\](?:2|9|777;notify);(.*)\x07(?:\x1b\\)?", sequence, re.DOTALL
        )
        assert inside
        assert not re.search("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e]", inside[1])
        sequence.encode()


def test_only_one_short_line_of_a_task_is_shown() -> None:
    assert cut(HOSTILE) == "a␇b␛]0;evil␛\\c<U+009D><U+009C><U+202E><U+D800>;d"
    assert len(cut("x" * 1000)) == MAX_NOTIFICATION_CHARACTERS


def worker(state: RunState, failure: Exception | None = None) -> Any:
    """A stand-in for the worker from which a notification is made."""
    request = SimpleNamespace(task="count words\nplease")
    return SimpleNamespace(run_id="r1", state=state, failure=failure, request=request)


def test_each_event_is_notified_once() -> None:
    state, notices = RunState(), Notices()
    look = lambda: [tuple(notice) for notice in notices.take_new([worker(state)])]  # noqa: E731
    seq = 0

    def happens(event: Any) -> None:
        nonlocal seq
        seq += 1
        state.apply(msgspec.structs.replace(event, seq=seq, t=float(seq)))

    happens(started(task="count words"))
    assert look() == []
    call = e.ToolCall(number=1, step=1, id="c", name="execute_bash", arguments="{}")
    happens(e.ModeChanged(mode="step"))
    happens(e.CallProposed(call=call))
    assert look() == []
    happens(e.CallHeld(call=1))
    assert look() == [("sandbox-tui: a call waits for you", "count words")]
    assert look() == []
    happens(e.CallDecided(call=1, verdict="approve", by="human"))
    happens(e.CallStarted(call=1))
    assert look() == []
    happens(
        e.RunFinished(reason="submitted", totals=state.totals, answer="", output=None, error=None)
    )
    assert look() == [("sandbox-tui: submitted", "count words")]
    assert look() == []
    assert sign_of(state) == "✓"


def test_a_run_that_could_not_start_is_reported() -> None:
    notices = Notices()
    failed = worker(RunState(), ValueError("x"))
    assert [notice.title for notice in notices.take_new([failed])] == [
        "sandbox-tui: could not start"
    ]
    assert notices.take_new([failed]) == []
