"""Parts shared by the rows of calls, replies and user actions."""

from __future__ import annotations

from typing import NamedTuple

from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.preview.code import CONTINUED, indented, rows_of
from sandbox_tui.tui.widgets.word_search import first_row_with, place_in

GUTTER = 6
"""Columns left of an item's text: the call's number and a space."""

MAX_INLINE_LINES = 15
"""Maximum lines of code or output shown inline; a key opens the rest."""

MAX_INLINE_ROWS = 30
"""Maximum rows of these lines, wrapped; the last one is cut if they need more."""

FIRST_OF_FAILED = 3
"""Lines of a failed call's output that are shown from its beginning; the others are its last."""

LINES_ABOVE_MATCH = 3
"""Lines shown above the first match of a search."""

MAX_FIRST_ROWS = 3
"""Maximum rows of each of them, and of each line above a match."""

BOLD = Style(bold=True)


def inset(
    lines: list[Text], width: int, palette: Palette, *, max_lines: int = MAX_INLINE_LINES
) -> list[Text]:
    """Return rows on their own background, cut after `max_lines` rows."""
    shown = lines[:max_lines]
    return [*_on_background(shown, width, palette), *more_lines(len(lines) - len(shown), palette)]


def inset_wrapped(lines: list[Text], width: int, palette: Palette, words: str = "") -> list[Text]:
    """Return the first of some lines on their own background, wrapped; those around the words of a
    search if the first ones do not have them."""
    cut = _cut(lines, max(1, width - GUTTER - 1), palette, words)
    return cut.between(_on_background(cut.rows, width, palette), palette)


def _on_background(rows: list[Text], width: int, palette: Palette) -> list[Text]:
    inner = max(1, width - GUTTER)
    result: list[Text] = []
    for line in rows:
        fit_line(line, inner - 1)
        line.pad_right(max(0, inner - line.cell_len))
        moved = Text(" " * GUTTER, no_wrap=True)
        line.stylize_before(palette.code)
        moved.append_text(line)
        result.append(moved)
    return result


class _Cut(NamedTuple):
    """Some lines as rows, and how many lines above and below are left out."""

    above: int
    rows: list[Text]
    below: int

    def between(self, rows: list[Text], palette: Palette) -> list[Text]:
        """Return the drawn rows between lines that say how many are left out."""
        return [*lines_above(self.above, palette), *rows, *more_lines(self.below, palette)]


def _cut(lines: list[Text], width: int, palette: Palette, words: str) -> _Cut:
    """Return the first lines as rows; those around the words if only later ones have them."""
    rows, below = _wrapped_rows(lines, width, palette)
    if not words or first_row_with(rows, words) >= 0:
        return _Cut(0, rows, below)
    at = first_row_with(lines, words)
    return _Cut(0, rows, below) if at < 0 else _cut_around(lines, at, width, palette, words)


def _cut_around(lines: list[Text], at: int, width: int, palette: Palette, words: str) -> _Cut:
    above: list[Text] = []
    first, earliest = at, start_around(at, len(lines), MAX_INLINE_LINES)
    while first > earliest:
        of_line = _rows_of_line(lines[first - 1], MAX_FIRST_ROWS, width, palette)
        if len(above) + len(of_line) > MAX_INLINE_ROWS // 2:
            break
        above = [*of_line, *above]
        first -= 1
    rows, below = _wrapped_rows(
        [_from_match(lines[at], width, words), *lines[at + 1 :]],
        *(width, palette),
        max_lines=MAX_INLINE_LINES - (at - first),
        max_rows=MAX_INLINE_ROWS - len(above),
    )
    return _Cut(first, [*above, *rows], below)


def start_around(at: int, count: int, most: int) -> int:
    """Return the first of at most `most` lines around the one at `at`."""
    return max(0, min(at - LINES_ABOVE_MATCH, count - most))


def _from_match(line: Text, width: int, words: str) -> Text:
    """Return a line from a little before the words if they would not be in its first row."""
    place = place_in(line.plain, words)
    if line.cell_len <= width or place + len(words) < width // 2:
        return line
    return Text("…", no_wrap=True).append_text(line[max(0, place - width // 4) :])


def _wrapped_rows(
    lines: list[Text],
    width: int,
    palette: Palette,
    max_lines: int = MAX_INLINE_LINES,
    max_rows: int = MAX_INLINE_ROWS,
) -> tuple[list[Text], int]:
    """Return the first lines as rows, and how many lines are left out.

    A row that continues a line is marked. Only lines that are shown are looked at, and of a very
    long one only as much as may be shown.
    """
    rows: list[Text] = []
    for place, line in enumerate(lines[:max_lines]):
        room = max_rows - len(rows)
        if room <= 0:
            return rows, len(lines) - place
        rows += _rows_of_line(line, room, width, palette)
    return rows, max(0, len(lines) - max_lines)


def _rows_of_line(line: Text, room: int, width: int, palette: Palette) -> list[Text]:
    """Return a line as at most `room` rows; if it is longer, the last row ends with an ellipsis."""
    start = line[: width * (room + 1)]
    if start.cell_len <= width:
        return [start]
    first, *others = rows_of(start, max(1, width - len(CONTINUED)))
    rows = [first]
    for other in others:
        marked = Text(no_wrap=True).append(CONTINUED, style=line.style or palette.faint)
        rows.append(marked.append_text(other))
    if len(rows) > room:
        rows[room - 1].truncate(max(1, width - 1))
        rows[room - 1].append("…")
    return rows[:room]


def observation_lines(
    text: str, width: int, palette: Palette, words: str = "", *, with_end: bool = False
) -> list[Text]:
    """Return the rows of an observation, cut if it is long.

    Args:
        text: the observation.
        width: width of the list, in columns.
        palette: the palette to draw with.
        words: the words of a search: the lines around them are shown if they would be left out.
        with_end: whether the middle is left out instead of the end: what failed is said last.
    """
    body = body_of(text)
    if not body:
        return []
    every = [_output_line(line, palette) for line in clean_lines(body)]
    room = max(1, width - GUTTER)
    if with_end and len(every) > FIRST_OF_FAILED and _wrapped_rows(every, room, palette)[1]:
        rows = _first_and_last(every, room, palette)
        if first_row_with(rows, words) >= 0 or first_row_with(every, words) < 0:
            return rows
    cut = _cut(every, room, palette, words)
    return cut.between(indented(cut.rows, GUTTER), palette)


def _first_and_last(every: list[Text], room: int, palette: Palette) -> list[Text]:
    """Return the rows of a failed call's output, whose middle is left out."""
    first = [
        row
        for line in every[:FIRST_OF_FAILED]
        for row in _rows_of_line(line, MAX_FIRST_ROWS, room, palette)
    ]
    last, shown = _last_rows(every[FIRST_OF_FAILED:], MAX_INLINE_ROWS - len(first), room, palette)
    left = len(every) - FIRST_OF_FAILED - shown
    return [*indented(first, GUTTER), *more_lines(left, palette), *indented(last, GUTTER)]


def _last_rows(
    lines: list[Text], room: int, width: int, palette: Palette
) -> tuple[list[Text], int]:
    """Return the last lines as at most `room` rows, and how many lines these are."""
    rows: list[Text] = []
    shown = 0
    for line in reversed(lines[-(MAX_INLINE_LINES - FIRST_OF_FAILED - 1) :]):
        of_line = _rows_of_line(line, max(1, room - len(rows)), width, palette)
        if shown and len(rows) + len(of_line) >= room:
            break
        rows = [*of_line, *rows]
        shown += 1
    return rows, shown


def _output_line(line: str, palette: Palette) -> Text:
    """Return a line of output; the marker before stderr is replaced by words."""
    if line == "[STDERR]":
        return Text("on stderr:", style=palette.dim + Style(italic=True))
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
    return _left_out(numbers.counted(count, "more line"), palette) if count > 0 else []


def lines_above(count: int, palette: Palette) -> list[Text]:
    return _left_out(f"{numbers.counted(count, 'line')} above", palette) if count > 0 else []


def _left_out(words: str, palette: Palette) -> list[Text]:
    line = Text(" " * GUTTER, no_wrap=True)
    line.append(f"… {words}", style=palette.dim + Style(underline=True))
    line.append(f"  {hint('cockpit.whole')} open all", style=palette.faint)
    return [line]
