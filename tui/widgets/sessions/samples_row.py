"""The two lines that represent the samples of one task in the list of sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.durations import clock
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions.relations.listing import SamplesRow
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.answers import answers_words, leftovers_words
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.titles import model_title, task_line
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.sessions.session_rows import with_age


def samples_lines(
    row: SamplesRow,
    width: int,
    palette: Palette,
    *,
    marked: Collection[str] = (),
    tags: Mapping[str, Sequence[str]] | None = None,
) -> list[Text]:
    """Return the task with the number of its samples and their forks, the outcomes and the answers
    of the samples.

    Args:
        row: the samples.
        width: columns.
        palette: the palette to draw with.
        marked: ids of the sessions that the user has marked.
        tags: tags by session.
    """
    first, waits = row.runs[0], len(row.waiting)
    title = Text(" ", no_wrap=True)
    title.append("▾ " if row.is_open else "▸ ", style=palette.human if waits else palette.accent)
    if marks := [run for run in (*row.runs, *row.forks) if run.id in marked]:
        count = "" if marks == list(row.runs) else f"{len(marks)} "
        title.append(f"{count}◉ ", style=palette.accent)
    title.append(f"{members_words(row)}  ", style=palette.strong)
    title.append(task_line(first.task), style=palette.text)
    with_age(title, row.began_at, width, palette)
    facts = Text("   ", style=palette.dim, no_wrap=True)
    waiting, *rest = states_of(row) if waits else ["", *states_of(row)]
    if waiting:
        facts.append(f"{waiting} · ", style=palette.human + Style(bold=True))
    parts = [*rest, model_title(first.model)]
    facts.append(" · ".join(part for part in parts if part))
    if row.answers:
        facts.append(f" · {answers_words(row.answers)}", style=palette.good)
    if row.leftovers:
        facts.append(f" · {leftovers_words(row.leftovers)}", style=palette.dim)
    facts.append(f" · {' · '.join(totals_words(row))}")
    if named := _tags_words(row, tags or {}):
        facts.append(f" · {named}", style=palette.human)
    fit_line(facts, width)
    return [title, facts]


def members_words(row: SamplesRow) -> str:
    """Return the number of samples, and of their forks if there are any."""
    forks = f" · {numbers.counted(len(row.forks), 'fork')}" if row.forks else ""
    return f"{len(row.runs)} samples{forks}"


def totals_words(row: SamplesRow) -> list[str]:
    """Return the steps and the time of all samples together, without their forks."""
    steps = sum(run.steps for run in row.runs)
    return [numbers.counted(steps, "step"), f"{clock(sum(run.seconds for run in row.runs))} in all"]


def _tags_words(row: SamplesRow, tags: Mapping[str, Sequence[str]]) -> str:
    """Return the tags of samples and forks, each with its count unless all samples have it."""
    members = (*row.runs, *row.forks)
    counts = Counter(tag for run in members for tag in tags.get(run.id, ()))
    return " ".join(
        f"#{sanitize_line(tag)}" + ("" if _all_have(row, tags, tag) else f" ({count})")
        for tag, count in counts.most_common()
    )


def _all_have(row: SamplesRow, tags: Mapping[str, Sequence[str]], tag: str) -> bool:
    return all(tag in tags.get(run.id, ()) for run in row.runs)


def states_of(row: SamplesRow) -> list[str]:
    """Return how many samples are in each state, each sample in one: those that wait come first,
    forks included; forks that are running come last."""
    waits = len(row.waiting)
    waiting = [f"{_counted_wait(waits)} for you"] if waits else []
    samples = [words for state in row.outcomes for words in _state_words(row, *state)]
    forks = sum(run.outcome == "running" and run.id not in row.waiting for run in row.forks)
    running = [f"{numbers.counted(forks, 'fork')} running"] if forks else []
    return [*waiting, *samples, *running]


def _state_words(row: SamplesRow, outcome: str, count: int) -> list[str]:
    """Return how many samples have an outcome; of those that run, the paused ones are apart, and
    those whose model's server is away."""
    going = [run for run in row.runs if run.outcome == outcome == "running"]
    paused = sum(run.paused and run.id not in row.waiting for run in going)
    away = sum(bool(run.error) and not run.paused for run in going)
    rest = count - away - paused
    words = [f"{rest} {outcome.replace('_', ' ')}"] if rest > 0 else []
    words += [f"{paused} paused"] if paused else []
    return [*words, f"{away} retrying"] if away else words


def _counted_wait(count: int) -> str:
    return f"{count} {'waits' if count == 1 else 'wait'}"
