"""Deletes an evaluation, with or without its sessions, after asking."""

from __future__ import annotations

from functools import partial
from typing import Any

from textual.screen import Screen

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.sessions.store.tables.evals.eval_sessions import own_sessions
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import model_title
from sandbox_tui.tui.screens.delete_item import Deletable, ask_and_delete

MAX_NAME_CHARS = 80


async def delete_eval(screen: Screen[Any], found: EvalSummary, evals: EvalRegistry) -> None:
    """Ask what to delete of an evaluation, then do so.

    Args:
        screen: the dialog opens over it.
        found: the evaluation.
        evals: the evaluations of this program; the store has the others.
    """
    from sandbox_tui.sessions.evals.delete import delete_evaluation, delete_with_sessions

    store, eval_id = evals.runs.store, found.info.id
    item = Deletable(
        heading="delete an evaluation",
        question=partial(_question, found),
        sessions=partial(own_sessions, store, eval_id),
        delete=partial(delete_evaluation, store, eval_id),
        delete_with_sessions=partial(delete_with_sessions, store, eval_id),
    )
    if await ask_and_delete(screen, item, evals.runs):
        evals.forget(eval_id)


def _question(found: EvalSummary, sessions: int) -> str:
    info = found.info
    name = sanitize_line(f"{info.suite} · {model_title(info.model)}")[:MAX_NAME_CHARS]
    over = f"{found.over} of {numbers.counted(found.samples, 'sample')}"
    kept = (
        f"the {numbers.counted(sessions, 'session')} of its samples are kept unless you delete "
        "them as well"
        if sessions
        else "it has no sessions of its own, and those of another evaluation stay"
    )
    return (
        f"Delete “{name}” ({info.id}), {over} done? Its scores and report are deleted too; {kept}. "
        "This cannot be undone."
    )
