"""Tool calls of a run as they ran, read from the table `calls`."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox_tui.sessions.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRow:
    """A tool call.

    Attributes:
        number: 1, 2, 3 ... within the run.
        step: the step it belongs to.
        tool: name, as the model wrote it.
        arguments: JSON text, the person's where they were edited.
        verdict: the decision about it, None before one.
        ok, exit_code: of its answer; None where there is none.
        observation: of its answer, empty where there is none.
        duration: seconds, 0 where there is no answer.
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


def calls_of(database: Database, run_id: str) -> list[CallRow]:
    """The tool calls of a run, in the order in which they were proposed."""
    rows = database.rows(
        "SELECT number, step, tool, arguments, verdict, ok, exit_code, observation, duration"
        " FROM calls WHERE run_id = ? AND proposed_seq IS NOT NULL ORDER BY proposed_seq",
        [run_id],
    )
    return [
        CallRow(
            number=int(row["number"]),
            step=int(row["step"]),
            tool=str(row["tool"]),
            arguments=str(row["arguments"]),
            verdict=row["verdict"],
            ok=None if row["ok"] is None else bool(row["ok"]),
            exit_code=row["exit_code"],
            observation=row["observation"] or "",
            duration=row["duration"] or 0.0,
        )
        for row in rows
    ]
