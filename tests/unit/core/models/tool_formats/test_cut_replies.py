"""No part of a cut-off reply is run, and the model is told how far the reply got."""

from __future__ import annotations

import pytest

from sandbox_tui.core.models.tool_formats.read_result import TextCall
from sandbox_tui.core.models.tool_formats.reader import read_reply
from sandbox_tui.core.models.tool_formats.table import FAMILIES
from tests.unit.core.models.tool_formats.corpus import TOOLS

BY_LIMIT = "Your last message was cut off by the token limit of one reply while it contained"
INSIDE = "Your last message was cut off inside a call"


def written(family: str, count: int) -> str:
    call = TextCall(tool="execute_bash", arguments={"command": "ls -la"})
    return FAMILIES[family].write_calls([call] * count)


@pytest.mark.parametrize("family", FAMILIES)
def test_whole_calls_before_the_limit_are_counted(family: str) -> None:
    for count, words in ((1, "the call that was complete"), (2, "the 2 calls that were complete")):
        reading = read_reply(written(family, count), TOOLS, "length")
        assert not reading.calls
        assert reading.problem.startswith(f"{BY_LIMIT} calls")
        assert f"Nothing was run, not even {words}." in reading.problem


@pytest.mark.parametrize("family", FAMILIES)
def test_a_call_cut_by_the_limit_is_not_counted(family: str) -> None:
    text = written(family, 1)
    reading = read_reply(text[: text.index("ls -la") + 3], TOOLS, "length")
    assert not reading.calls
    assert reading.problem.startswith(f"{BY_LIMIT} a call")
    assert "Nothing was run." in reading.problem


@pytest.mark.parametrize("family", FAMILIES)
def test_a_reply_that_ends_inside_of_a_call_is_no_matter_of_the_limit(family: str) -> None:
    text = written(family, 1)
    reading = read_reply(text[: text.index("ls -la") + 3], TOOLS, None)
    assert not reading.calls
    assert reading.problem.startswith(INSIDE)
    assert "Nothing was run." in reading.problem
