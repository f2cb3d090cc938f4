"""The tables of training runs: their description, and the metrics of their steps.

A training belongs to the program that trains. Programs on the same machine recognise it by its
process, programs on other machines by its heartbeat.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from sandbox_tui.core.base.errors import ResumeRefused
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.sessions.store.row_by_name import NamedRows
from sandbox_tui.sessions.store.store import Store

HOW_TO_START = "`sandbox-tui rl train RECIPE` starts one"
NO_TRAINING = f"There are no training runs yet: {HOW_TO_START}."

MAX_BEAT_AGE_SECONDS = 60.0
"""Maximum age of the heartbeat of a program on another machine before it counts as ended."""

TrainingStatus = Literal["running", "finished", "stopped", "failed", "interrupted"]
"""Status of a training; `interrupted` means that its program ended without reporting why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSummary:
    """Summary of a training run.

    Attributes:
        id: sortable by time, like a session's.
        name: human-readable name.
        engine: the training library: `trl`, `verl` and so on.
        model: the model being trained.
        seed: of the training, or None.
        recipe: the contents of its recipe file.
        began_at, ended_at: seconds since the epoch; `ended_at` is None while the training runs or
            if it was interrupted.
        status: its current status.
        error: why it failed or was stopped, as a sentence; otherwise empty.
        steps: number of finished optimizer steps.
        last_step: number of the last finished step; -1 if there is none.
        last_step_at: when the last step ended, in seconds since the epoch; 0 if there is none.
        rollouts: number started, without those that were replaced after a resume.
        mean_reward: of the training rollouts in the last finished step, or None.
    """

    id: str
    name: str
    engine: str
    model: str
    seed: int | None
    recipe: dict[str, Any]
    began_at: float
    ended_at: float | None
    status: TrainingStatus
    error: str
    steps: int
    last_step: int
    last_step_at: float
    rollouts: int
    mean_reward: float | None

    @property
    def running(self) -> bool:
        """Whether a program is working on it now."""
        return self.status == "running"


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """A finished optimizer step.

    Attributes:
        step: its number.
        metrics: measured by the trainer, such as `reward`, `held_out_reward` and `loss`.
        ended_at: seconds since the epoch.
    """

    step: int
    metrics: dict[str, float]
    ended_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTraining:
    """The fields of a new training; see `TrainingSummary`."""

    id: str
    name: str
    engine: str
    model: str
    seed: int | None
    recipe: Mapping[str, Any]


def create(store: Store, training: NewTraining) -> None:
    """Add a training run, which belongs to this program.

    Raises:
        StoreError: the write failed.
    """
    now = time.time()
    with store.transaction() as connection:
        connection.execute(
            "INSERT INTO trainings (id, name, engine, model, seed, recipe, began_at, status, error,"
            " beat_at, owner_pid, owner_started, owner_host)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, 'running', '', ?, ?, ?, ?)",
            [
                *(training.id, training.name, training.engine, training.model, training.seed),
                *(msgspec.json.encode(training.recipe).decode(), now, now),
                *ProcessIdentity.this_process(),
            ],
        )


def take_ownership(store: Store, training_id: str) -> None:
    """Make this program the owner of a training, which becomes running again.

    Raises:
        ResumeRefused: another program is running it.
        StoreError: there is no such training, or the write failed.
    """
    me = ProcessIdentity.this_process()
    with store.transaction() as connection:
        found = summary(store, training_id)
        owner = _owner(store, found.id)
        if found.running and owner != me:
            raise ResumeRefused(
                f"Another program (process {owner.pid} on {owner.host_name}) is running the "
                f"training run {found.id}. `sandbox-tui rl watch {found.id}` follows it."
            )
        connection.execute(
            "UPDATE trainings SET owner_pid = ?, owner_started = ?, owner_host = ?, beat_at = ?,"
            " ended_at = NULL, status = 'running', error = '' WHERE id = ?",
            [*me, time.time(), found.id],
        )


def record_heartbeat(store: Store, training_id: str) -> None:
    """Record a heartbeat of the program that trains.

    Raises:
        StoreError: the write failed.
    """
    with store.transaction() as connection:
        connection.execute(
            "UPDATE trainings SET beat_at = ? WHERE id = ?", [time.time(), training_id]
        )


def finish(store: Store, training_id: str, status: TrainingStatus, error: str = "") -> None:
    """Record how a training ended.

    Raises:
        StoreError: the write failed.
    """
    with store.transaction() as connection:
        connection.execute(
            "UPDATE trainings SET status = ?, error = ?, ended_at = ? WHERE id = ?",
            [status, error, time.time(), training_id],
        )


def finish_step(store: Store, training_id: str, step: int, metrics: Mapping[str, float]) -> None:
    """Store the finite metrics of a step, replacing earlier ones of the same step.

    Raises:
        StoreError: the write failed.
    """
    kept = {name: float(value) for name, value in metrics.items() if math.isfinite(value)}
    with store.transaction() as connection:
        connection.execute(
            "INSERT OR REPLACE INTO training_steps (training_id, step, metrics, ended_at)"
            " VALUES (?, ?, ?, ?)",
            [training_id, step, msgspec.json.encode(kept).decode(), time.time()],
        )


def forget_steps(store: Store, training_id: str, from_step: int) -> None:
    """Delete the metrics of this step and of later ones, which will be repeated.

    Raises:
        StoreError: the write failed.
    """
    with store.transaction() as connection:
        connection.execute(
            "DELETE FROM training_steps WHERE training_id = ? AND step >= ?",
            [training_id, from_step],
        )


def steps_of(store: Store, training_id: str) -> list[TrainingStep]:
    """Return the finished steps of a training, in order.

    Raises:
        StoreError: the database cannot be read.
    """
    rows = store.rows(
        "SELECT step, metrics, ended_at FROM training_steps WHERE training_id = ? ORDER BY step",
        [training_id],
    )
    return [
        TrainingStep(
            row["step"],
            msgspec.json.decode(row["metrics"], type=dict[str, float]),
            row["ended_at"],
        )
        for row in rows
    ]


def summaries(store: Store, limit: int = 100) -> list[TrainingSummary]:
    """Training runs, newest first.

    Raises:
        StoreError: the database cannot be read.
    """
    return [_summary(row) for row in store.rows(f"{_SUMMARIES} {_NEWEST_FIRST} LIMIT ?", [limit])]


def summaries_of(store: Store, ids: Sequence[str]) -> list[TrainingSummary]:
    """Return these training runs, newest first; deleted ones are left out.

    Raises:
        StoreError: the database cannot be read.
    """
    marks = ", ".join("?" * len(ids))
    rows = store.rows(f"{_SUMMARIES} WHERE id IN ({marks}) {_NEWEST_FIRST}", list(ids))
    return [_summary(row) for row in rows]


def summary(store: Store, name: str = "last", *, strict: bool = False) -> TrainingSummary:
    """Return the training with this id, or a part of it; `last` is the newest.

    Args:
        store: the database.
        name: the id, or a part of it.
        strict: for irreversible actions: accept only the id, or at least `MIN_PREFIX`
            characters that it starts or ends with.

    Raises:
        StoreError: no training matches, or more than one.
    """
    return _summary(_TRAININGS.find(store, name, strict=strict))


def delete(store: Store, training_id: str) -> None:
    """Delete a training; its sessions stay.

    Raises:
        StoreError: the write failed.
    """
    with store.transaction() as connection:
        connection.execute("DELETE FROM trainings WHERE id = ?", [training_id])


_LAST_STEP = "(SELECT max(step) FROM training_steps WHERE training_id = trainings.id)"

_SUMMARIES = (
    "SELECT *, (SELECT count(*) FROM training_steps WHERE training_id = trainings.id AND step > 0)"
    " AS steps,"
    f" coalesce({_LAST_STEP}, -1) AS last_step,"
    " coalesce((SELECT max(ended_at) FROM training_steps WHERE training_id = trainings.id), 0.0)"
    " AS last_step_at,"
    " (SELECT count(*) FROM rollouts WHERE training_id = trainings.id AND replaced = 0)"
    " AS rollouts,"
    " (SELECT avg(reward) FROM rollouts WHERE training_id = trainings.id AND replaced = 0"
    f" AND split = 'train' AND step = {_LAST_STEP}) AS mean_reward FROM trainings"
)

_NEWEST_FIRST = "ORDER BY began_at DESC, id DESC"

_TRAININGS = NamedRows(
    query=_SUMMARIES,
    order=_NEWEST_FIRST,
    noun="training run",
    title="name",
    command="sandbox-tui rl ls",
    nothing=NO_TRAINING,
)


def _summary(row: dict[str, Any]) -> TrainingSummary:
    kept = row["status"]
    return TrainingSummary(
        id=row["id"],
        name=row["name"],
        engine=row["engine"],
        model=row["model"],
        seed=row["seed"],
        recipe=msgspec.json.decode(row["recipe"], type=dict[str, Any]),
        began_at=row["began_at"],
        ended_at=row["ended_at"],
        status="interrupted" if kept == "running" and not _is_alive(row) else kept,
        error=row["error"],
        steps=row["steps"],
        last_step=row["last_step"],
        last_step_at=row["last_step_at"],
        rollouts=row["rollouts"],
        mean_reward=row["mean_reward"],
    )


def _is_alive(row: dict[str, Any]) -> bool:
    """Return whether a training's program is alive: by its process on this machine, else by its
    heartbeat."""
    owner = ProcessIdentity(row["owner_pid"], row["owner_started"], row["owner_host"])
    if owner.here:
        return owner.alive
    return owner.alive and time.time() - row["beat_at"] < MAX_BEAT_AGE_SECONDS


def _owner(store: Store, training_id: str) -> ProcessIdentity:
    row = store.rows(
        "SELECT owner_pid, owner_started, owner_host FROM trainings WHERE id = ?", [training_id]
    )[0]
    return ProcessIdentity(row["owner_pid"], row["owner_started"], row["owner_host"])
