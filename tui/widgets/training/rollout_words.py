"""Words and colours for a rollout."""

from __future__ import annotations

from rich.style import Style

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions.store.tables.rollouts import Rollout
from sandbox_tui.tui.theming.palette import Palette

GOOD_REWARD = 0.75
BAD_REWARD = 0.25

TRUNCATED = "⇥"
"""Marks the reward of a rollout that was ended by a limit."""


def reward_word(rollout: Rollout, *, decimals: int, running: bool) -> str:
    """Return the rollout's reward, or a word if it has none.

    Args:
        rollout: the rollout.
        decimals: decimals of the reward.
        running: whether the training is still running, so that unfinished rollouts may still end.
    """
    if not rollout.over:
        return "…" if running else "lost"
    if rollout.reward is None:
        return "none"
    mark = TRUNCATED if rollout.truncated else ""
    return f"{rollout.reward:.{decimals}f}{mark}"


def reward_style(rollout: Rollout, palette: Palette) -> Style:
    """Return the colour of a rollout's reward."""
    if not rollout.over:
        return palette.accent
    if rollout.reward is None:
        return palette.faint
    if rollout.reward >= GOOD_REWARD:
        return palette.good
    return palette.bad if rollout.reward < BAD_REWARD else palette.warn


def advantage_word(rollout: Rollout) -> str:
    """Return the rollout's advantage with its sign; a dash if the trainer has not reported it."""
    return "–" if rollout.advantage is None else f"{rollout.advantage:+.2f}"


def advantage_style(rollout: Rollout, palette: Palette) -> Style:
    """Return the colour of a rollout's advantage."""
    value = rollout.advantage or 0.0
    return palette.good if value > 0 else palette.bad if value < 0 else palette.dim


def end_words(rollout: Rollout, *, running: bool) -> str:
    """Return why the rollout ended, in words."""
    if not rollout.over:
        return "running" if running else "its program has exited"
    return sanitize_line(rollout.reason).replace("_", " ")
