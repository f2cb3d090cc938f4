"""The question before sessions are deleted."""

from __future__ import annotations

from collections.abc import Sequence

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.relations.session_detail import results_folder
from sandbox_tui.sessions.store.maintenance import bytes_of_run
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import cut_title, numbered_title, task_title

MAX_NAMED = 5
"""Maximum number of titles that the question names."""

MAX_TITLE = 80
"""Maximum length of a title, in columns."""


def delete_question(
    store: Store, runs: Sequence[RunSummary], running: int = 0, *, are_marked: bool = False
) -> str:
    """Return the question whether to delete sessions: which ones, how much that frees, and what
    stays.

    Args:
        store: the database.
        runs: what would be deleted; at least one session.
        running: number of chosen sessions that are running, which stay.
        are_marked: whether they are the marked sessions, not the one under the cursor.

    Raises:
        StoreError: the database cannot be read.
    """
    room = numbers.size(sum(bytes_of_run(store, run.id) for run in runs))
    stays = [_forks(store, runs), _folders(store, runs)]
    if running:
        stays.append(f"{running} more {'is' if running == 1 else 'are'} running and kept.")
    rest = " ".join([*(one for one in stays if one), "This cannot be undone."])
    if len(runs) == 1:
        which = "the marked session " if are_marked else ""
        return f"Delete {which}{_name(runs[0])}, about {room} on disk? {rest}"
    which = f"the {len(runs)} marked sessions" if are_marked else f"{len(runs)} sessions"
    return "\n".join([f"Delete {which}, about {room} on disk?", *_names(runs), rest])


def _names(runs: Sequence[RunSummary]) -> list[str]:
    """Name the sessions, one line for those with one title, such as samples of a task."""
    by_title: dict[str, list[RunSummary]] = {}
    for run in runs:
        by_title.setdefault(task_title(run), []).append(run)
    shown = list(by_title.values())[:MAX_NAMED]
    left = len(runs) - sum(map(len, shown))
    names = [
        _name(same[0]) if len(same) == 1 else f"{len(same)} × “{_title(same[0])}”" for same in shown
    ]
    return [*names, *([f"… and {left} more"] if left else [])]


def _name(run: RunSummary) -> str:
    return f"“{cut_title(numbered_title(run), MAX_TITLE)}” ({sanitize_line(run.id)})"


def _title(run: RunSummary) -> str:
    return cut_title(task_title(run), MAX_TITLE)


def _forks(store: Store, runs: Sequence[RunSummary]) -> str:
    """Say how many forks of these sessions stay."""
    chosen = {run.id for run in runs}
    forks = sum(store.fork_count(run.id) for run in runs) - sum(r.parent in chosen for r in runs)
    if forks <= 0:
        return ""
    its = "Its" if len(runs) == 1 else "Their"
    return f"{its} fork is kept." if forks == 1 else f"{its} {forks} forks are kept."


def _folders(store: Store, runs: Sequence[RunSummary]) -> str:
    """Say that the folders with the results stay, if there are any."""
    folders = [results_folder(store, run) for run in runs]
    found = [folder for folder in folders if folder is not None and folder.is_dir()]
    if not found:
        return ""
    if len(runs) == 1:
        return f"Its files in {sanitize_line(str(found[0]))} are kept."
    return "The folders with their results are kept."
