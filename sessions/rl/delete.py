"""Deletes training runs, alone or with the sessions of their rollouts."""

from __future__ import annotations

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.sessions.relations.delete_sessions import delete_sessions
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables import rollouts, trainings
from sandbox_tui.sessions.store.tables.trainings import TrainingSummary


def delete_training(store: Store, training_id: str) -> None:
    """Delete a training; its sessions stay.

    Raises:
        ConfigError: a program is working on it.
        StoreError: the write failed.
    """
    refuse_running(trainings.summary(store, training_id))
    trainings.delete(store, training_id)


def delete_with_sessions(store: Store, training_id: str) -> int:
    """Delete a training and the sessions of all its rollouts; return the number of sessions.

    Forks of them stay, and so do sessions that have been resumed and are being recorded.

    Raises:
        ConfigError: a program is working on it.
        StoreError: the write failed. Sessions deleted until then
            stay deleted; the training remains and can be deleted again.
    """
    refuse_running(trainings.summary(store, training_id))
    deleted = delete_sessions(store, rollouts.sessions_of(store, training_id))
    trainings.delete(store, training_id)
    return deleted


def refuse_running(found: TrainingSummary) -> None:
    """Refuse to delete a training that is running.

    Raises:
        ConfigError: a program is working on it.
    """
    if found.running:
        raise ConfigError(
            f"The training run {found.id} is still running: stop it before you delete it."
        )
