# pyright: reportUnknownMemberType=false
"""Many runs at once: a tile for each, live, to look into and to decide from."""

from __future__ import annotations

from typing import ClassVar, Literal

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import ItemGrid, VerticalScroll
from textual.screen import Screen
from textual.widgets import Input, Static

from ...sessions import Worker, Workers
from .. import figures
from ..keymap import hint
from ..palette import Palette
from ..widgets.key_bar import KeyBar
from ..widgets.painted import Painted
from ..widgets.run_tile import RunTile
from .confirm import Confirm
from .help import HelpScreen
from .live import LiveScreen

Order = Literal["begun", "state", "tokens", "cost"]
ORDERS: tuple[Order, ...] = ("begun", "state", "tokens", "cost")
FILTERS = ("all", "waiting", "running", "failed", "submitted")
URGENCY = ("waiting", "failed", "running", "submitted")


LOOK_EVERY = 0.25
"""Seconds between looks at the runs."""


class Wall(Screen[None]):
    """Shows all runs of this program.

    Args:
        workers: the runs.
    """

    AUTO_FOCUS = "RunTile"

    CSS = """
    Wall { background: $background; }
    Wall #wall-title { height: 1; padding: 0 1; background: $panel; }
    Wall #wall-find { height: 3; border: round $accent; }
    Wall VerticalScroll { padding: 0 1; scrollbar-size-vertical: 1; }
    Wall ItemGrid { grid-gutter: 0 1; grid-rows: 7; height: auto; }
    Wall #wall-empty { display: none; padding: 2 4; color: $role-dim; }
    Wall #wall-empty.-shown { display: block; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "look into", id="wall.open"),
        Binding("a", "approve", "approve", id="wall.approve"),
        Binding("r", "reject", "reject", id="wall.reject"),
        Binding("space", "pause", "pause", id="wall.pause"),
        Binding("x", "end", "end", id="wall.end"),
        Binding("o", "order", "order", id="wall.order"),
        Binding("f", "filter", "filter", id="wall.filter"),
        Binding("slash", "find", "find", key_display="/", id="wall.find"),
        Binding("left,h", "move(-1, 0)", "Left", show=False, id="wall.left"),
        Binding("right,l", "move(1, 0)", "Right", show=False, id="wall.right"),
        Binding("up,k", "move(0, -1)", "Up", show=False, id="wall.up"),
        Binding("down,j", "move(0, 1)", "Down", show=False, id="wall.down"),
        Binding("question_mark,f1", "help", "help", key_display="?", id="wall.help"),
        Binding("q,escape", "leave", "back", id="wall.leave"),
    ]

    def __init__(self, workers: Workers) -> None:
        super().__init__()
        self._run_workers = workers
        self._order: Order = "begun"
        self._filter = "all"
        self._wanted = ""
        self._arranged: list[int] = []
        self._keys_for: str | None = ""

    def compose(self) -> ComposeResult:
        """A line of sums, the tiles, the keys."""
        yield Painted(self._sums, id="wall-title")
        yield Input(placeholder="words of the task or the model", id="wall-find")
        yield Static(_nothing(), id="wall-empty", markup=False)
        with VerticalScroll(can_focus=False), ItemGrid(min_column_width=46, stretch_height=False):
            for number, worker in enumerate(self._run_workers.all.values(), 1):
                yield RunTile(worker, number)
        yield KeyBar()

    def on_mount(self) -> None:
        """Begin to look."""
        self.query_one("#wall-find").display = False
        self._look()
        self.set_interval(LOOK_EVERY, self._look)
        self.call_after_refresh(self._focus_first)

    def _focus_first(self) -> None:
        seen = self._seen_tiles()
        if seen and self.focused is None:
            seen[0].focus()

    @property
    def _tiles(self) -> list[RunTile]:
        return list(self.query(RunTile))

    def _seen_tiles(self) -> list[RunTile]:
        return [tile for tile in self._tiles if tile.display]

    @property
    def _chosen(self) -> RunTile | None:
        return self.focused if isinstance(self.focused, RunTile) else None

    # --- what is shown

    def _look(self) -> None:
        tiles = self._tiles
        for tile in tiles:
            tile.sync()
            tile.display = self._fits(tile)
        self._arrange()
        self.query_one("#wall-title").refresh()
        nothing = bool(self._tiles) and not self._seen_tiles()
        self.query_one("#wall-empty").set_class(nothing, "-shown")
        self._refresh_keys()

    def on_descendant_focus(self) -> None:
        """Other keys fit another run."""
        self._refresh_keys()

    def _refresh_keys(self) -> None:
        kind = self._chosen.kind if self._chosen else None
        if kind != self._keys_for:
            self._keys_for = kind
            self.refresh_bindings()

    def _fits(self, tile: RunTile) -> bool:
        if self._filter not in ("all", tile.kind):
            return False
        model = tile.state.started.model if tile.state.started else ""
        words = f"{tile.worker.request.task}\n{model}".casefold()
        return self._wanted.casefold() in words

    def _arrange(self) -> None:
        """Order the tiles; they move only when the order has changed."""
        wanted = sorted(self._tiles, key=self._rank)
        numbers = [tile.number for tile in wanted]
        if numbers != self._arranged:
            self._arranged = numbers
            self.query_one(ItemGrid).sort_children(key=self._rank)  # type: ignore[arg-type]

    def _rank(self, tile: RunTile) -> tuple[float, int]:
        totals = tile.state.totals
        usage = totals.usage
        by: dict[Order, float] = {
            "begun": 0,
            "state": URGENCY.index(tile.kind),
            "tokens": -(usage.input_tokens + usage.output_tokens),
            "cost": -(totals.cost or 0.0),
        }
        return by[self._order], tile.number

    def _sums(self, palette: Palette) -> Text:
        tiles = self._tiles
        line = Text(no_wrap=True, overflow="ellipsis")
        line.append("sandbox-tui", style=palette.accent)
        line.append(f"  {len(tiles)} runs", style=palette.strong)
        styles = {
            "waiting": palette.accent,
            "running": palette.good,
            "failed": palette.bad,
            "submitted": palette.good,
        }
        words = {"waiting": "◆ {} wait for you", "running": "● {} running", "failed": "✗ {} failed"}
        for kind, style in styles.items():
            count = sum(tile.kind == kind for tile in tiles)
            if count:
                line.append(f"  {words.get(kind, '✓ {} submitted').format(count)}", style=style)
        usages = [tile.state.totals.usage for tile in tiles]
        tokens = sum(usage.input_tokens + usage.output_tokens for usage in usages)
        costs = [cost for tile in tiles if (cost := tile.state.totals.cost) is not None]
        figures_words = [f"{figures.count(tokens)} tok", figures.cost(sum(costs)) if costs else ""]
        line.append("  " + " ".join(word for word in figures_words if word), style=palette.dim)
        line.append(f"  by {self._order}", style=palette.faint)
        if self._filter != "all" or self._wanted:
            shown = len(self._seen_tiles())
            line.append(f"  {shown} shown: {self._filter} {self._wanted!r}", style=palette.accent)
        return line

    # --- keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The footer shows what can be done with the chosen run."""
        tile = self._chosen
        if action in ("approve", "reject"):
            return tile is not None and tile.kind == "waiting"
        if action in ("pause", "end"):
            return tile is not None and tile.kind in ("running", "waiting")
        return action != "open" or tile is not None

    def action_move(self, across: int, down: int) -> None:
        """To the next tile in a direction."""
        tiles, chosen = self._seen_tiles(), self._chosen
        if not tiles:
            return
        if chosen not in tiles:
            tiles[0].focus()
            return
        row = tiles[0].region.y
        columns = max(1, sum(tile.region.y == row for tile in tiles))
        here, last = tiles.index(chosen), len(tiles) - 1
        index = here + across + down * columns
        if down > 0 and index > last and last // columns > here // columns:
            index = last  # the row below is not full
        if 0 <= index <= last:
            tiles[index].focus()

    def action_open(self) -> None:
        """See the chosen run whole."""
        if self._chosen is not None:
            self._open(self._chosen.worker)

    @on(RunTile.Opened)
    def _opened(self, event: RunTile.Opened) -> None:
        self._open(event.tile.worker)

    def _open(self, worker: Worker) -> None:
        self.app.push_screen(LiveScreen(worker, self._run_workers.store, asks=False))

    def action_approve(self) -> None:
        """Let the waiting call of the chosen run go."""
        tile = self._chosen
        if tile is not None and tile.worker.run is not None and tile.state.pending is not None:
            tile.worker.run.approve(tile.state.pending.call.number)

    def action_reject(self) -> None:
        """Keep the waiting call of the chosen run from running."""
        tile = self._chosen
        if tile is not None and tile.worker.run is not None and tile.state.pending is not None:
            tile.worker.run.reject(tile.state.pending.call.number)

    def action_pause(self) -> None:
        """Hold the chosen run, or let it go on."""
        tile = self._chosen
        if tile is not None and tile.worker.run is not None and tile.worker.run.steerable:
            run = tile.worker.run
            run.pause() if run.gate.mode in ("auto", "ask") else run.resume()

    def action_end(self) -> None:
        """End the chosen run, after asking."""
        tile = self._chosen
        if tile is None:
            return

        def sure(yes: bool | None) -> None:
            if yes:
                self._end(tile.worker)

        self.app.push_screen(Confirm(f"End run {tile.number}? Its results so far are kept."), sure)

    @work(group="ending")
    async def _end(self, worker: Worker) -> None:
        await worker.stop("A person ended the run.")

    def action_order(self) -> None:
        """Order the tiles otherwise."""
        self._order = ORDERS[(ORDERS.index(self._order) + 1) % len(ORDERS)]
        self._look()

    def action_filter(self) -> None:
        """Show only runs in one state, or all."""
        self._filter = FILTERS[(FILTERS.index(self._filter) + 1) % len(FILTERS)]
        self._look()
        self._focus_first()

    def action_find(self) -> None:
        """Type words that the runs shown must have."""
        field = self.query_one("#wall-find", Input)
        field.display = True
        self.set_focus(field)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._wanted = event.value
        self._look()

    @on(Input.Submitted)
    def _found(self) -> None:
        self.query_one("#wall-find", Input).display = False
        seen = self._seen_tiles()
        if seen:
            seen[0].focus()

    def action_help(self) -> None:
        """All keys of this screen."""
        self.app.push_screen(HelpScreen(self))

    @work(group="leaving")
    async def action_leave(self) -> None:
        """Back; a search is left first."""
        field = self.query_one("#wall-find", Input)
        if field.display or self._wanted:
            field.value = ""
            field.display = False
            self._focus_first()
            return
        self.dismiss(None)


def _nothing() -> str:
    return (
        f"No run is like that. {hint('wall.filter')} shows others, "
        f"{hint('wall.find')} looks for other words."
    )
