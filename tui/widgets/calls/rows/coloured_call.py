"""A complete call in colour: commands highlighted, edits as a diff, no line cut."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator
from typing import Any, cast

from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.core.base.tool_names import BASH, EDITOR
from sandbox_tui.core.tools.edit_preview import EditPreview
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.calls.call_text import readable_arguments
from sandbox_tui.tui.widgets.calls.rows.row_parts import clean_lines
from sandbox_tui.tui.widgets.preview.code import CONTINUED, highlighted, rows_of
from sandbox_tui.tui.widgets.preview.diff import CHANGED_WORDS
from sandbox_tui.tui.widgets.preview.word_diff import Span, changed_words

MAX_COMPARED_LINES = 2_000
"""Longer texts are shown one after the other: comparing them would take a noticeable time."""

_EDITS = {
    "str_replace": {"command", "path", "old_str", "new_str"},
    "create": {"command", "path", "file_text"},
    "insert": {"command", "path", "insert_line", "new_str"},
}
"""The arguments of each edit command that is shown as a diff."""


def coloured_call(
    name: str, arguments: str, width: int, palette: Palette, preview: EditPreview | None = None
) -> list[Text]:
    """Return all arguments of a call, wrapped.

    Args:
        name: name of the tool.
        arguments: JSON text.
        width: columns.
        palette: the palette to draw with.
        preview: what the call would do to the file it edits, if known.
    """
    fields = _fields(arguments)
    if name == BASH and fields is not None and set(fields) == {"command"}:
        return _rows(highlighted(str(fields["command"]), "bash", palette), width)
    if name == EDITOR and fields is not None and _is_edit(fields):
        return list(_edit_rows(fields, width, palette, preview))
    if name == EDITOR and fields is not None and (view := _view_words(fields)):
        return _rows([Text(line, style=palette.strong) for line in clean_lines(view)], width)
    plain = clean_lines(readable_arguments(name, arguments))
    return _rows([Text(line, style=palette.text) for line in plain], width)


def would_fail(problem: str) -> str:
    """Return the warning about an edit that would fail."""
    return f"! This call would fail: {problem}."


def _fields(arguments: str) -> dict[str, Any] | None:
    try:
        value: object = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], value) if isinstance(value, dict) else None


def _rows(lines: Iterable[Text], width: int) -> list[Text]:
    return [row for line in lines for row in rows_of(line, width)]


def _is_edit(fields: dict[str, Any]) -> bool:
    """Return whether a diff shows everything in these arguments."""
    expected = _EDITS.get(str(fields.get("command")))
    texts = (value for name, value in fields.items() if name != "insert_line")
    return expected == set(fields) and all(isinstance(value, str) for value in texts)


def _view_words(fields: dict[str, Any]) -> str:
    """Return the call that shows a file in one line; empty for any other call, and if that would
    leave out an argument."""
    path, lines = fields.get("path"), fields.get("view_range")
    is_view = fields.get("command") == "view" and isinstance(path, str)
    if not is_view or set(fields) - {"command", "path", "view_range"}:
        return ""
    if lines is None:
        return f"view {path}"
    return f"view {path}, lines {json.dumps(lines)}"


def _edit_rows(
    fields: dict[str, Any], width: int, palette: Palette, preview: EditPreview | None
) -> Iterator[Text]:
    command, path = fields["command"], fields["path"]
    position = f", after line {fields['insert_line']}" if command == "insert" else ""
    head = f"{command} {path}{position}"
    yield from _rows([Text(line, style=palette.strong) for line in clean_lines(head)], width)
    if preview is not None and preview.problem:
        problem = clean_lines(would_fail(preview.problem))
        yield from _rows([Text(line, style=palette.warn) for line in problem], width)
    if preview is not None and preview.first:
        yield from _preview_rows(preview, width, palette)
        return
    yield from diff_rows(*_compared(fields), width, palette)


def diff_rows(old: str, new: str, width: int, palette: Palette) -> Iterator[Text]:
    """Yield all lines of two texts as a diff, wrapped."""
    for sign, text, spans in _changes(_lines(old), _lines(new)):
        yield from _signed(sign, text, spans, _style_of(sign, palette), width)


def _style_of(sign: str, palette: Palette) -> Style:
    return {"-": palette.bad, "+": palette.good}.get(sign, palette.dim)


def _preview_rows(preview: EditPreview, width: int, palette: Palette) -> Iterator[Text]:
    """Yield the changed lines of a file and those around them, numbered: a removed line as it was,
    any other as it will be."""
    above, old, new, below = (
        [_line(line) for line in lines]
        for lines in (preview.above, preview.old, preview.new, preview.below)
    )
    changes = (
        *((" ", line, ()) for line in above),
        *_changes(old, new),
        *((" ", line, ()) for line in below),
    )
    before = after = preview.first
    digits = len(str(preview.first + len(above) + max(len(old), len(new)) + len(below) - 1))
    for sign, text, spans in changes:
        number = before if sign == "-" else after
        rows = _signed(sign, text, spans, _style_of(sign, palette), max(1, width - digits - 1))
        for place, row in enumerate(rows):
            margin = " " * digits if place else f"{number:>{digits}}"
            yield Text(f"{margin} ", style=palette.faint, no_wrap=True).append_text(row)
        before += sign != "+"
        after += sign != "-"


def _compared(fields: dict[str, Any]) -> tuple[str, str]:
    """Return the old and the new text without a newline that ends the last line of both.

    In a file a trailing newline ends the last line; in inserted text it starts another one.
    """
    if fields["command"] == "create":
        return "", fields["file_text"].removesuffix("\n")
    old, new = fields.get("old_str", ""), fields["new_str"]
    if old.endswith("\n") and new.endswith("\n"):
        return old[:-1], new[:-1]
    return old, new


def _lines(text: str) -> list[str]:
    return sanitize(text.expandtabs(4)).split("\n") if text else []


def _line(text: str) -> str:
    return sanitize(text.expandtabs(4), newlines=False)


def _changes(old: list[str], new: list[str]) -> Iterator[tuple[str, str, tuple[Span, ...]]]:
    """Yield each line with its sign and the words that differ from the line it replaces."""
    if max(len(old), len(new)) > MAX_COMPARED_LINES:
        codes = [("replace", 0, len(old), 0, len(new))]
    else:
        codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for tag, a, a_end, b, b_end in codes:
        if tag == "equal":
            yield from ((" ", line, ()) for line in old[a:a_end])
            continue
        paired = a_end - a == b_end - b
        words = [changed_words(*pair) for pair in zip(old[a:a_end], new[b:b_end], strict=False)]
        for n, line in enumerate(old[a:a_end]):
            yield "-", line, words[n][0] if paired else ()
        for n, line in enumerate(new[b:b_end]):
            yield "+", line, words[n][1] if paired else ()


def _signed(
    sign: str, text: str, spans: tuple[Span, ...], style: Style, width: int
) -> Iterator[Text]:
    """Yield a line as rows in its colour; only the first has the sign, so each line has one."""
    line = Text(text, style=style, no_wrap=True)
    for start, end in spans:
        line.stylize(CHANGED_WORDS, start, end)
    for place, row in enumerate(rows_of(line, max(1, width - 2))):
        margin = CONTINUED if place else f"{sign} "
        yield Text(margin, style=style, no_wrap=True).append_text(row)
