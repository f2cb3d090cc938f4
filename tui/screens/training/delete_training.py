"""Deletes a training run, with or without its sessions, after asking."""

from __future__ import annotations

from functools import partial
from typing import Any

from textual.screen import Screen

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunRegistry
from sandbox_tui.sessions.store.tables import rollouts
from sandbox_tui.sessions.store.tables.trainings import TrainingSummary
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import model_title
from sandbox_tui.tui.screens.delete_item import Deletable, ask_and_delete


async def delete_training(screen: Screen[Any], found: TrainingSummary, runs: RunRegistry) -> None:
    """Ask what to delete of a training run, then do so.

    Args:
        screen: the dialog opens over it.
        found: the training run.
        runs: the runs of this program, and the store.
    """
    from sandbox_tui.sessions.rl import delete

    item = Deletable(
        heading="delete a training run",
        question=partial(_question, found),
        sessions=partial(rollouts.sessions_of, runs.store, found.id),
        delete=partial(delete.delete_training, runs.store, found.id),
        delete_with_sessions=partial(delete.delete_with_sessions, runs.store, found.id),
    )
    await ask_and_delete(screen, item, runs)


def _question(found: TrainingSummary, sessions: int) -> str:
    name = sanitize_line(f"{found.name} · {model_title(found.model)}")[:80]
    return (
        f"Delete “{name}” ({found.id}), {numbers.counted(found.steps, 'step')}? Its curves are "
        f"deleted too; the {numbers.counted(sessions, 'session')} of its rollouts are kept "
        "unless you delete them as well. Checkpoints are kept. This cannot be undone."
    )
