"""Files to import that try to run code, to take forever or to fill the memory.

Each import ends with one message. The real program reads the files, limited to 1.5 GB of memory and
half a minute of CPU time.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sqlite3
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from sandbox_tui.core.base.blob_store import digest
from sandbox_tui.core.base.errors import ResumeRefused
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import RunRegistry, Store
from sandbox_tui.sessions.interchange.bundle_format import APPLICATION_ID, TABLES
from sandbox_tui.sessions.interchange.exports import EXPORTERS, Recording
from sandbox_tui.sessions.interchange.fingerprint import fingerprint
from sandbox_tui.sessions.interchange.imports import import_file
from tests.security.driven import drive, tap
from tests.security.hostile import Streams
from tests.security.hostile_run import hostile_run
from tests.security.terminals import PROGRAM
from tests.security.test_widgets import app_of
from tests.unit.event_streams import started
from tests.waiting import HANG_SECONDS

MEMORY = 1536 << 20
SECONDS = 30


def bundle(path: Path, events: list[bytes], *, contents: list[bytes] = [], mark: str = "") -> None:  # noqa: B006
    """A compressed `.sbx` with these rows, complete except for the rows' own defects."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        for statement in TABLES.values():
            db.execute(statement)
        about = {"format": "1", "schema": str(e.SCHEMA_VERSION), "fingerprint": mark}
        db.executemany("INSERT INTO about VALUES (?, ?)", about.items())
        rows = [(n, 1, zlib.compress(data)) for n, data in enumerate(events, 1)]
        db.executemany("INSERT INTO events VALUES (?, ?, ?)", rows)
        db.executemany(
            "INSERT INTO contents VALUES (?, 1, ?)",
            [(digest(str(n).encode()), data) for n, data in enumerate(contents)],
        )
        db.commit()


def database(path: Path, *statements: str) -> None:
    """A database with our application id on which these statements were run."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        for statement in statements:
            db.execute(statement)
        db.commit()


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
FIRST = e.to_json(started("20260101-100000-aaaaa"))
AT = b'"seq":2,"t":0.1'


def endless_views(path: Path) -> None:
    views = [
        f"CREATE VIEW {name} AS {ENDLESS} SELECT i, 0 AS packed, x'7b7d' FROM n" for name in TABLES
    ]
    database(path, *views)


def a_view_under_a_tables_name(path: Path) -> None:
    row = f"('view', 'events', 'events', 0, 'CREATE VIEW evil AS {ENDLESS} SELECT i FROM n')"
    database(
        path,
        *TABLES.values(),
        "PRAGMA writable_schema = ON",
        f"INSERT INTO sqlite_master VALUES {row}",
    )


def a_trigger(path: Path) -> None:
    evil = f"CREATE TRIGGER t AFTER INSERT ON events BEGIN INSERT INTO tags {ENDLESS} SELECT i FROM n; END"
    database(path, *TABLES.values(), evil)


def an_index_on_an_expression(path: Path) -> None:
    database(path, *TABLES.values(), "CREATE INDEX i ON events (abs(seq))")


def a_bomb_of_contents(path: Path) -> None:
    bomb = zlib.compress(bytes(70 << 20), 9)
    bundle(
        path, [FIRST], contents=[bomb] * 20, mark=fingerprint([started("20260101-100000-aaaaa")])
    )


def a_bomb_in_a_row(path: Path) -> None:
    bundle(path, [FIRST, b'{"kind":"Warned",%b,"text":"%b"}' % (AT, b"x" * (300 << 20))])


def a_bomb_of_lists(path: Path) -> None:
    message = b"[" + b"[]," * (25 << 20) + b"[]]"
    reply = b'{"kind":"ModelReplied",%b,"step":1,"message":{"m":%b},"text":"","reasoning":"","usage":{},"finish_reason":null,"latency":0}'
    bundle(path, [FIRST, reply % (AT, message)])


def a_deep_message(path: Path) -> None:
    deep = b"[" * 800 + b"]" * 800
    reply = b'{"kind":"ModelReplied",%b,"step":1,"message":{"m":%b},"text":"","reasoning":"","usage":{},"finish_reason":null,"latency":0}'
    bundle_of(path, [FIRST, reply % (AT, deep)])


def bundle_of(path: Path, rows: list[bytes]) -> None:
    """A bundle with the correct fingerprint."""
    bundle(path, rows, mark=fingerprint([e.from_json(row) for row in rows]))


def a_terminal_without_an_end(path: Path) -> None:
    bundle_of(
        path,
        [
            FIRST,
            b'{"kind":"TerminalOpened",%b,"terminal":"m","cols":1000000000,"rows":1000000000}' % AT,
        ],
    )


def sums_that_overflow(path: Path) -> None:
    file = b'{"path":"/a","change":"created","kind":"file","size":9223372036854775807}'
    bundle_of(path, [FIRST, b'{"kind":"FilesListed",%b,"files":[%b]}' % (AT, file)])


def a_number_of_a_thousand_digits(path: Path) -> None:
    bundle(path, [FIRST, b'{"kind":"CallStarted",%b,"call":1%b}' % (AT, b"0" * 1000)])


def no_time_there_is(path: Path) -> None:
    bundle_of(path, [e.to_json(msgspec.structs.replace(started("x"), started_at=1e12))])


def text(words: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(words)


TRAJECTORY = '{"problem_statement": "x", "steps": [%s]}'

FILES: dict[str, Callable[[Path], object]] = {
    "views in place of tables": endless_views,
    "a view under a table's name": a_view_under_a_tables_name,
    "a trigger": a_trigger,
    "an index": an_index_on_an_expression,
    "a bomb of contents": a_bomb_of_contents,
    "a bomb in a row": a_bomb_in_a_row,
    "a bomb of lists": a_bomb_of_lists,
    "a deep message": a_deep_message,
    "a terminal without an end": a_terminal_without_an_end,
    "sums that overflow": sums_that_overflow,
    "a number of a thousand digits": a_number_of_a_thousand_digits,
    "start time is not valid": no_time_there_is,
    "a truncated database": lambda path: path.write_bytes(b"SQLite format 3\0" + b"\0" * 84),
    "JSON without an end": text("[" * (60 << 20)),
    "JSON deep down": text(TRAJECTORY % ("[" * 5000 + "]" * 5000)),
    "JSON of empty lists": text(TRAJECTORY % ("[]," * (20 << 20) + "[]")),
    "a number of sixty million digits": text(TRAJECTORY % ("1" * (60 << 20))),
    "a fraction of sixty million digits": text(TRAJECTORY % ("1." + "1" * (60 << 20))),
    "quotes within quotes": text('"' + '\\"' * (30 << 20)),
    "lines without an end": text('{"version": 2, "width": 80, "height": 24}\n' + '[0, "o", "x"]\n' * (4 << 20)),
    "a terminal that is too large": text('{"version": 2, "width": 1000000000, "height": 9}\n[1, "o", "x"]'),
    "too much": lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_RDWR), 1 << 40),
    "a pipe": os.mkfifo,
    "a folder": lambda path: path.mkdir(),
    "a link to itself": lambda path: path.symlink_to(path),
    "a device": lambda path: path.symlink_to("/dev/zero"),
}  # fmt: skip


def limit_resources() -> None:
    """Limit memory to that of a small machine, and CPU time to what a user would wait."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


@pytest.mark.parametrize("name", FILES)
def test_each_ends_with_one_sentence(name: str, own_home: Path, tmp_path: Path) -> None:
    path = tmp_path / "file"
    FILES[name](path)
    done = subprocess.run(
        [PROGRAM, "sessions", "import", str(path)],
        capture_output=True,
        preexec_fn=limit_resources,
        timeout=HANG_SECONDS,
        text=True,
    )
    assert done.returncode == 2, done.stderr[-2000:]
    assert done.stdout == ""
    assert done.stderr.startswith("sandbox-tui: ")
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith(".\n")
    assert len(done.stderr) < 400 + len(str(path))
    store = Store(own_home / "sessions.db")
    assert store.runs() == []
    store.close()


def largest(value: object, key: str = "") -> object:
    """A copy with each number as large as an import accepts."""
    if isinstance(value, bool) or key in (
        "kind",
        "schema",
        "seq",
        "t",
        "call",
        "number",
        "id",
        "cols",
        "rows",
        "started_at",
    ):
        return value
    if isinstance(value, int | float):
        return type(value)(1 << 40)
    if isinstance(value, dict):
        return {name: largest(field, name) for name, field in value.items()}
    return [largest(item) for item in value] if isinstance(value, list) else value


async def test_the_largest_numbers_that_are_taken_can_be_shown(
    own_home: Path, tmp_path: Path
) -> None:
    made = Store(tmp_path / "made.db")
    events = hostile_run("20260101-100000-aaaaa", Streams(), 4, made)
    rows = [json.dumps(largest(json.loads(e.to_json(event)))).encode() for event in events]
    bundle_of(tmp_path / "x.sbx", rows)
    store = Store(tmp_path / "s.db")
    (run_id,) = import_file(store, tmp_path / "x.sbx")
    app = app_of(store, store.run(run_id), **{"ui.notify": "off"})
    await drive(
        app,
        (160, 45),
        lambda pilot: tap(pilot, "l", "l", "3", "j", "j", "enter", "1", "o", "q", "$", "h"),
    )
    for format_, exporter in EXPORTERS.items():
        assert list(exporter.write(Recording(store, run_id))), format_
    store.close()


def test_an_imported_session_is_not_resumed(tmp_path: Path) -> None:
    """It would decide which server receives the key, and what may run without approval."""
    bundle_of(
        tmp_path / "x.sbx",
        [FIRST, b'{"kind":"ModelAsked",%b,"step":1,"digest":"","messages":1}' % AT],
    )
    store = Store(tmp_path / "s.db")
    (run_id,) = import_file(store, tmp_path / "x.sbx")
    with pytest.raises(ResumeRefused, match="recorded elsewhere"):
        RunRegistry(store).resume(store.run(run_id), load())
    store.close()
