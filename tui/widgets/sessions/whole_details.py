"""All details of a session as a text, for what the pane below the list has no room for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sandbox_tui.core.base.durations import clock
from sandbox_tui.sessions.relations.session_detail import SessionDetail
from sandbox_tui.sessions.relations.started_with import NONE
from sandbox_tui.tui.format import numbers, run_end
from sandbox_tui.tui.format.answers import said_words, with_other
from sandbox_tui.tui.format.outcome import outcome_words

NAME_COLUMNS = 17
"""Columns for the name of a figure or a setting."""


def whole_details(detail: SessionDetail, lines: Sequence[str]) -> str:
    """Return the texts of a session in full, the lines that the pane has for the rest, and what the
    pane leaves out: its figures, and the settings that it was started with."""
    texts = list(_texts(detail))
    labels = {label for label, _ in texts}
    parts = [f"{label}\n{_indented(words)}" for label, words in texts]
    rest = [line for line in _labelled(lines) if line.split("  ", 1)[0] not in labels]
    tables = (_table("figures", _figures(detail)), _table("settings", _settings(detail)))
    return "\n\n".join([*parts, "\n".join(rest), *filter(None, tables)])


def _texts(detail: SessionDetail) -> Iterator[tuple[str, str]]:
    run = detail.run
    yield "task", run.task
    if run.answer:
        yield "answer", with_other(run.answer, detail.said_otherwise)
    elif run.said:
        yield "answer", said_words(run.said, run.answer)
    if run.error:
        yield outcome_words(run), run.error
    for note in detail.notes:
        yield f"note {note.step}" if note.step else "note", note.text


def _figures(detail: SessionDetail) -> Iterator[tuple[str, str]]:
    run = detail.run
    yield "outcome", outcome_words(run)
    yield "model", run.model
    yield "steps", str(run.steps)
    yield "calls", run_end.calls_in_full(run.calls, run.failed_calls, detail.interrupted_calls)
    yield "cost", numbers.cost(run.cost)
    yield "time", clock(run.seconds)


def _settings(detail: SessionDetail) -> Iterator[tuple[str, str]]:
    for name, words in detail.settings.items():
        if words != NONE:
            yield name, words


def _table(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """Return a title with its rows, one a line; empty without rows."""
    lines = [f"  {name:<{NAME_COLUMNS}}{words}" for name, words in rows if words]
    return "\n".join([title, *lines]) if lines else ""


def _indented(words: str) -> str:
    return "\n".join(f"  {line}" for line in words.strip().split("\n"))


def _labelled(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines; those without a label follow the one before, so that both go together."""
    whole = ""
    for line in lines:
        if whole and line.startswith(" "):
            whole += f"\n{line}"
            continue
        if whole:
            yield whole
        whole = line
    if whole:
        yield whole
