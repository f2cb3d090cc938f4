"""Calls as Python: `execute_bash(command="ls")`. Only literals are parsed, nothing is run."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sandbox_tui.core.models.tool_formats.json_text import Unreadable, clean, same
from sandbox_tui.core.models.tool_formats.source import Source, Step, Written

MAX_DEPTH = 50
MAX_TOKENS = 200_000
NAME = re.compile(r"[A-Za-z0-9_.\-]+")
_OUTSIDE = re.compile(r"[\sA-Za-z0-9_,=:.+\-*]+")
_INSIDE = {'"': re.compile(r'[^"\\]+'), "'": re.compile(r"[^'\\]+")}
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_TRIPLES = ('"""', "'''")

_STRINGS = (
    r'"""(?>(?:[^"\\]|\\.|"(?!""))*)"""'
    r"|'''(?>(?:[^'\\]|\\.|'(?!''))*)'''"
    r'|"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"'
    r"|'[^'\\\n]*+(?>(?:\\.[^'\\\n]*+)*)'"
)
_TOKEN = re.compile(
    rf"(?P<space>\s++)|(?P<string>[rR]?(?:{_STRINGS}))|(?P<number>[+-]?\d(?>(?:[\w.]|(?<=[eE])[+-])*))"
    r"|(?P<name>[A-Za-z_][\w.\-]*+)|(?P<mark>\*\*|[()\[\]{},:=])",
    re.DOTALL,
)
_ESCAPE = re.compile(
    r"\\(?:\n|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[0-7]{1,3}|.)", re.DOTALL
)
_ESCAPES = {
    **{"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"},
    **{"\\": "\\", "'": "'", '"': '"', "\n": ""},
}
_WORDS = {"True": True, "true": True, "False": False, "false": False, "None": None, "null": None}


def read_brackets(source: Source, sink: Callable[[str], None]) -> Step[tuple[str, bool]]:
    """Take everything up to the closing bracket; returns the text, and whether it was closed."""
    pieces: list[str] = []
    stack: list[str] = []

    def took(piece: str) -> None:
        pieces.append(piece)
        sink(piece)

    while True:
        yield from source.take_run(_OUTSIDE, took)
        mark = yield from source.peek()
        if mark and mark in "\"'":
            triple = yield from source.begins(_TRIPLES)
            closed = yield from _take_string(source, triple or mark, took)
            if closed:
                continue
            return "".join(pieces), False
        opens = mark in _CLOSERS and len(stack) < MAX_DEPTH
        if not opens and not (mark and stack and stack[-1] == mark):
            return "".join(pieces), False
        took(source.take(1))
        if opens:
            stack.append(_CLOSERS[mark])
        else:
            stack.pop()
        if not stack:
            return "".join(pieces), True


def _take_string(source: Source, quote: str, took: Callable[[str], None]) -> Step[bool]:
    """Take a string; returns whether it was closed."""
    took(source.take(len(quote)))
    while True:
        yield from source.take_run(_INSIDE[quote[0]], took)
        if (yield from source.begins((quote,))):
            took(source.take(len(quote)))
            return True
        mark = yield from source.peek()
        if not mark:
            return False
        took(source.take(len((yield from source.peek(2))) if mark == "\\" else 1))


def parse_calls(text: str) -> list[Written]:
    """Return the calls in `name(key=value, ...)` or a list of them.

    Raises:
        Unreadable: the text is something else.
    """
    return _Parser(text).calls()


class _Parser:
    """Parses literals. Each argument name may occur once."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        at = 0
        while at < len(text):
            token = _TOKEN.match(text, at)
            if token is None:
                raise Unreadable(f"this is not a list of calls at {text[at : at + 20]!r}")
            at = token.end()
            if token.lastgroup != "space":
                self._tokens.append((token.lastgroup or "", token[0]))
            if len(self._tokens) > MAX_TOKENS:
                raise Unreadable("the call contains too many values")
        self._tokens.append(("end", ""))
        self._at = 0

    def calls(self) -> list[Written]:
        if self._peek() != "[":
            made = [self._call()]
        else:
            made: list[Written] = self._series("[", "]", self._call)
        if self._tokens[self._at][0] != "end":
            raise Unreadable("something else follows the calls")
        return made

    def _call(self) -> Written:
        kind, name = self._next()
        if kind != "name":
            raise Unreadable("a call must begin with the tool's name")
        arguments: dict[str, Any] = {}

        def argument() -> None:
            if self._peek() == "**":
                self._next()
                unpacked = self._value(0)
                if not isinstance(unpacked, dict):
                    raise Unreadable("** must be followed by a dict")
                for key, value in unpacked.items():  # pyright: ignore[reportUnknownVariableType]
                    put(str(key), value)  # pyright: ignore[reportUnknownArgumentType]
                return
            kind, key = self._next()
            if kind != "name" or self._next()[1] != "=":
                raise Unreadable("each argument must be named, as in command='ls'")
            put(key, self._value(0))

        def put(key: str, value: Any) -> None:
            if key in arguments and not same(arguments[key], value):
                raise Unreadable(f"{key!r} appears twice in one call, with different values")
            arguments[key] = value

        for _ in self._series("(", ")", argument):
            pass
        return Written(name, arguments)

    def _series(self, opening: str, closing: str, item: Callable[[], Any]) -> list[Any]:
        self._expect(opening)
        made: list[Any] = []
        while self._peek() != closing:
            made.append(item())
            if self._peek() != closing:
                self._expect(",")
        self._next()
        return made

    def _value(self, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise Unreadable("the value is nested too deeply")
        kind, text = self._tokens[self._at]
        if text == "[":
            return self._series("[", "]", lambda: self._value(depth + 1))
        if text == "{":
            return self._dict(depth)
        self._next()
        if kind == "string":
            return clean(_string(text))
        if kind == "number":
            return _number(text)
        if kind == "name" and text in _WORDS:
            return _WORDS[text]
        raise Unreadable(f"{text[:40]!r} is not a value")

    def _dict(self, depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {}

        def pair() -> None:
            kind, text = self._next()
            if kind != "string":
                raise Unreadable("a dict's keys must be strings")
            self._expect(":")
            key, value = _string(text), self._value(depth + 1)
            if key in made and not same(made[key], value):
                raise Unreadable(f"{key!r} appears twice in one dict, with different values")
            made[key] = value

        self._series("{", "}", pair)
        return made

    def _peek(self) -> str:
        kind, text = self._tokens[self._at]
        return text if kind == "mark" else ""

    def _next(self) -> tuple[str, str]:
        token = self._tokens[self._at]
        if token[0] == "end":
            raise Unreadable("the call is not closed")
        self._at += 1
        return token

    def _expect(self, mark: str) -> None:
        if self._next() != ("mark", mark):
            raise Unreadable(f"a {mark} is missing")


def _string(written: str) -> str:
    """Return the value of a Python string literal."""
    raw = written[0] in "rR"
    body = written[1:] if raw else written
    quote = body[:3] if body[:3] in _TRIPLES and len(body) >= 6 else body[0]
    inner = body[len(quote) : len(body) - len(quote)]
    return inner if raw else _ESCAPE.sub(_unescaped, inner)


def _unescaped(found: re.Match[str]) -> str:
    what = found[0][1:]
    if what in _ESCAPES:
        return _ESCAPES[what]
    if what[0] in "xuU" and len(what) > 1:
        code = int(what[1:], 16)
    elif what[0] in "01234567":
        code = int(what, 8)
    elif what[0] in "xuUN":
        raise Unreadable(f"\\{what} is not an escape sequence")
    else:
        return found[0]  # Python keeps the backslash
    if code > 0x10FFFF:
        raise Unreadable(f"\\{what} is not a character")
    return chr(code)


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        value = float(text)
    except ValueError:
        value = float("inf")
    if value - value != 0:
        raise Unreadable(f"{text[:40]!r} is not a number")
    return value
