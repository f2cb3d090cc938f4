"""Parts shared by the rows of calls, replies and user actions."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.preview.code import indented

GUTTER = 6
"""Columns left of an item's text: the call's number and a space."""

MAX_INLINE_LINES = 15
"""Maximum lines of code or output shown inline; a key opens the rest."""

BOLD = Style(bold=True)


def inset(
    lines: list[Text], width: int, palette: Palette, *, max_lines: int = MAX_INLINE_LINES
) -> list[Text]:
    """Return a block on its own background, cut after `max_lines` lines."""
    shown = lines[:max_lines]
    inner = max(1, width - GUTTER)
    result: list[Text] = []
    for line in shown:
        fit_line(line, inner - 1)
        line.pad_right(max(0, inner - line.cell_len))
        moved = Text(" " * GUTTER, no_wrap=True)
        line.stylize_before(palette.code)
        moved.append_text(line)
        result.append(moved)
    return [*result, *more_lines(len(lines) - len(shown), palette)]


def observation_lines(text: str, width: int, palette: Palette) -> list[Text]:
    body = body_of(text)
    if not body:
        return []
    every = [_output_line(line, palette) for line in clean_lines(body)]
    shown = every[:MAX_INLINE_LINES]
    for line in shown:
        fit_line(line, max(1, width - GUTTER))
    return [*indented(shown, GUTTER), *more_lines(len(every) - len(shown), palette)]


def _output_line(line: str, palette: Palette) -> Text:
    """Return a line of output; the marker before stderr is replaced by words."""
    if line == "[STDERR]":
        return Text("on stderr:", style=palette.faint + Style(italic=True))
    return Text(line, style=palette.dim)


def body_of(observation: str) -> str:
    """Return an observation without its header lines."""
    frame = ("Exit code: ", "Execution output of ", "[STDOUT]", "[STDERR]", "[A person edited")
    lines = observation.split("\n")
    while lines and (not lines[0].strip() or lines[0].startswith(frame)):
        lines.pop(0)
    return "\n".join(lines).rstrip()


def last_line(observation: str) -> str:
    lines = [line for line in body_of(observation).split("\n") if line.strip()]
    return lines[-1].strip() if lines else ""


def clean_lines(text: str) -> list[str]:
    return [sanitize_line(line.expandtabs(8)) for line in text.split("\n")]


def more_lines(count: int, palette: Palette) -> list[Text]:
    if count <= 0:
        return []
    line = Text(" " * GUTTER, no_wrap=True)
    plural = "" if count == 1 else "s"
    line.append(f"… {count} more line{plural}", style=palette.dim + Style(underline=True))
    line.append(f"  {hint('cockpit.whole')} open all", style=palette.faint)
    return [line]
