"""Draws a chart as text with plotext. Imported when the first chart is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plotext._dict import themes  # type: ignore[import-untyped]
from rich.style import Style
from rich.text import Text
from textual_plotext.plot import Plot

from sandbox_tui.core.evals.reporting import figures
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.charts.chart import Chart

_THEME = "sandbox-tui"

LONE_POINT = "●"
"""The marker of a curve with one point, such as the first measurement of held-out tasks."""

MIN_LINES = 4
TICK_CELLS = 5
MIN_MINUTES = 2.0
"""Shorter durations are shown in seconds."""


def draw_chart(
    chart: Chart, names: Sequence[str], width: int, height: int, palette: Palette
) -> Text:
    """Return a chart with its title and the names of its curves.

    Args:
        chart: the chart.
        names: all possible curve names, so that each has the same color in every chart.
        width, height: size in cells.
        palette: the palette to draw with.
    """
    styles = dict(zip(names, curve_styles(palette), strict=False))
    text = _title(chart, styles, palette)
    text.truncate(width, overflow="ellipsis")
    if height < MIN_LINES or not chart.curves:
        return text if chart.curves else text.append("\n\n  nothing yet", style=palette.faint)
    themes[_THEME] = ["default", "default", _color(palette.dim), "default", ["default"]]
    plot: Any = Plot()
    plot.theme(_THEME)
    plot.plotsize(width, height - 1)
    plot._set_size(width, height - 1)  # otherwise plotext uses the terminal's size
    plot.frame(False)
    _set_ticks(plot, chart)
    for name, (places, values) in chart.curves.items():
        style = styles.get(name, palette.text)
        marker = "braille" if len(places) > 1 or chart.axis == "minutes" else LONE_POINT
        plot.plot(places, values, marker=marker, color=_color(style))
    return text.append("\n").append_text(Text.from_ansi(plot.build().rstrip("\n")))


def _set_ticks(plot: Any, chart: Chart) -> None:
    """Label the lowest, the middle and the highest value, all with the same width; equal labels
    only once."""
    low, high = chart.limits or _limits_of_values(chart)
    places = [low, (low + high) / 2, high]
    plot.ylim(low, high)
    decimals = (1 if chart.min_spread >= 1 else 2) if chart.limits is None else 0
    labels = {_short(place, decimals): place for place in (places[1], low, high)}
    if len(labels) == 1:
        labels = dict.fromkeys(labels, places[1])
    plot.yticks([*labels.values()], [f"{label:>{TICK_CELLS}}" for label in labels])
    (_set_steps if chart.axis == "steps" else _set_minutes)(plot, chart)


def _limits_of_values(chart: Chart) -> tuple[float, float]:
    values = [value for _, found in chart.curves.values() for value in found]
    low, high = min(values), max(values)
    if high - low < chart.min_spread:
        floor = 0.0 if low >= 0 else low - chart.min_spread
        return max(floor, low - chart.min_spread), high + chart.min_spread
    return low, high


def _set_minutes(plot: Any, chart: Chart) -> None:
    last = max(minutes[-1] for minutes, _ in chart.curves.values()) or MIN_MINUTES
    plot.xlim(0, last)
    unit, length = ("min", 1.0) if last >= MIN_MINUTES else ("s", 1 / 60)
    words = [_short(last / 2 / length), f"{_short(last / length)} {unit}"]
    plot.xticks([0, last / 2, last], ["0", *words])


def _set_steps(plot: Any, chart: Chart) -> None:
    first = min(steps[0] for steps, _ in chart.curves.values())
    last = max(*(steps[-1] for steps, _ in chart.curves.values()), first + 1)
    middle = (first + last) // 2
    plot.xlim(first, last)
    places = sorted({first, middle, last})
    words = [f"{place:.0f}" for place in places[:-1]]
    plot.xticks(places, [*words, f"step {places[-1]:.0f}"])


def _short(value: float, decimals: int = 1) -> str:
    if value >= 100:
        return figures.count(value)
    return f"{value:.{decimals}f}" if value < 10 else f"{value:.0f}"


def curve_styles(palette: Palette) -> tuple[Style, ...]:
    """Return the styles of the curves, in the order of their names."""
    return palette.accent, palette.good, palette.model


def _title(chart: Chart, styles: dict[str, Style], palette: Palette) -> Text:
    text = Text(chart.title, style=palette.dim, no_wrap=True)
    for name in chart.curves:
        text.append(f"  ─ {name}", style=styles.get(name, palette.text))
    return text


def _color(style: Style) -> Any:
    """Return the color as plotext expects it: an RGB tuple, or an index of the terminal's
    palette."""
    color = style.color
    if color is None or color.is_default:
        return "default"
    if color.number is not None:
        return color.number
    return tuple(color.triplet) if color.triplet is not None else "default"
