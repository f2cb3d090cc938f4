"""Why actions on the sessions of the home screen are not available."""

from __future__ import annotations

from collections.abc import Sequence

from sandbox_tui.sessions import RunSummary
from sandbox_tui.sessions.relations.listing import EvalRow, Row, SamplesRow, TrainingRow
from sandbox_tui.sessions.store.run_summary import NO_CONVERSATION
from sandbox_tui.tui.format.evals.resuming import why_not_resumed
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.screens.home.rows.session_opener import can_compare
from sandbox_tui.tui.screens.home.search_sessions import SessionFinder
from sandbox_tui.tui.widgets.sessions.session_list import SessionList

_OF_ONE = frozenset(
    ("resume", "rename", "export", "fork", "run_again", "note", "copy_id", "folder")
)
"""Actions on the session under the cursor."""

_OF_SESSIONS = _OF_ONE | {"tags", "delete", "mark"}

NEED_SESSIONS = _OF_SESSIONS | {"compare", "details", "order", "replay", "wall"}
"""Actions on what is listed: until the sessions have been read, nothing can be said about them."""

_NONE = "no session is chosen"


def why_unavailable_here(
    action: str,
    shown: SessionList,
    chosen: Sequence[RunSummary],
    search: SessionFinder,
    lost: str = "",
) -> str:
    """Return why an action on sessions is not available; empty if it is.

    Args:
        action: its name.
        shown: the list.
        chosen: the sessions that an action on several would change.
        search: the search through the sessions.
        lost: id of the session that cannot be resumed because its sandbox is gone; empty if none.
    """
    run = search.session_here if search.shows_hits else shown.current
    row = shown.current_row
    if action == "resume" and isinstance(row, EvalRow) and not search.shows_hits:
        return why_not_resumed(row.summary)
    if action == "export" and isinstance(row, EvalRow) and not search.shows_hits:
        return ""  # the report of the evaluation
    if action in _OF_SESSIONS and not chosen and not search.shows_hits:
        words = _of_another_row(action, row)
        if words:
            return words
    match action:
        case "back":
            return "" if shown.marked or search.is_open else "no session is marked"
        case "compare":
            return _why_not_compared(shown, run, search)
        case "mark" if search.shows_hits:
            return "sessions are marked in the list"
        case "mark":
            has_any = run or isinstance(row, SamplesRow)
            return "" if has_any else _of_another_row("mark", row) or _NONE
        case "export" if (shown.marked or isinstance(row, SamplesRow)) and not search.shows_hits:
            return ""
        case "tags":
            return "" if chosen else _NONE
        case "delete" if not chosen and isinstance(row, (EvalRow, TrainingRow)):
            return ""
        case "delete":
            return _why_not_deleted(chosen)
        case "resume" if run is not None:
            if run.is_resumable and run.id == lost:
                return f"this session's sandbox is gone; {hint('home.fork')} forks it"
            return "" if run.is_resumable else _why_not_resumed(run)
        case "folder" if run is not None:
            has_folder = run.results_dir and not run.imported
            return "" if has_folder else "this session left no files on this machine"
        case "fork" if run is not None:
            return _why_not_forked(run)
        case "run_again" if run is not None:
            return "" if run.has_conversation else NO_CONVERSATION
        case "order" if search.shows_hits:
            return "the best matches come first"
        case "details" | "replay":
            return "" if run or shown.current_row else _NONE
        case _ if action in _OF_ONE and run is None:
            return _NONE if search.shows_hits else _why_no_session(shown)
        case _:
            return ""


def _of_another_row(action: str, row: Row | None) -> str:
    """Return why an action on sessions does not work on an evaluation or a training run, and what
    to do instead; empty for other rows."""
    match row:
        case EvalRow(summary=found):
            what = "an evaluation"
        case TrainingRow(summary=found):
            what = "a training run"
        case _:
            return ""
    if action == "delete":
        return f"{what} that is running cannot be deleted" if found.running else ""
    if action == "mark":
        return f"{what} cannot be marked: {hint('home.open')} lists its sessions"
    return f"this is {what}: {hint('home.open')} lists its sessions"


def _why_not_forked(run: RunSummary) -> str:
    if not run.has_conversation:
        return NO_CONVERSATION
    return "" if is_at_rest(run) else "this session is running"


def is_at_rest(run: RunSummary) -> bool:
    """Return whether no program on this host is recording a session: it can be forked, deleted."""
    return run.outcome != "running" or bool(run.elsewhere)


def _why_not_compared(shown: SessionList, run: RunSummary | None, search: SessionFinder) -> str:
    marked = shown.marked
    if can_compare(marked, run):
        return ""
    if not (search.shows_hits or marked) and isinstance(shown.current_row, EvalRow):
        return "" if shown.evaluation_count > 1 else "there is only one evaluation"
    if search.shows_hits:
        return "sessions are marked in the list"
    if len(marked) > 2:
        return "more than two sessions are marked"
    if run is None:
        return _of_another_row("compare", shown.current_row) or _why_no_session(shown)
    return "move to the other session" if marked else ""


def _why_not_deleted(chosen: Sequence[RunSummary]) -> str:
    if any(map(is_at_rest, chosen)):
        return ""
    if not chosen:
        return _NONE
    if len(chosen) == 1:
        return "this session is running: end it where it runs"
    return "these sessions are running: end them where they run"


def _why_no_session(shown: SessionList) -> str:
    row = shown.current_row
    if not isinstance(row, SamplesRow):
        return _NONE
    opens = f"open the group first ({hint('list.open')})"
    return "choose one of its samples" if row.is_open else opens


def _why_not_resumed(run: RunSummary) -> str:
    words = "this session was not interrupted"
    return f"{words}; {hint('home.run_again')} runs it again" if run.has_conversation else words
