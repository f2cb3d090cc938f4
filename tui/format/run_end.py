"""Describes the end of a run: its figures, the files of its results, and an answer that is only in
its call of `submit`, although that takes none."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from sandbox_tui.core.base.durations import clock
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.tool_names import SUBMIT
from sandbox_tui.core.events.run_state import CallItem, NoteItem, RunState
from sandbox_tui.core.run.results import NOT_COPIED as RESULTS_LEFT
from sandbox_tui.sessions.store.answers import answer_in_call, other_answer_in_call
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.answers import said_words, short_answer, with_other

MAX_LISTED_FILES = 1_000
"""Maximum number of files counted in a results folder, which may contain a repository."""

NO_FILES = "no files in output/"
NOT_COPIED = "output/ was not copied out"


class ResultFiles(NamedTuple):
    """The contents of a results folder.

    Attributes:
        files: path below the folder and size in bytes, sorted by path.
        complete: whether these are all files.
    """

    files: tuple[tuple[str, int], ...] = ()
    complete: bool = True

    @property
    def summary(self) -> str:
        """The number of files and their total size; `no files` if there are none."""
        if not self.files:
            return "no files"
        total = numbers.size(sum(size for _, size in self.files))
        least = "" if self.complete else "more than "
        return f"{least}{numbers.counted(len(self.files), 'file')}, {total}"

    @property
    def listing(self) -> str:
        """Each file with its size, on one line."""
        return " · ".join(
            f"{sanitize_line(name)} {numbers.size(size)}" for name, size in self.files
        )


def result_files(folder: str) -> ResultFiles:
    """Return the files of a results folder; none if it does not exist or cannot be read."""
    found: list[tuple[str, int]] = []
    for parent, _, names in os.walk(folder):
        for name in names:
            path = Path(parent, name)
            try:
                found.append((str(path.relative_to(folder)), path.lstat().st_size))
            except OSError:
                continue
            if len(found) == MAX_LISTED_FILES:
                return ResultFiles(tuple(sorted(found)), complete=False)
    return ResultFiles(tuple(sorted(found)))


def figures(
    *,
    steps: int,
    calls: int,
    failed_calls: int,
    interrupted_calls: int = 0,
    tokens: int,
    estimated: bool,
    cost: float | None,
    seconds: float,
) -> str:
    """Format steps, calls, tokens and cost if known, and time, on one line.

    Without tokens there was no reply, or a recording of another kind does not say how many.
    """
    counts = {"failed": failed_calls, "interrupted": interrupted_calls}
    ended = "".join(f", {count} {word}" for word, count in counts.items() if count)
    parts = [
        numbers.counted(steps, "step"),
        f"{numbers.counted(calls, 'call')}{ended}",
        *([f"{numbers.tokens(tokens, estimated=estimated)} tok"] if tokens else []),
        *([numbers.cost(cost)] if cost is not None else []),
        clock(seconds),
    ]
    return " · ".join(parts)


def calls_in_full(calls: int, failed: int, interrupted: int) -> str:
    """Format how many calls a run made, and how many of them failed or were interrupted, which is
    not the same."""
    return f"{calls}, {failed} failed" + (f", {interrupted} interrupted" if interrupted else "")


def without_files(state: RunState) -> str:
    """Return why a finished run has no results folder: they could not be copied there; or it is a
    sample of an evaluation, or an attempt of training, which may have files in `output/`, but
    nobody asked for them."""
    failed = next((text for text in _last_notes(state) if text.startswith(RESULTS_LEFT)), "")
    if failed:
        return f"results were not copied out: {failed.removeprefix(RESULTS_LEFT)}"
    started = state.started
    if started is None or started.settings is None or started.sandbox in ("", "none"):
        return NO_FILES
    return NO_FILES if started.settings.output is not None else NOT_COPIED


def _last_notes(state: RunState) -> Iterator[str]:
    """Yield the notes at the end, from the last one; a long replay reads no other items for it."""
    for item in reversed(state.items):
        if not isinstance(item, NoteItem):
            return
        yield item.text


def said_in_submit(state: RunState) -> str:
    """Return the answer in the call of `submit` of the last step; empty if there is none."""
    found = _last_submit(state)
    return "" if found is None else answer_in_call(found.arguments)


def said_otherwise(state: RunState) -> str:
    """Return the answer in the call of `submit` of a run that submitted another one in its file;
    empty if they agree, or either is missing."""
    finished, found = state.finished, _last_submit(state)
    if finished is None or finished.reason != "submitted" or found is None:
        return ""
    return other_answer_in_call(found.arguments, finished.answer)


def said_words_at_end(state: RunState) -> str:
    """Return what to say at the end of a run about the answer in its call of `submit`: that it is
    only there, or that the file holds another; empty if there is nothing to say."""
    answer = None if state.finished is None else state.finished.answer
    if (answer or "").strip():
        return with_other("", said_otherwise(state)).strip()
    said = said_in_submit(state)
    return said_words(said, answer) if said else ""


def otherwise_words(state: RunState) -> str:
    """Return what the call of `submit` said in place of the answer in the file, in a few words."""
    said = said_otherwise(state)
    return f"submit said {short_answer(said)}" if said else ""


def _last_submit(state: RunState) -> CallItem | None:
    calls = (item for item in reversed(state.items) if isinstance(item, CallItem))
    last = next(calls, None)
    if last is None:
        return None
    of_step = takewhile(lambda call: call.call.step == last.call.step, calls)
    return next((call for call in (last, *of_step) if call.call.name == SUBMIT), None)


def said_count_words(count: int) -> str:
    """Return how many answers are only in calls of `submit`; empty if none is."""
    return f"{numbers.counted(count, 'answer')} only said in submit" if count else ""
