"""Preview of JSON and JSON lines as a folding tree."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from rich.style import Style
from rich.text import Text
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.preview.document import Document, Kind, PreviewError, Source, count_of

MAX_OPEN_ENTRIES = 40
"""Containers with more entries start folded, as does everything two levels down."""

MAX_ENTRIES = 2_000
"""Maximum entries shown per container."""

MAX_STRING_CHARS = 1_000
"""Maximum characters shown per string."""

Place = tuple[str | int, ...]


class _Broken(str):
    """A line of a JSONL file that is not JSON."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class _Row:
    place: Place
    value: Any
    more: int = 0
    """Number of entries that are not shown."""


class JsonDocument(Document):
    """A JSON value, one line per entry; enter folds and unfolds containers."""

    def __init__(self, value: Any, facts: str) -> None:
        self._value = value
        self._switched: set[Place] = set()
        self._rows: list[_Row] = []
        self.facts = facts

    @override
    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        self._rows = list(self._walk())
        return [self._line(row, palette) for row in self._rows]

    @override
    def toggle(self, line: int) -> bool:
        if not 0 <= line < len(self._rows) or not _entries(self._rows[line].value):
            return False
        self._switched ^= {self._rows[line].place}
        return True

    def _walk(self) -> Iterator[_Row]:
        """Yield the visible rows. Not recursive, because the file controls the depth."""
        stack: list[_Row] = [_Row((), self._value)]
        while stack:
            row = stack.pop()
            yield row
            if row.more or not self._is_open(row):
                continue
            entries = _entries(row.value)
            below = [_Row((*row.place, key), value) for key, value in entries[:MAX_ENTRIES]]
            if len(entries) > MAX_ENTRIES:
                below.append(_Row((*row.place, ""), None, len(entries) - MAX_ENTRIES))
            stack.extend(reversed(below))

    def _is_open(self, row: _Row) -> bool:
        count = len(_entries(row.value))
        begins_open = not row.place or (len(row.place) < 2 and count <= MAX_OPEN_ENTRIES)
        return bool(count) and begins_open != (row.place in self._switched)

    def _line(self, row: _Row, palette: Palette) -> Text:
        line = Text("  " * min(len(row.place), 40), no_wrap=True)
        if row.more:
            line.append(f"… {count_of(row.more, 'more entry').replace('entrys', 'entries')}")
            line.stylize(palette.dim)
            return line
        opens = bool(_entries(row.value))
        sign = ("▾ " if self._is_open(row) else "▸ ") if opens else "  "
        line.append(sign, style=palette.dim)
        if row.place:
            key = row.place[-1]
            shown = str(key) if isinstance(key, int) else sanitize_line(key[:MAX_STRING_CHARS])
            line.append(f"{shown} ", style=palette.dim if isinstance(key, int) else palette.tool)
        line.append_text(_shown(row.value, palette))
        return line


def _entries(value: Any) -> list[tuple[str | int, Any]]:
    if isinstance(value, dict):
        return list(cast(dict[str, Any], value).items())
    return list(enumerate(cast(list[Any], value))) if isinstance(value, list) else []


def _shown(value: Any, palette: Palette) -> Text:
    if isinstance(value, dict):
        return Text(f"{{{len(cast(dict[str, Any], value))}}}", style=palette.dim)
    if isinstance(value, list):
        return Text(f"[{len(cast(list[Any], value))}]", style=palette.dim)
    if isinstance(value, _Broken):
        return Text(f"not JSON: {sanitize_line(value[:MAX_STRING_CHARS])}", style=palette.bad)
    if isinstance(value, str):
        return Text(f'"{sanitize_line(value[:MAX_STRING_CHARS])}"', style=palette.good)
    if isinstance(value, bool) or value is None:
        words = "null" if value is None else str(value).lower()
        return Text(words, style=palette.model + Style(italic=True))
    return Text(f"{value:g}" if isinstance(value, float) else _digits(value), style=palette.human)


def _digits(number: Any) -> str:
    try:
        return str(number)[:MAX_STRING_CHARS]
    except ValueError:  # more digits than Python converts
        return "a very long number"


def _open(source: Source) -> Document:
    if source.text is None:
        raise PreviewError("The file is named .json but is not text.")
    if source.cut:
        raise PreviewError("Only the beginning was loaded; shown as text.")
    try:
        value = json.loads(source.text)
    except (ValueError, RecursionError) as error:
        raise PreviewError(f"Not valid JSON ({_why(error)}); shown as text.") from error
    count = len(_entries(value))
    return JsonDocument(value, f"json · {_many(count)}" if count else "json")


def _open_lines(source: Source) -> Document:
    if source.text is None:
        raise PreviewError("The file is named .jsonl but is not text.")
    values = [_line_value(line) for line in source.text.split("\n") if line.strip()]
    broken = sum(isinstance(value, _Broken) for value in values)
    if not values or broken > len(values) // 2:
        raise PreviewError("Most lines are not valid JSON; shown as text.")
    facts = f"json lines · {_many(len(values))}"
    return JsonDocument(values, f"{facts} · {broken} broken" if broken else facts)


def _many(count: int) -> str:
    return f"{count:,} {'entry' if count == 1 else 'entries'}"


def _line_value(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return _Broken(line)


def _why(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}: {error.msg}"
    return "nested too deep" if isinstance(error, RecursionError) else str(error)[:80]


KIND = Kind("json", lambda source: source.suffix in (".json", ".geojson", ".ipynb"), _open)
LINES = Kind("json lines", lambda source: source.suffix in (".jsonl", ".ndjson"), _open_lines)
