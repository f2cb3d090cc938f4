"""The tiles of the wall and the panel below them, without runs behind them."""

from __future__ import annotations

import json
from typing import Any, cast

import msgspec
from textual.app import App, ComposeResult
from textual.geometry import Size

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunWorker
from sandbox_tui.tui.screens.wall.describe_tiles import describe_tiles
from sandbox_tui.tui.theming.derived_roles import derived_roles
from sandbox_tui.tui.widgets.wall.run_selection import chosen_first
from sandbox_tui.tui.widgets.wall.run_tile import RunTile
from sandbox_tui.tui.widgets.wall.waiting_panel import WaitingPanel
from tests.unit.event_streams import started

HEIGHT = 9


def tile(number: int, *events: e.AnyEvent, model: str = "m") -> RunTile:
    settings = load({"model.name": model})
    worker = RunWorker(RunRequest(task="x", settings=settings), cast(Any, None))
    worker.state = fold(events)
    return RunTile(worker, number)


def waiting(number: int, command: str) -> RunTile:
    arguments = json.dumps({"command": command})
    call = e.ToolCall(number=1, step=1, id="1", name="execute_bash", arguments=arguments)
    return tile(number, started(), e.CallProposed(call=call), e.CallHeld(call=1))


class Wall(App[None]):
    """Tiles of one line each, above the panel."""

    CSS = "RunTile { height: 1; }"

    def __init__(self, *tiles: RunTile) -> None:
        super().__init__()
        self.tiles = tiles

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return derived_roles(self.current_theme)

    def compose(self) -> ComposeResult:
        yield from self.tiles
        yield WaitingPanel()

    def on_mount(self) -> None:
        describe_tiles(self.tiles, self.tiles, {})
        for one in self.tiles:
            one.sync(boxed=False)


async def test_states_have_one_width_so_that_what_follows_is_aligned() -> None:
    for width in (58, 40):
        app = Wall(waiting(1, "make"), tile(2, started()))
        async with app.run_test(size=(width, 20)) as pilot:
            await pilot.pause()
            first, second = (str(one.render()) for one in app.tiles)
            after = "00:00" if width == 58 else "bash"
            begins = second.index("00:00" if width == 58 else "x")
            assert first.index(after) == begins
            assert app.tiles[0].size == Size(width, 1)


async def test_a_strip_names_the_model_if_the_runs_have_several() -> None:
    for models in (("m1", "m2"), ("m1", "m1")):
        app = Wall(*(tile(n, model=model) for n, model in enumerate(models, 1)))
        async with app.run_test(size=(80, 20)):
            shown = [str(one.render()) for one in app.tiles]
            expected = len(set(models)) > 1
            assert [m in line for m, line in zip(models, shown, strict=True)] == [expected] * 2


async def test_the_panel_takes_no_more_lines_than_the_call_of_the_chosen_run() -> None:
    low, high = waiting(1, "make"), waiting(2, "one\ntwo\nthree\nfour\nfive")
    app = Wall(low, high)
    async with app.run_test(size=(100, 30)) as pilot:
        panel = app.query_one(WaitingPanel)
        heights: list[int] = []
        for one, chosen in ((low, True), (high, True), (high, False)):
            panel.show(one, is_chosen=chosen, height=HEIGHT)
            await pilot.pause()
            heights.append(panel.size.height)
            lines = str(panel.render()).split("\n")
            assert all(line.strip() for line in lines)
            assert len(lines) == panel.size.height
        assert heights == [3, 7, 2]


async def test_the_run_that_has_waited_longest_is_chosen_first() -> None:
    for held_at, expected in (((5.0, 3.0, 9.0), 2), ((5.4, 7.0, 5.0), 1)):
        tiles = [waiting(number, "make") for number in (1, 2, 3)]
        for one, t in zip(tiles, held_at, strict=True):
            pending = one.state.pending
            assert pending is not None
            assert pending.held is not None
            pending.held = msgspec.structs.replace(pending.held, t=t)
        assert chosen_first(tiles).number == expected


async def test_a_mode_that_all_runs_share_is_in_no_tile() -> None:
    pairs: tuple[tuple[e.Mode, e.Mode], ...] = (("ask", "ask"), ("ask", "step"))
    for modes in pairs:
        changed = (e.ModeChanged(mode=mode) for mode in modes)
        tiles = [tile(n, started(), change) for n, change in enumerate(changed, 1)]
        app = Wall(*tiles)
        async with app.run_test(size=(100, 30)):
            for one in tiles:
                one.sync()
            shown = [str(one.border_title) for one in tiles]
            differ = len(set(modes)) > 1
            expected = [f"mode {mode}" in title for mode, title in zip(modes, shown, strict=True)]
            assert expected == [differ] * 2, shown
