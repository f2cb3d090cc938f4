"""Two sessions side by side: outcomes, the point of divergence, calls and files."""

from __future__ import annotations

import asyncio
from typing import ClassVar, Literal

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen

from sandbox_tui.core.base.errors import SandboxTuiError, StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.relations.compare import (
    Comparison,
    FilePair,
    Pair,
    compare,
    contents_of,
)
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.comparison import (
    Fact,
    answer_or_reason,
    file_sizes,
    related_sentence,
)
from sandbox_tui.tui.format.titles import task_title
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.screens.compare.both_calls import BothCalls
from sandbox_tui.tui.screens.compare.comparison_rows import ComparisonRows, Row
from sandbox_tui.tui.screens.dialogs.pager import PagerScreen
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.preview.diff import DiffDocument
from sandbox_tui.tui.widgets.preview.document import Document, Notice, decode

Side = Literal["left", "right"]


class CompareScreen(ExplainsUnavailable, Screen[None]):
    """Compares two sessions.

    Args:
        left, right: the sessions.
        store: the store that contains them.
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
        binding("compare.next", "next(1)"),
        binding("compare.previous", "next(-1)", show=False),
        binding("compare.open", "look"),
        binding("compare.replay_left", "replay('left')"),
        binding("compare.replay_right", "replay('right')"),
        binding("compare.swap", "swap"),
        binding("compare.leave", "leave"),
    ]

    AUTO_FOCUS = "ComparisonRows"

    def __init__(self, left: RunSummary, right: RunSummary, store: Store) -> None:
        super().__init__()
        self._sides = left, right
        self._store = store
        self._found: Comparison | None = None

    def compose(self) -> ComposeResult:
        """Yield the rows, and the keys."""
        yield ComparisonRows(id="comparison")
        yield KeyBar()

    def on_mount(self) -> None:
        """Start the comparison."""
        self._compare()

    @work(exclusive=True, group="compare")
    async def _compare(self) -> None:
        try:
            found = await asyncio.to_thread(compare, self._store, *self._sides)
        except SandboxTuiError as error:
            self.notify(sanitize_line(str(error)), severity="error", markup=False)
            return
        self._found = found
        rows = self.query_one(ComparisonRows)
        rows.border_title = "compare"
        related = [related_sentence(found).removesuffix(".")] if related_sentence(found) else []
        rows.border_subtitle = Content(" · ".join([*related, f"{hint('list.open')} open"]))
        rows.show(found)
        self.refresh_bindings()

    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """There may be no further difference, and a running session cannot be replayed yet."""
        if action == "replay":
            run = self._sides[parameters != ("left",)]
            return "that session is still running" if run.outcome == "running" else ""
        if action != "next":
            return ""
        if self._found is None:
            return "the sessions are still being read"
        direction = -1 if parameters == (-1,) else 1
        further = self.query_one(ComparisonRows).difference_from_here(direction)
        side = "after" if direction > 0 else "before"
        return f"nothing differs {side} this" if further is None else ""

    @on(BlockList.Highlighted)
    def _moved(self) -> None:
        self.refresh_bindings()

    def action_next(self, direction: int) -> None:
        """Go to the next row (1) or the previous one (-1) that differs between the sides."""
        self.query_one(ComparisonRows).next_difference(direction)

    def action_swap(self) -> None:
        """Swap the sides."""
        self._sides = self._sides[1], self._sides[0]
        self._compare()

    @on(BlockList.Selected, "#comparison")
    def _chosen(self) -> None:
        self.action_look()

    def action_look(self) -> None:
        """Show both calls, both versions of a file, or a fact of both sessions in full."""
        match self.query_one(ComparisonRows).current:
            case Pair() as pair:
                app_of(self).push_screen(PagerScreen("both calls", BothCalls(pair)))
            case FilePair() as file:
                self._show_file(file)
            case Fact(name=name) if name in ("title", "answer"):
                self._show_fact(name)
            case _:
                pass

    def _show_fact(self, name: str) -> None:
        left, right = self._sides
        if name == "title":
            words = [run.task for run in (left, right)]
        else:
            words = [answer_or_reason(run) for run in (left, right)]
        heading = {"title": "task"}.get(name, name)
        text = f"left\n\n{words[0]}\n\nright\n\n{words[1]}"
        app_of(self).push_screen(PagerScreen(heading, text))

    @work(exclusive=True, group="file")
    async def _show_file(self, file: FilePair) -> None:
        try:
            left, right = await asyncio.to_thread(contents_of, self._store, file)
        except StoreError as error:  # deleted in the meantime
            self.notify(sanitize_line(str(error)), severity="error", markup=False)
            return
        document = _file_document(file, left, right)
        app_of(self).push_screen(PagerScreen(sanitize_line(file.path), document))

    def action_replay(self, side: Side) -> None:
        """Replay one of the sessions from the row under the cursor."""
        from sandbox_tui.tui.screens.cockpit.replay.replay_position import ReplayPosition
        from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen

        run = self._sides[0 if side == "left" else 1]
        if run.outcome == "running":
            words = f"“{task_title(run)}” is still running: it can be replayed once it has ended."
            self.notify(words, markup=False)
            return
        seq = _moment(self.query_one(ComparisonRows).current, side) or run.last_seq
        try:
            replay = ReplayScreen(run, self._store, at=ReplayPosition(seq))
        except StoreError as error:  # deleted in the meantime
            self.notify(sanitize_line(str(error)), severity="error", markup=False)
            return
        app_of(self).push_screen(replay)

    def action_leave(self) -> None:
        """Leave the comparison."""
        self.dismiss(None)


def _moment(row: Row | None, side: Side) -> int | None:
    """Return the event in a session that a row refers to, or None for rows without one."""
    is_left = side == "left"
    match row:
        case Pair(left=left, right=right):
            call = left if is_left else right
            return None if call is None else call.seq
        case FilePair() as file:
            return file.left_seq if is_left else file.right_seq
        case _:
            return None


def _file_document(file: FilePair, left: bytes | None, right: bytes | None) -> Document:
    """Return the differences of two contents, or why they cannot be shown."""
    sizes = file_sizes(file)
    if left is None or right is None:
        return Notice(f"The content was not saved on both sides ({sizes}).", facts=sizes)
    old, new = decode(left), decode(right)
    if old is None or new is None:
        words = f"Not text, so it cannot be compared line by line: {sizes}."
        return Notice(words, facts=sizes)
    return DiffDocument(
        old, new, f"left {numbers.size(len(left))} → right {numbers.size(len(right))}"
    )
