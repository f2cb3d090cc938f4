"""The session database, on real files, with real faults."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlite_utils import Database

from sandbox_tui.core.base.errors import NotStored, StoreError
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store, new_id, replay
from sandbox_tui.sessions.search.across_sessions import search
from sandbox_tui.sessions.store.maintenance import check
from sandbox_tui.sessions.store.migrations import migrate
from sandbox_tui.sessions.store.migrations.first_versions import RELEASED
from tests.examples import examples
from tests.unit.event_streams import started, streams
from tests.unit.sample_run import keep, sample


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 1 MB."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small tmpfs needs root")
    mount = tmp_path / "small"
    mount.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(mount)]
    if subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("tmpfs cannot be mounted here")
    yield mount
    subprocess.run(["umount", "-l", str(mount)], check=True)


def read_all(path: Path) -> None:
    with contextlib.closing(Store(path)) as store:
        store.run("r")
        list(store.events("r"))


@examples(25)
@given(streams(), st.integers(1, 10))
def test_stored_events_are_read_back_equal(events: list[e.AnyEvent], batch: int) -> None:
    with TemporaryDirectory() as folder:
        store = Store(Path(folder) / "s.db")
        for at in range(0, len(events), batch):
            store.append("r", events[at : at + batch])
        store.close()
        again = Store(Path(folder) / "s.db")
        assert list(replay(again, "r")) == events
        assert list(again.events("r", after=2, until=5)) == events[2:5]
        again.close()


def test_more_events_than_a_page(store: Store) -> None:
    events: list[e.AnyEvent] = [started()]
    events += [e.Warned(seq=n, t=float(n), text=str(n)) for n in range(2, 1700)]
    store.append("r", events)
    assert list(store.events("r")) == events


@pytest.mark.parametrize(
    ("verdict", "failed"), [("approve", 1), ("edit", 1), ("reject", 0), ("skip", 0)]
)
def test_a_call_that_was_kept_from_running_is_not_counted_as_failed(
    store: Store, verdict: Any, failed: int
) -> None:
    decided = e.CallDecided(seq=2, t=1.0, call=1, verdict=verdict, by="human", feedback="x" * 500)
    store.append("r", [started(), decided])
    store.append("r", [e.CallFinished(seq=3, t=2.0, call=1, observation="x", ok=False)])
    assert (store.run("r").calls, store.run("r").failed_calls) == (1, failed)


def test_a_run_at_a_glance(store: Store) -> None:
    usage = e.Usage(input_tokens=10, output_tokens=3)
    replied = e.ModelReplied(
        seq=2,
        t=1.0,
        step=1,
        message={},
        text="",
        reasoning="",
        usage=usage,
        finish_reason="stop",
        latency=1.0,
        cost=0.25,
    )
    store.append("r", [started(), replied])
    store.append("r", [e.CallFinished(seq=3, t=2.0, call=1, observation="x", ok=False)])
    run = store.run("r")
    assert (run.outcome, run.steps, run.calls, run.failed_calls) == ("running", 1, 1, 1)
    assert (run.input_tokens, run.output_tokens, run.cost) == (10, 3, 0.25)
    end = e.RunFinished(seq=4, t=3.0, reason="model_error", error="why", totals=e.Totals())
    store.append("r", [end])
    assert (store.run("r").outcome, store.run("r").error) == ("model_error", "why")
    assert store.run("r").ended_at == started().started_at + 3.0


def test_all_of_a_batch_or_nothing(store: Store) -> None:
    store.append("r", [started()])
    with pytest.raises(StoreError):
        store.append("r", [e.Warned(seq=2, t=0, text="a"), e.Warned(seq=2, t=0, text="again")])
    assert len(list(store.events("r"))) == 1


def test_runs_are_found_by_part_of_their_id(store: Store) -> None:
    for name in ("20260101-aaa", "20260102-bbb"):
        store.append(name, [started(name)])
    assert store.run("20260101").id == "20260101-aaa"
    assert store.run("bbb").id == "20260102-bbb"
    with pytest.raises(StoreError, match="more than one"):
        store.run("2026")
    with pytest.raises(StoreError, match="no session 'zzz'"):
        store.run("zzz")
    with pytest.raises(StoreError, match="no session"):
        store.run("%")


def test_deleting_frees_what_nobody_else_has(store: Store) -> None:
    for name in ("a", "b"):
        store.append(name, [started(name)])
    shared = store.blobs("a").put(b"shared")
    own = store.blobs("a").put(b"own" * 1000)
    assert store.blobs("b").put(b"shared") == shared
    store.delete("a")
    assert store.get_blob(own) is None
    assert store.get_blob(shared) == b"shared"
    assert [run.id for run in store.runs()] == ["b"]
    assert list(store.events("a")) == []


def test_a_run_that_is_deleted_while_it_is_written(store: Store) -> None:
    store.append("r", [started()])
    store.delete("r")
    with pytest.raises(StoreError, match="deleted in the meantime"):
        store.append("r", [e.Warned(seq=2, t=0, text="too late")])


def test_damaged_contents_are_reported(store: Store) -> None:
    name = store.blobs("r").put(b"x" * 9999)
    store._connection.execute("UPDATE blobs SET data = x'00ff'")
    with pytest.raises(StoreError, match="damaged"):
        store.get_blob(name)


def test_a_title_of_its_own(store: Store) -> None:
    store.append("r", [started()])
    store.rename("r", "a better name")
    assert store.run("r").title == "a better name"
    store.rename("r", None)
    assert store.run("r").title is None
    with pytest.raises(StoreError, match="no session 'zzz'"):
        store.rename("zzz", "x")


def test_runs_are_listed_newest_first_by_the_page(store: Store) -> None:
    for n in range(7):
        store.append(f"r{n}", [started(f"r{n}", started_at=float(n))])
    assert [run.id for run in store.runs(limit=3)] == ["r6", "r5", "r4"]
    assert [run.id for run in store.runs(limit=3, offset=5)] == ["r1", "r0"]


def test_a_program_that_is_gone_leaves_an_interrupted_run(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from sandbox_tui.sessions import Store\n"
        "from tests.unit.event_streams import started\n"
        "Store(Path(sys.argv[1])).append('r', [started()])"
    )
    path = tmp_path / "s.db"
    subprocess.run([sys.executable, "-W", "ignore", "-c", script, str(path)], check=True)
    store = Store(path)
    assert store.run("r").outcome == "interrupted"
    store.close()


@pytest.mark.parametrize("after", [1, 7, 40])
def test_kill_9_loses_nothing_that_was_acknowledged(tmp_path: Path, after: int) -> None:
    script = (
        "import sys; from pathlib import Path; from sandbox_tui.sessions import Store\n"
        "from sandbox_tui.core.events import types as e; from tests.unit.event_streams import started\n"
        "s = Store(Path(sys.argv[1])); s.append('r', [started()])\n"
        "for n in range(2, 100000):\n"
        "    s.append('r', [e.TerminalOutput(seq=n, t=n, terminal='model', data=b'x' * 999)])\n"
        "    print(n, flush=True)"
    )
    path = tmp_path / "s.db"
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    last = 0
    for line in child.stdout:
        last = int(line)
        if last >= after:
            break
    child.send_signal(signal.SIGKILL)
    rest = child.stdout.read().split()
    last = int(rest[-1]) if rest else last
    child.wait()
    child.stdout.close()
    store = Store(path)
    assert [event.seq for event in store.events("r")][:last] == list(range(1, last + 1))
    store.close()


def test_readers_continue_while_another_writes(tmp_path: Path) -> None:
    writer, reader = Store(tmp_path / "s.db"), Store(tmp_path / "s.db")
    writer.append("r", [started()])
    writer._connection.execute("BEGIN IMMEDIATE")
    assert len(list(reader.events("r"))) == 1
    writer._connection.execute("ROLLBACK")
    writer.close()
    reader.close()


@pytest.mark.parametrize("writers", [3])
def test_threads_and_programs_write_side_by_side(tmp_path: Path, writers: int) -> None:
    path = tmp_path / "s.db"
    mine, other = Store(path), Store(path)
    names = [f"run-{n}" for n in range(2 * writers)]

    def write(store: Store, name: str) -> None:
        store.append(name, [started(name)])
        for seq in range(2, 60):
            store.append(name, [e.Warned(seq=seq, t=0, text=name)])
            store.blobs(name).put(f"{seq}".encode())

    with ThreadPoolExecutor(len(names)) as pool:
        jobs = [pool.submit(write, (mine, other)[n % 2], name) for n, name in enumerate(names)]
        while not all(job.done() for job in jobs):
            assert all(run.last_seq <= 59 for run in mine.runs())
        for job in jobs:
            job.result()
    for name in names:
        assert [event.seq for event in other.events(name)] == list(range(1, 60))
    mine.close()
    other.close()


def test_a_new_file_is_opened_by_many_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        for store in pool.map(Store, [tmp_path / "s.db"] * 8):
            assert store.runs() == []
            store.close()


def columns(path: Path) -> dict[str, list[str]]:
    with contextlib.closing(sqlite3.connect(path)) as raw:
        tables = raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name: [row[1] for row in raw.execute(f"PRAGMA table_info({name})")]
            for (name,) in tables
        }


def test_migrations_run_once_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    path.touch()  # an empty file is an empty database
    Store(path).close()
    first = columns(path)
    Store(path).close()
    assert columns(path) == first
    with contextlib.closing(sqlite3.connect(path)) as raw:
        names = [row[0] for row in raw.execute("SELECT name FROM _migrations ORDER BY rowid")]
    assert names == [name for name, _ in migrate.MIGRATIONS]


@pytest.mark.parametrize("version", range(1, len(RELEASED) + 1))
def test_a_database_of_every_older_version_keeps_its_runs(tmp_path: Path, version: int) -> None:
    path = tmp_path / "s.db"
    body = e.to_json(started("old", task="an old task"))
    with contextlib.closing(sqlite3.connect(path)) as raw:
        raw.execute("CREATE TABLE _migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL)")
        for name, migration in RELEASED[:version]:
            migration(Database(raw))
            raw.execute("INSERT INTO _migrations VALUES (?, '2026')", [name])
        raw.execute(
            "INSERT INTO runs (id, task, started_at, last_seq) VALUES ('old', 'an old task', 1, 1)"
        )
        raw.execute("INSERT INTO events VALUES ('old', 1, 0, 'RunStarted', 0, ?)", [body])
        raw.commit()
    with contextlib.closing(Store(path)) as store:
        assert store.run("old").title is None
        assert list(store.events("old")) == [started("old", task="an old task")]
        assert [hit.run.id for hit in search(store, "task")] == ["old"]
        assert check(store).problems == []
        store.append("old", [e.Warned(seq=2, t=1, text="it goes on")])
        store.delete("old")
        assert store.runs() == []


def test_a_session_with_null_for_a_time_is_read_and_one_with_nonsense_is_found(
    tmp_path: Path,
) -> None:
    change = e.FileChange(path="/a", change="created", kind="file", mtime=1.5)
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        store.append("r", [started("r"), e.FilesChanged(seq=2, t=1, step=1, changes=(change,))])
        body = b'{"kind":"FilesChanged","seq":2,"t":1.0,"step":1,"changes":[{"path":"/a",'
        body += b'"change":"created","kind":"file","mtime":null}]}'
        with store.transaction() as raw:
            raw.execute("UPDATE events SET compressed = 0, json = ? WHERE seq = 2", [body])
        assert list(store.events("r"))[1].changes[0].mtime == 0.0  # type: ignore[union-attr]
        assert check(store).problems == []
        with store.transaction() as raw:
            raw.execute("UPDATE events SET json = ? WHERE seq = 2", [b'{"kind":"Nonsense"}'])
        (problem,) = check(store).problems
        assert problem.startswith("the session r has an event that cannot be read:")


def test_a_migration_that_fails_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.db"
    Store(path).close()
    before = columns(path)

    def half(db: Database) -> None:
        db.execute("CREATE TABLE half (a)")
        db.execute("CREATE TABLE half (a)")

    with monkeypatch.context() as then:
        then.setattr(migrate, "MIGRATIONS", (*migrate.MIGRATIONS, ("half", half)))
        with pytest.raises(StoreError, match="half"):
            Store(path)
    assert columns(path) == before
    Store(path).close()


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "photos.db"
    with contextlib.closing(sqlite3.connect(path)) as raw:
        raw.execute("CREATE TABLE photos (a)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        Store(path)
    assert path.read_bytes() == before


def test_a_database_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    Store(path).close()
    raw = sqlite3.connect(path)
    raw.execute("INSERT INTO _migrations (name) VALUES ('from_the_future')")
    raw.commit()
    raw.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="newer sandbox-tui"):
        Store(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 4000]
)
def test_a_damaged_file_is_named_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "s.db"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"s\.db"):
        Store(path)
    assert path.read_bytes() == content


def test_a_truncated_file(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = Store(path)
    store.append("r", [started(task="x" * 50_000)])
    store._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    path.write_bytes(path.read_bytes()[:8192])
    with pytest.raises(StoreError, match=r"is damaged|is not a session database"):
        read_all(path)


def test_another_program_that_does_not_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox_tui.sessions.store.database.BUSY_SECONDS", 0.05)
    store = Store(tmp_path / "s.db")
    other = sqlite3.connect(tmp_path / "s.db")
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="locked by another program"):
        store.append("r", [started()])
    other.rollback()
    other.close()
    store.append("r", [started()])
    store.close()


def write_until_full(store: Store, stored: list[int]) -> None:
    store.append("r", [started()])
    stored.append(1)
    for seq in range(2, 1000):
        event = e.TerminalOutput(seq=seq, t=0, terminal="model", data=os.urandom(20_000))
        store.append("r", [event])
        stored.append(seq)


def sqlite3_check(path: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(path)) as raw:
        return [str(row[0]) for row in raw.execute("PRAGMA integrity_check")]


def test_a_full_disk_keeps_what_was_acknowledged(small_disk: Path) -> None:
    path = small_disk / "s.db"
    store, stored = Store(path), []
    with pytest.raises(StoreError, match="disk is full"):
        write_until_full(store, stored)
    assert [event.seq for event in store.events("r")] == stored
    assert sqlite3_check(path) == ["ok"]
    store.close()


def test_a_disk_that_was_full_can_be_written_again(small_disk: Path) -> None:
    filler = small_disk / "filler"
    filler.write_bytes(b"x" * 400_000)
    store, stored = Store(small_disk / "s.db"), []
    with pytest.raises(StoreError, match="disk is full"):
        write_until_full(store, stored)
    filler.unlink()
    store.append("r", [e.Warned(seq=len(stored) + 1, t=0, text="there is room again")])
    assert [event.seq for event in store.events("r")] == [*stored, len(stored) + 1]
    store.close()


def test_a_read_only_disk(small_disk: Path) -> None:
    path = small_disk / "s.db"
    store = Store(path)
    store.append("r", [started()])
    store.close()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(StoreError, match=r"s\.db cannot be"):
        Store(path)
    with pytest.raises(StoreError, match=r"new\.db cannot be"):
        Store(small_disk / "new.db")


def test_a_read_only_file(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    Store(path).close()
    path.chmod(0o400)
    script = (
        "import sys; from contextlib import closing; from pathlib import Path\n"
        "from sandbox_tui.sessions import Store; from tests.unit.event_streams import started\n"
        "with closing(Store(Path(sys.argv[1]))) as s: s.append('r', [started()])"
    )
    command = [sys.executable, "-c", script, str(path)]
    if os.access(path, os.W_OK):  # root may write to it unless it drops this capability
        if shutil.which("setpriv") is None:
            pytest.skip("this user may write to read-only files")
        command = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override", *command]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "StoreError" in done.stderr
    assert f"{path} cannot be written: it, or its folder, is read-only." in done.stderr


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be used"):
        Store(tmp_path / "file" / "below" / "s.db")


def test_ids_sort_by_time_and_do_not_collide() -> None:
    ids = [new_id() for _ in range(500)]
    assert len(set(ids)) == 500
    assert ids == sorted(ids)
    assert all(len(name) == 21 for name in ids)


def test_the_end_of_an_id_is_too_little_to_delete_by(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("a task"), run_id="20261126-110405-yycz5")
        assert store.run("yycz5").id == "20261126-110405-yycz5"
        with pytest.raises(
            NotStored,
            match="first 4 characters of an id, not .yycz5.: this session is 20261126-110405-yycz5",
        ):
            store.run("yycz5", strict=True)
        with pytest.raises(NotStored, match="There is no session 'nobody'"):
            store.run("nobody", strict=True)
        with pytest.raises(NotStored, match="There is no session 'zzz'"):
            store.run("zzz", strict=True)
        for part in ("yyc", "202"):
            with pytest.raises(
                NotStored, match=f"an id, not '{part}': this session is 20261126-110405-yycz5"
            ):
                store.run(part, strict=True)


def test_any_part_of_an_id_names_its_session(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        for run_id in ("20261126-110405-yycz5", "20261126-110417-azg4b", "20261126-114055-a2627"):
            keep(store, *sample("a task"), run_id=run_id)
        assert store.run("zg4").id == "20261126-110417-azg4b"
        assert store.run("110417").id == "20261126-110417-azg4b"
        assert store.run("2627").id == "20261126-114055-a2627"  # an end counts before a middle
        with pytest.raises(NotStored, match="110417-azg4b, 20261126-110405-yycz5. Type more"):
            store.run("1104")
        for part in ("110417", "yycz5"):
            with pytest.raises(
                NotStored,
                match="first 4 characters of an id, not .*: this session is 20261126-1104",
            ):
                store.run(part, strict=True)
