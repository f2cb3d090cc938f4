"""The two lines that represent the samples of one task in the list of sessions."""

from __future__ import annotations

from collections.abc import Collection

from rich.style import Style
from rich.text import Text

from sandbox_tui.sessions.relations.listing import SamplesRow
from sandbox_tui.tui.format.answers import answers_words
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.titles import first_line, task_title
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.sessions.session_rows import with_age


def samples_lines(
    row: SamplesRow, width: int, palette: Palette, *, waiting: Collection[str] = ()
) -> list[Text]:
    """Return the task with the number of its samples, their outcomes and their answers.

    Args:
        row: the samples.
        width: columns.
        palette: the palette to draw with.
        waiting: ids of sessions that wait for the user.
    """
    newest = row.runs[0]
    waits = sum(run.id in waiting for run in row.runs)
    title = Text(" ", no_wrap=True)
    title.append("▾ " if row.is_open else "▸ ", style=palette.human if waits else palette.accent)
    title.append(f"{len(row.runs)} samples  ", style=palette.strong)
    title.append(task_title(newest), style=palette.text)
    with_age(title, row.began_at, width, palette)
    facts = Text("   ", style=palette.dim, no_wrap=True)
    if waits:
        words = f"{waits} {'waits' if waits == 1 else 'wait'} for you · "
        facts.append(words, style=palette.human + Style(bold=True))
    parts = [f"{count} {outcome.replace('_', ' ')}" for outcome, count in row.outcomes]
    parts.append(first_line(newest.model))
    facts.append(" · ".join(part for part in parts if part))
    if row.answers:
        facts.append(f" · {answers_words(row.answers)}", style=palette.good)
    fit_line(facts, width)
    return [title, facts]
