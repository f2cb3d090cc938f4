"""The rows of a comparison: facts, calls, files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from rich.style import Style
from rich.text import Text
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions.relations.compare import Call, Comparison, FilePair, Pair
from sandbox_tui.tui.format.comparison import (
    Divergence,
    Fact,
    call_line,
    calls_sentence,
    differing_lines,
    divergence,
    end_and_size,
    end_of,
    facts,
    file_sizes,
    files_sentence,
    sign,
)
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.preview.code import wrapped

SIDE_BY_SIDE_FROM = 90
"""Minimum width for showing the two sides next to each other; below that they are stacked."""

_NAME = 9
"""Columns for the name of a fact."""

_VERDICT = 11
"""Columns for the verdict on a file."""

_ABOVE = 3
"""Rows kept visible above the selected one."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A line of text above the rows that follow."""

    text: str


Row: TypeAlias = Fact | Heading | Divergence | Pair | FilePair


class ComparisonRows(BlockList):
    """The comparison: facts, calls and files."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.rows: list[Row] = []
        self.following = False

    def show(self, found: Comparison) -> None:
        """Show a comparison; the cursor goes to the diverging calls, otherwise to the first row."""
        diverges = divergence(found)
        rows: list[Row] = [Fact("", "left", "right"), *facts(found), Heading("")]
        if diverges is None:
            rows += [Heading(calls_sentence(found)), *found.pairs]
        else:
            rows += [*found.pairs[: diverges.at], diverges, *found.pairs[diverges.at :]]
        rows += [Heading(""), Heading(files_sentence(found)), *found.files]
        self.rows = rows
        self.reset()
        self.go_to(0 if diverges is None else rows.index(diverges) + 1)

    @property
    def current(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def next_difference(self, direction: int) -> bool:
        """Go to the next row that differs between the sides; False if there is none."""
        at = self.difference_from_here(direction)
        if at is not None:
            self.go_to(at)
        return at is not None

    def difference_from_here(self, direction: int) -> int | None:
        """Return the index of the next row that differs between the sides; None if there is
        none."""
        at = self.cursor + direction
        while 0 <= at < len(self.rows):
            row = self.rows[at]
            if isinstance(row, FilePair) or (isinstance(row, Pair) and sign(row) != "="):
                return at
            at += direction
        return None

    def go_to(self, index: int) -> None:
        """Select a row, keeping some rows above it visible."""
        self.cursor = index
        self.show_block(max(0, index - _ABOVE))
        self.show_block(index)

    @override
    def block_count(self) -> int:
        return len(self.rows)

    @override
    def block_height(self, index: int, width: int) -> int:
        row = self.rows[index]
        if isinstance(row, Pair):
            return 1 if width >= SIDE_BY_SIDE_FROM or not _takes_two(row) else 2
        if isinstance(row, (Heading, Divergence)):
            return len(self.draw_block(index, width))
        return 1

    @override
    def draw_block(self, index: int, width: int) -> list[Text]:
        palette = palette_of(self)
        match self.rows[index]:
            case Fact() as fact:
                lines = [_fact(fact, width, palette)]
            case Heading(text=text):
                lines = [
                    Text(" ").append_text(row) for row in wrapped(text, width - 2, palette.accent)
                ]
            case Divergence() as diverges:
                lines = _divergence(diverges, width, palette)
            case Pair() as pair if width >= SIDE_BY_SIDE_FROM:
                lines = [_side_by_side(pair, width, palette)]
            case Pair() as pair:
                lines = _stacked(pair, palette)
            case FilePair() as file:
                lines = [_file(file, width, palette)]
        for line in lines:
            fit_line(line, width)
        return lines


def _takes_two(pair: Pair) -> bool:
    """Return whether both sides have a call, and the calls differ."""
    return pair.left is not None and pair.right is not None and sign(pair) == "≠"


def _fact(fact: Fact, width: int, palette: Palette) -> Text:
    line = Text(f" {fact.name:<{_NAME}}", style=palette.dim, no_wrap=True)
    if fact.left == fact.right:
        return line.append(fact.left, style=palette.dim)
    if not fact.name:
        styles = palette.accent, palette.accent
    elif fact.name == "outcome":
        styles = _outcome(fact.left, palette), _outcome(fact.right, palette)
    else:
        styles = (palette.dim, palette.dim) if fact.name == "session" else (palette.text,) * 2
    left = _half(width) - _NAME if width >= SIDE_BY_SIDE_FROM else (width - _NAME - 4) // 2
    line.append_text(_cell(fact.left, max(8, left), styles[0]))
    line.append(" │ ", style=palette.faint)
    return line.append(fact.right, style=styles[1])


def _outcome(words: str, palette: Palette) -> Style:
    if words == "submitted" or words.startswith("running"):
        return palette.good
    return palette.warn if words == "interrupted" else palette.bad


def _divergence(found: Divergence, width: int, palette: Palette) -> list[Text]:
    """Return the point of divergence, both outcomes, and the first differing line."""
    strong = palette.accent + Style(bold=True)
    sentence = wrapped(found.sentence, max(1, width - 3), strong)
    lines = [Text(" ▼ " if n == 0 else "   ", style=strong) + row for n, row in enumerate(sentence)]
    ends = [end_and_size(call) for call in (found.pair.left, found.pair.right)]
    both: list[tuple[str, str]] = [(ends[0], ends[1])]
    if found.line is not None:
        both.append(differing_lines(found.line))
    calls = (found.pair.left, found.pair.right)
    styles = [_end_style(call, palette) for call in calls]
    if width >= SIDE_BY_SIDE_FROM:
        lines += [
            _two_cells(pair, width, styles if n == 0 else [palette.text] * 2, palette)
            for n, pair in enumerate(both)
        ]
    else:
        for side, name in enumerate(("left", "right")):
            line = Text(f"   {name:<6}", style=palette.dim, no_wrap=True)
            lines.append(line.append(both[0][side], style=styles[side]))
            lines += [
                Text(f"         {pair[side]}", style=palette.text, no_wrap=True)
                for pair in both[1:]
            ]
    return [_on_background(line, width, palette) for line in lines]


def _end_style(call: Call | None, palette: Palette) -> Style:
    if call is None or call.ok is None or call.was_prevented:
        return palette.warn
    return palette.good if call.ok else palette.bad


def _two_cells(pair: tuple[str, str], width: int, styles: list[Style], palette: Palette) -> Text:
    half = _half(width)
    line = Text(" ", no_wrap=True).append_text(_cell(f"  {pair[0]}", half, styles[0]))
    line.append(" │ ", style=palette.faint)
    return line.append_text(_cell(f"  {pair[1]}", half, styles[1]))


def _on_background(line: Text, width: int, palette: Palette) -> Text:
    fit_line(line, width)
    line.pad_right(max(0, width - line.cell_len))
    line.stylize_before(palette.code)
    return line


def _side_by_side(pair: Pair, width: int, palette: Palette) -> Text:
    half, between = _half(width), sign(pair)
    line = Text(" ", no_wrap=True)
    line.append_text(_side(pair, pair.left, half, palette))
    line.append(f" {between} ", style=_sign_style(between, palette))
    return line.append_text(_side(pair, pair.right, half, palette))


def _side(pair: Pair, call: Call | None, room: int, palette: Palette) -> Text:
    """Return a call, with its outcome if the other one's differs."""
    if call is None:
        return Text(" " * room)
    both = pair.left is not None and pair.right is not None
    end = f"  {end_of(call)}" if both and not pair.same_outcome else ""
    cell = _cell(call_line(call), max(1, room - len(end)), _call_style(pair, call, palette))
    return cell.append(end, style=_end_style(call, palette))


def _stacked(pair: Pair, palette: Palette) -> list[Text]:
    """Draw identical calls on one line, others one above the other."""
    between = sign(pair)
    lines: list[Text] = []
    calls = [call for call in (pair.left, pair.right) if call is not None]
    for number, call in enumerate(calls if _takes_two(pair) else calls[:1]):
        mark = ("◂", "▸")[number] if _takes_two(pair) else between
        line = Text(f" {mark} ", style=_sign_style(between, palette), no_wrap=True)
        line.append(call_line(call), style=_call_style(pair, call, palette))
        lines.append(line)
    return lines


def _call_style(pair: Pair, call: Call, palette: Palette) -> Style:
    if pair.is_equal and pair.same:
        return palette.dim
    return palette.bad if call.failed else palette.text


def _sign_style(between: str, palette: Palette) -> Style:
    return {"=": palette.faint, "≈": palette.warn, "≠": palette.bad}.get(between, palette.accent)


def _file(file: FilePair, width: int, palette: Palette) -> Text:
    line = Text(f" {file.verdict:<{_VERDICT}}", style=_verdict_style(file, palette), no_wrap=True)
    sizes = file_sizes(file)
    room = max(8, width - line.cell_len - len(sizes) - 3)
    line.append_text(_cell(_end_of_path(sanitize_line(file.path), room), room, palette.text))
    return line.append(f"  {sizes}", style=palette.dim)


def _verdict_style(file: FilePair, palette: Palette) -> Style:
    styles = {"left only": palette.bad, "right only": palette.good}
    return styles.get(file.verdict, palette.warn)


def _end_of_path(path: str, room: int) -> str:
    """Return the end of a path, which distinguishes it from others."""
    return path if len(path) <= room else f"…{path[len(path) - room + 1 :]}"


def _cell(words: str, room: int, style: Style) -> Text:
    cell = Text(words, style=style, no_wrap=True)
    fit_line(cell, room)
    cell.pad_right(max(0, room - cell.cell_len))
    return cell


def _half(width: int) -> int:
    return max(8, (width - 4) // 2)
