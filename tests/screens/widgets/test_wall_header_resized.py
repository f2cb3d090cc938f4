"""The header of the wall after its terminal has changed its size."""

from __future__ import annotations

from typing import Any, cast

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from sandbox_tui.tui.theming.derived_roles import derived_roles
from sandbox_tui.tui.widgets.wall.run_groups import Numbered
from sandbox_tui.tui.widgets.wall.wall_header import WallHeader
from tests.screens.widgets.test_wall_tiles import tile
from tests.unit.event_streams import started


class Head(App[None]):
    """Shows the header alone."""

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return derived_roles(self.current_theme)

    def compose(self) -> ComposeResult:
        yield WallHeader()


def two_tasks() -> list[Numbered]:
    tiles = [tile(number, started(), task="ab"[number % 2]) for number in range(1, 21)]
    for one in tiles:
        cast(Any, one.worker).request.labels["samples"] = one.worker.task
    return [(one.number, one.worker) for one in tiles]


async def test_no_line_is_missing_after_the_terminal_was_small() -> None:
    runs, app = two_tasks(), Head()

    async def shown(pilot: Pilot[None], columns: int, rows: int) -> tuple[int, int]:
        await pilot.resize_terminal(columns, rows)
        await pilot.pause()
        head = app.query_one(WallHeader)
        head.refresh(layout=True)  # as after any change of the tiles, before the sums are shown
        await pilot.pause()
        for _ in range(2):
            head.show(runs, sorted_by="start", shown="", most=max(2, rows // 4))
            await pilot.pause()
        return head.content_size.height, head.render().plain.count("\n") + 1

    async with app.run_test(size=(160, 45)) as pilot:
        first = await shown(pilot, 160, 45)
        assert first == (4, 4)
        small = await shown(pilot, 40, 12)
        assert small[0] == small[1]
        assert await shown(pilot, 160, 45) == first
