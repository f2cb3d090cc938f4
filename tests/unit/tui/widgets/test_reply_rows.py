"""A reply in the list of calls: its failed tries come first, and the end of the run cuts it off."""

from __future__ import annotations

import json

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.items import NoteItem, ReplyItem
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.tui.widgets.calls.rows.reply_rows import reply_height, reply_lines
from tests.snapshots.sample_run import sample_run
from tests.unit.tui.widgets.test_growing_markdown import PALETTE

ASKED: list[e.AnyEvent] = [sample_run()[0], e.ModelAsked(t=1.0, step=1, digest="", messages=1)]
FAILED = e.ModelFailed(t=2.0, step=1, error="busy", attempt=1, retry_in=1.0)


def shown(events: list[e.AnyEvent]) -> list[str]:
    """The lines of the last reply, without its rule's dashes."""
    item = fold(events).reply
    assert isinstance(item, ReplyItem)
    lines = [line.plain.strip() for line in reply_lines(item, 80, 9.0, False, PALETTE)]
    if item.ended:
        assert reply_height(item, 80, False) == len(lines)
    return [lines[0].rpartition("─ ")[2], *lines[1:]]


def test_the_tries_that_failed_before_a_reply_come_before_it() -> None:
    again = e.ModelAsked(t=3.0, step=1, digest="", messages=1)
    writes = e.ModelDelta(t=4.0, step=1, channel="text", text="Hello")
    events = [*ASKED, FAILED, again, writes]
    assert shown(events)[1:] == ["! try 1 failed: busy", "Hello"]
    stopped = [*events, e.ReplyInterrupted(t=5.0, step=1)]
    assert shown(stopped)[1:] == ["! try 1 failed: busy", "Hello", "You stopped the reply."]


def test_an_error_that_comes_again_is_not_repeated() -> None:
    errors = ("busy " * 40, "busy " * 40, "busy " * 40, "gone")
    events = list(ASKED)
    for attempt, error in enumerate(errors, 1):
        at = 2.0 * attempt
        events.append(e.ModelFailed(t=at, step=1, error=error, attempt=attempt, retry_in=1.0))
        events.append(e.ModelAsked(t=at + 1, step=1, digest="", messages=1))
    current = shown(events[:-2])[1:]
    assert current[0].startswith("! try 1 failed: busy busy")
    assert len(current) > 3  # the error that is current is read in full
    assert current[-2:] == ["! try 2 failed: the same error", "! try 3 failed: the same error"]
    later = shown(events)[1:]
    assert later[0].endswith("…")
    assert [line.partition(": ")[2] for line in later[1:]] == [
        "the same error",
        "the same error",
        "gone",
    ]


def test_a_try_that_failed_after_some_text_comes_after_it() -> None:
    writes = e.ModelDelta(t=1.5, step=1, channel="text", text="Hello")
    assert shown([*ASKED, writes, FAILED])[1:] == ["Hello", "! try 1 failed: busy"]


def test_the_end_of_the_run_cuts_off_the_reply_under_way() -> None:
    writes = e.ModelDelta(t=1.5, step=1, channel="text", text="Hello")
    end = e.RunFinished(t=3.0, reason="cancelled", error="You ended the run.", totals=e.Totals())
    assert shown([*ASKED, writes, end]) == [
        "◆ cut off when the run ended",
        "Hello",
        "The run ended before the reply was complete.",
    ]
    gave_up = e.ModelFailed(t=2.0, step=1, error="busy", attempt=5, retry_in=None)
    assert shown([*ASKED, gave_up, end])[0] == "✗ the model failed"


def test_a_run_that_stops_after_the_last_try_says_that_the_model_failed() -> None:
    gave_up = e.ModelFailed(t=2.0, step=1, error="busy", attempt=5, retry_in=None)
    for failure, word in ((gave_up, "✗ the model failed"), (FAILED, "! failed")):
        item = fold([*ASKED, failure]).reply
        assert isinstance(item, ReplyItem)
        rule = reply_lines(item, 80, 9.0, False, PALETTE, is_stopped=True)[0].plain
        assert rule.endswith(word)


def test_a_folded_error_begins_with_the_status_and_the_server_s_words() -> None:
    error = "The server returned an error (503). It says: The engine is overloaded."
    failed = e.ModelFailed(t=2.0, step=1, error=error, attempt=1, retry_in=1.0, status=503)
    again = e.ModelAsked(t=3.0, step=1, digest="", messages=1)
    reply = e.ModelReplied(
        t=4.0, step=1, message={}, text="Hello", reasoning="", usage=e.Usage(),
        finish_reason="stop", latency=1.0,
    )  # fmt: skip
    assert shown([*ASKED, failed])[1].startswith("! try 1 failed: The server returned an error")
    folded = shown([*ASKED, failed, again, reply])
    assert folded[1] == "! try 1 failed: 503: The engine is overloaded."
    item = fold([*ASKED, failed, again, reply]).reply
    assert item is not None
    narrow = reply_lines(item, 40, 9.0, False, PALETTE)[1].plain
    assert narrow == "    ! try 1: 503: The engine is overloa…"


def test_the_error_that_ended_the_run_is_said_once() -> None:
    gave_up = e.ModelFailed(t=2.0, step=1, error="No such model.", attempt=1, retry_in=None)
    end = e.RunFinished(t=3.0, reason="model_error", error="No such model.", totals=e.Totals())
    assert not any(isinstance(item, NoteItem) for item in fold([*ASKED, gave_up, end]).items)
    other = e.RunFinished(t=3.0, reason="store_error", error="No space.", totals=e.Totals())
    last = fold([*ASKED, gave_up, other]).items[-1]
    assert isinstance(last, NoteItem)
    assert last.text == "No space."


def thinking(item: ReplyItem, *, whole: bool = False) -> list[str]:
    lines = reply_lines(item, 60, 9.0, True, PALETTE, whole=whole)
    return [line.plain for line in lines[1:]]


def test_the_newest_lines_of_long_thinking_are_shown_while_it_streams() -> None:
    words = "\n".join(f"thought {number}" for number in range(100))
    thinks = e.ModelDelta(t=1.5, step=1, channel="reasoning", text=words)
    item = fold([*ASKED, thinks]).reply
    assert item is not None
    newest = [f"      │ thought {number}" for number in range(94, 100)]
    assert thinking(item) == [f"▸     thinking · {len(words)} characters", *newest]
    assert len(thinking(item, whole=True)) == 100


def test_long_thinking_folds_when_the_reply_begins() -> None:
    words = "It is one long line of thought. " * 40
    thinks = e.ModelDelta(t=1.5, step=1, channel="reasoning", text=words)
    item = fold([*ASKED, thinks]).reply
    assert item is not None
    head, *newest = thinking(item)
    assert head == f"▸     thinking · {len(words.strip())} characters"
    assert len(newest) == 6
    item = fold([*ASKED, thinks, e.ModelDelta(t=2.0, step=1, channel="text", text="Hello")]).reply
    assert item is not None
    folded, _, said = thinking(item)
    assert folded.startswith("▸     thought · 1279 characters · It is one long")
    assert (len(folded), folded[-1]) == (60, "…")
    assert said.strip() == "Hello"
    call = e.ModelDelta(t=2.0, step=1, channel="call", text="{", name="execute_bash")
    item = fold([*ASKED, thinks, call]).reply
    assert item is not None
    assert thinking(item)[0].startswith("▸     thought · 1279 characters")


def test_a_call_that_is_written_loses_the_cursor_to_the_next() -> None:
    events = list(ASKED)
    for index, command in enumerate(("ls", "date")):
        for key, text in (("name", "execute_bash"), ("", json.dumps({"command": command}))):
            name = text if key else ""
            arguments = "" if key else text
            events.append(
                e.ModelDelta(t=2.0, step=1, channel="call", text=arguments, index=index, name=name)
            )
    assert shown(events)[1:] == ["bash", "ls", "bash", "date▌"]


def test_the_line_that_says_why_a_reply_ended_is_wrapped() -> None:
    item = fold(
        [
            *ASKED,
            e.ModelReplied(
                t=2.0,
                step=1,
                message={},
                text="words",
                reasoning="",
                usage=e.Usage(),
                finish_reason="length",
                latency=1.0,
                reminder="call a tool",
            ),
        ]
    ).items[-1]
    assert isinstance(item, ReplyItem)
    lines = [line.plain for line in reply_lines(item, 40, 9.0, False, PALETTE)]
    assert " ".join(line.strip() for line in lines[2:]) == item.remark
    assert all(len(line) <= 40 for line in lines)
    assert reply_height(item, 40, False) == len(lines) == 4


def test_thinking_that_streams_uses_the_rows_that_are_free() -> None:
    thinking = "\n".join(f"thought {number}" for number in range(100))
    item = ReplyItem(1, 0.0, reasoning=thinking)
    assert len(reply_lines(item, 80, 9.0, True, PALETTE)) == 8
    drawn = reply_lines(item, 80, 9.0, True, PALETTE, 24)
    assert len(drawn) == 24
    assert drawn[-1].plain.endswith("thought 99")
