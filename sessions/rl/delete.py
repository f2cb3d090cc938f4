"""Deletes training runs, alone or with the sessions of their rollouts."""

from __future__ import annotations

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.sessions.store.delete_sessions import delete_sessions
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables import rollouts, trainings
from sandbox_tui.sessions.store.tables.trainings import TrainingSummary


def delete_training(store: Store, training_id: str) -> None:
    """Delete a training; its sessions stay.

    Raises:
        StoreError: a program is at work on it, or it could not be written.
    """
    refuse_running(trainings.summary(store, training_id))
    trainings.delete(store, training_id)


def delete_with_sessions(store: Store, training_id: str) -> int:
    """Delete a training and the sessions of all its rollouts; returns how many those were.

    Forks of them stay, and so does a session that somebody has resumed and that is recorded now.

    Raises:
        StoreError: a program is at work on it, or it could not be written; what is deleted by then
            stays deleted, and the training is there to be deleted again.
    """
    refuse_running(trainings.summary(store, training_id))
    deleted = delete_sessions(store, rollouts.sessions_of(store, training_id))
    trainings.delete(store, training_id)
    return deleted


def refuse_running(found: TrainingSummary) -> None:
    """Raise where a program is at work on a training.

    Raises:
        StoreError: saying so.
    """
    if found.running:
        raise StoreError(
            f"The training run {found.id} is still running: stop it before you delete it."
        )
