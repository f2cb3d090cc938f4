"""Tool calls of a run, read from the table `calls`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
