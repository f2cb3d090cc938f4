"""A saved session as one line of columns, for wide lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from sandbox_tui.sessions import RunSummary
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.outcome import short_outcome, waiting_words
from sandbox_tui.tui.format.titles import model_title
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.sessions.session_result import result_text, result_words
from sandbox_tui.tui.widgets.sessions.session_rows import (
    ago,
    place_words,
    spent_words,
    start_time,
    steps_words,
)

COLUMNS_FROM = 120
"""Minimum width of a list in which a session takes one line."""

GAP = 2

_MAX_OUTCOME, _MAX_MODEL = 18, 20
"""Maximum columns of an outcome and a model's name."""

_MIN_OUTCOME = len("detached")
"""Minimum columns of an outcome: a running session may be detached at any time."""

_AGE_COLUMNS = 10
"""Columns of an age, which grows while the list is shown."""


_ENOUGH_TITLE, _ENOUGH_RESULT = 56, 24
"""Columns that titles and results get, as far as they need them, before the columns that matter
least."""

_LEAST = ("start", "sandbox", "cost", "tokens")
"""Columns that are left out, in this order, for titles and results. That of the sandbox stays if a
session was imported: nothing else tells it from the original."""

_MIN_SANDBOX = len("imported …")
"""Columns of the sandbox, if that column stays, before others are left out for titles."""


class Facts(NamedTuple):
    """What the columns to the right of a session's title say."""

    result: str
    outcome: str
    model: str
    sandbox: str
    steps: str
    tokens: str
    cost: str
    seconds: str
    start: str


class Columns(NamedTuple):
    """The width of each column to the right of the titles; a column without text takes none."""

    result: int = 0
    outcome: int = 0
    model: int = 0
    sandbox: int = 0
    steps: int = 0
    tokens: int = 0
    cost: int = 0
    seconds: int = 0
    start: int = 0


_TEXTS = 4
"""Number of columns with words; those of the others are figures."""

_MAX_COLUMNS = Columns(200, _MAX_OUTCOME, _MAX_MODEL, 23, 13, 11, 8, 9, 11)


def facts_of(run: RunSummary, waits_for: str | None = None, inherited: int = 0) -> Facts:
    """Return what the columns say about a session.

    Args:
        run: the session.
        waits_for: the call that waits for the user, in words; None if none waits.
        inherited: how many of its steps a fork took over from its parent.
    """
    tokens, cost, seconds = spent_words(run, inherited)
    waits = waits_for is not None
    return Facts(
        result=result_words(run, waits_for or ""),
        outcome=waiting_words(run) if waits else short_outcome(run),
        model=model_title(run.model) or "–",
        sandbox=place_words(run),
        steps=steps_words(run, inherited),
        tokens=tokens,
        cost=cost,
        seconds=seconds,
        start=start_time(run.run_started_at),
    )


def columns_of(rows: Iterable[Facts]) -> Columns:
    """Return the narrowest columns that hold these rows, so that the titles get the rest."""
    widest = Columns(outcome=_MIN_OUTCOME)
    for row in rows:
        needed = zip(row, widest, strict=True)
        widest = Columns(*(max(cell_len(words), wide) for words, wide in needed))
    return Columns(*map(min, widest, _MAX_COLUMNS))


def fitted(
    columns: Columns,
    width: int,
    *,
    usual_title: int,
    longest_title: int,
    names_imported: bool = False,
) -> Columns:
    """Return the columns for a list of this width: first those that matter least are left out, then
    the results are cut, so that titles are shown.

    Args:
        columns: as wide as their texts.
        width: columns of the list.
        usual_title: columns that most titles need, with what stands before them: a single long
            title takes no column from the other rows.
        longest_title: columns that the longest title needs.
        names_imported: whether the column of the sandbox says that a session was imported.
    """
    wanted = min(usual_title, _ENOUGH_TITLE) + min(columns.result, _ENOUGH_RESULT)
    if names_imported and _room(columns, width) < wanted:
        columns = columns._replace(sandbox=min(columns.sandbox, _MIN_SANDBOX))
    for name in _LEAST:
        if _room(columns, width) >= wanted:
            break
        if name != "sandbox" or not names_imported:
            columns = columns._replace(**{name: 0})
    room = _room(columns, width)
    most = max(room - longest_title, _least_result(columns, width))
    return columns._replace(result=max(0, min(columns.result, most)))


def takes_second_line(columns: Columns, width: int, *, title: int, result: int, notes: int) -> bool:
    """Return whether tags and origin of a session do not fit beside its title and a part of its
    result, whatever the titles of other sessions need.

    Args:
        columns: those of `fitted`.
        width: columns of the list.
        title: columns of the title, with what stands before it.
        result: columns of the result, if it is not cut.
        notes: columns of tags and origin; 0 for none.
    """
    room = _room(columns, width) - min(result, columns.result, _least_result(columns, width))
    return bool(notes) and title + GAP + notes > room


def _room(columns: Columns, width: int) -> int:
    """Return the columns left for titles and results."""
    texts = sum(wide + GAP for wide in columns[1:_TEXTS] if wide)
    figures = sum(wide + GAP - 1 for wide in columns[_TEXTS:] if wide)
    return width - texts - figures - _AGE_COLUMNS - 1 - (2 if columns.result else 1) * GAP


def _least_result(columns: Columns, width: int) -> int:
    """Return the columns that a result gets at least, as far as it needs them."""
    return _room(columns, width) // 3


def columns_lines(
    run: RunSummary,
    width: int,
    palette: Palette,
    *,
    head: Text,
    columns: Columns,
    waits_for: str | None = None,
    inherited: int = 0,
    notes: Text | None = None,
    notes_below: bool = False,
    branch: str = "",
) -> list[Text]:
    """Draw title, result, outcome, model, sandbox, steps, tokens, cost, duration, start and age of
    a session, with its tags and origin beside the title or on a second line.

    Args:
        run: the session.
        width: columns, at least `COLUMNS_FROM`.
        palette: the palette to draw with.
        head: its title with what stands before it; changed in place.
        columns: those of `fitted`.
        waits_for: the call that waits for the user, in words; None if none waits.
        inherited: how many of its steps a fork took over from its parent.
        notes: its tags and origin; changed in place.
        notes_below: whether these take a second line.
        branch: drawn to the left of the second line.
    """
    if notes and not notes_below:
        head.append(" " * GAP).append_text(notes)
    state = _drawn(facts_of(run, waits_for, inherited), columns, palette)
    if waits_for is not None:
        state.stylize(palette.human, 0, len("waits for you"))
    state.append(ago(run.run_started_at).rjust(_AGE_COLUMNS) + " ", style=palette.dim)
    facts = Text(no_wrap=True)
    if columns.result:  # next to the outcome: title and result take what the other one leaves
        result = result_text(run, palette, waits_for or "")
        left = width - state.cell_len - head.cell_len - 2 * GAP
        wide = columns.result
        if notes and not notes_below:  # the result makes way for them
            wide = min(wide, _least_result(columns, width))
        _column(facts, result, min(max(wide, left), result.cell_len))
    facts.append_text(state)
    room = max(1, width - facts.cell_len - GAP)
    fit_line(head, room)
    head.pad_right(room - head.cell_len + GAP)
    lines = [head.append_text(facts)]
    if notes and notes_below:
        below = Text(branch, style=palette.faint, no_wrap=True).append("   ").append_text(notes)
        fit_line(below, width)
        lines.append(below)
    return lines


def _drawn(facts: Facts, columns: Columns, palette: Palette) -> Text:
    """Return the columns after the result: words to the left, numbers to the right."""
    line = Text(style=palette.dim, no_wrap=True)
    for words, wide in zip(facts[1:_TEXTS], columns[1:_TEXTS], strict=True):
        if wide:
            _column(line, Text(words, style=palette.dim, no_wrap=True), wide)
    for words, wide in zip(facts[_TEXTS:], columns[_TEXTS:], strict=True):
        if wide:
            line.append(words.rjust(wide) + " " * (GAP - 1), style=palette.dim)
    return line


def _column(line: Text, cell: Text, columns: int) -> None:
    fit_line(cell, columns)
    cell.pad_right(columns - cell.cell_len + GAP)
    line.append_text(cell)
