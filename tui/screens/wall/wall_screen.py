"""Many runs at once: a live tile for each, to watch and to decide about calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.geometry import Size
from textual.widgets import Input, Static
from typing_extensions import override

from sandbox_tui.core.events.types import Mode
from sandbox_tui.sessions import RunRegistry
from sandbox_tui.sessions.remote.run_handle import FoldedRun
from sandbox_tui.tui.keys.leaving_word import leaving_word
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_keys import forget_reason
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.screens.wall.describe_tiles import describe_tiles, is_due
from sandbox_tui.tui.screens.wall.dialogs.answers_pager import AnswersPager
from sandbox_tui.tui.screens.wall.key_words import (
    deciding_first,
    take_words,
    why_key_of_run_does_nothing,
    words_of,
)
from sandbox_tui.tui.screens.wall.leave_wall import leave_wall, puts_notices_away
from sandbox_tui.tui.screens.wall.run_keys import RunKeys
from sandbox_tui.tui.screens.wall.steering.control_news import ControlNews
from sandbox_tui.tui.screens.wall.steering.controlled_runs import (
    active_modes,
    others_for,
    waiting_here,
    why_not_here,
)
from sandbox_tui.tui.screens.wall.steering.key_answers import KeyAnswers
from sandbox_tui.tui.screens.wall.steering.resumable_runs import resumable, why_not_resumed
from sandbox_tui.tui.screens.wall.tile_actions import TileActions
from sandbox_tui.tui.screens.wall.waiting_previews import WaitingPreviews
from sandbox_tui.tui.screens.wall.wall_runs import Group, WallRuns
from sandbox_tui.tui.textual_support.toasts import NoticesMoveNothing
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.search_line import SearchLine
from sandbox_tui.tui.widgets.wall.no_match import no_match_words
from sandbox_tui.tui.widgets.wall.run_groups import groups_of_several, have_ended
from sandbox_tui.tui.widgets.wall.run_order import (
    Filter,
    Order,
    chosen_by,
    next_order,
    passes,
    rank,
)
from sandbox_tui.tui.widgets.wall.run_selection import chosen_first, neighbour, next_waiting
from sandbox_tui.tui.widgets.wall.run_tile import RunTile
from sandbox_tui.tui.widgets.wall.tile_layout import TileGrid, grid_for, lines_above, panel_lines
from sandbox_tui.tui.widgets.wall.waiting_panel import WaitingPanel
from sandbox_tui.tui.widgets.wall.wall_header import WallHeader

POLL_SECONDS = 0.25
"""Seconds between updates of the tiles."""

TITLES_SECONDS = 2.0
"""Seconds between reads of the sessions' titles."""


class WallScreen(ExplainsUnavailable, NoticesMoveNothing, RunKeys):
    """Shows all runs of this program, or a group of sessions.

    Args:
        workers: the runs of this program.
        group: the runs to show instead.
        confirm_leave: whether leaving the wall asks what to do with active runs.
        chosen: id of the run that is chosen at first; empty for the first run.
    """

    AUTO_FOCUS = ""

    CSS = """
    WallScreen { background: $background; }
    WallScreen #wall-empty { display: none; padding: 2 4; color: $role-dim; }
    WallScreen #wall-empty.-shown { display: block; }
    """

    enter_words = "keep"

    @property
    def urgent_actions(self) -> Sequence[str]:
        """What a narrow key bar keeps: resuming a run, or all while all are paused, taking control,
        comparing with a marked run, showing hidden runs and, while calls wait, the way to the next
        one, if the chosen run has none, and what decides about several."""
        is_elsewhere = self._waiting > 0 and (self.chosen is None or self.chosen.kind != "waiting")
        comparing = ("compare",) * (self._marked is not None)
        deciding = deciding_first(self._waiting, self.size.width)
        showing_all = ("filter",) * bool(self._runs.hidden)
        all_paused = active_modes(self._seen_tiles()) == frozenset[Mode](("paused",))
        resuming = ("resume",) * (not why_not_resumed(self.chosen)) + ("pause_all",) * all_paused
        taking = () if self._to_take is None else ("steer",)
        leading = ("waiting",) * is_elsewhere
        return (*resuming, *taking, *comparing, *showing_all, *leading, *deciding)

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("wall.open", "open"),
        binding("wall.approve", "approve"),
        binding("wall.resume", "resume"),
        binding("wall.reject", "reject"),  # the same key
        binding("wall.approve_always", "approve_always"),
        binding("wall.approve_all", "approve_all"),
        binding("wall.waiting", "waiting"),
        binding("wall.message", "message"),
        binding("wall.mode", "mode"),
        binding("wall.pause", "pause"),
        binding("wall.pause_all", "pause_all"),
        binding("wall.steer", "steer"),
        binding("wall.end", "end"),
        binding("wall.compare", "compare"),
        binding("wall.order", "order"),
        binding("wall.filter", "filter"),
        binding("wall.find", "find"),
        binding("wall.left", "move(-1, 0)", show=False),
        binding("wall.right", "move(1, 0)", show=False),
        binding("wall.up", "move(0, -1)", show=False),
        binding("wall.down", "move(0, 1)", show=False),
        binding("wall.first", "move_to(0)", show=False),
        binding("wall.last", "move_to(-1)", show=False),
        binding("wall.answers", "answers", show=False),
        binding("wall.leave", "leave"),
    ]

    def __init__(
        self,
        workers: RunRegistry,
        group: Group | None = None,
        *,
        confirm_leave: bool = False,
        chosen: str = "",
    ) -> None:
        super().__init__()
        self._run_workers = workers
        self._runs = WallRuns(workers, group)
        self._previews = WaitingPreviews(self)
        answers = KeyAnswers(self)
        self._actions = TileActions(self, workers, self._decided, answers)
        self._control = ControlNews(self, answers)
        self._chosen_first = chosen
        self._confirm_leave = confirm_leave
        self._numbers: dict[str, int] = {}
        self._order: Order = "start"
        self._filter: Filter | None = None
        self._wanted = ""
        self._arranged: list[int] = []
        self._turn = self._waiting = 0  # as the bar says: the runs may be ahead of it
        self._keys_for: object = None
        self._chosen_last: RunTile | None = None
        self._marked: RunTile | None = None

    def compose(self) -> ComposeResult:
        """Yield header, tiles and keys."""
        yield WallHeader()
        words = "words of the task, the model, a reply, a call or its output"
        yield SearchLine(placeholder=words, id="wall-find")
        yield Static(no_match_words(), id="wall-empty", markup=False)
        with TileGrid():
            yield from map(self._tile_of, self._runs.shown.values())
        yield WaitingPanel()
        yield KeyBar()

    def on_mount(self) -> None:
        """Start the updates."""
        self._runs.follow(self)
        self._read_titles()
        self._update()
        self.set_interval(POLL_SECONDS, self._update)
        self.set_interval(TITLES_SECONDS, self._read_titles)

    @work(exclusive=True, group="titles")
    async def _read_titles(self) -> None:
        """Read the titles that the user gave the sessions, and which were deleted."""
        await self._runs.read()

    def shows_run(self, run_id: str) -> bool:
        """Return whether a run has a tile, which tells what is new about it."""
        return run_id in self._runs.shown

    def on_resize(self) -> None:
        """Fit the tiles to the new size."""
        self.call_after_refresh(self._show_tiles)

    def _keep_chosen(self) -> None:
        """Focus a visible tile if none has the focus: only the user moves it."""
        seen = self._seen_tiles()
        if seen and self.focused is None:
            last = self._chosen_last
            self.set_focus(last if last in seen else chosen_first(seen, self._chosen_first))

    @property
    def _tiles(self) -> list[RunTile]:
        return [one for one in self.query_one(TileGrid).children if isinstance(one, RunTile)]

    @property
    def _numbered(self) -> list[RunTile]:
        """The tiles in the order in which their runs started."""
        return sorted(self._tiles, key=lambda tile: tile.number)

    @override
    def _seen_tiles(self) -> list[RunTile]:
        return [tile for tile in self._tiles if tile.display]

    # --- what is shown

    def _update(self) -> None:
        self._turn += 1
        self._follow_runs()
        for tile in self._tiles:
            tile.display = passes(tile, self._filter) and tile.mentions(self._wanted)
        self._previews.sync(self._tiles)
        self._control.sync(self._numbered)
        self._arrange()
        self._show_tiles()
        self._show_sums()
        empty = bool(self._tiles) and not self._seen_tiles()
        self.query_one("#wall-empty").set_class(empty, "-shown")
        self._keep_chosen()
        self._refresh_keys()

    def on_descendant_focus(self) -> None:
        """Update the keys, which depend on the focused run; a reason was about the one before."""
        if (tile := self.chosen) not in (None, self._chosen_last):
            self._chosen_last = tile
            forget_reason(self)
        self._refresh_keys()

    def _refresh_keys(self) -> None:
        tile, seen = self.chosen, self._seen_tiles()
        self._waiting = len(waiting_here(seen))
        state = tile and (tile.kind, tile.state.mode, why_not_resumed(tile))
        run = state, self._waiting, active_modes(seen), [one.number for one in resumable(seen)]
        others = [one.number for one in others_for(tile, seen)]
        shown = self._marked, tile is self._marked, self._is_filtered, self._runs.hidden
        now = run, others, self._to_take, shown
        if now != self._keys_for:
            self._keys_for = now
            self.refresh_bindings()

    def _follow_runs(self) -> None:
        """Add tiles of new runs, show resumed ones in theirs; remove those of deleted sessions, and
        of runs that the program released, such as finished samples, unless focused or marked."""
        tiles, runs = {tile.worker.run_id: tile for tile in self._tiles}, self._runs.shown
        for run_id, tile in list(tiles.items()):
            tile.follow(runs.get(run_id, tile.worker))
            looked_at = (tile.has_focus or tile is self._marked) and self._runs.has_released(run_id)
            if not looked_at and run_id not in runs:
                self._marked = None if tile is self._marked else self._marked
                tile.remove()
                del tiles[run_id]
        new = (worker for run_id, worker in runs.items() if run_id not in tiles)
        self.query_one(TileGrid).mount_all(map(self._tile_of, new))

    def _tile_of(self, run: FoldedRun) -> RunTile:
        """Return a tile; a run that was hidden keeps its number."""
        return RunTile(run, self._numbers.setdefault(run.run_id, len(self._numbers) + 1))

    def _show_tiles(self) -> None:
        """Update all visible tiles in the form for which there is room."""
        shown, grid = self._seen_tiles(), self.query_one(TileGrid)
        panel, size = self.query_one(WaitingPanel), grid.content_size
        runs = [(tile.number, tile.worker) for tile in self._tiles]
        form = grid.form(len(shown), groups=groups_of_several(runs))
        whole = Size(size.width, size.height + panel.lines_taken)
        lines = panel_lines(len(shown), whole, form, have_ended=have_ended(runs))
        boxed = grid_for(len(shown), Size(size.width, whole.height - lines), form).boxed
        describe_tiles(shown, self._tiles, self._runs.titles)
        panel.show(shown, self.chosen, lines)
        for tile in shown:
            tile.has_panel = lines > 0
            tile.marked = tile is self._marked
            tile.sync(boxed=boxed, is_due=is_due(tile, self._turn, len(shown)))

    def _arrange(self) -> None:
        """Sort the tiles; they move only if the order has changed."""

        def place(tile: RunTile) -> tuple[float, int]:
            return rank(tile, self._order)

        numbers = [tile.number for tile in sorted(self._tiles, key=place)]
        if numbers != self._arranged:
            self._arranged = numbers
            self.query_one(TileGrid).sort_children(key=place)  # type: ignore[arg-type]

    def _show_sums(self) -> None:
        shown = self._runs.hidden_words
        if self._is_filtered:
            seen = self._seen_tiles()
            shown = f"{len(seen)} shown: {chosen_by(self._filter, self._wanted, seen)}"
        runs = [(tile.number, tile.worker) for tile in self._numbered]
        most = lines_above(len(self._seen_tiles()), self.size, have_ended=have_ended(runs))
        silent = [tile.number for tile in self._numbered if tile.silent]
        head, by = self.query_one(WallHeader), self._order
        if head.show(runs, sorted_by=by, shown=shown, most=most, silent=silent):
            self.call_after_refresh(self._show_tiles)

    @property
    def _is_filtered(self) -> bool:
        return self._filter is not None or bool(self._wanted)

    # --- keys

    def why_key_does_nothing(self, key: str) -> str:
        """Why a key of an opened run does nothing here."""
        return why_key_of_run_does_nothing(key, self.chosen)

    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """Why an action is not available for the focused run."""
        if action == "answers":
            return self.query_one(WallHeader).why_no_answers
        hidden = [tile for tile in self._tiles if not tile.display]
        return why_not_here(action, self.chosen, self._seen_tiles(), hidden)

    def words_for(self, action: str) -> str | None:
        """Return the key bar's current words for an action."""
        if action == "leave":
            if self._is_filtered:
                return "show all"
            return "close" if self.query_one(SearchLine).display else leaving_word(self)
        if action == "filter" and self._runs.hidden:
            return "show all"
        if action == "steer":
            return take_words(self.chosen, self._to_take)
        runs, width = self._seen_tiles(), self.size.width
        return words_of(action, self.chosen, self._marked, self._waiting, runs, width)

    def action_move(self, across: int, down: int) -> None:
        """Focus the next tile in a direction."""
        places, chosen = self.query_one(TileGrid).places, self.chosen
        if (tile := neighbour(self._seen_tiles(), chosen, across, down, places)) is not None:
            tile.focus()

    def _decided(self, tile: RunTile) -> None:
        """After a decision, focus the next run that waits for one."""
        following = next_waiting(self._seen_tiles(), tile)
        if following is not None and self.chosen in (tile, None):
            self.set_focus(following)

    def action_compare(self) -> None:
        """Mark the focused run, or compare it with the marked one."""
        marked, tile = self._marked, self.chosen
        self._marked = tile if marked is None else None
        self._update()
        if marked is not None and tile is not None and marked is not tile:
            self._actions.compare(marked, tile)

    def action_answers(self) -> None:
        """Show what the header has no room for."""
        head = self.query_one(WallHeader)
        answers = AnswersPager(head.answers(), head.shared_task, len(self._tiles))
        app_of(self).push_screen(answers)

    def action_order(self) -> None:
        """Switch to the next sort order."""
        self._order = next_order(self._order, self._tiles)
        self._update()

    def action_filter(self) -> None:
        """Show only runs in one state in which there are any, or all; first, those that are hidden
        too."""
        kind = self._runs.next_filter(self._filter)
        while kind is not None and not any(passes(tile, kind) for tile in self._tiles):
            kind = self._runs.next_filter(kind)
        self._filter = kind
        self._update()

    def action_find(self) -> None:
        """Ask for words that the visible runs must contain."""
        self.query_one(SearchLine).open()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._wanted = event.value
        self._update()

    @on(Input.Submitted)
    def _close_search(self) -> None:
        self.query_one(SearchLine).close()
        self.set_focus(None)
        self._update()

    def action_leave(self) -> None:
        """Show all runs if search or filter hide some, otherwise leave the wall."""
        field, notices_went = self.query_one(SearchLine), puts_notices_away(self)
        if field.display or self._is_filtered:  # at once: a notice may name this key
            self._wanted, self._filter, field.value = "", None, ""
            self._close_search()
        elif not notices_went:
            leave_wall(self, self._run_workers, self._tiles, asks=self._confirm_leave)
