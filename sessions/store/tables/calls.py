"""Tool calls of a run, and what its replies used, read from the tables `calls` and `steps`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

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
        ok, exit_code: of its observation; None without one.
        observation: empty without one.
        duration: seconds; 0 without an observation.
        seq: number of the event with its observation, or of its proposal without one.
    """

    number: int
    step: int
    tool: str
    arguments: str
    verdict: str | None
    ok: bool | None
    exit_code: int | None
    observation: str
    duration: float
    seq: int


_COLUMNS = (
    "number, step, tool, arguments, verdict, ok, exit_code, observation, duration,"
    " coalesce(finished_seq, proposed_seq) AS seq"
)


def calls_of(database: Database, run_id: str) -> list[CallRow]:
    """Return the tool calls of a run, in the order in which they were proposed."""
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM calls WHERE run_id = ? AND proposed_seq IS NOT NULL"
        " ORDER BY proposed_seq",
        [run_id],
    )
    return [_call(row) for row in rows]


def last_call_of(database: Database, run_id: str) -> CallRow | None:
    """Return the most recently proposed tool call of a run."""
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM calls WHERE run_id = ? AND proposed_seq IS NOT NULL"
        " ORDER BY proposed_seq DESC LIMIT 1",
        [run_id],
    )
    return _call(rows[0]) if rows else None


def call_of(database: Database, run_id: str, number: int) -> CallRow | None:
    """Return a tool call of a run by its number."""
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM calls WHERE run_id = ? AND number = ?"
        " AND proposed_seq IS NOT NULL",
        [run_id, number],
    )
    return _call(rows[0]) if rows else None


class SpentTokens(NamedTuple):
    """Tokens of replies, and their cost in US dollars; None if the price is unknown."""

    input_tokens: int
    output_tokens: int
    cost: float | None


def spent_until(database: Database, run_id: str, seq: int) -> SpentTokens:
    """Return what the replies of a run used up to an event.

    Raises:
        StoreError: the database cannot be read.
    """
    row = database.rows(
        "SELECT coalesce(sum(input_tokens), 0) AS tokens_in,"
        " coalesce(sum(output_tokens), 0) AS tokens_out, sum(cost) AS cost"
        " FROM steps WHERE run_id = ? AND seq <= ?",
        [run_id, seq],
    )[0]
    return SpentTokens(int(row["tokens_in"]), int(row["tokens_out"]), row["cost"])


def _call(row: dict[str, Any]) -> CallRow:
    return CallRow(
        number=int(row["number"]),
        step=int(row["step"]),
        tool=str(row["tool"]),
        arguments=str(row["arguments"]),
        verdict=row["verdict"],
        ok=None if row["ok"] is None else bool(row["ok"]),
        exit_code=row["exit_code"],
        observation=row["observation"] or "",
        duration=row["duration"] or 0.0,
        seq=int(row["seq"]),
    )
