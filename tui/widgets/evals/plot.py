"""A chart as text, drawn by plotext. Imported when the first chart is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plotext._dict import themes  # type: ignore[import-untyped]
from rich.style import Style
from rich.text import Text
from textual_plotext.plot import Plot

from sandbox_tui.core.evals.reporting import figures
from sandbox_tui.core.evals.sample import EvalMode
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.evals.series import Chart

_THEME = "sandbox-tui"

MIN_LINES = 4
MIN_SPREAD = 1.0
"""Between the lowest and the highest value: less would look like more than it is."""

TICK_CELLS = 5
MIN_MINUTES = 2.0
"""Shorter times are told in seconds."""


def draw_chart(
    chart: Chart, modes: Sequence[EvalMode], width: int, height: int, palette: Palette
) -> Text:
    """A chart with its title and the names of its curves."""
    styles = dict(zip(modes, curve_styles(palette), strict=False))
    text = _title(chart, styles, palette)
    text.truncate(width, overflow="ellipsis")
    if height < MIN_LINES or not chart.curves:
        return text if chart.curves else text.append("\n\n  nothing yet", style=palette.faint)
    themes[_THEME] = ["default", "default", _color(palette.dim), "default", ["default"]]
    plot: Any = Plot()
    plot.theme(_THEME)
    plot.plotsize(width, height - 1)
    plot._set_size(width, height - 1)  # plotext takes the terminal's size otherwise
    plot.frame(False)
    _set_ticks(plot, chart)
    for mode, (minutes, values) in chart.curves.items():
        style = styles.get(mode, palette.text)
        plot.plot(minutes, values, marker="braille", color=_color(style))
    return text.append("\n").append_text(Text.from_ansi(plot.build().rstrip("\n")))


def _set_ticks(plot: Any, chart: Chart) -> None:
    """The lowest and the highest value and the one between, in words of one width."""
    values = [value for _, found in chart.curves.values() for value in found]
    low, high = min(values), max(values)
    if high - low < MIN_SPREAD:
        low, high = max(0.0, low - MIN_SPREAD), high + MIN_SPREAD
    places = [low, (low + high) / 2, high]
    plot.ylim(low, high)
    plot.yticks(places, [f"{_short(place):>{TICK_CELLS}}" for place in places])
    last = max(minutes[-1] for minutes, _ in chart.curves.values()) or MIN_MINUTES
    plot.xlim(0, last)
    unit, length = ("min", 1.0) if last >= MIN_MINUTES else ("s", 1 / 60)
    words = [_short(last / 2 / length), f"{_short(last / length)} {unit}"]
    plot.xticks([0, last / 2, last], ["0", *words])


def _short(value: float) -> str:
    return (
        figures.count(value) if value >= 100 else f"{value:.1f}" if value < 10 else f"{value:.0f}"
    )


def curve_styles(palette: Palette) -> tuple[Style, ...]:
    """Of the modes, in their order."""
    return palette.accent, palette.good, palette.model


def _title(chart: Chart, styles: dict[EvalMode, Style], palette: Palette) -> Text:
    text = Text(chart.title, style=palette.dim, no_wrap=True)
    for mode in chart.curves:
        text.append(f"  ─ {mode}", style=styles.get(mode, palette.text))
    return text


def _color(style: Style) -> Any:
    """As plotext has it: red, green and blue, or a number of the terminal's own."""
    color = style.color
    if color is None or color.is_default:
        return "default"
    if color.number is not None:
        return color.number
    return tuple(color.triplet) if color.triplet is not None else "default"
