"""What the program prints about its runs when its screen has closed."""

from __future__ import annotations

import datetime
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.text import Text

from sandbox_tui.core.base.defaults import GRACE_SECONDS, RESUMABLE_SECONDS
from sandbox_tui.core.base.durations import clock
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.types import RunStarted
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.relations.listing import answers_of
from sandbox_tui.sessions.relations.running_summaries import up_to_now
from sandbox_tui.sessions.store.run_summary import has_lost_sandbox
from sandbox_tui.sessions.store.tables.calls import interrupted_calls_of
from sandbox_tui.tui.format import numbers, run_end
from sandbox_tui.tui.format.answers import (
    answer_in_list,
    answer_or_why_none,
    answers_words,
    tasks_with_marks,
)
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.next_command import NextCommand, next_command
from sandbox_tui.tui.format.outcome import counted_outcome, outcome_words
from sandbox_tui.tui.format.titles import cut_title, model_title, sample_or_fork_of, task_line
from sandbox_tui.tui.format.wrap_cells import wrap_cells

MAX_ANSWER_LINES = 3
"""Lines of each answer that are printed; `sessions show` prints all of it."""

MAX_LINE_COLUMNS = 120

MAX_TASK_COLUMNS = 48
"""Columns of a task in a line with an answer."""


MAX_RUNS = 20
"""Number of runs up to which each has a line of its own; more would push what is said about them
all off the terminal."""


class Shown(NamedTuple):
    """A run that the screen showed.

    Attributes:
        run: its summary, as of now.
        interrupted_calls: how many of its calls were interrupted.
        resumable_until: when its sandbox is removed, in seconds since the epoch, if it can be
            resumed and that is known.
        has_lost_sandbox: whether it could be resumed if its sandbox still existed.
    """

    run: RunSummary
    interrupted_calls: int = 0
    resumable_until: float | None = None
    has_lost_sandbox: bool = False


def read(store: Store, run_id: str) -> Shown:
    """Return a run as it is now.

    Raises:
        StoreError: the database cannot be read, or has no such session.
    """
    (run,) = up_to_now(store, [store.run(run_id)])
    is_lost = has_lost_sandbox(run)
    until = None if is_lost else _resumable_until(store, run)
    return Shown(run, interrupted_calls_of(store, run_id), until, is_lost)


def _resumable_until(store: Store, run: RunSummary) -> float | None:
    """Return when the sandbox is removed of a run that this program leaves behind; it is not known
    when another program stopped renewing one."""
    known = store.ownership(run.id)
    if not run.is_resumable or known is None or known.owner != ProcessIdentity.this_process():
        return None
    started = store.events_at(run.id, [1]).get(1)
    settings = started.settings if isinstance(started, RunStarted) else None
    grace = settings.sandbox.get("grace") if settings else None
    seconds = grace if isinstance(grace, int | float) else GRACE_SECONDS
    return time.time() + max(seconds, RESUMABLE_SECONDS)


def lines(runs: Sequence[Shown], width: int) -> Iterator[str]:
    """Yield what is printed about the runs: one in full, several in a line or two each.

    Args:
        runs: in the order in which they started.
        width: columns of the terminal.
    """
    if len(runs) > 1:
        yield from overview_lines(runs, width)
    elif runs:
        yield from outcome_lines(runs[0], width)


def overview_lines(runs: Sequence[Shown], width: int) -> Iterator[str]:
    """Yield how many runs ended in which way, and their task if they have the same; their answers
    and what they took in all; each run with its number, its answer, and its model and task if these
    differ; where the results are; what to do next.

    An answer that has no room beside its run is on a second line. More than `MAX_RUNS` have one
    line for each task and outcome instead.
    The lines fit a terminal of this width, unless it is narrower than a session's id.
    """
    tasks = {shown.run.task for shown in runs}
    outcomes = [outcome_words(shown.run) for shown in runs]
    counted = Counter(outcomes).most_common()
    ended = ", ".join(counted_outcome(words, count) for words, count in counted)
    same_task = f" · {task_line(runs[0].run.task)}" if len(tasks) == 1 else ""
    yield _fitted(f"{len(runs)} runs: {ended}{same_task}", width)
    if totals := _totals(runs, is_one_task=len(tasks) == 1):
        yield _fitted(f"  {totals}", width)
    if len(runs) > MAX_RUNS:
        yield from _grouped_lines([shown.run for shown in runs], width)
    else:
        yield from _lines_of_each(runs, width)
    yield from _results_lines([shown.run for shown in runs], width)
    yield from _next_lines(runs)


def _grouped_lines(runs: Sequence[RunSummary], width: int) -> Iterator[str]:
    """Yield how many runs of each task ended in which way, unless all have the same task, and how
    to list them all."""
    groups = Counter((task_line(run.task), outcome_words(run)) for run in runs)
    counts = [counted_outcome(words, count) for (_, words), count in groups.items()]
    padded = max(map(len, counts))
    if len({run.task for run in runs}) > 1:
        for (task, _), counted in list(zip(groups, counts, strict=True))[:MAX_RUNS]:
            yield _fitted(f"  {counted:<{padded}}  {task}", width)
        if len(groups) > MAX_RUNS:
            yield f"  … {len(groups) - MAX_RUNS} more"
    yield f"  `sandbox-tui sessions ls --limit {len(runs)}` lists them"


def _lines_of_each(runs: Sequence[Shown], width: int) -> Iterator[str]:
    """Yield each run with its number, its answer, and its model and task if these differ."""
    tasks = {shown.run.task for shown in runs}
    models = {shown.run.model for shown in runs}
    outcomes = [outcome_words(shown.run) for shown in runs]
    padded = max(map(len, outcomes))
    answered = (run for run, *_ in runs if run.said or run.answer)
    marked = tasks_with_marks((run.task, bool(run.said)) for run in answered)
    for number, (shown, outcome) in enumerate(zip(runs, outcomes, strict=True), 1):
        run = shown.run
        what = [words] if (words := sample_or_fork_of(run)) else []
        what += [model_title(run.model)] if len(models) > 1 else []
        what += [cut_title(task_line(run.task), MAX_TASK_COLUMNS)] if len(tasks) > 1 else []
        answer = answer_in_list(run, marks_said=run.task in marked)
        result = answer or numbers.counted(run.steps, "step")
        before_id = f"  {number:>{len(str(len(runs)))}}  "
        head = f"{before_id}{run.id}  {outcome:<{padded}}  "
        yield from _run_lines(head, what, result, width, indent=len(before_id))


def _totals(runs: Sequence[Shown], *, is_one_task: bool) -> str:
    """Return the answers of runs of one task, each with its count, and what all runs took."""
    summaries = [shown.run for shown in runs]
    answers = answers_words(answers_of(summaries)) if is_one_task else ""
    tokens = sum(run.input_tokens + run.output_tokens for run in summaries)
    about = any(run.tokens_estimated for run in summaries)
    costs = [run.cost for run in summaries if run.cost is not None]
    ends = [run.ended_at for run in summaries if run.ended_at is not None]
    took = max(ends) - min(run.run_started_at for run in summaries) if ends else 0.0
    parts = [
        answers,
        f"{numbers.tokens(tokens, estimated=about)} tok" if tokens else "",
        numbers.cost(sum(costs)) if costs else "",
        clock(took) if len(ends) == len(summaries) else "",
    ]
    return " · ".join(filter(None, parts))


def _run_lines(
    head: str, what: Sequence[str], result: str, width: int, *, indent: int
) -> Iterator[str]:
    """Yield a run on one line, or with its result on a second one: in the last column if there is
    room, or else below the id, at `indent`. What tells it from the others is on a line of its own
    if it would be cut."""
    room = min(width, MAX_LINE_COLUMNS)
    line = f"{head}{' · '.join([*what, result])}"
    if Text(line).cell_len <= room:
        yield line
        return
    if what and Text(f"{head}{' · '.join(what)}").cell_len > room:
        yield head.rstrip()
        yield from (_fitted(f"{' ' * indent}{words}", width) for words in [*what, result])
        return
    yield f"{head}{' · '.join(what)}".rstrip()
    fits = Text(f"{head}{result}").cell_len <= room
    yield _fitted(f"{' ' * (len(head) if fits else indent)}{result}", width)


def _results_lines(runs: Sequence[RunSummary], width: int) -> Iterator[str]:
    """Yield where the results are: the folder that contains them all, if they are named by the ids,
    or else each folder."""
    folders = {run.id: Path(run.results_dir).absolute() for run in runs if run.results_dir}
    parents = {folder.parent for folder in folders.values()}
    if len(parents) == 1 and all(folder.name == run_id for run_id, folder in folders.items()):
        yield f"  results in {sanitize_line(str(parents.pop()))}/ID"
        return
    if len(folders) > MAX_RUNS:
        yield f"  results in {len(folders)} folders, which `sandbox-tui sessions show ID` names"
        return
    for run_id, folder in folders.items():
        yield f"  results of {run_id} in {sanitize_line(str(folder))}"


def _next_lines(runs: Sequence[Shown]) -> Iterator[str]:
    """Yield the commands that continue with the runs."""
    commands = dict.fromkeys(map(_next, runs))
    for verb, does in commands:
        which = "one of them" if len(commands) == 1 else _ONES[verb]
        times = [shown.resumable_until for shown in runs if shown.resumable_until is not None]
        until = f", {_until(min(times))}" if verb == "resume" and times else ""
        yield f"  `sandbox-tui {verb} ID` {does} {which}{until}"
        if verb == "attach" and sum(_next(shown).verb == verb for shown in runs) > 1:
            yield "  `sandbox-tui attach` opens all detached runs side by side"


def _until(at: float) -> str:
    """Return until when a run can be resumed, with the date unless that is today."""
    local = datetime.datetime.fromtimestamp(at).astimezone()
    today = datetime.datetime.now().astimezone().date()
    return f"until {local:%H:%M:%S}" if local.date() == today else f"until {local:%Y-%m-%d %H:%M}"


def outcome_lines(shown: Shown, width: int) -> Iterator[str]:
    """Yield a few lines: outcome and task, answer, figures, results, and what to do next.

    The first one fits a terminal of this width, and the answer is wrapped at words to it; each
    command is on a line of its own, so that it can be copied.
    """
    run = shown.run
    head = filter(None, (outcome_words(run), sample_or_fork_of(run), task_line(run.task)))
    yield _fitted(" · ".join(head), width)
    result = answer_or_why_none(run)
    answer = result.split("\n") if result else []
    for line in answer[:MAX_ANSWER_LINES]:
        yield from _indented(sanitize_line(line), width)
    if len(answer) > MAX_ANSWER_LINES:
        yield f"  … {len(answer) - MAX_ANSWER_LINES} more lines"
    figures = run_end.figures(
        steps=run.steps,
        calls=run.calls,
        failed_calls=run.failed_calls,
        interrupted_calls=shown.interrupted_calls,
        tokens=run.input_tokens + run.output_tokens,
        estimated=run.tokens_estimated,
        cost=run.cost,
        seconds=run.seconds,
    )
    yield f"  {figures}"
    if run.results_dir:
        files = run_end.result_files(run.results_dir).summary
        yield f"  {files}, in {sanitize_line(str(Path(run.results_dir).absolute()))}"
    yield f"  session {run.id}"
    yield f"  sandbox-tui {_next(shown).verb} {run.id}"
    if shown.has_lost_sandbox:
        yield "  its sandbox is gone: a fork continues in a new one"
    elif shown.resumable_until is not None or run.is_resumable:
        until = shown.resumable_until
        yield f"  resumable {_until(until)}; later:" if until else "  if its sandbox is gone:"
        yield f"  sandbox-tui fork {run.id}"


def _next(shown: Shown) -> NextCommand:
    return next_command(shown.run, has_lost_sandbox=shown.has_lost_sandbox)


_ONES = {
    "attach": "a running one",
    "resume": "one that was cut off",
    "fork": "one whose sandbox is gone",
    "replay": "an ended one",
}
"""The runs that a command applies to."""


def _indented(words: str, width: int) -> list[str]:
    """Return a line indented, and wrapped at words if it is too long."""
    if Text(words).cell_len <= width - 2:
        return [f"  {words}"]
    return [f"  {line}" for line in wrap_cells(words, width - 2, len(words))]


def _fitted(line: str, width: int) -> str:
    """Cut a line to the terminal's width, with an ellipsis if it was cut."""
    text = Text(line)
    fit_line(text, min(width, MAX_LINE_COLUMNS))
    return text.plain
