"""The two lines that stand for a saved session in lists."""

from __future__ import annotations

import time
from collections.abc import Sequence

from rich.style import Style
from rich.text import Text

from ...core.text import clean_line
from ...sessions import RunSummary
from .. import figures
from ..outcome import outcome_words
from ..palette import Palette


def title_line(
    run: RunSummary, width: int, palette: Palette, *, branch: str = "", marked: bool = False
) -> Text:
    """What was asked, with a sign for how it went, and when.

    Args:
        run: the session.
        width: columns.
        palette: to draw in.
        branch: what leads to it from its parent.
        marked: whether a person has marked it.
    """
    sign, style = sign_of(run, palette)
    when = ago(run.started_at)
    line = Text(branch, style=palette.faint, no_wrap=True)
    line.append(f" {sign} ", style=style)
    if marked:
        line.append("◉ ", style=palette.accent)
    line.append(name_of(run), style=palette.text)
    room = max(1, width - len(when) - 2)
    line.truncate(room, overflow="ellipsis")
    line.pad_right(max(0, room - line.cell_len) + 1)
    line.append(when, style=palette.dim)
    return line


def facts_line(
    run: RunSummary,
    width: int,
    palette: Palette,
    *,
    indent: int = 0,
    parting: str = "",
    tags: Sequence[str] = (),
) -> Text:
    """How it ended, with what, and what it took.

    Args:
        run: the session.
        width: columns.
        palette: to draw in.
        indent: columns to the left.
        parting: where a fork parted from its parent.
        tags: a person's.
    """
    tokens = run.input_tokens + run.output_tokens
    parts = [
        parting,
        outcome_words(run),
        clean_line(run.model),
        clean_line(run.sandbox),
        f"{run.steps} steps",
        f"{figures.count(tokens)} tok" if tokens else "",
        figures.cost(run.cost),
        figures.clock(run.seconds),
    ]
    words = " · ".join(part for part in parts if part)
    line = Text(f"{' ' * indent}   ", style=palette.dim, no_wrap=True)
    for tag in tags:
        line.append(f"#{clean_line(tag)} ", style=palette.human)
    line.append(words, style=palette.dim)
    line.truncate(width, overflow="ellipsis")
    return line


def name_of(run: RunSummary) -> str:
    """The name a person gave it, else the first line of its task."""
    return clean_line((run.title or run.task).strip().split("\n", 1)[0])


def sign_of(run: RunSummary, palette: Palette) -> tuple[str, Style]:
    """How it ended, or that it has not."""
    if run.outcome == "submitted":
        return "✓", palette.good
    if run.outcome == "running":
        return "●", palette.good
    return ("◌", palette.warn) if run.outcome == "interrupted" else ("✗", palette.bad)


def ago(then: float) -> str:
    """How long ago a moment is, in one unit."""
    passed = max(0.0, time.time() - then)
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if passed >= length:
            return f"{int(passed // length)} {unit} ago"
    return "just now"
