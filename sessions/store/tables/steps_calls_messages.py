"""Updates the tables `steps`, `calls` and `messages` as events are stored.

They duplicate data from events, to be queried, searched and compared without decoding events; see
docs/query-your-runs.md.
"""

from __future__ import annotations

from collections.abc import Callable
from sqlite3 import Connection
from typing import Any

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.items import NOT_YET
from sandbox_tui.core.events.storable_numbers import MAX_INT
from sandbox_tui.sessions.store.compression import decompress
from sandbox_tui.sessions.store.unescaped_arguments import unescaped_arguments


def _step(connection: Connection, run_id: str, reply: e.ModelReplied) -> None:
    usage = reply.usage
    connection.execute(
        "INSERT INTO steps (run_id, number, started_at, text, reasoning, input_tokens,"
        " cached_tokens, output_tokens, reasoning_tokens, tokens_estimated, cost, latency,"
        " first_token, finish_reason, seq)"
        " SELECT id, ?, started_at + seconds_away + ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
        " FROM runs WHERE id = ?"
        " ON CONFLICT (run_id, number) DO UPDATE SET started_at = excluded.started_at,"
        " text = excluded.text, reasoning = excluded.reasoning,"
        " input_tokens = excluded.input_tokens, cached_tokens = excluded.cached_tokens,"
        " output_tokens = excluded.output_tokens, reasoning_tokens = excluded.reasoning_tokens,"
        " tokens_estimated = excluded.tokens_estimated, cost = excluded.cost,"
        " latency = excluded.latency, first_token = excluded.first_token,"
        " finish_reason = excluded.finish_reason, seq = excluded.seq",
        [
            *(reply.step, reply.t - reply.latency, _text(reply.text), _text(reply.reasoning)),
            *(usage.input_tokens, usage.cached_tokens, usage.output_tokens),
            *(
                usage.reasoning_tokens,
                usage.estimated,
                reply.cost,
                reply.latency,
                reply.first_token,
            ),
            *(reply.finish_reason, reply.seq, run_id),
        ],
    )


def _proposed(connection: Connection, run_id: str, proposed: e.CallProposed) -> None:
    call = proposed.call
    connection.execute(
        "INSERT INTO calls (run_id, number, step, tool, arguments, proposed_seq)"
        " VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (run_id, number) DO UPDATE SET step = excluded.step, tool = excluded.tool,"
        " arguments = excluded.arguments, proposed_seq = excluded.proposed_seq,"
        " proposed_arguments = NULL, verdict = NULL, decided_by = NULL, started_at = NULL,"
        " duration = NULL, ok = NULL, exit_code = NULL, observation = NULL, finished_seq = NULL",
        [
            *(run_id, call.number, call.step, _text(call.name), _arguments(call.arguments)),
            proposed.seq,
        ],
    )


def _decided(connection: Connection, run_id: str, decided: e.CallDecided) -> None:
    call = [run_id, decided.call]
    updated = connection.execute(
        "UPDATE calls SET verdict = ?, decided_by = ? WHERE run_id = ? AND number = ?",
        [decided.verdict, decided.by, *call],
    )
    if not updated.rowcount:
        connection.execute(
            "INSERT INTO calls (run_id, number, step, tool, arguments, verdict, decided_by)"
            " VALUES (?, ?, 0, '', '', ?, ?)",
            [*call, decided.verdict, decided.by],
        )
    if decided.arguments is not None:  # separate, because a trigger reindexes these columns
        connection.execute(
            "UPDATE calls SET proposed_arguments = arguments, arguments = ?"
            " WHERE run_id = ? AND number = ?",
            [_arguments(decided.arguments), *call],
        )


def _finished(connection: Connection, run_id: str, done: e.CallFinished) -> None:
    values = [
        *(done.ok, _exit_code(done), done.duration, _text(done.observation)),
        *(done.truncated, done.timed_out, done.interrupted, done.seq),
        *(done.t - done.duration, run_id),
    ]
    updated = connection.execute(
        "UPDATE calls SET ok = ?, exit_code = ?, duration = ?, observation = ?, truncated = ?,"
        " timed_out = ?, interrupted = ?, finished_seq = ?,"
        " started_at = ? + (SELECT started_at + seconds_away FROM runs WHERE id = ?10)"
        " WHERE run_id = ?10 AND number = ?11",
        [*values, done.call],
    )
    if not updated.rowcount:
        connection.execute(
            "INSERT INTO calls (ok, exit_code, duration, observation, truncated, timed_out,"
            " interrupted, finished_seq, started_at, run_id, number, step, tool, arguments)"
            " SELECT ?, ?, ?, ?, ?, ?, ?, ?, started_at + seconds_away + ?, id, ?11, 0, '', ''"
            " FROM runs WHERE id = ?10",
            [*values, done.call],
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


def _arguments(text: str) -> str:
    """Return arguments in which words are found, whichever way the server sent them."""
    return unescaped_arguments(_text(text))


def _task(connection: Connection, run_id: str, started: e.RunStarted) -> None:
    _message(connection, run_id, started.seq, "task", started.task)


def _human_message(connection: Connection, run_id: str, message: e.HumanMessage) -> None:
    _message(connection, run_id, message.seq, "message", message.text)


def _command(connection: Connection, run_id: str, command: e.HumanCommand) -> None:
    _message(connection, run_id, command.seq, "command", command.command)


def _observation(connection: Connection, run_id: str, done: e.HumanCommandFinished) -> None:
    _message(connection, run_id, done.seq, "observation", done.observation)


def _answer(connection: Connection, run_id: str, finished: e.RunFinished) -> None:
    text = "\n".join(part for part in (finished.answer, finished.error) if part)
    _message(connection, run_id, finished.seq, "answer", text)


_WRITERS: dict[type[e.AnyEvent], Callable[[Connection, str, Any], None]] = {
    e.RunStarted: _task,
    e.ModelReplied: _step,
    e.CallProposed: _proposed,
    e.CallDecided: _decided,
    e.CallFinished: _finished,
    e.HumanMessage: _human_message,
    e.HumanCommand: _command,
    e.HumanCommandFinished: _observation,
    e.RunFinished: _answer,
}

RECORDED = tuple(_WRITERS)
"""Events that these tables derive from."""


def record(connection: Connection, run_id: str, event: e.AnyEvent) -> None:
    """Update the tables from an event, inside the transaction that stores it."""
    if write := _WRITERS.get(type(event)):
        write(connection, run_id, event)


def has_failed(connection: Connection, run_id: str, done: e.CallFinished) -> bool:
    """Return whether a call failed that was not skipped, rejected, interrupted or held back."""
    if done.ok or done.interrupted or done.observation == NOT_YET:
        return False
    query = "SELECT verdict FROM calls WHERE run_id = ? AND number = ?"
    (verdict,) = connection.execute(query, [run_id, done.call]).fetchone()
    return verdict not in ("reject", "skip")
