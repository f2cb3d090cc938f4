"""A rollout in a word and a colour."""

from __future__ import annotations

from rich.style import Style

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions.store.tables.rollouts import Rollout
from sandbox_tui.tui.theming.palette import Palette

GOOD_REWARD = 0.75
BAD_REWARD = 0.25

TRUNCATED = "⇥"
"""Behind the reward of a rollout that a limit ended."""


def reward_word(rollout: Rollout, *, decimals: int, running: bool) -> str:
    """Its reward; a word where it has none.

    Args:
        rollout: which.
        decimals: of the reward.
        running: whether the training goes on, so that one that is not over may come to its end.
    """
    if not rollout.over:
        return "…" if running else "lost"
    if rollout.reward is None:
        return "none"
    mark = TRUNCATED if rollout.truncated else ""
    return f"{rollout.reward:.{decimals}f}{mark}"


def reward_style(rollout: Rollout, palette: Palette) -> Style:
    """The colour of its reward."""
    if not rollout.over:
        return palette.accent
    if rollout.reward is None:
        return palette.faint
    if rollout.reward >= GOOD_REWARD:
        return palette.good
    return palette.bad if rollout.reward < BAD_REWARD else palette.warn


def advantage_word(rollout: Rollout) -> str:
    """Its advantage with its sign; a dash where the trainer has not said."""
    return "–" if rollout.advantage is None else f"{rollout.advantage:+.2f}"


def advantage_style(rollout: Rollout, palette: Palette) -> Style:
    """The colour of its advantage."""
    value = rollout.advantage or 0.0
    return palette.good if value > 0 else palette.bad if value < 0 else palette.dim


def end_words(rollout: Rollout, *, running: bool) -> str:
    """Why it ended, in words."""
    if not rollout.over:
        return "running" if running else "its program has exited"
    return sanitize_line(rollout.reason).replace("_", " ")
