"""Tool calls of a run, and what its replies used, read from the tables `calls` and `steps`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from sandbox_tui.core.base.tool_names import SUBMIT
from sandbox_tui.sessions.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRow:
    """A tool call.

    Attributes:
        number: 1, 2, 3 ... within the run.
        step: the step it belongs to.
        tool: name, as the model wrote it.
        arguments: JSON text; the user's version if they were edited.
        verdict: the decision about it; None while it is pending.
        decided_by: who decided: `human`, `policy` or `auto`; None while it is pending.
        proposed_arguments: JSON text of the model's version if they were edited; otherwise None.
        ok, exit_code: of its observation; None without one.
        timed_out: whether its time limit ended it.
        interrupted: whether the user ended it, or it was lost with its program.
        observation: empty without one.
        duration: seconds; 0 without an observation.
        seq: number of the event with its observation, or of its proposal without one.
    """

    number: int
    step: int
    tool: str
    arguments: str
    verdict: str | None
    decided_by: str | None
    proposed_arguments: str | None
    ok: bool | None
    exit_code: int | None
    timed_out: bool
    interrupted: bool
    observation: str
    duration: float
    seq: int


_COLUMNS = (
    "number, step, tool, arguments, verdict, decided_by, proposed_arguments, ok, exit_code,"
    " timed_out, interrupted, observation, duration,"
    " coalesce(finished_seq, proposed_seq) AS seq"
)


def submit_arguments(database: Database, run_ids: Sequence[str]) -> dict[str, str]:
    """Return the arguments of each run's last call of `submit`, by run."""
    marks = ", ".join("?" * len(run_ids))
    rows = database.rows(
        f"SELECT run_id, arguments FROM calls WHERE run_id IN ({marks}) AND tool = ?"
        " AND proposed_seq IS NOT NULL ORDER BY proposed_seq",
        [*run_ids, SUBMIT],
    )
    return {row["run_id"]: row["arguments"] for row in rows}


def calls_of(database: Database, run_id: str) -> list[CallRow]:
    """Return the tool calls of a run, in the order in which they were proposed."""
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM calls WHERE run_id = ? AND proposed_seq IS NOT NULL"
        " ORDER BY proposed_seq",
        [run_id],
    )
    return [_call(row) for row in rows]


def first_unfinished_call(database: Database, run_id: str) -> int | None:
    """Return the number of the event that proposed the first allowed call without an observation;
    None if there is none."""
    query = (
        "SELECT min(proposed_seq) AS first FROM calls"
        " WHERE run_id = ? AND ok IS NULL AND verdict IN ('approve', 'edit')"
    )
    first = database.rows(query, [run_id])[0]["first"]
    return None if first is None else int(first)


def interrupted_calls_of(database: Database, run_id: str) -> int:
    """Return how many calls of a run were interrupted, which do not count as failed."""
    query = "SELECT count(*) AS found FROM calls WHERE run_id = ? AND interrupted"
    return int(database.rows(query, [run_id])[0]["found"])


def last_call_of(database: Database, run_id: str) -> CallRow | None:
    """Return the most recently proposed tool call of a run."""
    return next(iter(newest_calls_of(database, run_id, 1)), None)


def newest_calls_of(database: Database, run_id: str, limit: int) -> list[CallRow]:
    """Return the most recently proposed tool calls of a run, newest first."""
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM calls WHERE run_id = ? AND proposed_seq IS NOT NULL"
        " ORDER BY proposed_seq DESC LIMIT ?",
        [run_id, limit],
    )
    return [_call(row) for row in rows]


def call_of(database: Database, run_id: str, number: int) -> CallRow | None:
    """Return a tool call of a run by its number."""
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM calls WHERE run_id = ? AND number = ?"
        " AND proposed_seq IS NOT NULL",
        [run_id, number],
    )
    return _call(rows[0]) if rows else None


def proposals_of(database: Database, run_id: str) -> list[tuple[int, int]]:
    """Return the number of each call of a run with that of the event that proposed it, in order."""
    rows = database.rows(
        "SELECT number, proposed_seq FROM calls WHERE run_id = ? AND proposed_seq IS NOT NULL"
        " ORDER BY proposed_seq",
        [run_id],
    )
    return [(int(row["number"]), int(row["proposed_seq"])) for row in rows]


def replies_of(database: Database, run_id: str) -> dict[int, int]:
    """Return the number of the event with the reply of each step of a run."""
    rows = database.rows("SELECT number, seq FROM steps WHERE run_id = ?", [run_id])
    return {int(row["number"]): int(row["seq"]) for row in rows}


class Spent(NamedTuple):
    """Seconds on the run's clock, tokens of replies, and their cost in US dollars; None if the
    price is unknown."""

    seconds: float
    input_tokens: int
    output_tokens: int
    cost: float | None


def spent_before_forks(database: Database, run_ids: Sequence[str]) -> dict[str, Spent]:
    """Return what each of these forks took over from its parent, in one query."""
    rows = database.rows(
        "SELECT r.id AS fork,"
        " (SELECT t FROM events WHERE run_id = r.id AND seq = r.parent_seq) AS seconds,"
        " coalesce(sum(s.input_tokens), 0) AS tokens_in,"
        " coalesce(sum(s.output_tokens), 0) AS tokens_out, sum(s.cost) AS cost"
        " FROM json_each(?) given JOIN runs r ON r.id = given.value"
        " LEFT JOIN steps s ON s.run_id = r.id AND s.seq <= r.parent_seq GROUP BY r.id",
        [msgspec.json.encode(run_ids).decode()],
    )
    return {
        str(row["fork"]): Spent(
            row["seconds"] or 0.0, int(row["tokens_in"]), int(row["tokens_out"]), row["cost"]
        )
        for row in rows
    }


class ForkChange(NamedTuple):
    """What a fork did first, apart from asking its model.

    Attributes:
        message: sent before the model was asked; empty for none.
        call: number of the first call of its own; 0 without one.
        step, tool: of that call.
        arguments, proposed: of that call, if they were edited; otherwise empty.
        parent_model: name of its parent's model; empty if the parent was deleted.
    """

    message: str
    call: int
    step: int
    tool: str
    arguments: str
    proposed: str
    parent_model: str


def changes_of_forks(database: Database, run_ids: Sequence[str]) -> dict[str, ForkChange]:
    """Return what each of these forks did first, in one query."""
    rows = database.rows(
        "SELECT r.id AS fork, p.model AS parent_model, c.number, c.step, c.tool, c.arguments,"
        " c.proposed_arguments, (SELECT m.text FROM messages m WHERE m.run_id = r.id"
        " AND m.kind = 'message' AND m.seq > r.parent_seq AND m.seq < coalesce("
        "(SELECT min(a.seq) FROM events a WHERE a.run_id = r.id AND a.kind = 'ModelAsked'"
        " AND a.seq > r.parent_seq), m.seq + 1) ORDER BY m.seq LIMIT 1) AS message"
        " FROM json_each(?) given JOIN runs r ON r.id = given.value"
        " LEFT JOIN runs p ON p.id = r.parent"
        " LEFT JOIN calls c ON c.id = (SELECT id FROM calls WHERE run_id = r.id"
        " AND proposed_seq > r.parent_seq ORDER BY proposed_seq LIMIT 1)",
        [msgspec.json.encode(run_ids).decode()],
    )
    return {
        str(row["fork"]): ForkChange(
            *(row["message"] or "", row["number"] or 0, row["step"] or 0, row["tool"] or ""),
            arguments="" if row["proposed_arguments"] is None else str(row["arguments"]),
            proposed=row["proposed_arguments"] or "",
            parent_model=row["parent_model"] or "",
        )
        for row in rows
    }


def _call(row: dict[str, Any]) -> CallRow:
    return CallRow(
        number=int(row["number"]),
        step=int(row["step"]),
        tool=str(row["tool"]),
        arguments=str(row["arguments"]),
        verdict=row["verdict"],
        decided_by=row["decided_by"],
        proposed_arguments=row["proposed_arguments"],
        ok=None if row["ok"] is None else bool(row["ok"]),
        exit_code=row["exit_code"],
        timed_out=bool(row["timed_out"]),
        interrupted=bool(row["interrupted"]),
        observation=row["observation"] or "",
        duration=row["duration"] or 0.0,
        seq=int(row["seq"]),
    )
