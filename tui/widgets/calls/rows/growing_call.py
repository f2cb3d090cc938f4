"""A call that the model is writing: its arguments as far as they have arrived, without the JSON."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping

from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.defaults import WORKING_DIR
from sandbox_tui.core.base.json_arguments import without_surrogates
from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.core.base.tool_names import BASH, EDITOR
from sandbox_tui.core.tools.call_summaries import short_name
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.calls.rows.row_parts import GUTTER, MAX_INLINE_LINES
from sandbox_tui.tui.widgets.preview.code import indented, rows_of

MAX_PARSED_CHARS = 100_000
"""Longer arguments are parsed no more while they grow, since each frame begins anew."""

_SHOWN_CHARS = 4_000
_FIELD = re.compile(
    r'\s*[{,]\s*"([^"\\]*)"\s*:\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"?|([^\s",{}\[\]][^",{}\[\]]*))',
    re.DOTALL,
)
"""A field whose value is a string, which may not have ended yet, or a number or word."""

_BEGINNING = re.compile(r'\s*\{\s*(?:"[^"\\]*(?:"\s*:?\s*)?)?\Z')
"""An object before its first value, which says nothing yet."""

_ESCAPE = re.compile(r"\\(.)")
_MEANT = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "/": "/"}
_HALF_CHARACTER = re.compile("[\ud800-\udbff]\\Z")
_HALF_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{0,3}\Z")


def growing_call(
    name: str, arguments: str, width: int, palette: Palette, *, grows: bool = True
) -> list[Text]:
    """Return the tool and the newest lines of its arguments.

    Args:
        name: the tool's name.
        arguments: the arguments as far as they have arrived.
        width: width of the list, in columns.
        palette: the palette to draw with.
        grows: whether the model is still writing it, which a cursor at the end shows; otherwise it
            writes a later call.
    """
    title = Text(" " * GUTTER, no_wrap=True)
    title.append(f"{short_name(sanitize_line(name))} ", style=palette.tool)
    fields = growing_fields(arguments)
    head, parts = _parts(name, fields, palette) if fields else ("", [_tail(arguments, palette)])
    title.append(sanitize_line(head), style=palette.text)
    fit_line(title, width)
    rows = [row for part in parts for row in _rows(*part, width - GUTTER - 1)]
    shown = rows[-MAX_INLINE_LINES:] or [Text(no_wrap=True)]
    if grows:
        shown[-1].append("▌", style=palette.accent)
    return [title, *indented(shown, GUTTER)]


def growing_fields(arguments: str) -> dict[str, str]:
    """Return the fields of a JSON object that may be cut anywhere; empty if it is none."""
    fields: dict[str, str] = {}
    position = 0 if len(arguments) <= MAX_PARSED_CHARS else len(arguments)
    while (found := _FIELD.match(arguments, position)) is not None:
        name, text, other = found.groups()
        fields[name] = other.strip() if text is None else _decoded(text)
        position = found.end()
    return fields


def _decoded(text: str) -> str:
    """Return what a JSON string means, without an escape of which only half has arrived."""
    for written in (text, _HALF_ESCAPE.sub("", text)):
        try:
            meant = str(json.loads(f'"{written}"', strict=False))
        except ValueError:
            continue
        return without_surrogates(_HALF_CHARACTER.sub("", meant))
    return text


def _tail(arguments: str, palette: Palette) -> tuple[str, str, Style]:
    """Return the end of arguments that are not parsed, with their line breaks."""
    newest = "" if _BEGINNING.match(arguments) else arguments[-_SHOWN_CHARS:]
    return "", _ESCAPE.sub(lambda found: _MEANT.get(found[1], found[0]), newest), palette.dim


def _parts(
    name: str, fields: Mapping[str, str], palette: Palette
) -> tuple[str, list[tuple[str, str, Style]]]:
    """Return what belongs beside the tool's name, and the texts with the sign of their lines."""
    if name == BASH and set(fields) == {"command"}:
        return "", [("", fields["command"], palette.text)]
    if name == EDITOR and "command" in fields:
        path = fields.get("path", "")
        shown = posixpath.relpath(path, WORKING_DIR) if path.startswith(f"{WORKING_DIR}/") else path
        texts = [
            ("- ", fields.get("old_str"), palette.bad),
            ("+ ", fields.get("file_text"), palette.good),
            ("+ ", fields.get("new_str"), palette.good),
        ]
        head = f"{fields['command']} {shown}"
        return head, [(sign, text, style) for sign, text, style in texts if text is not None]
    return "", [("", f"{field}: {text}", palette.text) for field, text in fields.items()]


def _rows(sign: str, text: str, style: Style, width: int) -> list[Text]:
    lines = sanitize(text[-_SHOWN_CHARS:].expandtabs(4)).split("\n")[-MAX_INLINE_LINES:]
    rows: list[Text] = []
    for line in lines:
        for place, row in enumerate(rows_of(Text(line, style=style), max(1, width - len(sign)))):
            margin = " " * len(sign) if place else sign
            rows.append(Text(margin, style=style, no_wrap=True).append_text(row))
    return rows
