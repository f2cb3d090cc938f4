"""A saved session as one line of columns, for wide lists."""

from __future__ import annotations

from collections.abc import Sequence

from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.durations import clock
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunSummary
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.outcome import outcome_words
from sandbox_tui.tui.format.titles import model_title, task_title
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.sessions.session_rows import ago, sign_of

COLUMNS_FROM = 120
"""Minimum width of a list in which a session takes one line."""

GAP = 2


def columns_line(
    run: RunSummary,
    width: int,
    palette: Palette,
    *,
    branch: str = "",
    marked: bool = False,
    waits: bool = False,
    title: str = "",
    fork_label: str = "",
    tags: Sequence[str] = (),
) -> Text:
    """Draw title, outcome, model, sandbox, steps, tokens, cost, duration and age of a session.

    Args:
        run: the session.
        width: columns, at least `COLUMNS_FROM`.
        palette: the palette to draw with.
        branch: the branch drawn from its parent.
        marked: whether the user has marked it.
        waits: whether one of its calls waits for the user.
        title: replaces the session's own title.
        fork_label: the step at which a fork starts.
        tags: its tags.
    """
    sign, style = ("◆", palette.human) if waits else sign_of(run, palette)
    facts = _facts(run, "waits for you" if waits else outcome_words(run), palette)
    if waits:
        facts.stylize(palette.human, 0, len("waits for you"))
    line = Text(branch, style=palette.faint, no_wrap=True)
    line.append(f" {sign} ", style=style)
    if marked:
        line.append("◉ ", style=palette.accent)
    for tag in tags:
        line.append(f"#{sanitize_line(tag)} ", style=palette.human)
    if fork_label:
        line.append(f"{sanitize_line(fork_label)}  ", style=palette.dim)
    line.append(title or task_title(run), style=palette.text)
    room = max(1, width - facts.cell_len - GAP)
    fit_line(line, room)
    line.pad_right(room - line.cell_len + GAP)
    return line.append_text(facts)


def _facts(run: RunSummary, outcome: str, palette: Palette) -> Text:
    tokens = run.input_tokens + run.output_tokens
    spent = f"{numbers.tokens(tokens, estimated=run.tokens_estimated)} tok" if tokens else ""
    line = Text(style=palette.dim, no_wrap=True)
    for words, columns in (
        (outcome, 14),
        (model_title(run.model), 16),
        (sanitize_line(run.sandbox), 10),
    ):
        _column(line, words, columns, palette.dim)
    for words, columns in (
        (numbers.counted(run.steps, "step"), 9),
        (spent, 9),
        (numbers.cost(run.cost), 6),
        (clock(run.seconds), 6),
        (ago(run.run_started_at), 11),
    ):
        line.append(words.rjust(columns), style=palette.dim)
        line.append(" " * (GAP - 1))
    return line


def _column(line: Text, words: str, columns: int, style: Style) -> None:
    cell = Text(words, style=style, no_wrap=True)
    fit_line(cell, columns)
    cell.pad_right(columns - cell.cell_len + GAP)
    line.append_text(cell)
