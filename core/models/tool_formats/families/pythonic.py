"""Pythonic: `[execute_bash(command="ls"), submit()]`.

Source: the prompt format of meta-llama/Llama-4-Scout-17B-16E-Instruct and Llama-3.2-1B-Instruct
(with `<|python_start|>` and `<|python_end|>` around it if a server shows special tokens), the model
card of Team-ACE/ToolACE-8B; Gemma writes a call without brackets in a ```tool_code fence. Strings
are Python's, and may span lines: the templates themselves write plain line breaks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, cast

from sandbox_tui.core.models.tool_formats.families.base import SPACES, Family
from sandbox_tui.core.models.tool_formats.json_text import Unreadable
from sandbox_tui.core.models.tool_formats.python_text import parse_calls, read_brackets
from sandbox_tui.core.models.tool_formats.read_result import TextCall
from sandbox_tui.core.models.tool_formats.source import Block, PartialCall, Source, Step

NAME = "pythonic"
_HEAD = re.compile(r"\[\s*[A-Za-z_][\w.\-]*\s*\(", re.ASCII)
_PART_OF_HEAD = re.compile(r"\[\s*(?:[A-Za-z_][\w.\-]*\s*)?", re.ASCII)
_CALL_NAME = re.compile(r"[A-Za-z0-9_.\-]+")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_MAX_HEAD_CHARS = 160


def begins_list(source: Source) -> Step[bool]:
    """Return whether a list of calls seems to start here: `[name(`. Takes nothing."""
    count = 1
    while count < _MAX_HEAD_CHARS:
        ahead = yield from source.peek(count)
        if _HEAD.fullmatch(ahead):
            return True
        if len(ahead) < count or not _PART_OF_HEAD.fullmatch(ahead):
            return False
        count += 1
    return False


def read_list(source: Source, *, marked: bool) -> Step[Block | None]:
    """Take a list of calls."""
    outline = _Outline(source, marked)
    text, closed = yield from read_brackets(source, outline.take)
    return _block(source, text, closed, marked=marked)


def read_call(source: Source) -> Step[Block | None]:
    """Take calls without brackets, each `name(...)`, as in a ```tool_code fence."""
    pieces: list[str] = []
    outline = _Outline(source, is_certain=True)
    outline.take("[")
    closed = True
    while closed:
        name = yield from source.take_run(_CALL_NAME)
        if not name or (yield from source.peek()) != "(":
            return None
        outline.take(name)
        text, closed = yield from read_brackets(source, outline.take)
        pieces.append(name + text)
        yield from source.take_run(SPACES)
        if not _CALL_NAME.match((yield from source.peek())):
            break
    return _block(source, f"[{', '.join(pieces)}]", closed, marked=True)


def read_start(source: Source, word: str) -> Step[Block | None]:
    """Read what follows `<|python_start|>`."""
    yield from source.take_run(SPACES)
    if not (yield from begins_list(source)):
        return None
    block = yield from read_list(source, marked=True)
    yield from source.take_run(SPACES)
    closed = yield from source.take_word("<|python_end|>")
    if block is not None:
        block.closed = bool(closed)
    return block


def _block(source: Source, text: str, closed: bool, *, marked: bool) -> Block | None:
    block = Block(family=NAME, marked=marked)
    head = re.match(r"\[\s*([\w.\-]+)", text)
    known = head is not None and head[1] in source.tools
    if not closed:
        if not (marked or known):
            return None
        block.open_end = source.ended
        block.fault = "the list of calls is not closed"
        return block
    try:
        block.calls = parse_calls(text)
    except Unreadable as error:
        if not (marked or known):
            return None
        block.fault = str(error)
    return block


class _Outline:
    """Tracks the calls of a list while it arrives."""

    def __init__(self, source: Source, is_certain: bool) -> None:
        self._source = source
        self._is_certain = is_certain
        self._partial: PartialCall | None = None
        self._name = ""
        self._depth = 0
        self._quote = ""

    def take(self, piece: str) -> None:
        """Process the next piece: a run of characters, a bracket or a quotation mark."""
        if self._quote:
            self._put(piece)
            self._quote = "" if piece == self._quote else self._quote
            return
        if piece in ("'", '"', "'''", '"""'):
            self._quote = piece
            self._put(piece)
        elif piece in "([{":
            self._depth += 1
            if self._depth == 2 and piece == "(":
                self._begin()
            else:
                self._put(piece)
        elif piece in ")]}":
            self._depth -= 1
            if self._depth == 1 and self._partial is not None:
                self._partial.is_complete, self._partial = True, None
            else:
                self._put(piece)
        elif self._partial is None:
            self._name += piece
        else:
            self._put(piece)

    def _begin(self) -> None:
        tool = self._name.strip(" \t\r\n,")
        is_certain = self._is_certain or tool in self._source.tools
        self._partial = self._source.begin_call(NAME, tool, is_certain=is_certain)
        self._name = ""

    def _put(self, piece: str) -> None:
        if self._partial is not None:
            self._partial.pieces.append(piece)


def write_calls(calls: Sequence[TextCall]) -> str:
    """Write the calls as one list."""
    return f"[{', '.join(_written(call) for call in calls)}]"


def _written(call: TextCall) -> str:
    if not all(_IDENTIFIER.fullmatch(name) for name in call.arguments):
        return f"{call.tool}(**{_literal(call.arguments)})"
    named = [f"{name}={_literal(value)}" for name, value in call.arguments.items()]
    return f"{call.tool}({', '.join(named)})"


def _literal(value: Any) -> str:
    """Write a JSON value as a Python literal."""
    if isinstance(value, dict):
        items = cast(dict[str, Any], value).items()
        return f"{{{', '.join(f'{_literal(key)}: {_literal(item)}' for key, item in items)}}}"
    if isinstance(value, list):
        return f"[{', '.join(_literal(item) for item in cast(list[Any], value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)  # a Python literal as well
    return repr(value)


def write_observation(tool: str, text: str) -> str:
    """Write the observation as Llama's template renders it: a JSON string."""
    return json.dumps(text, ensure_ascii=False)


FAMILY = Family(
    name=NAME,
    title="Pythonic, [tool(argument=...)]",
    openers={"<|python_start|>": read_start},
    write_calls=write_calls,
    write_observation=write_observation,
)
