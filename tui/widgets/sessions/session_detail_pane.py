"""The pane below the list of sessions with details of the row under the cursor."""

from __future__ import annotations

import time
from typing import TypeAlias

from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.text import Text
from textual.widget import Widget
from typing_extensions import override

from sandbox_tui.core.base.durations import clock, short_duration
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.tools.call_summaries import full_command, short_name
from sandbox_tui.sessions import RunSummary
from sandbox_tui.sessions.relations.fork_origin import ForkOrigin
from sandbox_tui.sessions.relations.listing import EvalRow, SamplesRow, TrainingRow
from sandbox_tui.sessions.relations.session_detail import ResultFile, SessionDetail
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.answers import (
    UNKNOWN_END,
    answer_or_why_none,
    answers_words,
)
from sandbox_tui.tui.format.compared.fork_facts import fork_place
from sandbox_tui.tui.format.evals.resuming import resume_words
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.import_words import imported_words
from sandbox_tui.tui.format.outcome import WAITS, outcome_words
from sandbox_tui.tui.format.titles import model_title
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.sessions.fork_words import change_lines
from sandbox_tui.tui.widgets.sessions.samples_row import members_words, states_of, totals_words
from sandbox_tui.tui.widgets.sessions.session_rows import start_time

LABEL_COLUMNS = 11

MAX_TASK_LINES = 2

MIN_HEIGHT = 9
"""Height of the pane with its border, if the list needs all other lines."""

_CONSOLE = Console(width=200)

MAX_CHARACTERS = 4_000
"""Maximum characters used of a text that is shown in one or two lines."""


Shown: TypeAlias = SessionDetail | SamplesRow | EvalRow | TrainingRow | None
"""The subject of the pane; None for nothing."""


class SessionDetailPane(Widget):
    """Shows a session, samples of a task, an evaluation or a training. It grows if the list above
    has lines to spare; what still does not fit is counted on its last line."""

    DEFAULT_CSS = """
    SessionDetailPane {
        height: 9; margin: 0 1; padding: 0 1; border: round $border-blurred;
        border-title-color: $role-dim;
        &.-empty { visibility: hidden; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes="-empty")
        self._shown: Shown = None
        self._most_lines = 0

    @property
    def shown(self) -> Shown:
        """What it shows."""
        return self._shown

    def grow(self, most: int) -> None:
        """Take the height of what is shown, at most `most` lines and at least `MIN_HEIGHT`.

        It does not shrink again for a row with fewer details: the list would move.
        """
        self._most_lines = max(self._most_lines, len(self.lines()))
        self.styles.height = max(MIN_HEIGHT, min(self._most_lines + 2, most))

    def show(self, shown: Shown) -> None:
        """Show another subject; None empties the pane."""
        self._shown = shown
        self.border_title = _title(shown)
        self.set_class(shown is None, "-empty")
        self.refresh()

    @override
    def render(self) -> Text:
        lines, width = self.lines(), max(1, self.content_size.width)
        height = max(1, self.content_size.height)
        if len(lines) > height:
            more = numbers.counted(len(lines) - height + 1, "more line")
            words = f"… {more} · {hint('home.details')} shows everything"
            lines = [*lines[: height - 1], Text(words, style=palette_of(self).dim, no_wrap=True)]
        for line in lines:
            fit_line(line, width)
        return Text("\n").join(lines)

    def lines(self) -> list[Text]:
        """Return all lines, not cut to the width."""
        palette, width = palette_of(self), max(1, self.content_size.width)
        match self._shown:
            case SessionDetail() as detail:
                lines = _session(detail, width, palette)
            case SamplesRow() as row:
                lines = _samples(row, palette)
            case EvalRow() as row:
                lines = _evaluation(row, palette)
            case TrainingRow() as row:
                lines = _training(row, palette)
            case None:
                lines = []
        return lines


def _title(shown: Shown) -> str:
    match shown:
        case SessionDetail(run=run):
            return run.id
        case EvalRow(summary=summary):
            return summary.info.id
        case TrainingRow(summary=summary):
            return summary.id
        case SamplesRow() as row:
            return members_words(row)
        case None:
            return ""


def _session(detail: SessionDetail, width: int, palette: Palette) -> list[Text]:
    run = detail.run
    lines = _wrapped("task", run.task, width, palette)
    if words := answer_or_why_none(run, detail.said_otherwise):
        is_answer = run.answer and run.outcome == "submitted"
        lines.append(_line("answer", words, palette, palette.good if is_answer else palette.dim))
    elif run.outcome == "imported":
        lines.append(_line("imported", UNKNOWN_END, palette, palette.dim))
    if detail.waits_since is not None:
        lines.append(_line("state", _waiting_words(detail.waits_since), palette, palette.human))
    elif run.error:
        runs = run.outcome == "running"
        words = f"{outcome_words(run)}: {run.error}"  # too long for a label, many of them
        label, style = ("state", palette.warn) if runs else ("ended", palette.bad)
        lines.append(_line(label, words, palette, style))
    elif run.outcome == "interrupted":
        lines.append(_line("state", _interrupted_words(detail), palette, palette.warn))
    if words := _sandbox_words(detail):
        lines.append(_line("sandbox", words, palette, palette.warn))
    lines += [
        _line(f"note {note.step}" if note.step else "note", note.text, palette, palette.human)
        for note in detail.notes
    ]
    if detail.tags:
        tags = " ".join(f"#{tag}" for tag in detail.tags)
        lines.append(_line("tags", tags, palette, palette.human))
    if detail.origin is not None:
        lines += _origin(detail.origin, detail.own, palette)
    if detail.last_call is not None:
        lines.append(_last_call(detail, palette))
    if detail.files:
        lines += _files(detail, width, palette)
    if detail.origin is None:
        start = start_time(run.run_started_at)
        facts = [
            run.tokens,
            "" if run.is_rebuilt else sanitize_line(run.sandbox),
            imported_words(run),
            f"started {start}" if start else "",
        ]
        label = "tokens" if run.tokens else "session" if run.is_rebuilt else "sandbox"
        lines.append(
            _line(label, " · ".join(filter(None, dict.fromkeys(facts))), palette, palette.dim)
        )
    return lines


def _waiting_words(since: float) -> str:
    """Return since when a call waits for the user, and the key that leads to deciding about it."""
    began = start_time(since)
    when = f" since {began}" if began else ""
    return f"{WAITS}{when} · {hint('home.open')} shows the call"


def _interrupted_words(detail: SessionDetail) -> str:
    """Return in which step a run was interrupted, and the key that resumes it if that works."""
    run = detail.run
    step = detail.interrupted_in
    where = f"in step {step}" if step else "before its first step"
    can_resume = not (detail.has_lost_sandbox or run.imported or run.elsewhere)
    resumes = f" · {hint('home.resume')} resumes it" if can_resume else ""
    return f"{outcome_words(run)} {where}{resumes}"


def _sandbox_words(detail: SessionDetail) -> str:
    """Return whether the sandbox of a run that can be resumed is gone, or until when it is kept;
    empty if that is unknown."""
    if detail.has_lost_sandbox:
        return f"gone: {hint('home.fork')} continues the run in a new one"
    if detail.sandbox_until is None or detail.sandbox_until <= time.time():
        return ""
    return f"kept until about {start_time(detail.sandbox_until)}"


def _origin(origin: ForkOrigin, own: RunSummary, palette: Palette) -> list[Text]:
    """Return the parent of a fork with the fork point, time and tokens of its own part, and what
    was changed."""
    line = _line("fork of", fork_place(origin), palette, palette.text)
    tokens = f", tokens {own.tokens}" if own.tokens else ""
    steps = numbers.counted(max(0, own.steps - origin.step), "step")
    line.append(f" · own part {steps}, {clock(own.seconds)}{tokens}", style=palette.dim)
    lines = [line]
    lines += [_line(label, words, palette, palette.human) for label, words in origin.changes]
    if origin.call is not None:
        changed = change_lines(origin.proposed, origin.arguments, palette)
        lines += [_label("", palette).append_text(line) for line in changed]
    return lines


def _last_call(detail: SessionDetail, palette: Palette) -> Text:
    call = detail.last_call
    assert call is not None
    line = _label("last call", palette)
    line.append(f"{short_name(sanitize_line(call.tool))}  ", style=palette.tool)
    if call.ok is not None:
        sign, style = ("✓", palette.good) if call.ok else ("✗", palette.bad)
        sign += " interrupted after" if call.interrupted and not call.ok else ""
        line.append(f"{sign} {short_duration(call.duration)}  ", style=style)
    elif words := _why_not_run(detail.run):
        line.append(f"{words}  ", style=palette.warn)
    words = full_command(call.tool, call.arguments[:MAX_CHARACTERS])
    return line.append(sanitize_line(words), style=palette.text)


def _why_not_run(run: RunSummary) -> str:
    """Return that a call without a result never ran, and why; empty if it may run or have run."""
    if run.outcome in ("running", "interrupted", "imported"):
        return ""
    ended = "was cancelled" if run.outcome == "cancelled" else "ended first"
    return f"not run: the run {ended}"


def _files(detail: SessionDetail, width: int, palette: Palette) -> list[Text]:
    """Return the files and their location, on a second line if one line is too short."""
    words = ", ".join(map(_file_words, detail.files))
    line = _line("files", words, palette, palette.text)
    location = _location(detail)
    if line.cell_len + 2 + cell_len(location) <= width:
        return [line.append(f"  {location}", style=palette.dim)]
    return [line, _line("", location, palette, palette.dim)]


def _file_words(file: ResultFile) -> str:
    return file.name if file.size is None else f"{file.name} {numbers.size(file.size)}"


def _location(detail: SessionDetail) -> str:
    """Return where the files are: the sandbox of a run that has ended is gone."""
    if detail.folder:
        return f"in {sanitize_line(str(detail.folder))}"
    return "in the sandbox" if detail.run.outcome == "running" else "recorded in the session"


def _samples(row: SamplesRow, palette: Palette) -> list[Text]:
    first = row.runs[0]
    costs = [run.cost for run in row.runs if run.cost is not None]
    tokens = sum(run.input_tokens + run.output_tokens for run in row.runs)
    spent = [
        numbers.token_words(tokens),
        *totals_words(row),
        numbers.cost(sum(costs)) if costs else "",
    ]
    lines = [
        _line("task", first.task, palette, palette.text),
        _line("model", model_title(first.model), palette, palette.text),
        _line("state", ", ".join(states_of(row)), palette, palette.text),
    ]
    if row.answers or row.leftovers:
        words = answers_words(row.answers, row.leftovers).removeprefix("answers: ")
        lines.append(_line("answers", words, palette, palette.good if row.answers else palette.dim))
    lines.append(_line("spent", ", ".join(part for part in spent if part), palette, palette.dim))
    verb = "folds them" if row.is_open else "lists them"
    return [*lines, _line("", f"{hint('home.open')} {verb}", palette, palette.dim)]


def _evaluation(row: EvalRow, palette: Palette) -> list[Text]:
    found = row.summary
    done = f"{found.over} of {numbers.counted(found.samples, 'sample')}, {found.status}"
    lines = [
        _line("suite", found.info.suite, palette, palette.text),
        _line("model", model_title(found.info.model), palette, palette.text),
        _line("modes", ", ".join(found.info.modes), palette, palette.text),
        _line("done", done, palette, palette.good),
    ]
    if found.stopped_because:
        lines.append(_line("stopped", found.stopped_because, palette, palette.bad))
    keys = f"{hint('home.open')} opens it"
    keys += f" · {hint('home.resume')} {resume_words(found)}" if found.can_resume else ""
    return [*lines, _line("", keys, palette, palette.dim)]


def _training(row: TrainingRow, palette: Palette) -> list[Text]:
    found = row.summary
    steps = numbers.counted(found.steps, "step")
    done = f"{steps}, {numbers.counted(found.rollouts, 'rollout')}, {found.status}"
    lines = [
        _line("training", found.name, palette, palette.text),
        _line("model", model_title(found.model), palette, palette.text),
        _line("engine", found.engine, palette, palette.text),
        _line("done", done, palette, palette.good),
    ]
    if found.mean_reward is not None:
        lines.append(_line("reward", f"{found.mean_reward:.2f}", palette, palette.text))
    if found.error:
        lines.append(_line(found.status, found.error, palette, palette.bad))
    return [*lines, _line("", f"{hint('home.open')} opens it", palette, palette.dim)]


def _wrapped(label: str, words: str, width: int, palette: Palette) -> list[Text]:
    """Return a text on up to `MAX_TASK_LINES` lines, with an ellipsis if something is left out."""
    text = Text(sanitize_line(" ".join(words[:MAX_CHARACTERS].split())), style=palette.text)
    parts = list(text.wrap(_CONSOLE, max(1, width - LABEL_COLUMNS - 1)))
    if len(parts) > MAX_TASK_LINES:
        parts[MAX_TASK_LINES - 1].append(" …")
    labels = [label, *[""] * (MAX_TASK_LINES - 1)]
    pairs = zip(labels, parts, strict=False)
    return [_label(name, palette).append_text(part) for name, part in pairs]


def _line(label: str, words: str, palette: Palette, style: Style) -> Text:
    line = _label(label, palette)
    flat = " ".join(words[:MAX_CHARACTERS].split())
    return line.append(sanitize_line(flat), style=style)


def _label(label: str, palette: Palette) -> Text:
    return Text(f"{label:<{LABEL_COLUMNS}} ", style=palette.dim, no_wrap=True)
