"""The index of all that was said, run and seen in sessions (FTS5).

It is not kept up while a run is recorded: it is caught up when somebody searches, so that recording
costs nothing more. Its words go with the session when that is deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core import events as e
from .store import Store

LONGEST_BODY = 40_000
"""Characters of one text that are indexed: its two ends, where it is longer."""

BATCH = 200
"""Events indexed in one transaction."""


def catch_up(store: Store, *, rest: Callable[[], bool] = lambda: True) -> bool:
    """Index what has been recorded since the last search; a file that is read-only stays behind.

    Args:
        store: where the sessions are.
        rest: called after every batch; may wait, and ends it by False.

    Returns:
        Whether there was anything to index.

    Raises:
        StoreError: the file cannot be read.
    """
    if not store.writable:
        return False
    behind = store.rows(
        "SELECT runs.id, coalesce(indexed.seq, 0) AS seq, coalesce(indexed.step, 0) AS step"
        " FROM runs LEFT JOIN indexed ON indexed.run_id = runs.id"
        " WHERE runs.last_seq > coalesce(indexed.seq, 0) ORDER BY runs.started_at DESC"
    )
    for row in behind:
        if not _index(store, row["id"], int(row["seq"]), int(row["step"]), rest):
            break
    return bool(behind)


def _index(store: Store, run_id: str, seq: int, step: int, rest: Callable[[], bool]) -> bool:
    """Index a session from an event on; False when it was stopped."""
    batch: list[e.AnyEvent] = []
    for event in store.events(run_id, after=seq):
        batch.append(event)
        if len(batch) >= BATCH:
            step = _index_batch(store, run_id, batch, step)
            batch = []
            if not rest():
                return False
    if batch:
        _index_batch(store, run_id, batch, step)
    return rest()


def _index_batch(store: Store, run_id: str, batch: Sequence[e.AnyEvent], step: int) -> int:
    rows: list[tuple[Any, ...]] = []
    for event in batch:
        if isinstance(event, e.ModelAsked):
            step = event.step
        for kind, tool, body in texts_of(event):
            if body.strip():
                rows.append((run_id, event.seq, step, kind, tool, _bounded(body)))
    with store.transaction() as connection:
        known = connection.execute("SELECT seq FROM indexed WHERE run_id = ?", [run_id]).fetchone()
        if known is not None and known[0] >= batch[-1].seq:
            return step  # another program was faster
        if connection.execute("SELECT 1 FROM runs WHERE id = ?", [run_id]).fetchone() is None:
            return step  # deleted meanwhile
        connection.executemany(
            "INSERT INTO texts (run_id, seq, step, kind, tool, body) VALUES (?, ?, ?, ?, ?, ?)",
            rows,
        )
        connection.execute(
            "INSERT OR REPLACE INTO indexed VALUES (?, ?, ?)", [run_id, batch[-1].seq, step]
        )
    return step


def texts_of(event: e.AnyEvent) -> list[tuple[str, str | None, str]]:
    """Kind, tool and text of what an event has to be found by."""
    match event:
        case e.RunStarted(task=task):
            return [("task", None, task)]
        case e.ModelReplied(text=text, reasoning=reasoning):
            return [("reply", None, f"{text}\n{reasoning}")]
        case e.CallProposed(call=call):
            return [("call", call.name.lower(), f"{call.name}\n{_unescaped(call.arguments)}")]
        case e.CallFinished(observation=text) | e.HumanCommandFinished(observation=text):
            return [("observation", None, text)]
        case e.HumanMessage(text=text):
            return [("message", None, text)]
        case e.HumanCommand(command=command):
            return [("command", None, command)]
        case e.RunFinished(answer=answer, error=error):
            return [("answer", None, f"{answer or ''}\n{error or ''}")]
        case _:
            return []


def _unescaped(arguments: str) -> str:
    """Arguments without the backslashes of JSON, so that words in them are words."""
    return arguments.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')


def _bounded(text: str) -> str:
    text = text.replace("\0", " ").encode("utf-8", "replace").decode()
    if len(text) <= LONGEST_BODY:
        return text
    half = LONGEST_BODY // 2
    return f"{text[:half]}\n…\n{text[-half:]}"
