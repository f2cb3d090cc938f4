"""The two lines of a saved session in a list."""

from __future__ import annotations

import datetime
import time
from collections.abc import Sequence

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.durations import clock
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.outcome_sign import outcome_sign
from sandbox_tui.sessions import RunSummary
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.import_words import import_format
from sandbox_tui.tui.format.outcome import outcome_words, waiting_words
from sandbox_tui.tui.format.titles import model_title, task_title
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.sessions.session_result import result_text

NARROW = 70
"""Columns below which a list shows less of each session."""

MIN_RESULT = 24
"""Columns that the result of a session may always take."""

MIN_CUT_RESULT = 6
"""Columns below which a result makes way for tags."""

MAX_SHARE = 3
"""Fifths of the width that the origin of a fork may take."""


def head_of(
    run: RunSummary,
    palette: Palette,
    *,
    branch: str = "",
    marked: bool = False,
    waits: bool = False,
    title: str = "",
) -> Text:
    """Return the title of a session with a sign for its outcome.

    Args:
        run: the session.
        palette: the palette to draw with.
        branch: the branch drawn from its parent.
        marked: whether the user has marked it.
        waits: whether one of its calls waits for the user.
        title: replaces the session's own title.
    """
    sign, style = ("◆", palette.human) if waits else sign_of(run, palette)
    line = Text(branch, style=palette.faint, no_wrap=True)
    line.append(f" {sign} ", style=style)
    if marked:
        line.append("◉ ", style=palette.accent)
    return line.append(title or task_title(run), style=palette.text)


def notes_beside_title(tags: Sequence[str], fork_label: str, palette: Palette) -> Text:
    """Return tags and origin of a session; empty if it has neither."""
    line = Text(style=palette.dim, no_wrap=True)
    line.append(" ".join(f"#{sanitize_line(tag)}" for tag in tags), style=palette.human)
    if fork_label:
        line.append(" · " if tags else "").append(sanitize_line(fork_label), style=palette.dim)
    return line


def facts_line(
    run: RunSummary,
    width: int,
    palette: Palette,
    *,
    branch: str = "",
    fork_label: str = "",
    tags: Sequence[str] = (),
    waits_for: str | None = None,
    shows_result: bool = True,
    inherited: int = 0,
) -> Text:
    """Draw outcome, result, model and sandbox of a session, and its figures at the right end.

    Args:
        run: the session.
        width: columns.
        palette: the palette to draw with.
        branch: drawn to the left.
        fork_label: the step at which a fork starts.
        tags: its tags.
        waits_for: the call that waits for the user, in words; None if none waits.
        shows_result: whether to show its answer or why it failed.
        inherited: how many of its steps a fork took over from its parent.
    """
    waits = waits_for is not None
    figures = _figures(run, inherited, width)
    room = width - cell_len(figures) - 3
    made_by = [model_title(run.model), place_words(run)]
    if run.imported:  # what tells copies apart must not be cut
        made_by.reverse()
    line = Text(style=palette.dim, no_wrap=True).append(f"{branch}   ", style=palette.faint)
    if fork_label:
        origin = Text(sanitize_line(fork_label), style=palette.dim, no_wrap=True)
        fit_line(origin, max(MIN_RESULT, width * MAX_SHARE // 5 - len(branch)))
        line.append_text(origin).append(" · ")
    state = waiting_words(run) if waits else outcome_words(run)
    line.append(state, style=palette.human if waits else palette.dim)
    result = result_text(run, palette, waits_for or "")
    notes = Text(" · ", style=palette.dim).append_text(notes_beside_title(tags, "", palette))
    most = max(MIN_RESULT, room * 2 // 5)
    if tags:  # the user's own words come before those of the model
        most = min(most, room - line.cell_len - notes.cell_len - 3)
    if result and shows_result and most >= MIN_CUT_RESULT:
        fit_line(result, most)
        line.append(": " if waits else " · ", style=palette.dim).append_text(result)
    if tags:
        line.append_text(notes)
    fit_line(line, room)
    for part in made_by:
        if part and line.cell_len + cell_len(part) + 3 <= room:  # a cut name tells nothing
            line.append(f" · {part}", style=palette.dim)
    line.pad_right(room - line.cell_len + 2)
    return line.append(figures, style=palette.dim)


def _figures(run: RunSummary, inherited: int, width: int) -> str:
    """Return steps, tokens, cost and time of a session, as far as they are known; only steps and
    time in a narrow list."""
    steps, (tokens, cost, seconds) = steps_words(run, inherited), spent_words(run, inherited)
    figures = [steps, seconds] if width < NARROW else [steps, tokens, cost, seconds]
    return " · ".join(figure for figure in figures if figure)


def place_words(run: RunSummary) -> str:
    """Return a session's sandbox, or that it was imported and its format, which tells copies of
    one session apart; an outcome may say already that it was imported."""
    if not run.imported:
        return sanitize_line(run.sandbox)
    if run.import_format is None:
        return "imported"
    named = "from" if run.outcome == "imported" else "imported"
    return f"{named} {import_format(run)}"


def steps_words(run: RunSummary, inherited: int = 0) -> str:
    """Return the number of steps; of a fork those it took over and its own, as in 5+3 steps."""
    if not _has_taken_over(run, inherited):
        return numbers.counted(run.steps, "step")
    return f"{inherited}+{run.steps - inherited} steps"


def spent_words(run: RunSummary, inherited: int = 0) -> tuple[str, str, str]:
    """Return tokens, cost and time, each empty if unknown; those of a fork's own part have a plus
    sign, as its own steps do."""
    tokens = run.input_tokens + run.output_tokens
    plus = "+" if _has_taken_over(run, inherited) else ""
    words = (
        f"{numbers.tokens(tokens, estimated=run.tokens_estimated)} tok" if tokens else "",
        numbers.cost(run.cost),
        clock(run.seconds),
    )
    count, cost, seconds = (f"{plus}{one}" if one else "" for one in words)
    return count, cost, seconds


def _has_taken_over(run: RunSummary, inherited: int) -> bool:
    return 0 < inherited <= run.steps


def sign_of(run: RunSummary, palette: Palette) -> tuple[str, Style]:
    """Return the sign and style of an outcome."""
    if run.paused and run.outcome != "submitted":
        return "‖", palette.warn
    sign, role = outcome_sign(run.outcome)
    return sign, palette.of_role(role)


def with_age(line: Text, began_at: float, width: int, palette: Palette) -> Text:
    """Return a list line, cut to its width, with an age at the right end.

    Args:
        line: changed in place and returned.
        began_at: seconds since the epoch.
        width: columns.
        palette: the palette to draw with.
    """
    when = ago(began_at)
    room = max(1, width - len(when) - 2)
    fit_line(line, room)
    line.pad_right(max(0, room - line.cell_len) + 1)
    return line.append(when, style=palette.dim)


def start_time(began_at: float) -> str:
    """Return a time of today, in the local time zone, as 13:37, another one as 11-24 13:37; empty
    for a time that no calendar has."""
    try:
        began = datetime.datetime.fromtimestamp(began_at, tz=datetime.UTC).astimezone()
    except (ValueError, OverflowError, OSError):  # in an imported session
        return ""
    today = datetime.datetime.fromtimestamp(time.time(), tz=datetime.UTC).astimezone().date()
    return f"{began:%H:%M}" if began.date() == today else f"{began:%m-%d %H:%M}"


def ago(then: float) -> str:
    """Return the time since then, in one unit."""
    passed = max(0.0, time.time() - then)
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if passed >= length:
            return f"{int(passed // length)} {unit} ago"
    return "just now"
