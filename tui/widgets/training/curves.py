"""The progress of a training over its steps, as charts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from sandbox_tui.sessions.rl.step_figures import StepFigures
from sandbox_tui.tui.widgets.charts.chart import Chart, Curve, Series

TRAIN, HELD_OUT = "train", "held out"
CURVES = (TRAIN, HELD_OUT)
"""Names of the curves."""

MAX_POINTS = 160
"""Maximum points of a curve; a terminal cannot show more."""

MIN_REWARD_SPREAD = 0.2

Value = Callable[[StepFigures], float | None]


def series_of(steps: Sequence[StepFigures]) -> Series:
    """Return the charts of a training by step: the reward, then statistics of the rollouts."""
    return (
        _chart("reward", steps, lambda one: one.reward, lambda one: one.held_out_reward),
        _chart("tokens a rollout", steps, lambda one: one.tokens, spread=1.0),
        _chart("tool calls a rollout", steps, lambda one: one.tool_calls, spread=1.0),
        _chart("truncated %", steps, _truncated, spread=1.0),
        _chart("turns a rollout", steps, lambda one: one.turns, spread=1.0),
        _chart("seconds a rollout", steps, lambda one: one.seconds, spread=1.0),
        _chart("loss", steps, lambda one: one.metrics.get("loss")),
    )


def _chart(
    title: str,
    steps: Sequence[StepFigures],
    train: Value,
    held_out: Value | None = None,
    *,
    spread: float = MIN_REWARD_SPREAD,
) -> Chart:
    curves = {TRAIN: _curve(steps, train)}
    if held_out is not None:
        curves[HELD_OUT] = _curve(steps, held_out)
    found = {name: curve for name, curve in curves.items() if curve[0]}
    return Chart(title, found, axis="steps", min_spread=spread)


def _curve(steps: Sequence[StepFigures], value: Value) -> Curve:
    """Return the values of the finished steps that have one, averaged if there are too many.

    A step in progress is left out: its quick rollouts finish first, so its means are biased.
    """
    finished = [one for one in steps if one.finished]
    known = [(one.step, found) for one in finished if (found := value(one)) is not None]
    every = max(1, -(-len(known) // MAX_POINTS))
    parts = [known[at : at + every] for at in range(0, len(known), every)]
    return (
        [float(part[-1][0]) for part in parts],
        [fmean(found for _, found in part) for part in parts],
    )


def _truncated(step: StepFigures) -> float | None:
    return None if step.truncated is None else 100 * step.truncated
