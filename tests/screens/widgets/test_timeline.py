"""The timeline of a run in progress."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.strip import Strip
from typing_extensions import override

from sandbox_tui.tui.theming.palette import palette_of
from sandbox_tui.tui.widgets.timeline import Timeline
from tests.waiting import until


class Alone(App[None]):
    """A timeline alone on the screen."""

    def __init__(self, timeline: Timeline) -> None:
        super().__init__()
        self._timeline = timeline

    def compose(self) -> ComposeResult:
        yield self._timeline


MARKS = [(0.4 * n, "┼") for n in range(1, 9)] + [(0.8, "◆"), (1.25, "◇"), (2.0, "✗")]


def line(duration: float, *, growing: bool) -> list[str]:
    timeline = Timeline()
    timeline.growing = growing
    timeline.set_reactive(Timeline.duration, duration)
    timeline._marks = list(MARKS)
    return timeline._signs(60)


def test_marks_stay_in_their_columns_while_a_run_continues() -> None:
    assert len({tuple(line(4 + n / 10, growing=True)) for n in range(60)}) == 1
    lines = [tuple(line(float(n), growing=True)) for n in range(10, 100)]
    assert len(set(lines)) <= 12, "now and then the line is laid out anew"


@pytest.mark.parametrize("duration", [0.0, 0.5, 10.0, 12.5, 12.6, 3600.0])
def test_the_timeline_of_a_running_run_stays_within_its_line(duration: float) -> None:
    timeline = Timeline()
    timeline.growing = True
    timeline.set_reactive(Timeline.duration, duration)
    assert duration <= timeline._span * 1.000001
    assert timeline._span <= max(10.0, duration * 1.25) * 1.000001


def test_a_run_that_is_over_fills_its_line() -> None:
    assert line(3.2, growing=False)[-1] == "┼"


@pytest.mark.parametrize(
    ("playing", "growing", "position", "sign"),
    [
        (True, True, 4.0, "▶"),
        (False, True, 4.0, "‖"),
        (False, False, 2.0, "‖"),
        (False, False, 4.0, "■"),
    ],
)
async def test_the_sign_tells_playing_paused_and_the_end_apart(
    playing: bool, growing: bool, position: float, sign: str
) -> None:
    timeline = Timeline()
    async with Alone(timeline).run_test(size=(60, 1)) as pilot:
        timeline.duration, timeline.position = 4.0, position
        timeline.playing, timeline.growing = playing, growing
        timeline.refresh()
        await pilot.pause()
        assert timeline.render_line(0).text.startswith(sign)


async def test_another_speed_stands_before_the_times() -> None:
    timeline = Timeline()
    async with Alone(timeline).run_test(size=(60, 1)) as pilot:
        timeline.duration = 4.0
        await pilot.pause()
        assert timeline.render_line(0).text.rstrip().endswith("─ 00:00 / 00:04")
        timeline.speed = 0.5
        await pilot.pause()
        assert timeline.render_line(0).text.rstrip().endswith("─ ×0.5 00:00 / 00:04")


class Counted(Timeline):
    """Keeps the line as it was drawn last."""

    drawn = ""

    @override
    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        self.drawn = strip.text
        return strip


async def test_the_line_of_a_paused_run_is_filled_when_the_run_ends() -> None:
    timeline = Counted()
    async with Alone(timeline).run_test(size=(60, 1)) as pilot:
        timeline.playing, timeline.growing = False, True
        timeline.duration = timeline.position = 4.0
        await until(pilot, lambda: "━" in timeline.drawn)
        assert "─" in timeline.drawn
        timeline.growing = False  # nothing else changes
        await until(pilot, lambda: "─" not in timeline.drawn)


async def test_a_note_on_a_failed_step_leaves_the_failure_visible() -> None:
    timeline = Timeline()
    async with Alone(timeline).run_test(size=(60, 1)):
        timeline.duration = 4.0
        timeline._marks = [(1.0, "✗")]
        timeline.show_notes([1.0, 3.0])
        palette = palette_of(timeline)
        drawn = [one for one in timeline.render_line(0) if one.text == "✎"]
        colours = [one.style.color for one in drawn if one.style]
        assert colours == [palette.bad.color, palette.human.color]
