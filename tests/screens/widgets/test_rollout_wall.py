"""The wall of rollouts shows the rollout under the cursor, however many there are in a group."""

from __future__ import annotations

from textual.app import App, ComposeResult

from sandbox_tui.sessions.rl.groups import RolloutGroup
from sandbox_tui.sessions.store.tables.rollouts import Rollout
from sandbox_tui.tui.theming.derived_roles import derived_roles
from sandbox_tui.tui.widgets.training.rollout_wall import RolloutWall


class Wall(App[None]):
    """Shows the wall."""

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return derived_roles(self.current_theme)

    def compose(self) -> ComposeResult:
        yield RolloutWall()


def group(step: int, count: int) -> RolloutGroup:
    rollouts = [
        Rollout(run_id=f"{step}-{number}", step=step, task="t", number=number, split="train")
        for number in range(count)
    ]
    return RolloutGroup(step, "t", "train", tuple(rollouts))


def is_in_view(wall: RolloutWall) -> bool:
    line = wall._tops[wall.cursor] + wall.column // wall._columns.per_line
    y = wall.scroll_offset.y
    return y <= line < y + wall.scrollable_content_region.height


async def test_the_cursor_stays_in_view_in_a_group_taller_than_the_wall() -> None:
    app = Wall()
    async with app.run_test(size=(60, 12)) as pilot:
        wall = app.query_one(RolloutWall)
        wall.focus()
        wall.show([group(2, 200), group(1, 200)], running=True)
        await pilot.pause()
        for _ in range(150):
            await pilot.press("right")
            assert is_in_view(wall)
        for key in ("down", "up", "down"):
            await pilot.press(key)
            assert (wall.column, is_in_view(wall)) == (150, True)
        for _ in range(150):
            await pilot.press("left")
            assert is_in_view(wall)


async def test_a_new_group_above_leaves_the_others_in_place() -> None:
    app = Wall()
    async with app.run_test(size=(60, 12)) as pilot:
        wall = app.query_one(RolloutWall)
        wall.focus()
        groups = [group(step, 30) for step in range(9, 0, -1)]
        wall.show(groups, running=True)
        await pilot.pause()
        for _ in range(5):
            await pilot.press("down")
        before = [wall.render_line(y).text for y in range(wall.size.height)]
        wall.show([group(10, 30), *groups], running=True)
        await pilot.pause()
        assert [wall.render_line(y).text for y in range(wall.size.height)] == before
