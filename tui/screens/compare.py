"""Two sessions side by side: what each came to, where they part, call by call, file by file."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from typing_extensions import override

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.relations.compare import (
    Call,
    Comparison,
    FilePair,
    Pair,
    compare,
    file_diff,
)
from sandbox_tui.tui.format.comparison import (
    call_line,
    files_sentence,
    related_sentence,
    sign,
    totals,
    where_they_part,
)
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.pager import PagerScreen
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.key_bar import KeyBar

_NAME = 9
"""Cells of a row's name."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A row of the table at the top."""

    name: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A sentence over what follows."""

    text: str


Row = Fact | Heading | Pair | FilePair


class ComparisonRows(BlockList):
    """The comparison, a line a row."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.rows: list[Row] = []
        self.following = False

    def show(self, found: Comparison) -> int:
        """Show it; returns the row of the first pair of calls that part."""
        rows: list[Row] = [Fact(*row) for row in totals(found)]
        rows += [Heading(""), Heading(where_they_part(found))]
        apart = len(rows) + (found.diverged_at or 0)
        rows += found.pairs
        rows += [Heading(""), Heading(files_sentence(found)), *found.files]
        self.rows = rows
        self.reset()
        return min(apart, len(rows) - 1)

    @override
    def block_count(self) -> int:
        return len(self.rows)

    @override
    def block_height(self, index: int, width: int) -> int:
        return 1

    @override
    def draw_block(self, index: int, width: int) -> list[Text]:
        palette = palette_of(self)
        match self.rows[index]:
            case Fact() as fact:
                return [_fact(fact, width, palette)]
            case Heading(text=text):
                line = Text(f" {text}", style=palette.accent, no_wrap=True)
                fit_line(line, width)
                return [line]
            case Pair() as pair:
                return [_pair(pair, width, palette)]
            case FilePair() as file:
                line = Text(f" {file.verdict:<11}", style=palette.dim, no_wrap=True)
                line.append(sanitize_line(file.path), style=palette.text)
                fit_line(line, width)
                return [line]


class CompareScreen(Screen[None]):
    """Compares two sessions.

    Args:
        left, right: which.
        store: where they are kept.
    """

    CSS = """
    CompareScreen { background: $background; }
    CompareScreen ComparisonRows {
        height: 1fr; border: round $border-blurred; border-title-color: $role-dim;
        border-subtitle-color: $role-dim; margin: 1 1 0 1;
        &:focus { border: round $accent; border-title-color: $accent; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("compare.open", "look"),
        binding("compare.next", "next(1)"),
        binding("compare.previous", "next(-1)", show=False),
        binding("compare.swap", "swap"),
        binding("compare.leave", "leave"),
    ]

    AUTO_FOCUS = "ComparisonRows"

    def __init__(self, left: RunSummary, right: RunSummary, store: Store) -> None:
        super().__init__()
        self._sides = left, right
        self._store = store

    def compose(self) -> ComposeResult:
        """The rows, and the keys."""
        yield ComparisonRows(id="comparison")
        yield KeyBar()

    def on_mount(self) -> None:
        """Compare."""
        self._compare()

    @work(exclusive=True, group="compare")
    async def _compare(self) -> None:
        try:
            found = await asyncio.to_thread(compare, self._store, *self._sides)
        except SandboxTuiError as error:
            self.notify(sanitize_line(str(error)), severity="error", markup=False)
            return
        rows = self.query_one(ComparisonRows)
        rows.border_title = "compare"
        rows.border_subtitle = Content(related_sentence(found).removesuffix("."))
        rows.cursor = rows.show(found)
        rows.show_block(rows.cursor)

    def action_next(self, direction: int) -> None:
        """Go to the next row that is not the same on both sides."""
        rows = self.query_one(ComparisonRows)
        at = rows.cursor + direction
        while 0 <= at < len(rows.rows):
            row = rows.rows[at]
            if isinstance(row, FilePair) or (isinstance(row, Pair) and sign(row) != "="):
                rows.cursor = at
                rows.show_block(at)
                return
            at += direction
        self.notify("No more differences.", markup=False)

    def action_swap(self) -> None:
        """Exchange the sides."""
        self._sides = self._sides[1], self._sides[0]
        self._compare()

    @on(BlockList.Selected, "#comparison")
    def _chosen(self) -> None:
        self.action_look()

    def action_look(self) -> None:
        """All of the two calls, or the differences of a file."""
        rows = self.query_one(ComparisonRows)
        if 0 <= rows.cursor < len(rows.rows):
            row = rows.rows[rows.cursor]
            if isinstance(row, Pair):
                app_of(self).push_screen(PagerScreen("both calls", _whole(row)))
            elif isinstance(row, FilePair):
                self._show_file(row)

    @work(exclusive=True, group="file")
    async def _show_file(self, file: FilePair) -> None:
        lines = await asyncio.to_thread(file_diff, self._store, file)
        app_of(self).push_screen(PagerScreen(sanitize_line(file.path), "\n".join(lines)))

    def action_leave(self) -> None:
        """Back to where one came from."""
        self.dismiss(None)


def _fact(fact: Fact, width: int, palette: Palette) -> Text:
    half = _half(width - _NAME)
    line = Text(f" {fact.name:<{_NAME}}", style=palette.dim, no_wrap=True)
    style = palette.text if fact.left != fact.right else palette.dim
    line.append_text(_cell(fact.left, half, style))
    line.append("   ")
    line.append_text(_cell(fact.right, half, style))
    line.truncate(width)
    return line


def _pair(pair: Pair, width: int, palette: Palette) -> Text:
    half = _half(width)
    between = sign(pair)
    style = palette.dim if pair.same else palette.text
    mark = {"=": palette.faint, "≈": palette.warn}.get(between, palette.accent)
    line = Text(" ", no_wrap=True)
    failed = style if between == "=" else palette.bad
    line.append_text(_side(pair.left, half, style, failed))
    line.append(f" {between} ", style=mark)
    line.append_text(_side(pair.right, half, style, failed))
    line.truncate(width)
    return line


def _side(call: Call | None, room: int, style: Style, failed: Style) -> Text:
    if call is None:
        return Text(" " * room)
    return _cell(call_line(call), room, failed if call.failed else style)


def _cell(words: str, room: int, style: Style) -> Text:
    cell = Text(words, style=style, no_wrap=True)
    fit_line(cell, room)
    cell.pad_right(max(0, room - cell.cell_len))
    return cell


def _half(width: int) -> int:
    return max(8, (width - 5) // 2)


def _whole(pair: Pair) -> str:
    parts: list[str] = []
    for name, call in (("left", pair.left), ("right", pair.right)):
        if call is None:
            parts.append(f"── {name}: no call here")
        else:
            parts.append(f"── {name}: call {call.number}, step {call.step}, {sanitize(call.tool)}")
            parts += [sanitize(call.arguments), "", sanitize(call.observation)]
        parts.append("")
    return "\n".join(parts)
