"""Which runs on the wall belong together: samples of one task, forks of one run that changed
nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sandbox_tui.core.run.run_labels import SAMPLES
from sandbox_tui.sessions import RunWorker
from sandbox_tui.sessions.remote.run_handle import FoldedRun
from sandbox_tui.sessions.store.answers import count_answers, leftover_answer, submitted_answer
from sandbox_tui.tui.format.answers import tasks_with_marks
from sandbox_tui.tui.format.run_end import said_in_submit
from sandbox_tui.tui.widgets.wall.run_facts import mode_words

Numbered = tuple[int, FoldedRun]
"""A run with its number on the wall."""


def grouped(runs: Sequence[Numbered]) -> list[list[Numbered]]:
    """Return the runs in groups, in the order of their first runs; most runs may be alone."""
    by_id = {run.run_id: run for _, run in runs}
    found: dict[str, list[Numbered]] = {}
    for number, run in runs:
        found.setdefault(_group(run, by_id), []).append((number, run))
    return list(found.values())


def groups_of_several(runs: Sequence[Numbered]) -> int:
    """Return the number of groups that have several runs."""
    return sum(len(group) > 1 for group in grouped(runs))


def _group(run: FoldedRun, by_id: Mapping[str, FoldedRun]) -> str:
    parent = _parent(run)
    if _is_changed(run, by_id):
        return f"fork {run.run_id}"
    if parent:
        return f"fork {_eldest(parent, by_id)}"
    labels = run.labels
    if "eval" in labels:
        return f"eval {labels['eval']} {labels.get('task', '')} {labels.get('mode', '')}"
    if SAMPLES in labels:
        return f"samples {labels[SAMPLES]}"
    return f"fork {run.run_id}"


def _parent(run: FoldedRun) -> str:
    """Return the id of the session that a run was forked from; empty if it is no fork."""
    started = run.state.started
    return (started.parent if started is not None else None) or ""


def _eldest(run_id: str, by_id: Mapping[str, FoldedRun]) -> str:
    """Return the oldest ancestor that is known from the runs on the wall."""
    for _ in by_id:
        above = _parent(by_id[run_id]) if run_id in by_id else ""
        if not above or _is_changed(by_id[run_id], by_id):
            break
        run_id = above
    return run_id


def _is_changed(run: FoldedRun, by_id: Mapping[str, FoldedRun]) -> bool:
    """Return whether a fork continues with another model, or with a call that the user edited: its
    answer says nothing about those of the others."""
    started = run.state.started
    if started is None or started.parent is None:
        return False
    parent = by_id.get(started.parent)
    before = parent.state.started if parent is not None else None
    if before is not None and before.model != started.model:
        return True
    edits = (call.decided for call in run.state.calls.values())
    shared = started.parent_seq or 0
    return any(one.verdict == "edit" and one.seq > shared for one in edits if one is not None)


def is_fork(run: FoldedRun) -> bool:
    """Return whether a run continues another; its clock includes the time of that one."""
    return bool(_parent(run))


def model_of(run: FoldedRun) -> str:
    """Return the name of a run's model; empty while it is unknown."""
    if run.state.started is not None:
        return run.state.started.model
    if isinstance(run, RunWorker) and run.request.model is None:
        return run.request.settings.model.name
    return ""


def has_ended(run: FoldedRun) -> bool:
    """Return whether nothing more will come of a run."""
    return run.failure is not None or run.state.finished is not None


def have_ended(runs: Iterable[Numbered]) -> bool:
    """Return whether nothing more will come of any of the runs."""
    return all(has_ended(run) for _, run in runs)


def answer_of(run: FoldedRun) -> str:
    """Return the answer that a run submitted, in a file or only in its call of `submit`; empty
    without one."""
    finished = run.state.finished
    if finished is None:
        return ""
    return submitted_answer(finished.reason, finished.answer) or said_answer_of(run)


def said_answer_of(run: FoldedRun) -> str:
    """Return the answer that a run gave only in its call of `submit`; empty if it gave none there,
    or in its file too."""
    finished = run.state.finished
    if finished is None or finished.reason != "submitted" or (finished.answer or "").strip():
        return ""
    return said_in_submit(run.state)


def differ_in_where(runs: Iterable[FoldedRun]) -> bool:
    """Return whether some runs wrote their answers to the file, and others only said them in their
    calls of `submit`."""
    return len({bool(said_answer_of(run)) for run in runs if answer_of(run)}) > 1


def tasks_marked(runs: Iterable[FoldedRun]) -> set[str]:
    """Return the tasks of which only some runs wrote their answers to the file."""
    answered = (run for run in runs if answer_of(run))
    return tasks_with_marks((run.task, bool(said_answer_of(run))) for run in answered)


def leftover_of(run: FoldedRun) -> str:
    """Return the answer that a run wrote but did not submit; empty without one."""
    finished = run.state.finished
    return leftover_answer(finished.reason, finished.answer) if finished else ""


def votes_in(runs: Sequence[Numbered]) -> dict[str, str]:
    """Return how many runs of its group agree with the answer of each run, in words, by run id;
    nothing for a group with fewer than two answers."""
    found: dict[str, str] = {}
    for group in grouped(runs):
        answers = dict(count_answers(answer_of(run) for _, run in group))
        total = sum(answers.values())
        if total < 2:
            continue
        for _, run in group:
            if answer := answer_of(run):
                found[run.run_id] = _vote(answers[answer], total, max(answers.values()))
    return found


def _vote(count: int, total: int, most: int) -> str:
    if count == total:
        return f"all {total} agree"
    return f"{count} of {total} agree" if count == most > 1 else f"only {count} of {total}"


def shared_task(runs: Sequence[Numbered]) -> str:
    """Return the task of all runs; empty if they differ."""
    tasks = {run.task for _, run in runs}
    return tasks.pop() if len(tasks) == 1 else ""


def shared_model(runs: Sequence[Numbered]) -> str:
    """Return the model of all runs whose model is known; empty if they differ."""
    models = models_of(runs)
    return models[0] if len(models) == 1 else ""


def shared_mode(runs: Sequence[Numbered]) -> str:
    """Return the mode of all active runs, in words; empty if they differ."""
    modes = set(filter(None, (mode_words(run) for _, run in runs)))
    return modes.pop() if len(modes) == 1 else ""


def models_of(runs: Sequence[Numbered]) -> list[str]:
    """Return the models of runs, in the order in which they first appear."""
    return list(dict.fromkeys(filter(None, (model_of(run) for _, run in runs))))
