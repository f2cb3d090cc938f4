"""Two sessions side by side: outcomes, the point of divergence, calls and files."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Literal

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input

from sandbox_tui.core.base.errors import SandboxTuiError, StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.relations.aligned_calls import Pair
from sandbox_tui.sessions.relations.compare import Comparison, FilePair, compare
from sandbox_tui.sessions.relations.human_acts import ActPair
from sandbox_tui.sessions.relations.running_now import RunningNow
from sandbox_tui.tui.format.compared.comparison import (
    related_sentence,
    running_side,
    short_verdict,
)
from sandbox_tui.tui.format.compared.facts import Fact, facts
from sandbox_tui.tui.format.titles import task_title
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.screens.compare.comparison_rows import ComparisonRows
from sandbox_tui.tui.screens.compare.difference_pager import DifferencePager
from sandbox_tui.tui.screens.compare.row_documents import Opened, opened
from sandbox_tui.tui.screens.compare.row_kinds import Hidden, Row, opens
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.search_line import SearchLine

Side = Literal["left", "right"]

POLL_SECONDS = 1.0
"""Seconds between two looks at sessions that are still running."""


class CompareScreen(ExplainsUnavailable, Screen[None]):
    """Compares two sessions.

    Args:
        left, right: the sessions.
        store: the store that contains them.
        evaluations: ids of the evaluations whose samples they are; empty if that is not known.
        tiles: numbers of their tiles on the wall, by session.
    """

    CSS = """
    CompareScreen { background: $background; }
    CompareScreen ComparisonRows {
        height: 1fr; border: round $border-blurred; border-title-color: $role-dim;
        border-subtitle-color: $role-dim; margin: 1 1 0 1;
        &:focus { border: round $accent; border-title-color: $accent; }
    }
    """

    enter_words = "find"

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("compare.next", "next(1)"),
        binding("compare.previous", "next(-1)", show=False),
        binding("compare.open", "look"),
        binding("compare.divergence", "divergence"),
        binding("compare.hide", "hide"),
        binding("compare.whole", "look(True)"),
        binding("compare.find", "find"),
        binding("compare.swap", "swap"),
        binding("compare.replay_left", "replay('left')"),
        binding("compare.replay_right", "replay('right')"),
        binding("compare.leave", "leave"),
    ]

    AUTO_FOCUS = "ComparisonRows"

    def __init__(
        self,
        left: RunSummary,
        right: RunSummary,
        store: Store,
        evaluations: tuple[str, str] = ("", ""),
        tiles: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__()
        self._tiles = tiles or {}
        self._sides = left, right
        self._evaluations = evaluations
        self._now: tuple[RunningNow | None, RunningNow | None] = None, None
        self._store = store
        self._found: Comparison | None = None
        self._wanted = ""
        self._search_began_at = 0
        self._is_at_match = False

    def compose(self) -> ComposeResult:
        """Yield the rows, a search line and the keys."""
        yield ComparisonRows(id="comparison")
        yield SearchLine(placeholder="words of a call, its output, a message, a file")
        yield KeyBar()

    def on_mount(self) -> None:
        """Start the comparison, and follow sessions that are still running."""
        self._compare()
        self.set_interval(POLL_SECONDS, self._poll)

    # --- reading

    @work(exclusive=True, group="compare")
    async def _compare(self) -> None:
        try:
            self._now = await asyncio.to_thread(self._read_running)
            found = await asyncio.to_thread(compare, self._store, *self._sides, self._evaluations)
        except SandboxTuiError as error:
            self.notify(sanitize_line(str(error)), severity="error", markup=False)
            return
        self._found = found
        self._rows.show(found, self._facts(found, self._now))
        self._name_rows()

    def _read_running(self) -> tuple[RunningNow | None, RunningNow | None]:
        """Read what the sessions that are running do now."""
        now = [
            RunningNow(self._store, run) if run.outcome == "running" else None
            for run in self._sides
        ]
        for side in now:
            if side is not None:
                side.read()
        left, right = now
        return left, right

    def _poll(self) -> None:
        if self._found is not None and any(self._now):
            self._follow()

    @work(exclusive=True, group="follow")
    async def _follow(self) -> None:
        """Read what is new in sessions that are running, and move their clocks on."""
        now, before = self._now, self._found
        try:
            is_new = await asyncio.to_thread(
                lambda: [side.read() for side in now if side is not None]
            )
            if any(is_new):
                left, right = (
                    run if side is None else side.run
                    for run, side in zip(self._sides, now, strict=True)
                )
                found = await asyncio.to_thread(
                    compare, self._store, left, right, self._evaluations
                )
            else:
                found = before
        except SandboxTuiError:  # deleted in the meantime: what was read stays
            self._now = None, None
            return
        if now is not self._now or found is None:  # the sides were swapped in the meantime
            return
        self._found, self._sides = found, (found.left, found.right)
        if found is before:
            self._rows.update_facts(self._facts(found, now))
            return
        self._rows.update(found, self._facts(found, now))
        self._now = _still_running(now[0]), _still_running(now[1])
        self._name_rows()

    def _facts(
        self, found: Comparison, now: tuple[RunningNow | None, RunningNow | None]
    ) -> list[Fact]:
        """Return the properties of both; a title begins with the number of its tile."""
        title, *others = facts(found, *now)
        left, right = (
            self._numbered(found.left, title.left),
            self._numbered(found.right, title.right),
        )
        return [title._replace(left=left, right=right), *others]

    def _numbered(self, run: RunSummary, title: str) -> str:
        number = self._tiles.get(run.id)
        if number is None:
            return title
        same = f"sample {number} · " if number == run.sample else ""
        return f"run {number} · {title.removeprefix(same)}"

    def _name_rows(self) -> None:
        """Say in the border where the sessions diverge, how they are related, and what a search
        looks for."""
        found, rows = self._found, self._rows
        if found is None:
            return
        title = ("compare", running_side(found), short_verdict(found))
        rows.border_title = Content(" · ".join(part for part in title if part))
        related = related_sentence(found).removesuffix(".")
        parts = [
            self._search_words,
            related,
            f"{hint('list.open')} open",
        ]
        rows.border_subtitle = Content(" · ".join(part for part in parts if part))
        self.refresh_bindings()

    @property
    def _search_words(self) -> str:
        """What the search looks for, and which match the cursor is on; empty without a search."""
        line = self.query_one(SearchLine)
        words = line.value.strip() if line.display else self._wanted
        if not words:
            return ""
        which, count = self._rows.place_among_matches(words)
        found = f"{count} found" if count else "no matches"
        return f"“{sanitize_line(words)}” {f'{which} of ' if which else ''}{found}"

    @property
    def _rows(self) -> ComparisonRows:
        return self.query_one(ComparisonRows)

    # --- keys

    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """There may be no further difference, and a running session cannot be replayed yet."""
        if action == "replay":
            run = self._sides[parameters != ("left",)]
            return "that session is still running" if run.outcome == "running" else ""
        if action == "look":
            return "" if opens(self._rows.current) else "there is nothing more to open on this line"
        if action not in ("next", "divergence"):
            return ""
        if self._found is None:
            return "the sessions are still being read"
        if action == "divergence":
            return "" if self._rows.divergence_at is not None else "the sessions do not part"
        if self._wanted:
            return ""
        direction = -1 if parameters == (-1,) else 1
        further = self._rows.difference_from_here(direction)
        side = "after" if direction > 0 else "before"
        return f"nothing differs {side} this" if further is None else ""

    def words_for(self, action: str) -> str | None:
        """Return the key bar's current words for an action."""
        if action == "hide" and self._rows.hides_equal:
            return "show equal"
        if action == "next(1)" and self._wanted:
            return "next match"
        return "end search" if action == "leave" and self._wanted else None

    @on(BlockList.Highlighted)
    def _moved(self) -> None:
        self._name_rows()

    def action_next(self, direction: int) -> None:
        """Go to the next row (1) or the previous one (-1) that differs between the sides, or that
        a search finds."""
        if not self._wanted:
            self._rows.next_difference(direction)
        elif not self._rows.find(self._wanted, direction):
            self.notify(f"No match for “{sanitize_line(self._wanted)}”.", markup=False)

    def action_divergence(self) -> None:
        """Go to the calls at which the sessions diverge."""
        self._rows.go_to_divergence()

    def action_hide(self) -> None:
        """Hide the calls that are equal, or show them."""
        self._rows.hides_equal = not self._rows.hides_equal
        if self._found is not None:
            self._rows.update(self._found, self._facts(self._found, self._now))
            self._rows.show_block(self._rows.cursor)
        self.refresh_bindings()

    def action_find(self) -> None:
        """Open the search line."""
        self._search_began_at, self._is_at_match = max(0, self._rows.cursor), False
        self.query_one(SearchLine).open()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        """Go to the first match of what is typed so far."""
        words = event.value.strip()
        if words and self._found is not None and event.input.has_focus:
            self._is_at_match = self._rows.find_from(words, self._search_began_at)
        self._name_rows()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        self._wanted = event.value.strip()
        self._close_search()
        if self._wanted and not self._is_at_match:
            self.action_next(1)

    def _close_search(self) -> None:
        self.query_one(SearchLine).close()
        self._rows.focus()
        self._name_rows()

    def action_swap(self) -> None:
        """Swap the sides."""
        self._sides = self._sides[1], self._sides[0]
        self._evaluations = self._evaluations[1], self._evaluations[0]
        self._compare()

    @on(BlockList.Selected, "#comparison")
    def _chosen(self) -> None:
        self.action_look()

    @work(exclusive=True, group="look")
    async def action_look(self, is_whole: bool = False) -> None:
        """Show the difference of both calls, both versions of a file, or both texts; or all of
        both."""
        row = self._rows.current
        if isinstance(row, Hidden):
            self.action_hide()
            return
        shown = await self._open(row)
        if shown is not None:
            pager = DifferencePager(shown, self._go, self._leads, is_whole=is_whole)
            app_of(self).push_screen(pager)

    async def _open(self, row: Row | None) -> Opened | None:
        if self._found is None:
            return None
        try:
            shown = await asyncio.to_thread(opened, row, self._found, self._store)
        except StoreError as error:  # deleted in the meantime
            self.notify(sanitize_line(str(error)), severity="error", markup=False)
            return None
        place = self._rows.place_among_differences
        if shown is None or place is None:
            return shown
        return replace(shown, title=f"{shown.title} · difference {place[0]} of {place[1]}")

    async def _go(self, direction: int) -> Opened | None:
        if not self._rows.next_difference(direction):
            return None
        return await self._open(self._rows.current)

    def _leads(self, direction: int) -> bool:
        return self._rows.difference_from_here(direction) is not None

    def action_replay(self, side: Side) -> None:
        """Replay one of the sessions from the row under the cursor."""
        from sandbox_tui.tui.screens.cockpit.replay.replay_position import ReplayPosition
        from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen

        run = self._sides[0 if side == "left" else 1]
        if run.outcome == "running":
            words = f"“{task_title(run)}” is still running: it can be replayed once it has ended."
            self.notify(words, markup=False)
            return
        seq = _moment(self._rows.current, side) or run.last_seq
        try:
            replay = ReplayScreen(run, self._store, at=ReplayPosition(seq))
        except StoreError as error:  # deleted in the meantime
            self.notify(sanitize_line(str(error)), severity="error", markup=False)
            return
        app_of(self).push_screen(replay)

    def action_leave(self) -> None:
        """Close the search, otherwise leave the comparison."""
        if self.query_one(SearchLine).display or self._wanted:
            self._wanted = ""
            self._close_search()
            return
        self.dismiss(None)


def _still_running(side: RunningNow | None) -> RunningNow | None:
    return side if side is not None and side.run.outcome == "running" else None


def _moment(row: Row | None, side: Side) -> int | None:
    """Return the event in a session that a row refers to, or None for rows without one."""
    match row:
        case Pair() | ActPair():
            one = row.left if side == "left" else row.right
            return None if one is None else one.seq
        case FilePair() as file:
            return file.left_seq if side == "left" else file.right_seq
        case _:
            return None
