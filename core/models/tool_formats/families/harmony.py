"""Harmony: the channels of gpt-oss.

Source: OpenAI's harmony response format guide (openai/harmony, docs/format.md) and the chat
template of openai/gpt-oss-20b. A reply is a sequence of messages, each
`<|start|>assistant<|channel|>NAME<|message|>TEXT` followed by `<|end|>`, `<|call|>` or
`<|return|>`; the prompt contains the first `<|start|>assistant`. `analysis` is reasoning, `final`
and `commentary` are text, and a message `to=functions.NAME` is a call.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandbox_tui.core.models.tool_formats.call_objects import read_arguments
from sandbox_tui.core.models.tool_formats.families.base import Family, to_json
from sandbox_tui.core.models.tool_formats.json_text import MISSING_BRACE
from sandbox_tui.core.models.tool_formats.read_result import TextCall
from sandbox_tui.core.models.tool_formats.source import Block, Passage, Source, Step

NAME = "harmony"
_HEADER = re.compile(r"[^<\n]+")
_HEADER_MARKS = ("<|channel|>", "<|constrain|>", "<|message|>")
_NEXT = ("<|start|>", "<|channel|>")
_ENDS = ("<|end|>", "<|call|>", "<|return|>")
_RECIPIENT = re.compile(r"to=(\S+)")
_MAX_HEADER_CHARS = 300


def read_header(source: Source, word: str) -> Step[Block | Passage | None]:
    """Read what follows `<|start|>` or `<|channel|>`."""
    header = word
    while not header.endswith("<|message|>"):
        header += yield from source.take_limited(_HEADER, _MAX_HEADER_CHARS)
        mark = yield from source.take_word(*_HEADER_MARKS)
        if not mark or len(header) > _MAX_HEADER_CHARS:
            return None
        header += mark
    words = header.replace("<|", " <|").replace("|>", "|> ")
    role = words.split("<|start|>")[-1].split()[0] if "<|start|>" in words else "assistant"
    if role != "assistant":
        return Passage("invented", _ENDS, _NEXT)
    recipient = _RECIPIENT.search(words)
    if recipient is not None and recipient[1] != "all":
        return (yield from _read_call(source, recipient[1].removeprefix("functions.")))
    if re.search(r"<\|channel\|>\s*analysis\b", words):
        return Passage("reasoning", _ENDS, _NEXT)
    return Passage("text")


def _read_call(source: Source, name: str) -> Step[Block]:
    """Take a call's arguments and the end of its message."""
    call, fault = yield from read_arguments(source, NAME, name)
    whole = source.partial_calls[-1].is_complete
    ended = not whole and not (yield from source.peek())
    yield from source.take_word(*_ENDS)
    return Block(
        family=NAME,
        calls=[call] if call else [],
        fault=fault,
        open_end=ended,
        repaired_end=call is not None and MISSING_BRACE in call.repairs,
    )


def read_end(source: Source, word: str) -> Step[Passage]:
    """Read what follows the end of a message."""
    yield from ()
    return Passage("text")


def write_calls(calls: Sequence[TextCall]) -> str:
    """Write the calls as messages on the commentary channel."""
    return "<|start|>assistant".join(
        f"<|channel|>commentary to=functions.{call.tool} <|constrain|>json<|message|>"
        f"{to_json(call.arguments)}<|call|>"
        for call in calls
    )


def write_observation(tool: str, text: str) -> str:
    """Write the observation as a message from the tool."""
    return f"<|start|>functions.{tool} to=assistant<|channel|>commentary<|message|>{text}<|end|>"


FAMILY = Family(
    name=NAME,
    title="harmony, to=functions.NAME<|message|>{...}<|call|>",
    openers={
        **dict.fromkeys(_NEXT, read_header),
        **dict.fromkeys(_ENDS, read_end),
    },
    write_calls=write_calls,
    write_observation=write_observation,
)
