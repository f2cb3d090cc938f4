"""Shows the app, and afterwards prints how its runs ended."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
    from sandbox_tui.core.config.settings import Settings
    from sandbox_tui.sessions import RunSummary, Store
    from sandbox_tui.tui.lifecycle.first_screen import Begin


class Ended(NamedTuple):
    """The result of showing the app.

    Attributes:
        code: exit code of the program.
        runs: ids of the sessions that it started.
    """

    code: int
    runs: Sequence[str]


def is_terminal() -> bool:
    """Return whether there is a screen, with a user in front of it."""
    return _is_served() or (sys.stdout.isatty() and sys.stdin.isatty())


def _is_served() -> bool:
    """Return whether the terminal is a browser."""
    return "web_driver" in os.environ.get("TEXTUAL_DRIVER", "")


def show(settings: Settings, store: Store, begin: Begin | None) -> Ended:
    """Show the app on the terminal until the user leaves it.

    Raises:
        SandboxTuiError: a run could not start, or could not be recorded.
    """
    from sandbox_tui.tui.terminal_io import emulator_backend as terminal_engine
    from sandbox_tui.tui.terminal_io import image_protocols

    with image_protocols.preparing(settings.ui.images):
        from sandbox_tui.tui.app import SandboxTui
        from sandbox_tui.tui.lifecycle.shutdown import exit_after

        terminal_engine.prepare(settings.ui.terminal_engine)
        app = SandboxTui(settings, store, begin)
    app.shutdown.force_exit = exit_after
    try:
        app.run()
    finally:  # the stream that Textual writes to
        if app.restore_sequence and sys.__stderr__ is not None:
            sys.__stderr__.write(app.restore_sequence)
            sys.__stderr__.flush()
    _give_up_unfinished(store, app.seen)
    if not _is_served():
        _print_outcomes(store, app.seen)
    if app.failure is not None:
        raise app.failure
    return Ended(app.return_code or 0, app.started_ids)


def _give_up_unfinished(store: Store, run_ids: Sequence[str]) -> None:
    """Release the runs of this program that have not ended, which happens after a crash: this
    program is about to end, so they no longer run."""
    from sandbox_tui.core.base.errors import StoreError
    from sandbox_tui.core.base.process_identity import ProcessIdentity

    for run_id in run_ids:
        with contextlib.suppress(StoreError):  # it never began, or cannot be read
            known = store.ownership(run_id)
            is_ours = known is not None and known.owner == ProcessIdentity.this_process()
            if is_ours and store.run(run_id).outcome == "running":
                store.give_up(run_id)


MAX_ANSWER_LINES = 3
"""Lines of each answer that are printed; `sessions show` prints all of it."""
MAX_LINE_COLUMNS = 120

MAX_TASK_COLUMNS = 48
"""Columns of a task in a line with an answer."""

MAX_IN_FULL = 3
"""Runs that are described in full; more of them get one line each."""


def _print_outcomes(store: Store, run_ids: Sequence[str]) -> None:
    """Print the outcome of each run that the screen showed."""
    from sandbox_tui.core.base.errors import StoreError
    from sandbox_tui.sessions.relations.running_summaries import up_to_now
    from sandbox_tui.sessions.store.tables.calls import interrupted_calls_of

    width = shutil.get_terminal_size().columns
    runs: list[RunSummary] = []
    interrupted: list[int] = []
    for run_id in run_ids:
        with contextlib.suppress(StoreError):  # a run that could not start has no session
            (run,), count = (
                up_to_now(store, [store.run(run_id)]),
                interrupted_calls_of(store, run_id),
            )
            runs.append(run)
            interrupted.append(count)
    if len(runs) > MAX_IN_FULL:
        lines = overview_lines(runs, width)
    else:
        found = zip(runs, interrupted, strict=True)
        lines = (line for run, count in found for line in outcome_lines(run, width, count))
    for line in lines:
        click.echo(line)


def overview_lines(runs: Sequence[RunSummary], width: int) -> Iterator[str]:
    """Yield how many runs ended in which way, and their task if they have the same; a line for each
    run, with its task if they differ; and what to do next.

    The lines fit a terminal of this width, unless it is narrower than a session's id.
    """
    from sandbox_tui.tui.format import numbers
    from sandbox_tui.tui.format.answers import answer_line, result_answer
    from sandbox_tui.tui.format.outcome import outcome_words
    from sandbox_tui.tui.format.titles import cut_title, task_line

    differ = len({run.task for run in runs}) > 1
    outcomes = [outcome_words(run) for run in runs]
    counts = Counter(outcomes).most_common()
    ended = ", ".join(f"{count} {outcome}" for outcome, count in counts)
    same_task = "" if differ else f" · {task_line(runs[0].task)}"
    yield _fitted(f"{len(runs)} runs: {ended}{same_task}", width)
    padded = max(len(outcome) for outcome in outcomes)
    for run, outcome in zip(runs, outcomes, strict=True):
        result = answer_line(result_answer(run.outcome, run.answer))
        task = cut_title(task_line(run.task), MAX_TASK_COLUMNS) if differ else ""
        said = " · ".join(
            part for part in (task, result or numbers.counted(run.steps, "step")) if part
        )
        line = f"  {run.id}  {outcome:<{padded}}  {said}"
        yield _fitted(line.rstrip(), width)
    verbs = dict.fromkeys(map(_next_verb, runs))
    for verb in verbs:
        which = "one of them" if len(verbs) == 1 else _ONES[verb]
        yield f"  `sandbox-tui {verb} ID` {'resumes' if verb == 'resume' else 'opens'} {which}"


def _fitted(line: str, width: int) -> str:
    """Cut a line to the terminal's width, with an ellipsis if it was cut."""
    from rich.text import Text

    from sandbox_tui.tui.format.fit_line import fit_line

    text = Text(line)
    fit_line(text, min(width, MAX_LINE_COLUMNS))
    return text.plain


def outcome_lines(run: RunSummary, width: int, interrupted_calls: int = 0) -> Iterator[str]:
    """Yield a few lines: outcome and task, answer, figures, results, and what to do next.

    The first one fits a terminal of this width; the command is on a line of its own if it would
    wrap otherwise, so that it can be copied.
    """
    from sandbox_tui.core.base.sanitize import sanitize_line
    from sandbox_tui.tui.format import run_end
    from sandbox_tui.tui.format.answers import answer_or_why_none
    from sandbox_tui.tui.format.outcome import outcome_words
    from sandbox_tui.tui.format.titles import task_line

    yield _fitted(f"{outcome_words(run)} · {task_line(run.task)}", width)
    result = answer_or_why_none(run)
    answer = result.split("\n") if result else []
    for line in answer[:MAX_ANSWER_LINES]:
        yield f"  {sanitize_line(line)}"
    if len(answer) > MAX_ANSWER_LINES:
        yield f"  … {len(answer) - MAX_ANSWER_LINES} more lines"
    figures = run_end.figures(
        steps=run.steps,
        calls=run.calls,
        failed_calls=run.failed_calls,
        interrupted_calls=interrupted_calls,
        tokens=run.input_tokens + run.output_tokens,
        estimated=run.tokens_estimated,
        cost=run.cost,
        seconds=run.seconds,
    )
    yield f"  {figures}"
    if run.results_dir:
        files = run_end.result_files(run.results_dir).summary
        yield f"  {files}, in {sanitize_line(str(Path(run.results_dir).absolute()))}"
    session, command = f"  session {run.id}", _next_command(run)
    if len(line := f"{session} · {command}") <= width:
        yield line
    else:
        yield session
        yield f"  {command}"


def _next_command(run: RunSummary) -> str:
    """Return the command to continue with."""
    return f"sandbox-tui {_next_verb(run)} {run.id}"


def _next_verb(run: RunSummary) -> str:
    if run.is_resumable:
        return "resume"
    return "attach" if run.outcome == "running" else "replay"


_ONES = {"attach": "a running one", "resume": "one that was cut off", "replay": "an ended one"}
"""The runs that a command applies to."""


def say_how_it_ended(store: Store, ended: Ended) -> None:
    """Print on stderr why runs failed, and each reason once. Runs that the user ended did not fail:
    what is printed about every run says that they were cancelled."""
    from sandbox_tui.core.base.errors import StoreError
    from sandbox_tui.core.base.sanitize import sanitize_line
    from sandbox_tui.tui.format.outcome import outcome_words

    reasons: dict[str, list[str]] = {}
    for run_id in ended.runs if ended.code else ():
        try:
            run = store.run(run_id)
        except StoreError:  # the run ended before anything was recorded
            continue
        if run.error and not _was_ended_by_user(run):
            words = sanitize_line(run.error)
            if run.outcome == "sandbox_error":
                words += f" `sandbox-tui fork {run.id}` continues from there in a new sandbox."
            reasons.setdefault(f"{outcome_words(run)}: {words}", []).append(run.id)
    for reason, ids in reasons.items():
        which = ids[0] if len(ids) == 1 else f"{len(ids)} runs"
        click.echo(f"sandbox-tui: {reason} ({which})", err=True)


def _was_ended_by_user(run: RunSummary) -> bool:
    """Return whether the user ended the run on the screen, which its error then says."""
    return run.outcome == "cancelled" and (run.error or "").startswith("You ")
