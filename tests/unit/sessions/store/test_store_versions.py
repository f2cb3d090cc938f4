"""Databases of other versions, and database ownership: real files, one written by older code."""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from sandbox_tui.core.base.blob_store import digest
from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.base.process_identity import _start as start_of
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.sessions import Store, replay
from sandbox_tui.sessions.interchange.imports import import_file
from sandbox_tui.sessions.playback.keyframes import catch_up, markers_of, playback_state_at
from sandbox_tui.sessions.relations.compare import calls_of
from sandbox_tui.sessions.search.across_sessions import search
from sandbox_tui.sessions.search.within_session import occurrences
from sandbox_tui.sessions.store.maintenance import check
from sandbox_tui.sessions.store.migrations import migrate
from sandbox_tui.sessions.store.private_copy import OLDER as OLDER_VERSION
from sandbox_tui.sessions.store.tables.annotations import add_note, add_tag, notes_of, tags_of
from sandbox_tui.sessions.store.tables.source_documents import (
    SourceDocument,
    keep_source_document,
    source_document_of,
)
from tests.perf.made_sessions import fill
from tests.unit.event_streams import started
from tests.unit.sample_run import sample
from tests.unit.sessions.interchange.test_imports import export
from tests.unit.sessions.store.test_store import small_disk as small_disk

VERSIONS = {
    name: Path(__file__).with_name("older") / f"{name}.db.gz" for name in ("048f495", "80b0a8c")
}
"""By the commit whose code wrote them; made with `older/make.py`."""


OLDER = VERSIONS["048f495"]


def unpacked(version: Path, folder: Path) -> Path:
    path = folder / "home" / "s.db"
    path.parent.mkdir(mode=0o755)
    path.write_bytes(gzip.decompress(version.read_bytes()))
    path.chmod(0o644)
    return path


@pytest.fixture
def older(tmp_path: Path) -> Path:
    return unpacked(OLDER, tmp_path)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_file_of_a_version_before_is_taken_over_whole(tmp_path: Path, version: str) -> None:
    path = unpacked(VERSIONS[version], tmp_path)
    events, contents = sample("plain")
    with contextlib.closing(sqlite3.connect(path)) as raw:
        query = "SELECT run_id, seq, t, kind, packed, body FROM events ORDER BY run_id, seq"
        before = raw.execute(query).fetchall()
        output = raw.execute("SELECT * FROM chunks ORDER BY run_id, seq").fetchall()
        assert raw.execute("SELECT count(*) FROM _migrations").fetchone() in [(6,), (7,)]
    with Store(path) as store:
        assert list(replay(store, "r")) == events
        assert [store.get_blob(digest(content)) for content in contents] == contents
        assert playback_state_at(store, "r", len(events)).state == fold(events)
        assert {hit.run.id for hit in search(store, "echo plain")} >= {"r"}
        assert [call.observation for call in calls_of(store, "r")] == ["plain", "plain"]
        assert tags_of(store, "r") == ["kept"]
        assert [note.text for note in notes_of(store, "r")] == ["a note"]
        assert check(store).problems == []
        store.append("new", [started("new")])
        store.delete("new")
    with contextlib.closing(sqlite3.connect(path)) as raw:
        query = "SELECT run_id, seq, t, kind, compressed, json FROM events ORDER BY run_id, seq"
        assert raw.execute(query).fetchall() == before
        query = "SELECT run_id, seq, terminal, compressed, data FROM terminal_output"
        assert raw.execute(f"{query} ORDER BY run_id, seq").fetchall() == output


@pytest.mark.parametrize("version", VERSIONS)
def test_all_sessions_of_a_version_before_replay_as_they_were(tmp_path: Path, version: str) -> None:
    """A fork and a long run with keyframes equal what today's code makes of the same run."""
    with (
        Store(unpacked(VERSIONS[version], tmp_path)) as store,
        Store(tmp_path / "today.db") as today,
    ):
        fill(today, "long", 8)
        assert list(replay(store, "long")) == list(replay(today, "long"))
        for table in ("steps", "calls", "messages", "file_changes"):
            query = f"SELECT * FROM {table} WHERE run_id = 'long' ORDER BY seq"
            query = query.replace("seq", "number") if table == "calls" else query
            mine, others = store.rows(query), today.rows(query)
            assert [{**row, "id": 0} for row in mine] == [{**row, "id": 0} for row in others]
        fork = store.run("fork")
        assert (fork.parent, fork.parent_seq) == ("r", 14)
        events, _ = sample("plain")
        assert [one.seq for one in replay(store, "fork")] == list(range(1, len(events) + 2))
        assert markers_of(store, "long").steps == 8
        mine, others = store.run("long"), today.run("long")
        assert mine.counted_replies == others.counted_replies > 0
        assert mine.uncounted_replies == others.uncounted_replies
        bundle = tmp_path / "long.sbx"
        bundle.write_bytes(export(store, "long", "bundle"))
        with Store(tmp_path / "third.db") as third:
            (name,) = import_file(third, bundle)
            first, *rest = replay(third, name)
            assert rest == list(replay(store, "long"))[1:]
            assert isinstance(first, e.RunStarted)
            assert first.task == store.run("long").task
            assert third.calls(name) == store.calls("long")


def layout(path: Path) -> dict[str, object]:
    """Return the schema: tables with columns, indexes with columns, views and triggers."""
    with contextlib.closing(sqlite3.connect(path)) as raw:
        found: dict[str, object] = {}
        for kind, name, sql in raw.execute("SELECT type, name, sql FROM sqlite_master").fetchall():
            if kind == "table":
                columns = raw.execute(f"PRAGMA table_xinfo({name})").fetchall()
                keys = raw.execute(f"PRAGMA foreign_key_list({name})").fetchall()
                found[name] = ({column[1:] for column in columns}, {key[2:] for key in keys})
            elif kind == "index":
                found[name] = raw.execute(f"PRAGMA index_info({name})").fetchall()
            else:
                found[name] = sql
        return found


@pytest.mark.parametrize("version", VERSIONS)
def test_an_older_file_ends_with_the_tables_of_a_new_one(tmp_path: Path, version: str) -> None:
    path = unpacked(VERSIONS[version], tmp_path)
    Store(path).close()
    Store(tmp_path / "new.db").close()
    assert layout(path) == layout(tmp_path / "new.db")
    for file in (path, tmp_path / "new.db"):
        with contextlib.closing(sqlite3.connect(file)) as raw:
            marks = [
                raw.execute(f"PRAGMA {name}").fetchone()
                for name in ("application_id", "user_version", "auto_vacuum")
            ]
            assert marks == [(migrate.APPLICATION_ID,), (len(migrate.MIGRATIONS),), (2,)]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("how", ["mode=ro", "mode=ro&immutable=1"])
def test_an_older_file_that_may_not_be_written_is_read_from_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, how: str
) -> None:
    path = unpacked(VERSIONS[version], tmp_path)
    before = path.read_bytes()
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    events, contents = sample("plain")
    with Store._open_readonly(path, how) as store:
        assert store.copied_because == OLDER_VERSION
        assert list(replay(store, "r")) == events
        assert [store.get_blob(digest(content)) for content in contents] == contents
        assert {hit.run.id for hit in search(store, "echo plain")} >= {"r"}
        catch_up(store, "long")
        assert playback_state_at(store, "r", len(events)).state == fold(events)
        (copy,) = temporary.iterdir()
        assert stat.S_IMODE(copy.stat().st_mode) == 0o700
        with pytest.raises(StoreError, match=f"{path} cannot be written"):
            add_tag(store, "r", "lost")
    assert list(temporary.iterdir()) == []
    assert path.read_bytes() == before


def test_a_file_of_today_that_may_not_be_written_is_not_copied(tmp_path: Path) -> None:
    Store(tmp_path / "s.db").close()
    with Store._open_readonly(tmp_path / "s.db", "mode=ro") as store:
        assert store.copied_because == ""


def test_a_copy_for_which_there_is_no_room_is_refused(
    older: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(small_disk))
    free = shutil.disk_usage(small_disk).free
    (small_disk / "filler").write_bytes(b"x" * (free - older.stat().st_size))
    with pytest.raises(StoreError, match="Free some space, or set TMPDIR"):
        Store._open_readonly(older, "mode=ro")
    assert [file.name for file in small_disk.iterdir()] == ["filler"]


def test_an_older_file_is_left_alone_while_an_older_program_records(older: Path) -> None:
    with subprocess.Popen(["sleep", "600"]) as other:
        try:
            with contextlib.closing(sqlite3.connect(older)) as raw:
                owner = ProcessIdentity.this_process()._replace(
                    pid=other.pid, started=start_of(other.pid)
                )
                raw.execute(
                    "UPDATE runs SET reason = NULL, owner_pid = ?, owner_started = ?, owner_host = ?",
                    [*owner],
                )
                raw.commit()
            with pytest.raises(StoreError, match="An older sandbox-tui is recording"):
                Store(older)
            with contextlib.closing(sqlite3.connect(older)) as raw:
                assert raw.execute("SELECT count(*) FROM _migrations").fetchone() == (6,)
                assert raw.execute("SELECT count(*) FROM chunks").fetchone() > (0,)
        finally:
            other.kill()
    with Store(older) as store:
        assert store.run("r").outcome == "interrupted"


def test_a_migration_that_is_killed_leaves_the_file_as_it_was(older: Path) -> None:
    """Killed inside its transaction, with pages already written to the file."""
    script = (
        "import os, signal, sys\nfrom pathlib import Path\n"
        "from sandbox_tui.sessions import Store\n"
        "from sandbox_tui.sessions.store.migrations import migrate\n"
        "def end(db):\n"
        "    db.conn.execute('PRAGMA cache_spill = 1')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "migrate.MIGRATIONS += (('end', end),)\n"
        "Store(Path(sys.argv[1]))"
    )
    ended = subprocess.run([sys.executable, "-c", script, str(older)])
    assert ended.returncode == -signal.SIGKILL
    with contextlib.closing(sqlite3.connect(older)) as raw:
        assert raw.execute("SELECT count(*) FROM _migrations").fetchone() == (6,)
        assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with Store(older) as store:
        assert list(replay(store, "r")) == sample("plain")[0]


def test_a_migration_without_enough_disk_space_is_refused(tmp_path: Path, small_disk: Path) -> None:
    path = unpacked(VERSIONS["80b0a8c"], small_disk)
    size = path.stat().st_size
    free = shutil.disk_usage(small_disk).free
    (small_disk / "filler").write_bytes(b"x" * (free - size))
    before = path.read_bytes()
    with pytest.raises(StoreError, match="Free some space and try again; nothing was changed"):
        Store(path)
    assert path.read_bytes() == before
    (small_disk / "filler").unlink()
    with Store(path) as store:
        assert list(replay(store, "r")) == sample("plain")[0]


def modes(path: Path) -> dict[str, int]:
    found = [path.parent, *path.parent.iterdir()]
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in found}


PRIVATE = {"home": 0o700, "s.db": 0o600, "s.db-wal": 0o600, "s.db-shm": 0o600}


def test_a_new_database_is_private(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with contextlib.closing(Store(tmp_path / "home" / "s.db")) as store:
            store.append("r", [started()])
            assert modes(store.path) == PRIVATE
    finally:
        os.umask(before)


def test_an_older_database_is_made_private_once(older: Path) -> None:
    with contextlib.closing(Store(older)) as store:
        assert modes(older) == PRIVATE
        older.chmod(0o640)  # the user's decision
        older.parent.chmod(0o750)
        with contextlib.closing(Store(older)):
            assert modes(older)["s.db"] == 0o640
            assert modes(older)["home"] == 0o750
        assert store.runs()


def test_a_folder_that_others_share_keeps_its_rights(older: Path) -> None:
    older.parent.chmod(0o1777)
    Store(older).close()
    assert modes(older) == {"home": 0o1777, "s.db": 0o600}


def test_no_event_is_read_to_compare_or_to_search_a_session(store: Store) -> None:
    store.append("r", sample("plain")[0])
    statements: list[str] = []
    with store.autocommit() as connection:
        connection.set_trace_callback(statements.append)
        assert calls_of(store, "r")
        assert occurrences(store, "r", "plain")
        assert search(store, "plain")
        connection.set_trace_callback(None)
    assert statements
    assert not any(" events " in query for query in statements)


def test_a_newer_version_migrates_during_a_run(store: Store) -> None:
    """It starts while this version records; this version ignores the columns that it adds."""
    events, contents = sample("plain")
    store.append("r", events[:5])
    with contextlib.closing(sqlite3.connect(store.path)) as newer:
        tables = [
            *("runs", "events", "terminal_output", "file_changes", "blobs", "run_blobs"),
            *("keyframes", "keyframe_items", "keyframe_screens", "markers", "tags", "notes"),
            *("source_documents", "orphaned_snapshots", "steps", "calls", "messages"),
        ]
        for table in tables:
            newer.execute(f"ALTER TABLE {table} ADD COLUMN of_the_future TEXT")
        newer.execute("INSERT INTO _migrations (name) VALUES ('from_the_future')")
        newer.execute(f"PRAGMA user_version = {len(migrate.MIGRATIONS) + 1}")
        newer.commit()
    store.append("r", events[5:])
    for content in contents:
        store.put_blob("r", content)
    catch_up(store, "r")
    store.keyframes("r").make_temporary()
    assert list(replay(store, "r")) == events
    assert playback_state_at(store, "r", events[-1].seq).state == fold(events)
    assert {hit.run.id for hit in search(store, "plain")} == {"r"}
    assert [run.id for run in store.runs()] == ["r"]
    add_tag(store, "r", "tag")
    add_note(store, "r", 1, "note")
    keep_source_document(
        store, "r", SourceDocument(format="f", name="n", fingerprint="d", data=b"x")
    )
    assert source_document_of(store, "r") is not None
    store.delete("r")


def test_a_newer_version_that_removes_a_table_is_named(store: Store) -> None:
    store.append("r", [started()])
    with contextlib.closing(sqlite3.connect(store.path)) as newer:
        newer.execute("ALTER TABLE events RENAME COLUMN json TO text")
        newer.execute(f"PRAGMA user_version = {len(migrate.MIGRATIONS) + 1}")
        newer.commit()
    with pytest.raises(StoreError, match="newer sandbox-tui has changed"):
        store.append("r", [e.Warned(seq=2, t=1, text="x")])
    with pytest.raises(StoreError, match="newer sandbox-tui has changed"):
        list(store.events("r"))
