"""Hostile replies: work grows no faster than the text, and tool definitions may be anything."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from sandbox_tui.core.models.tool_formats.read_result import TextCall
from sandbox_tui.core.models.tool_formats.reader import TextCallReader, read_reply
from sandbox_tui.core.models.tool_formats.table import FAMILIES
from tests.unit.core.models.tool_formats.corpus import TOOLS

HOSTILE = {
    "openers": "<",
    "brackets": "[",
    "braces": "{",
    "braces on lines": "{\n",
    "brackets on lines": "[\n",
    "backticks": "` ",
    "fences": "```\n",
    "opening tags": "<tool_call>",
    "closing thoughts": "</think>",
    "parts of closing thoughts": ("<think>", "</thin"),
    "an open string": ('<tool_call>{"name": "', "a"),
    "backslashes": ('<tool_call>{"name": "', "\\\\"),
    "nested objects": '{"a":',
    "a value full of tags": ("<function=execute_bash><parameter=command>", "<"),
    "a value full of line breaks": ("<function=execute_bash><parameter=command>", "\n"),
    "a Pythonic nest": ("[execute_bash(", "["),
    "Pythonic quotes": ("[execute_bash(command='", "''"),
    "channels": "<|channel|>",
    "starts": "<|start|>a",
    "calls": '<tool_call>{"name": "submit", "arguments": {}}</tool_call>\n',
    "calls of unknown tools": '{"name": "x", "arguments": {}}\n',
    "values": ('{"name": "submit", "arguments": [', "1,"),
    "single quotes": ("{'name': 'submit', 'arguments': {'a': '", "\\'"),
    "closing tags": "</parameter>",
    "block quotes with comments": "> <!--",
    "spaces": " ",
    "line breaks": "\n",
    "paragraphs": "a\n\n",
    "DeepSeek": "<｜tool▁calls▁begin｜>",
    "Kimi": "<|tool_call_begin|>a",
    "Mistral": "[TOOL_CALLS]a",
    "GLM": "<tool_call>execute_bash<arg_key>a</arg_key><arg_value>",
    "GLM's names": "<tool_call>a",
    "a value of GLM": ("<tool_call>execute_bash<arg_key>command</arg_key><arg_value>", "<"),
    "MiniMax": '<minimax:tool_call><invoke name="a">',
    "a value of MiniMax": (
        '<minimax:tool_call><invoke name="execute_bash"><parameter name="command">',
        "<\n",
    ),
    "DSML": '<｜DSML｜function_calls><｜DSML｜invoke name="a"><｜DSML｜parameter name="b" string="false">',
    "turns": "]~b]",
}


def hostile(what: str, size: int) -> str:
    made = HOSTILE[what]
    head, part = ("", made) if isinstance(made, str) else made
    return head + part * (size // len(part))


def work(text: str, size: int) -> int:
    """Number of function-call events while reading a text in pieces of `size` characters."""
    count = 0

    def trace(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += 1

    reader = TextCallReader(TOOLS)
    sys.setprofile(trace)
    try:
        for at in range(0, len(text), size):
            reader.feed(text[at : at + size])
        reader.finish("stop")
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("what", HOSTILE)
def test_twice_the_text_is_twice_the_work(what: str) -> None:
    """Counts function calls, because a clock would also measure other programs."""
    small, large = work(hostile(what, 1_000), 7), work(hostile(what, 4_000), 7)
    assert large < 6 * small + 500


@pytest.mark.parametrize("what", HOSTILE)
def test_a_large_reply_comes_to_its_end(what: str) -> None:
    text = hostile(what, 20_000)
    reading = read_reply(text, TOOLS)
    assert len(reading.text) + len(reading.reasoning) <= len(text)
    assert bool(reading.calls) <= (what == "single quotes")


def test_a_long_script_survives_whole() -> None:
    script = "".join(
        f'echo \'{number} <&>"\\{number}\' >> "$f"  # ✓ 数\n' for number in range(20_000)
    )
    for family in FAMILIES.values():
        text = family.write_calls([TextCall(tool="execute_bash", arguments={"command": script})])
        (call,) = read_reply(text, TOOLS).calls
        assert call.arguments["command"] == script


def test_a_run_without_tools() -> None:
    assert "does not exist" in read_reply('{"name": "submit", "arguments": {}}', []).problem


def test_tools_may_be_bare_or_odd() -> None:
    tools = [
        {"name": "odd"},
        {"function": {"name": "typed", "parameters": {"properties": {"n": {"anyOf": []}}}}},
    ]
    assert read_reply('{"name": "odd", "arguments": {"x": [1]}}', tools).calls[0].arguments == {
        "x": [1]
    }
    assert read_reply('{"name": "typed", "arguments": {"n": "5"}}', tools).calls[0].arguments == {
        "n": "5"
    }
