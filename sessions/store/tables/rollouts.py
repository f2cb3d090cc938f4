"""The table of rollouts: the sessions of a training run, with their results.

Each change of a row raises its `revision` above all others of its training: readers ask only for
changes since the last read, so a training of 100,000 rollouts costs them no more than a small one.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from sandbox_tui.sessions.store.store import Store

Split = Literal["train", "held_out"]
"""Purpose of a rollout: the policy is trained on it, or only evaluated."""


class Rollout(msgspec.Struct, frozen=True, kw_only=True):
    """One rollout of a training run.

    Attributes:
        run_id: the session that records it.
        step: the optimizer step it belongs to.
        task: id of its task; the rollouts of one task in one step form a group.
        number: its index in the group.
        split: its purpose.
        mode: `sandbox`, or `text` without one.
        began_at, ended_at: seconds since the epoch; `ended_at` is None until it ends.
        reward: None until it ends, or if it has none.
        advantage: relative to its group; None until the trainer has reported it.
        truncated: whether a limit of steps, tokens or time ended it.
        reason: why it ended (`FinishReason`); empty while it runs.
        steps: turns of the policy.
        tool_calls: calls that were run.
        tokens: of all replies.
        seconds: wall-clock time.
    """

    run_id: str
    step: int
    task: str
    number: int
    split: Split = "train"
    mode: str = "sandbox"
    began_at: float = 0.0
    ended_at: float | None = None
    reward: float | None = None
    advantage: float | None = None
    truncated: bool = False
    reason: str = ""
    steps: int = 0
    tool_calls: int = 0
    tokens: int = 0
    seconds: float = 0.0

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.ended_at is not None


_COLUMNS = tuple(field.name for field in msgspec.structs.fields(Rollout))


def begin(store: Store, training_id: str, rollout: Rollout) -> None:
    """Add a rollout that begins.

    Raises:
        StoreError: the write failed.
    """
    with store.transaction() as connection:
        connection.execute(
            f"INSERT INTO rollouts (training_id, revision, {', '.join(_COLUMNS)})"
            f" VALUES (?1, {_NEXT}, {', '.join('?' * len(_COLUMNS))})",
            [training_id, *(getattr(rollout, name) for name in _COLUMNS)],
        )


def finish(store: Store, rollout: Rollout) -> None:
    """Record the result of a rollout; its advantage stays unchanged.

    Raises:
        StoreError: the write failed.
    """
    with store.transaction() as connection:
        connection.execute(
            "UPDATE rollouts SET ended_at = ?, reward = ?, truncated = ?, reason = ?, steps = ?,"
            f" tool_calls = ?, tokens = ?, seconds = ?, revision = {_NEXT_OF_OWN} WHERE run_id = ?",
            [
                *(rollout.ended_at or time.time(), rollout.reward, rollout.truncated),
                *(rollout.reason, rollout.steps, rollout.tool_calls, rollout.tokens),
                *(rollout.seconds, rollout.run_id),
            ],
        )


def set_advantages(
    store: Store, training_id: str, step: int, advantages: Mapping[str, float]
) -> None:
    """Record the advantages of rollouts of a step, by session.

    Raises:
        StoreError: the write failed.
    """
    with store.transaction() as connection:
        connection.executemany(
            f"UPDATE rollouts SET advantage = ?, revision = {_NEXT_OF_OWN}"
            " WHERE run_id = ? AND training_id = ? AND step = ?",
            [(value, run_id, training_id, step) for run_id, value in advantages.items()],
        )


def replace_from(store: Store, training_id: str, from_step: int) -> None:
    """Mark the rollouts from this step on as replaced: they are repeated and no longer count.

    Raises:
        StoreError: the write failed.
    """
    with store.transaction() as connection:
        connection.execute(
            f"UPDATE rollouts SET replaced = 1, revision = {_NEXT} WHERE training_id = ?1"
            " AND step >= ?2 AND replaced = 0",
            [training_id, from_step],
        )


def rollouts_of(store: Store, training_id: str) -> list[Rollout]:
    """Return the rollouts of a training that count, ordered by step, task and number.

    Raises:
        StoreError: the database cannot be read.
    """
    return _rollouts(
        store.rows(
            f"SELECT {', '.join(_COLUMNS)} FROM rollouts WHERE training_id = ? AND replaced = 0"
            " ORDER BY step, split DESC, task, number",
            [training_id],
        )
    )


class Changes(NamedTuple):
    """Changes among the rollouts of a training.

    Attributes:
        rollouts: the changed ones, in their present state.
        replaced: sessions of rollouts that no longer count.
        revision: to pass to the next call.
        more: whether there are more changes.
    """

    rollouts: list[Rollout]
    replaced: list[str]
    revision: int
    more: bool


def changes_since(store: Store, training_id: str, revision: int, limit: int) -> Changes:
    """Return the rollouts that have changed since a revision, at least `limit` of them if there are
    as many.

    Raises:
        StoreError: the database cannot be read.
    """
    rows = store.rows(
        f"SELECT {', '.join(_COLUMNS)}, replaced, revision FROM rollouts WHERE training_id = ?1"
        " AND revision > ?2 AND revision <= coalesce((SELECT revision FROM rollouts"
        " WHERE training_id = ?1 AND revision > ?2 ORDER BY revision LIMIT 1 OFFSET ?3),"
        f" {2**62}) ORDER BY revision",
        [training_id, revision, limit - 1],
    )
    replaced = [str(row["run_id"]) for row in rows if row["replaced"]]
    last = int(rows[-1]["revision"]) if rows else revision
    kept = [row for row in rows if not row["replaced"]]
    return Changes(_rollouts(kept), replaced, last, len(rows) >= limit)


def sessions_of(store: Store, training_id: str) -> list[str]:
    """Return the existing sessions of all rollouts, including those that were replaced.

    Raises:
        StoreError: the database cannot be read.
    """
    rows = store.rows(
        "SELECT run_id FROM rollouts JOIN runs ON runs.id = run_id WHERE training_id = ?"
        " ORDER BY run_id",
        [training_id],
    )
    return [str(row["run_id"]) for row in rows]


_NEXT = "(SELECT coalesce(max(revision), 0) + 1 FROM rollouts WHERE training_id = ?1)"

_NEXT_OF_OWN = (
    "(SELECT max(revision) + 1 FROM rollouts AS others"
    " WHERE others.training_id = rollouts.training_id)"
)


def _rollouts(rows: list[dict[str, Any]]) -> list[Rollout]:
    for row in rows:
        row["truncated"] = bool(row["truncated"])
    return msgspec.convert(rows, list[Rollout])
