"""Every corpus reply yields its calls, and the same ones wherever its stream is split."""

from __future__ import annotations

import codecs
import json
from collections import Counter
from typing import Any

import pytest

from sandbox_tui.core.models.base import Delta
from sandbox_tui.core.models.tool_formats.read_result import Progress, Reading
from sandbox_tui.core.models.tool_formats.reader import TextCallReader, read_reply
from sandbox_tui.core.models.tool_formats.table import FAMILIES
from tests.unit.core.models.tool_formats.corpus import TOOLS, Case, case_id, cases


@pytest.mark.parametrize("case", cases(), ids=case_id)
def test_a_reply_gives_its_calls(case: Case) -> None:
    reading = read_reply(case.reply, TOOLS, case.finish)
    made = [{"tool": call.tool, "arguments": call.arguments} for call in reading.calls]
    wanted = [{"tool": call["tool"], "arguments": call["arguments"]} for call in case.calls]
    assert made == wanted, reading
    for call, want in zip(reading.calls, case.calls, strict=True):
        assert call.repaired.startswith(want.get("repaired", "")), reading
        assert bool(call.repaired) == ("repaired" in want), reading
    if case.calls:
        assert reading.problem == ""
        assert reading.family == case.family
    elif case.problem is not None:
        assert reading.problem
        assert case.problem in ("any", reading.problem) or case.problem in reading.problem
    if case.reasoning is not None:
        assert reading.reasoning == case.reasoning
    if case.text is not None:
        assert reading.text == case.text


def test_each_family_has_its_replies() -> None:
    count = Counter(case.family for case in cases())
    assert set(count) == set(FAMILIES)
    assert min(count.values()) >= 20


def streamed(pieces: list[str], finish: str | None) -> tuple[Reading, list[Delta]]:
    reader = TextCallReader(TOOLS)
    deltas = [delta for piece in pieces for delta in reader.feed(piece)]
    return reader.finish(finish), deltas


def shown_text(deltas: list[Delta]) -> tuple[str, str]:
    """The text and the reasoning that the deltas show."""
    text = "".join(delta.text for delta in deltas if delta.channel == "text")
    return text, "".join(delta.text for delta in deltas if delta.channel == "reasoning")


def progress_of(text: str) -> Progress:
    reader = TextCallReader(TOOLS)
    reader.feed(text)
    return reader.progress()


@pytest.mark.parametrize("case", cases(), ids=case_id)
def test_a_stream_may_be_cut_anywhere(case: Case) -> None:
    whole, deltas = streamed([case.reply], case.finish)
    decoder = codecs.getincrementaldecoder("utf-8")()
    bytewise = [decoder.decode(bytes([byte])) for byte in case.reply.encode()]
    halves = [
        [case.reply[:at], case.reply[at:]]
        for at in range(0, len(case.reply), max(1, len(case.reply) // 60))
    ]
    for pieces in (list(case.reply), bytewise, *halves):
        reading, shown = streamed(pieces, case.finish)
        assert reading == whole
        assert shown_text(shown) == shown_text(deltas)


@pytest.mark.parametrize(
    "case", [case for case in cases() if case.calls and case.family != "pythonic"], ids=case_id
)
def test_a_call_is_shown_as_json_while_it_is_written(case: Case) -> None:
    _, deltas = streamed(list(case.reply), case.finish)
    shown: dict[int, tuple[str, str]] = {}
    for delta in deltas:
        if delta.channel == "call":
            name, arguments = shown.get(delta.index, (delta.name or "", ""))
            shown[delta.index] = (name, arguments + delta.text)
    for call in case.calls:
        if "repaired" not in call:
            assert (
                any(
                    name == call["tool"] and same_arguments(arguments, call["arguments"])
                    for name, arguments in shown.values()
                )
                or case.name in NOT_SHOWN
            )


NOT_SHOWN = ("in OpenAI's shape", "in tool_calls")
"""Calls nested in other objects are shown only once they are complete."""


def same_arguments(shown: str, arguments: dict[str, Any]) -> bool:
    try:
        value = json.loads(shown, strict=False) if shown.strip() else {}
        value = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return False
    return (value or {}) == arguments


@pytest.mark.parametrize("case", cases()[::7], ids=case_id)
def test_the_display_depends_on_the_text_alone(case: Case) -> None:
    reader = TextCallReader(TOOLS)
    for at, char in enumerate(case.reply):
        reader.feed(char)
        if at % 5 == 0:
            assert reader.progress() == progress_of(case.reply[: at + 1])
