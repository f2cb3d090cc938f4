"""Lines of a run without a screen: fit to be heard by someone who does not see them."""

from __future__ import annotations

import io
import re

import pytest

from sandbox_tui.core import events as e
from sandbox_tui.tui.headless import text_writer
from tests.unit.sample_run import sample

HOSTILE = "a\x1b[31m\x1b]0;x\x07\rb\u202e\x9b"


def lines(events: list[e.AnyEvent], label: str = "") -> list[str]:
    stream = io.StringIO()
    write = text_writer(stream, label)
    for event in events:
        write(event)
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("text", ["plain", HOSTILE, "two\nlines"])
def test_lines_are_plain_words_that_never_change(text: str) -> None:
    said = lines(sample(text)[0])
    assert len(said) > 5
    for line in said:
        assert line.isprintable()
        assert not re.search("[\u2190-\u21ff\u2500-\u25ff\u2800-\u28ff]|->|=>", line), line
        assert re.match(r"(\d+:)?\d\d:\d\d  |       \S|\S", line)


def test_how_a_call_went_comes_before_what_it_was() -> None:
    said = lines(sample("plain")[0])
    (failed,) = [line for line in said if "call 1" in line and "failed" in line]
    assert re.search(r"call 1 failed \(exit 3, 0\.50s\): bash ", failed)


def test_lines_of_several_runs_begin_with_their_number() -> None:
    said = lines(sample("plain")[0], "[2] ")
    assert said[0].startswith("[2] 00:00  session ")


def test_a_call_that_waits_is_said() -> None:
    events, _ = sample("plain")
    at = next(i for i, event in enumerate(events) if isinstance(event, e.CallProposed))
    said = lines([*events[: at + 1], e.CallHeld(call=1, rule="ask\x1b")])
    assert "waiting: call 1 waits for a decision (ask␛): bash echo plain" in said[-1]
