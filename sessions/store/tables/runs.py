"""The table of runs: inserts, updates as events are stored, finds and deletes rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from sqlite3 import Connection
from typing import Any

import msgspec

from sandbox_tui.core.base.errors import NotStored
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.run_labels import SAMPLE, SAMPLES
from sandbox_tui.sessions.store.database import Database
from sandbox_tui.sessions.store.ids import BEGINNING, PARTS

MIN_PREFIX = 4
"""Minimum length of a prefix that identifies a run for deletion."""

_BEGUN_AT = (
    "CASE WHEN parent IS NULL THEN started_at ELSE max(started_at, coalesce(strftime('%s',"
    " substr(id, 1, 4) || '-' || substr(id, 5, 2) || '-' || substr(id, 7, 2) || ' '"
    " || substr(id, 10, 2) || ':' || substr(id, 12, 2) || ':' || substr(id, 14, 2))"
    " + 0.0, started_at)) END"
)
"""SQL for `RunSummary.run_started_at` from a row of `runs`."""


def begin(connection: Connection, run_id: str, event: e.RunStarted) -> None:
    """Insert the row of a run, which belongs to this program."""
    connection.execute(
        "INSERT INTO runs (id, task, model, sandbox, started_at, steps, calls, failed_calls,"
        " input_tokens, output_tokens, seconds, last_seq, parent, parent_seq, owner_pid,"
        " owner_started, owner_host, model_params, samples,"
        " sample) VALUES (?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            *(run_id, event.task, event.model, event.sandbox, event.started_at),
            *(event.parent, event.parent_seq, *ProcessIdentity.this_process()),
            msgspec.json.encode(event.model_params).decode(),
            *_sample_labels(event),
        ],
    )


def _sample_labels(event: e.RunStarted) -> tuple[str | None, int | None]:
    """Return the label that a sample shares with the others of its task, and its number."""
    labels = {} if event.settings is None else event.settings.labels
    name, number = labels.get(SAMPLES), labels.get(SAMPLE, "")
    counts = name is not None and number.isdecimal() and len(number) < 10
    return name, int(number) if counts else None


def summarise(
    connection: Connection,
    run_id: str,
    last: e.AnyEvent,
    derived: Sequence[e.AnyEvent],
    failed_calls: int,
) -> None:
    """Update a run's row from a batch of events, so that a killed run still shows its progress.

    Args:
        last: the batch's last event.
        derived: the batch's events that totals depend on.
        failed_calls: how many of the batch's calls failed.
    """
    replies = [event for event in derived if isinstance(event, e.ModelReplied)]
    costs = [reply.cost for reply in replies if reply.cost is not None]
    usages = [x.usage for x in derived if isinstance(x, e.ModelReplied | e.PartialReplyCounted)]
    usage = sum(usages, start=e.Usage())
    uncounted = sum(each.estimated for each in usages)
    connection.execute(
        "UPDATE runs SET last_seq = ?, seconds = ?, steps = coalesce(?, steps),"
        " input_tokens = input_tokens + ?, output_tokens = output_tokens + ?,"
        " cost = CASE WHEN ?6 IS NULL THEN cost ELSE coalesce(cost, 0) + ?6 END,"
        " tokens_estimated = max(tokens_estimated, ?7), calls = calls + ?8,"
        " failed_calls = failed_calls + ?9, uncounted_replies = uncounted_replies + ?10,"
        " counted_replies = counted_replies + ?11 WHERE id = ?12",
        [
            *(last.seq, last.t, replies[-1].step if replies else None),
            *(usage.input_tokens, usage.output_tokens),
            *(sum(costs) if costs else None, usage.estimated),
            sum([isinstance(event, e.CallFinished) for event in derived]),
            *(failed_calls, uncounted, len(usages) - uncounted, run_id),
        ],
    )


def resume(connection: Connection, run_id: str, event: e.RunResumed) -> None:
    """Add the seconds for which no program had the run; if it had ended, it no longer has."""
    connection.execute(
        "UPDATE runs SET seconds_away = seconds_away + ?, finish_reason = NULL, error = NULL,"
        " answer = NULL, results_dir = NULL, ended_at = NULL WHERE id = ?",
        [event.away, run_id],
    )


def stored_among(database: Database, run_ids: Iterable[str]) -> set[str]:
    """Return those of the ids that sessions in the database have.

    Raises:
        StoreError: the database cannot be read.
    """
    query = "SELECT id FROM runs WHERE id IN (SELECT value FROM json_each(?))"
    return {str(row["id"]) for row in database.rows(query, [json.dumps(sorted(run_ids))])}


def seconds_away(database: Database, run_ids: Iterable[str]) -> dict[str, float]:
    """Return the seconds for which no program had a run, for each of these runs, in one query.

    Raises:
        StoreError: the database cannot be read.
    """
    query = "SELECT id, seconds_away FROM runs WHERE id IN (SELECT value FROM json_each(?))"
    rows = database.rows(query, [json.dumps(list(run_ids))])
    return {str(row["id"]): float(row["seconds_away"]) for row in rows}


def finish(connection: Connection, run_id: str, event: e.RunFinished) -> None:
    """Record how a run ended."""
    connection.execute(
        "UPDATE runs SET finish_reason = ?, error = ?, answer = ?, results_dir = ?,"
        " ended_at = started_at + seconds_away + ? WHERE id = ?",
        [event.reason, event.error, event.answer, event.output, event.t, run_id],
    )


def set_owner(connection: Connection, run_id: str, owner: ProcessIdentity) -> None:
    """Record the program that a run belongs to."""
    connection.execute(
        "UPDATE runs SET owner_pid = ?, owner_started = ?, owner_host = ? WHERE id = ?",
        [*owner, run_id],
    )


def delete(connection: Connection, run_id: str) -> None:
    """Delete a run with everything that belongs to it, and file contents that no other run has."""
    connection.execute(
        "INSERT OR IGNORE INTO orphaned_snapshots (run_id, sandbox)"
        " SELECT id, sandbox FROM runs WHERE id = ?"
        " AND EXISTS (SELECT 1 FROM events WHERE run_id = id AND kind = 'SnapshotTaken')",
        [run_id],
    )
    held = connection.execute("SELECT digest FROM run_blobs WHERE run_id = ?", [run_id]).fetchall()
    connection.execute("DELETE FROM runs WHERE id = ?", [run_id])
    connection.execute(
        "DELETE FROM blobs WHERE digest IN (SELECT value FROM json_each(?))"
        " AND NOT EXISTS (SELECT 1 FROM run_blobs WHERE run_blobs.digest = blobs.digest)",
        [json.dumps([digest for (digest,) in held])],
    )


def newest(database: Database, limit: int, offset: int) -> list[dict[str, Any]]:
    """Return the rows of runs, newest first."""
    return database.rows(
        f"SELECT * FROM runs ORDER BY {_BEGUN_AT} DESC, id DESC LIMIT ? OFFSET ?", [limit, offset]
    )


STANDALONE = (
    "NOT EXISTS (SELECT 1 FROM eval_runs WHERE run_id = runs.id)"
    " AND NOT EXISTS (SELECT 1 FROM rollouts WHERE run_id = runs.id)"
)
"""SQL condition: the run belongs to no evaluation or training."""


def newest_standalone(database: Database, limit: int) -> list[dict[str, Any]]:
    """Return the rows of runs that belong to no evaluation or training, newest first."""
    query = f"SELECT * FROM runs WHERE {STANDALONE} ORDER BY {_BEGUN_AT} DESC, id DESC LIMIT ?"
    return database.rows(query, [limit])


def count_standalone(database: Database) -> int:
    """Return the number of runs that belong to no evaluation or training."""
    return int(database.rows(f"SELECT count(*) AS n FROM runs WHERE {STANDALONE}")[0]["n"])


def find(database: Database, name: str, *, strict: bool) -> dict[str, Any]:
    """Return the row of a run, found by its id or a part of it; see `Store.run`.

    Raises:
        NotStored: no run matches, or more than one.
    """
    rows = database.rows("SELECT * FROM runs WHERE id = ?", [name])
    too_short = strict and len(name) < MIN_PREFIX
    for fits in [BEGINNING] if strict else PARTS:
        if not rows and name and not too_short:
            query = f"SELECT * FROM runs WHERE {fits} ORDER BY id DESC LIMIT 6"
            rows = database.rows(query, [name])
    if not rows and strict:
        whole = str(find(database, name, strict=False)["id"])
        beginning = f"at least the first {MIN_PREFIX} characters of an id"
        raise NotStored(f"Deleting takes {beginning}, not {name!r}: this session is {whole}.")
    if not rows:
        raise not_found(name)
    if len(rows) > 1:
        ids = [str(row["id"]) for row in rows[:5]]
        some = ", ".join([*ids, "…"] if len(rows) > len(ids) else ids)
        raise NotStored(f"{name!r} matches more than one session: {some}. Type more of the id.")
    return rows[0]


def ids_kept(database: Database, run_ids: Sequence[str]) -> set[str]:
    """Return which of these runs are in the database.

    Raises:
        StoreError: the database cannot be read.
    """
    marks = ", ".join("?" * len(run_ids))
    rows = database.rows(f"SELECT id FROM runs WHERE id IN ({marks})", list(run_ids))
    return {str(row["id"]) for row in rows}


def unfinished_among(database: Database, run_ids: Sequence[str]) -> set[str]:
    """Return which of these runs have no recorded end, also if their programs are gone.

    Raises:
        StoreError: the database cannot be read.
    """
    marks = ", ".join("?" * len(run_ids))
    query = f"SELECT id FROM runs WHERE finish_reason IS NULL AND id IN ({marks})"
    return {str(row["id"]) for row in database.rows(query, list(run_ids))}


def not_found(name: str) -> NotStored:
    """Return the error for a name that matches no session."""
    return NotStored(f"There is no session {name!r}; `sandbox-tui sessions ls` lists them.")
