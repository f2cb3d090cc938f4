"""The session database: runs, their events and file contents, with typed readers.

When `append` returns, its events are in the file and survive a crash of the program.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from typing_extensions import override

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions.store import call_drafts, full_text_index
from sandbox_tui.sessions.store.answers import answer_in_call
from sandbox_tui.sessions.store.database import BUSY_SECONDS, IMPATIENT_SECONDS, Database
from sandbox_tui.sessions.store.run_summary import RunSummary, summary
from sandbox_tui.sessions.store.tables import blobs, events, runs
from sandbox_tui.sessions.store.tables.blobs import RunBlobs
from sandbox_tui.sessions.store.tables.calls import (
    CallRow,
    calls_of,
    last_call_of,
    submit_arguments,
)
from sandbox_tui.sessions.store.tables.file_changes import FileChangeRow, changes_of, history_of
from sandbox_tui.sessions.store.tables.keyframes import KeyframeTables


class Ownership(NamedTuple):
    """Which program a run belongs to.

    Attributes:
        finished: whether the run has ended.
        owner: the program that records or recorded it.
    """

    finished: bool
    owner: ProcessIdentity


class Store(Database):
    """A session database; see `Database` for opening it and for `transaction`."""

    @override
    def _begin(self, path: Path, *, writable: bool) -> None:
        super()._begin(path, writable=writable)
        self._given_up: set[str] = set()
        self._early_blobs: dict[str, set[str]] = {}
        self._unindexed = 0

    @override
    def _open(self) -> None:
        super()._open()
        self._set_timeout(IMPATIENT_SECONDS)
        with contextlib.suppress(StoreError):  # a search catches up as well
            self.index_texts()
        self._set_timeout(BUSY_SECONDS)

    # --- writing

    def append(self, run_id: str, batch: Sequence[e.AnyEvent]) -> None:
        """Append events of one run, all or none of them.

        Raises:
            StoreError: the write failed.
        """
        if not batch:
            return
        with self.transaction() as connection:
            events.insert(connection, run_id, batch)
            for name in self._early_blobs.get(run_id, ()):
                blobs.add_reference(connection, run_id, name)
            self._unindexed += full_text_index.rows_added(batch)
            has_ended = isinstance(batch[-1], e.RunFinished)
            if has_ended or self._unindexed >= full_text_index.MAX_UNINDEXED:
                full_text_index.catch_up(connection)
                self._unindexed = 0
        self._early_blobs.pop(run_id, None)

    def index_texts(self) -> None:
        """Add steps and calls to their full-text indexes if they are missing there.

        Raises:
            StoreError: they could not be indexed.
        """
        if not self.writable:
            return
        with self.autocommit() as connection:
            if not full_text_index.is_behind(connection):
                return
        with self.transaction() as connection:
            full_text_index.catch_up(connection)
            self._unindexed = 0

    def give_up(self, run_id: str) -> None:
        """Release a run that has not ended.

        This program remembers that in any case; others see it only if it can be written.
        """
        self._given_up.add(run_id)
        with contextlib.suppress(StoreError), self.transaction() as connection:
            runs.set_owner(connection, run_id, ProcessIdentity.no_process())

    def set_owner(self, run_id: str, owner: ProcessIdentity) -> None:
        """Record the program that a run belongs to.

        Raises:
            StoreError: the write failed.
        """
        with self.transaction() as connection:
            runs.set_owner(connection, run_id, owner)
        self._given_up.discard(run_id)

    def rename(self, run_id: str, title: str | None) -> None:
        """Give a run a title; None removes it.

        Raises:
            StoreError: there is no such run, or the write failed.
        """
        with self.transaction() as connection:
            done = connection.execute("UPDATE runs SET title = ? WHERE id = ?", [title, run_id])
            if not done.rowcount:
                raise runs.not_found(run_id)

    def mark_imported(
        self, run_id: str, name: str | None = None, format_: str | None = None
    ) -> None:
        """Mark a run as recorded elsewhere, in a file with this name and format.

        Raises:
            StoreError: the write failed.
        """
        with self.transaction() as connection:
            values = "(imported, imported_from, import_format) = (1, ?, ?)"
            connection.execute(f"UPDATE runs SET {values} WHERE id = ?", [name, format_, run_id])

    def leave_samples(self, run_id: str) -> None:
        """Make a run no sample of its task, such as a copy of one that is counted already.

        Raises:
            StoreError: the write failed.
        """
        with self.transaction() as connection:
            query = "UPDATE runs SET samples = NULL, sample = NULL WHERE id = ?"
            connection.execute(query, [run_id])

    def delete(self, run_id: str) -> None:
        """Delete a run, its draft, and the file contents that no other run has.

        Its snapshots are recorded as orphaned; `remove_orphaned_snapshots` removes them.

        Raises:
            StoreError: the deletion failed.
        """
        with self.transaction() as connection:
            runs.delete(connection, run_id)
        call_drafts.remove(run_id)

    # --- runs

    def runs(self, limit: int = 100, offset: int = 0) -> list[RunSummary]:
        """Runs, newest first.

        Raises:
            StoreError: the database cannot be read.
        """
        return self.summaries(runs.newest(self, limit, offset))

    def standalone_runs(self, limit: int = 100) -> list[RunSummary]:
        """Runs that belong to no evaluation or training, newest first.

        Raises:
            StoreError: the database cannot be read.
        """
        return self.summaries(runs.newest_standalone(self, limit))

    def count_standalone(self) -> int:
        """Return the number of runs that belong to no evaluation or training.

        Raises:
            StoreError: the database cannot be read.
        """
        return runs.count_standalone(self)

    def count(self) -> int:
        """Return the number of runs.

        Raises:
            StoreError: the database cannot be read.
        """
        return int(self.rows("SELECT count(*) AS n FROM runs")[0]["n"])

    def run(self, name: str, *, strict: bool = False) -> RunSummary:
        """Return the run whose id is `name`, or else starts with it, ends with it or contains it.

        Args:
            name: the id, or a part of it.
            strict: for irreversible actions: accept only the id, or at least `runs.MIN_PREFIX`
                characters that it starts with.

        Raises:
            StoreError: no run matches, or more than one.
        """
        (found,) = self.summaries([runs.find(self, name, strict=strict)])
        return found

    def samples_of(self, name: str) -> list[RunSummary]:
        """Return the samples of a task, without their forks.

        Raises:
            StoreError: the database cannot be read.
        """
        query = "SELECT * FROM runs WHERE samples = ? AND parent IS NULL ORDER BY sample, id"
        return self.summaries(self.rows(query, [name]))

    def summaries(self, rows: Iterable[dict[str, Any]]) -> list[RunSummary]:
        """Return the summaries of rows, with the answers that only calls of `submit` hold."""
        found = [summary(row, self._given_up) for row in rows]
        silent = [run.id for run in found if run.outcome == "submitted" and not run.answer]
        said = submit_arguments(self, silent) if silent else {}
        return [
            replace(run, said=answer_in_call(said[run.id])) if run.id in said else run
            for run in found
        ]

    def runs_alike(self, started_at: float, last_seq: int) -> list[str]:
        """Return the ids of the runs with this start and this many events."""
        query = "SELECT id FROM runs WHERE started_at = ? AND last_seq = ? ORDER BY id"
        return [str(row["id"]) for row in self.rows(query, [started_at, last_seq])]

    def has_run(self, run_id: str) -> bool:
        """Return whether there is a run with exactly this id.

        Raises:
            StoreError: the database cannot be read.
        """
        return bool(self.rows("SELECT 1 FROM runs WHERE id = ?", [run_id]))

    def fork_count(self, run_id: str) -> int:
        """Return the number of forks of a run.

        Raises:
            StoreError: the database cannot be read.
        """
        return int(self.rows("SELECT count(*) AS n FROM runs WHERE parent = ?", [run_id])[0]["n"])

    def ownership(self, run_id: str) -> Ownership | None:
        """Return which program a run belongs to; None if there is no such run.

        Raises:
            StoreError: the database cannot be read.
        """
        rows = self.rows(
            "SELECT finish_reason, owner_pid, owner_started, owner_host FROM runs WHERE id = ?",
            [run_id],
        )
        for row in rows:
            owner = ProcessIdentity(row["owner_pid"], row["owner_started"], row["owner_host"] or "")
            finished = row["finish_reason"] not in (None, *e.RESUMABLE)
            return Ownership(finished, owner)
        return None

    def orphaned_snapshots(self) -> dict[str, str]:
        """Deleted runs whose snapshots may still exist, each with its kind of sandbox.

        Raises:
            StoreError: the database cannot be read.
        """
        rows = self.rows("SELECT run_id, sandbox FROM orphaned_snapshots")
        return {str(row["run_id"]): str(row["sandbox"]) for row in rows}

    def forget_orphaned_snapshots(self, run_id: str) -> None:
        """Record that the snapshots of a deleted run have been removed.

        Raises:
            StoreError: the write failed.
        """
        with self.transaction() as connection:
            connection.execute("DELETE FROM orphaned_snapshots WHERE run_id = ?", [run_id])

    # --- events

    def events(
        self, run_id: str, *, after: int = 0, until: int | None = None, output: bool = True
    ) -> Iterator[e.AnyEvent]:
        """Return events with `after` < seq <= `until`, in order, read a page at a time.

        Without `output`, the bytes of terminal output are left out.

        Raises:
            StoreError: the database cannot be read.
            EventDecodeError: an event was written by a newer version.
        """
        return events.read(self, run_id, after, until, output)

    def events_at(self, run_id: str, seqs: Iterable[int]) -> dict[int, e.AnyEvent]:
        """Return events by number; terminal output comes without its bytes.

        Raises:
            StoreError: the database cannot be read.
            EventDecodeError: an event was written by a newer version.
        """
        return events.read_at(self, run_id, seqs)

    def events_of_kinds(self, run_id: str, kinds: Sequence[str]) -> list[e.AnyEvent]:
        """Return the events of these kinds, in order; terminal output comes without its bytes.

        Raises:
            StoreError: the database cannot be read.
            EventDecodeError: an event was written by a newer version.
        """
        return events.of_kinds(self, run_id, kinds)

    def time_of(self, run_id: str, seq: int) -> float | None:
        """Return when an event happened, in seconds since the run began; None if there is no such
        event.

        Raises:
            StoreError: the database cannot be read.
        """
        return events.time_of(self, run_id, seq)

    # --- what belongs to a run

    def calls(self, run_id: str) -> list[CallRow]:
        """Return the tool calls of a run, in the order in which they were proposed.

        Raises:
            StoreError: the database cannot be read.
        """
        return calls_of(self, run_id)

    def last_call(self, run_id: str) -> CallRow | None:
        """Return the most recently proposed tool call of a run.

        Raises:
            StoreError: the database cannot be read.
        """
        return last_call_of(self, run_id)

    def file_changes(self, run_id: str) -> list[FileChangeRow]:
        """Return all file changes, in order.

        Raises:
            StoreError: the database cannot be read.
        """
        return changes_of(self, run_id)

    def file_history(self, run_id: str, path: str, first: int, last: int) -> list[FileChangeRow]:
        """Return changes of one path with `first` <= seq <= `last`, in order.

        Raises:
            StoreError: the database cannot be read.
        """
        return history_of(self, run_id, path, first, last)

    def keyframes(self, run_id: str) -> KeyframeTables:
        """Return the tables of a run's keyframes."""
        return KeyframeTables(self, run_id)

    # --- file contents

    def blobs(self, run_id: str) -> RunBlobs:
        """Return the storage for a run's file contents."""
        return RunBlobs(self, run_id)

    def put_blob(self, run_id: str, data: bytes) -> str:
        """Store a content for a run, even before its first event is stored; return the digest.

        Raises:
            StoreError: the write failed.
        """
        with self.transaction() as connection:
            name = blobs.insert(connection, data)
            if not blobs.add_reference(connection, run_id, name):
                self._early_blobs.setdefault(run_id, set()).add(name)
        return name

    def put_blobs_of(self, run_id: str, parent: str) -> None:
        """Store all contents of the run `parent` for another run as well.

        Raises:
            StoreError: the write failed.
        """
        with self.transaction() as connection:
            blobs.copy_blob_references(connection, run_id, parent)

    def get_blob(self, name: str) -> bytes | None:
        """Return a content by its digest; None if it is not stored.

        Raises:
            StoreError: the database cannot be read, or the content is damaged.
        """
        return blobs.read(self, name)
