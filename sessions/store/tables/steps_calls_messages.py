"""Updates the tables `steps`, `calls` and `messages` as events are stored.

They duplicate data from events, to be queried, searched and compared without decoding events; see
docs/query-your-runs.md.
"""

from __future__ import annotations

from sqlite3 import Connection

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.storable_numbers import MAX_INT
from sandbox_tui.sessions.store.compression import decompress

RECORDED = (
    e.RunStarted,
    e.ModelReplied,
    e.CallProposed,
    e.CallDecided,
    e.CallFinished,
    e.HumanMessage,
    e.HumanCommand,
    e.HumanCommandFinished,
    e.RunFinished,
)
"""Events that these tables derive from."""


def record(connection: Connection, run_id: str, event: e.AnyEvent) -> None:
    """Update the tables from an event, inside the transaction that stores it."""
    match event:
        case e.ModelReplied():
            _step(connection, run_id, event)
        case e.CallProposed(call=call):
            _proposed(connection, run_id, event.seq, call)
        case e.CallDecided():
            _decided(connection, run_id, event)
        case e.CallFinished():
            _finished(connection, run_id, event)
        case e.RunStarted(task=task):
            _message(connection, run_id, event.seq, "task", task)
        case e.HumanMessage(text=text):
            _message(connection, run_id, event.seq, "message", text)
        case e.HumanCommand(command=command):
            _message(connection, run_id, event.seq, "command", command)
        case e.HumanCommandFinished(observation=observation):
            _message(connection, run_id, event.seq, "observation", observation)
        case e.RunFinished(answer=answer, error=error):
            text = "\n".join(part for part in (answer, error) if part)
            _message(connection, run_id, event.seq, "answer", text)
        case _:
            pass


def _step(connection: Connection, run_id: str, reply: e.ModelReplied) -> None:
    usage = reply.usage
    connection.execute(
        "INSERT INTO steps (run_id, number, started_at, text, reasoning, input_tokens,"
        " cached_tokens, output_tokens, reasoning_tokens, cost, latency, first_token,"
        " finish_reason, seq)"
        " SELECT id, ?, started_at + seconds_away + ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
        " FROM runs WHERE id = ?"
        " ON CONFLICT (run_id, number) DO UPDATE SET started_at = excluded.started_at,"
        " text = excluded.text, reasoning = excluded.reasoning,"
        " input_tokens = excluded.input_tokens, cached_tokens = excluded.cached_tokens,"
        " output_tokens = excluded.output_tokens, reasoning_tokens = excluded.reasoning_tokens,"
        " cost = excluded.cost, latency = excluded.latency, first_token = excluded.first_token,"
        " finish_reason = excluded.finish_reason, seq = excluded.seq",
        [
            *(reply.step, reply.t - reply.latency, _text(reply.text), _text(reply.reasoning)),
            *(usage.input_tokens, usage.cached_tokens, usage.output_tokens),
            *(usage.reasoning_tokens, reply.cost, reply.latency, reply.first_token),
            *(reply.finish_reason, reply.seq, run_id),
        ],
    )


def mark_estimates(connection: Connection, run_id: str, event: e.AnyEvent) -> None:
    """Mark the tokens of a reply as estimated. Separate from `record`, which an older migration
    calls before the column exists."""
    if isinstance(event, e.ModelReplied):
        estimated = event.usage.estimated
        connection.execute(  # most tokens are not estimated: avoid needless writes
            "UPDATE steps SET tokens_estimated = ?"
            " WHERE run_id = ? AND number = ? AND tokens_estimated <> ?",
            [estimated, run_id, event.step, estimated],
        )


def _proposed(connection: Connection, run_id: str, seq: int, call: e.ToolCall) -> None:
    connection.execute(
        "INSERT INTO calls (run_id, number, step, tool, arguments, proposed_seq)"
        " VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (run_id, number) DO UPDATE SET step = excluded.step, tool = excluded.tool,"
        " arguments = excluded.arguments, proposed_seq = excluded.proposed_seq,"
        " proposed_arguments = NULL, verdict = NULL, decided_by = NULL, started_at = NULL,"
        " duration = NULL, ok = NULL, exit_code = NULL, observation = NULL, finished_seq = NULL",
        [run_id, call.number, call.step, _text(call.name), _text(call.arguments), seq],
    )


def _decided(connection: Connection, run_id: str, decided: e.CallDecided) -> None:
    connection.execute(
        "INSERT INTO calls (run_id, number, step, tool, arguments, verdict, decided_by)"
        " VALUES (?, ?, 0, '', '', ?, ?)"
        " ON CONFLICT (run_id, number) DO UPDATE SET"
        " verdict = excluded.verdict, decided_by = excluded.decided_by",
        [run_id, decided.call, decided.verdict, decided.by],
    )
    if decided.arguments is not None:
        connection.execute(
            "UPDATE calls SET proposed_arguments = arguments, arguments = ?"
            " WHERE run_id = ? AND number = ?",
            [_text(decided.arguments), run_id, decided.call],
        )


def _finished(connection: Connection, run_id: str, done: e.CallFinished) -> None:
    connection.execute(
        "INSERT INTO calls (run_id, number, step, tool, arguments, ok, exit_code, duration,"
        " observation, truncated, timed_out, interrupted, finished_seq, started_at)"
        " SELECT id, ?, ?, '', '', ?, ?, ?, ?, ?, ?, ?, ?, started_at + seconds_away + ?"
        " FROM runs WHERE id = ?"
        " ON CONFLICT (run_id, number) DO UPDATE SET ok = excluded.ok,"
        " exit_code = excluded.exit_code, duration = excluded.duration,"
        " observation = excluded.observation, truncated = excluded.truncated,"
        " timed_out = excluded.timed_out, interrupted = excluded.interrupted,"
        " finished_seq = excluded.finished_seq, started_at = excluded.started_at",
        [
            *(done.call, 0, done.ok, _exit_code(done), done.duration, _text(done.observation)),
            *(done.truncated, done.timed_out, done.interrupted, done.seq),
            *(done.t - done.duration, run_id),
        ],
    )


def _exit_code(done: e.CallFinished) -> int | None:
    """Return the exit code; None if an imported session has one that does not fit into the
    column."""
    code = done.exit_code
    return code if code is not None and abs(code) <= MAX_INT else None


def _message(connection: Connection, run_id: str, seq: int, kind: str, text: str) -> None:
    if text.strip():
        connection.execute(
            "INSERT INTO messages (run_id, seq, step, kind, text) VALUES (?, ?, ?, ?, ?)",
            [run_id, seq, _step_at(connection, run_id, seq), kind, _text(text)],
        )


def _step_at(connection: Connection, run_id: str, seq: int) -> int:
    """Return the step for which the model was last asked."""
    row = connection.execute(
        "SELECT compressed, json FROM events INDEXED BY events_by_kind"
        " WHERE run_id = ? AND kind = 'ModelAsked' AND seq < ? ORDER BY seq DESC LIMIT 1",
        [run_id, seq],
    ).fetchone()
    event = None if row is None else e.from_json(decompress(*row))
    return event.step if isinstance(event, e.ModelAsked) else 0


def _text(text: str) -> str:
    """Remove NUL from text, since SQLite's functions end a string there."""
    return text.replace("\0", " ")
