"""Finds JSON in a model's reply as it streams, and repairs it if only one reading is possible.

Repaired: single quotes, Python's True, False and None, a comma before a closing bracket, missing
closing braces at the end. Not repaired, because they are ambiguous: an unclosed string, quotes
inside quotes, `\\.` (a point, or a backslash and a point?), a repeated name, words without quotes.
General repair libraries guess at these: they end a command at the first inner quote, drop its last
line break, or complete a truncated one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, cast

from sandbox_tui.core.base.json_arguments import has_too_many_values, without_surrogates
from sandbox_tui.core.models.tool_formats.source import PartialCall, Source, Step

MAX_DEPTH = 100
Kind = Literal["open", "close", "quote", "string", "outside"]
_OUTSIDE = re.compile(r"[\s,:A-Za-z0-9_.+\-]+")
_INSIDE = {'"': re.compile(r'[^"\\]+'), "'": re.compile(r"[^'\\]+")}
_CLOSERS = {"{": "}", "[": "]"}
ARGUMENT_KEYS = ("arguments", "parameters")

_TOKEN = re.compile(
    r"""(?P<space>\s++)|(?P<double>"[^"\\]*+(?>(?:\\.[^"\\]*+)*)")|(?P<single>'[^'\\]*+(?>(?:\\.[^'\\]*+)*)')"""
    r"""|(?P<word>[A-Za-z_]\w*+)|(?P<number>-?\d[\d.eE+\-]*+)|(?P<mark>[{}\[\],:])""",
    re.DOTALL,
)
_ESCAPE = re.compile(r'\\(.)|"', re.DOTALL)
_WORDS = {"true": "true", "false": "false", "null": "null"}
_PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}

SINGLE_QUOTES = "single quotes were read as double quotes"
PYTHON_WORDS = "True, False or None was read as JSON's true, false or null"
TRAILING_COMMA = "a comma before a closing bracket was dropped"
MISSING_BRACE = "a missing closing brace was added"
EXTRA_BRACE = "an extra closing brace was dropped"


class Unreadable(ValueError):
    """Text with no valid reading, or with more than one; the message is for the model."""


@dataclass(frozen=True, slots=True)
class JsonSpan:
    """A JSON object or list as written in the reply.

    Attributes:
        missing: the missing closing brackets.
        in_string: whether it ends inside a string.
    """

    text: str
    missing: str = ""
    in_string: bool = False


def read_json(
    source: Source, watch: CallWatch | None = None, sink: Callable[[str], None] | None = None
) -> Step[JsonSpan]:
    """Take an object or a list, up to its end or the first character that cannot be part of it.

    Args:
        watch: follows the call that the value describes as it arrives.
        sink: receives the text as it arrives.
    """
    pieces: list[str] = []
    stack: list[str] = []
    quote = before = ""

    def took(piece: str, kind: Kind) -> None:
        pieces.append(piece)
        if sink is not None:
            sink(piece)
        if watch is not None:
            watch.take(piece, kind, len(stack))

    while True:
        if quote:
            yield from source.take_run(_INSIDE[quote], lambda piece: took(piece, "string"))
        else:
            run = yield from source.take_run(_OUTSIDE, lambda piece: took(piece, "outside"))
            before = run.rstrip()[-1:] or before
        mark = yield from source.peek()
        if quote and mark == "\\":
            yield from source.peek(2)
            took(source.take(2), "string")
        elif not mark or not (quote or _fits(mark, before, stack)):
            return JsonSpan("".join(pieces), "".join(reversed(stack)), bool(quote))
        elif quote or mark in "\"'":
            took(source.take(1), "quote")
            quote, before = ("", mark) if quote else (mark, before)
        elif mark in _CLOSERS:
            took(source.take(1), "open")
            stack.append(_CLOSERS[mark])
            before = mark
        else:
            stack.pop()
            took(source.take(1), "close")
            before = mark
            if not stack:
                return JsonSpan("".join(pieces))


def _fits(mark: str, before: str, stack: list[str]) -> bool:
    """Return whether a bracket or a quote may occur here, outside strings."""
    if mark in ("}", "]"):
        return bool(stack) and stack[-1] == mark
    if not stack:
        return mark in _CLOSERS
    if mark in "\"'":
        return before in ("{", "[", ",", ":")
    return mark in _CLOSERS and before in ("[", ",", ":") and len(stack) < MAX_DEPTH


class CallWatch:
    """Extracts a call's name and arguments from an incoming JSON object, or list of objects.

    Args:
        begin: creates the partial call.
    """

    def __init__(self, begin: Callable[[], PartialCall]) -> None:
        self._begin = begin
        self._partial: PartialCall | None = None
        self._base = 0  # the depth of a call's keys
        self._key = ""
        self._string: list[str] | None = None
        self._after_colon = False

    def take(self, piece: str, kind: Kind, depth: int) -> None:
        """Process the next piece of the JSON; `depth` counts the enclosing brackets."""
        if not self._base:
            self._base = 2 if piece == "[" else 1
        if depth < self._base:
            self._edge(piece, kind, depth)
        elif self._partial is None:
            return
        elif depth == self._base and kind == "outside":
            self._outside(piece)
        elif self._after_colon and self._key in ARGUMENT_KEYS:
            self._partial.pieces.append(piece)
        elif depth == self._base:
            self._word(piece, kind)

    def _edge(self, piece: str, kind: Kind, depth: int) -> None:
        """Handle the brackets that start or end a call."""
        if kind == "open" and piece == "{" and depth == self._base - 1:
            self._partial, self._key, self._string = self._begin(), "", None
            self._after_colon = False
        elif kind == "close" and self._partial is not None:
            self._partial.is_complete, self._partial = True, None

    def _outside(self, piece: str) -> None:
        """Handle text between the strings of the call's object."""
        for part in re.split("([,:])", piece):
            if part == ":":
                self._after_colon = True
            elif part == ",":
                self._after_colon = False
            elif part and self._partial and self._after_colon and self._key in ARGUMENT_KEYS:
                kept = part if self._partial.pieces else part.lstrip()
                self._partial.pieces += [kept] if kept else []

    def _word(self, piece: str, kind: Kind) -> None:
        """Handle a string that is a key, or a value other than the arguments."""
        if kind == "quote" and self._string is None:
            self._string = []
        elif kind == "quote" and self._string is not None:
            text, self._string = "".join(self._string), None
            if not self._after_colon:
                self._key = text
            elif self._key == "name" and self._partial is not None:
                self._partial.tool = text
        elif kind == "string" and self._string is not None:
            self._string.append(piece)


def read_value(span: JsonSpan) -> tuple[Any, tuple[str, ...]]:
    """Return the value and the repairs.

    Raises:
        Unreadable: the text has no meaning, or more than one.
    """
    if has_too_many_values(span.text):
        raise Unreadable("the JSON contains too many values")
    if span.in_string:
        raise Unreadable("the JSON ends inside a string")
    repairs: list[str] = []
    text = span.text
    try:
        return _loads(text), ()
    except ValueError:
        text = _repaired(span, repairs)
    try:
        return _loads(text), tuple(dict.fromkeys(repairs))
    except Unreadable:
        raise
    except ValueError as error:
        raise Unreadable(f"the JSON is not valid: {str(error)[:80].lower()}") from error


def _loads(text: str) -> Any:
    try:
        value = json.loads(
            text,
            strict=False,
            object_pairs_hook=_without_doubles,
            parse_constant=_refuse,
            parse_float=finite,
        )
    except RecursionError as error:
        raise Unreadable("the JSON is nested too deeply") from error
    return clean(value) if "\\u" in text else value


def clean(value: Any) -> Any:
    """Return the value without lone surrogates, which cannot be encoded."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.loads(without_surrogates(text))
    return value


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in pairs:
        if name in result and not same(result[name], value):
            raise Unreadable(f"{name!r} appears twice in one JSON object, with different values")
        result[name] = value
    return result


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are the same; 1 and true are not."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def finite(word: str) -> float:
    """Return a number written with a fraction or an exponent.

    Raises:
        Unreadable: it is too large.
    """
    number = float(word)
    if number - number != 0:
        raise Unreadable(f"{word[:40]} is not a JSON value")
    return number


def _refuse(word: str) -> Any:
    raise Unreadable(f"{word} is not a JSON value")


def _repaired(span: JsonSpan, repairs: list[str]) -> str:
    """Return the text as valid JSON, if its meaning is unambiguous."""
    pieces: list[str] = []
    last = at = 0  # last: index in `pieces` of the last token that is not space
    text = span.text
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise Unreadable(f"the JSON is not valid at {text[at : at + 20]!r}")
        at = token.end()
        kind, written = token.lastgroup, token[0]
        if kind == "single":
            repairs.append(SINGLE_QUOTES)
            written = _double_quoted(written)
        elif kind == "double":
            _check_escapes(written)
        elif kind == "word":
            written = _word(written, repairs)
        elif written in ("}", "]") and pieces and pieces[last] == ",":
            repairs.append(TRAILING_COMMA)
            pieces[last] = ""
        pieces.append(written)
        last = last if kind == "space" else len(pieces) - 1
    if span.missing:
        if span.missing.strip("}") or pieces[last] in (",", ":"):
            raise Unreadable("the JSON is not closed")
        repairs.append(MISSING_BRACE)
        pieces.append(span.missing)
    return "".join(pieces)


def _word(written: str, repairs: list[str]) -> str:
    if written in _PYTHON_WORDS:
        repairs.append(PYTHON_WORDS)
        return _PYTHON_WORDS[written]
    if written not in _WORDS:
        raise Unreadable(
            f"{written[:40]!r} is outside a string in the JSON; "
            'a quotation mark inside a string must be written as \\"'
        )
    return written


def _double_quoted(single: str) -> str:
    def mend(found: re.Match[str]) -> str:
        if found[0] == '"':
            return '\\"'
        if found[1] == "'":
            return "'"
        _check_escape(found[1])
        return found[0]

    return f'"{_ESCAPE.sub(mend, single[1:-1])}"'


def _check_escapes(double: str) -> None:
    for found in _ESCAPE.finditer(double, 1, len(double) - 1):
        _check_escape(found[1])


def _check_escape(char: str | None) -> None:
    if char is None or char not in '"\\/bfnrtu':
        raise Unreadable(
            f"\\{char} is not a JSON escape sequence; write \\\\{char} for a backslash and {char}"
        )


def as_object(value: Any) -> dict[str, Any] | None:
    """Return the value, if it is an object."""
    return cast(dict[str, Any], value) if isinstance(value, dict) else None
