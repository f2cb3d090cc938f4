"""The table of sessions that `sandbox-tui sessions ls` prints."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence

from sandbox_tui.core.base.durations import clock
from sandbox_tui.sessions import RunSummary
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.answers import sample_title
from sandbox_tui.tui.format.import_words import import_format
from sandbox_tui.tui.format.outcome import outcome_words
from sandbox_tui.tui.format.titles import cut_title, model_title, task_line, task_title

GAP = "  "
MAX_TASK_CHARACTERS, MIN_TASK_CHARACTERS = 60, 20
MIN_OUTCOME_CHARACTERS = 18
MAX_SAMPLE_CHARACTERS = 40
"""Characters of a sample's number and answer, which stand before its task."""

DROPPED = ("model", "tokens", "steps", "time", "started", "fork of", "imported")
"""Columns that are left out one after the other if a terminal has no room for the task."""


def session_lines(runs: Sequence[RunSummary], width: int | None = None) -> Iterator[str]:
    """Yield a heading, then one line per session.

    Args:
        runs: the sessions.
        width: columns of the terminal, which no line exceeds; None for a file or a pipe.
    """
    columns = dict(_COLUMNS)
    widest = max((len(outcome_words(run)) for run in runs), default=0)
    columns["outcome"] = (f"<{max(widest, MIN_OUTCOME_CHARACTERS)}", outcome_words)
    if not any(run.parent for run in runs):
        del columns["fork of"]
    if not any(run.imported for run in runs):
        del columns["imported"]
    for name in filter(columns.__contains__, DROPPED):
        if width is None or _room(columns, width) >= MIN_TASK_CHARACTERS:
            break
        del columns[name]
    most = MAX_TASK_CHARACTERS if width is None else min(MAX_TASK_CHARACTERS, _room(columns, width))
    headings = [f"{name:{form}}" for name, (form, _) in columns.items()]
    yield GAP.join([*headings, "task"])
    for run in runs:
        cells = [f"{text_of(run):{form}}" for form, text_of in columns.values()]
        yield GAP.join([*cells, _title(run, max(1, most))])


def samples_in_order(runs: Sequence[RunSummary]) -> list[RunSummary]:
    """Return the sessions with the samples of each task in the order of their numbers: they start
    almost at once. Those of one task keep the places that they have together."""
    ordered = list(runs)
    places: dict[str, list[int]] = {}
    for place, run in enumerate(runs):
        if run.samples is not None and run.parent is None:
            places.setdefault(run.samples, []).append(place)
    for taken in places.values():
        samples = sorted((runs[place] for place in taken), key=lambda run: run.sample or 0)
        for place, run in zip(taken, samples, strict=True):
            ordered[place] = run
    return ordered


def sample_words(run: RunSummary) -> str:
    """Return what tells a sample from the others of its task: its number, and its answer or why
    there is none; empty for another session."""
    if run.sample is None or run.parent is not None:
        return ""
    return cut_title(sample_title(run.sample, run), MAX_SAMPLE_CHARACTERS)


def _title(run: RunSummary, most: int) -> str:
    """Return what a session is about; of a sample, first what tells it from the others."""
    if sample := sample_words(run):
        return cut_title(f"{sample} · {task_line(run.task)}", most)
    return cut_title(task_title(run), most)


def _tokens(run: RunSummary) -> str:
    if not run.has_token_counts:
        return "–"
    used = run.input_tokens + run.output_tokens
    return numbers.tokens(used, estimated=run.tokens_estimated)


def _started(run: RunSummary) -> str:
    return f"{datetime.datetime.fromtimestamp(run.run_started_at).astimezone():%Y-%m-%d %H:%M}"


_COLUMNS: dict[str, tuple[str, Callable[[RunSummary], str]]] = {
    "session": ("<21", lambda run: run.id),
    "fork of": ("<7", lambda run: (run.parent or "").rpartition("-")[2]),
    "imported": ("<14", import_format),
    "started": ("<16", _started),
    "outcome": (f"<{MIN_OUTCOME_CHARACTERS}", outcome_words),
    "steps": (">5", lambda run: str(run.steps)),
    "tokens": (">6", _tokens),
    "time": (">7", lambda run: clock(run.seconds)),
    "model": ("<20", lambda run: cut_title(model_title(run.model) or "–", 20)),
}
"""Each column's alignment and width, and its text. A parent is named by the end of its id, as in
commands."""


def _room(columns: dict[str, tuple[str, Callable[[RunSummary], str]]], width: int) -> int:
    """Return how many columns of a terminal are left for the task."""
    return width - sum(int(form[1:]) + len(GAP) for form, _ in columns.values())
