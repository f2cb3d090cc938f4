"""A session database that fails before or during a run: what is kept, and what is reported."""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.maintenance import check
from tests import scripted_server as s
from tests.e2e.tmux import Terminal
from tests.faults.program import PROGRAM, Program, against, only, stored
from tests.integration.conftest import require

Start = Callable[..., s.ScriptedServer]
OLDER = Path(__file__).parents[1] / "unit/sessions/store/older/048f495.db.gz"
WITHOUT_RIGHTS = ("setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override")
"""Drops CAP_DAC_OVERRIDE, so that root cannot write to read-only files."""


@pytest.fixture(autouse=True)
def embedded() -> None:
    require("bubblewrap")


@pytest.fixture
def small_home() -> Iterator[Path]:
    """A home on a 2 MB file system, with a name short enough for a line of the screen."""
    folder = Path(tempfile.mkdtemp(prefix="sbx-"))
    mount = folder / "h"
    mount.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(mount)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("tmpfs cannot be mounted here")
    yield mount
    subprocess.run(["umount", "-l", str(mount)], check=True)
    shutil.rmtree(folder)


def fill(folder: Path) -> Path:
    """Fill the disk; returns the file that takes the space."""
    filler = folder / "filler"
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)
    return filler


def fault_at_second_request(begin: Callable[[], object]) -> list[object]:
    """A model's replies, with a fault injected while it works on the second."""

    def second(request: s.Chunk) -> s.Scripted:
        begin()
        return s.call("execute_bash", command="touch output/second")

    first = s.call("execute_bash", command="echo working; touch output/first")
    return [first, second, s.call("submit")]


class Locked:
    """Another program that holds the database's write lock."""

    def __init__(self, home: Path) -> None:
        self._path = home / "sessions.db"

    def begin(self) -> None:
        self._connection = sqlite3.connect(self._path, check_same_thread=False)
        self._connection.execute("BEGIN IMMEDIATE")

    def end(self) -> None:
        self._connection.rollback()
        self._connection.close()


def nothing_was_begun_meanwhile(program: Program, server: s.ScriptedServer) -> None:
    """The second reply is not recorded, so its call does not run and no further request is sent."""
    assert len(server.requests) == 2
    assert [event.call for event in only(e.CallStarted, program.events)] == [1]


def test_a_disk_that_fills_up_and_is_freed_again(
    small_home: Path, scripted_server: Start, tmp_path: Path
) -> None:
    server = scripted_server(*fault_at_second_request(lambda: fill(small_home)))
    results = tmp_path / "out"
    with Program(*against(server.url, "--output", str(results)), home=small_home) as program:
        program.wait_for_words("the run waits. The session database")
        assert "could not be written: the disk is full. Free some space" in program.stderr
        nothing_was_begun_meanwhile(program, server)
        (small_home / "filler").unlink()
        program.wait_for_words("the run continues.")
        assert program.end() == 0
        events = program.events
    assert stored(small_home) == events
    assert (results / "second").exists()
    warned = [event.text for event in only(e.Warned, events)]
    assert len(warned) == 1
    assert "The run waited" in warned[0]
    assert "the disk is full" in warned[0]


def test_a_disk_that_stays_full_until_somebody_ends_the_run(
    small_home: Path, scripted_server: Start, tmp_path: Path
) -> None:
    server = scripted_server(*fault_at_second_request(lambda: fill(small_home)))
    results = tmp_path / "out"
    with Program(*against(server.url, "--output", str(results)), home=small_home) as program:
        program.wait_for_words("the run waits.")
        program.send(signal.SIGINT)
        assert program.end() == 6
        assert program.stderr.splitlines()[-1].startswith("sandbox-tui: The session database")
        nothing_was_begun_meanwhile(program, server)
        events = program.events
    (small_home / "filler").unlink()
    assert stored(small_home)[: len(events)] == events  # everything it had printed
    assert (results / "first").exists()
    with Program("sessions", "ls", home=small_home) as program:
        assert program.end() == 0


def test_a_full_disk_on_the_screen(small_home: Path, scripted_server: Start) -> None:
    server = scripted_server(*fault_at_second_request(lambda: fill(small_home)))
    arguments = [word for word in against(server.url) if word != "--json"]
    with Terminal(*arguments, home=small_home) as terminal:
        terminal.wait_for("‖ cannot be recorded", "the run waits", "disk is full")
        (small_home / "filler").unlink()
        terminal.wait_for("✓ submitted", "The run waited")
        terminal.press("q")
        assert terminal.exit_code() == 0


def test_another_program_holds_the_database_for_long(
    own_home: Path, scripted_server: Start
) -> None:
    other = Locked(own_home)
    server = scripted_server(*fault_at_second_request(other.begin))
    with Program(*against(server.url), home=own_home) as program:
        program.wait_for_words("is locked by another program")
        nothing_was_begun_meanwhile(program, server)
        other.end()
        program.wait_for_words("the run continues.")
        assert program.end() == 0
        events = program.events
    assert stored(own_home) == events


def test_a_database_that_is_damaged_during_a_run(
    own_home: Path, scripted_server: Start, tmp_path: Path
) -> None:
    """It ends at once, since this cannot recover. Results are handed over all the same."""
    path = own_home / "sessions.db"

    def damage() -> None:
        for ending in ("", "-wal", "-shm"):
            with path.with_name(f"sessions.db{ending}").open("r+b") as file:
                file.write(os.urandom(os.fstat(file.fileno()).st_size))

    server = scripted_server(*fault_at_second_request(damage))
    results = tmp_path / "out"
    with Program(*against(server.url, "--output", str(results)), home=own_home) as program:
        assert program.end() == 6
        assert str(path) in program.stderr.splitlines()[-1]
        nothing_was_begun_meanwhile(program, server)
    assert (results / "first").exists()


# --- before anything was started


def recorded(home: Path) -> Path:
    """A database with one session."""
    with Program("demo", "--speed", "0", "--sandbox", "bubblewrap", "--json", home=home) as demo:
        assert demo.end() == 0
    path = home / "sessions.db"
    with contextlib.closing(sqlite3.connect(path)) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


def garbage(path: Path) -> None:
    path.write_bytes(os.urandom(50_000))


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])


def flipped_first_page(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[100:300] = bytes(byte ^ 0xFF for byte in data[100:300])
    path.write_bytes(data)


def newer(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as raw:
        raw.execute("INSERT INTO _migrations (name) VALUES ('v999_of_tomorrow')")
        raw.commit()


DAMAGES = {
    "garbage": (garbage, "is not a session database"),
    "truncated": (truncated, "is damaged"),
    "a flipped page": (flipped_first_page, "is damaged"),
    "newer": (newer, "was written by a newer sandbox-tui"),
}


@pytest.fixture(scope="module")
def one_session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one session."""
    require("bubblewrap")
    home = tmp_path_factory.mktemp("recorded") / "home"
    recorded(home)
    return home


@pytest.mark.parametrize("how", DAMAGES)
def test_an_unusable_database_is_named_and_left_unchanged(
    how: str, one_session: Path, own_home: Path, scripted_server: Start
) -> None:
    shutil.copytree(one_session, own_home)
    path = own_home / "sessions.db"
    damage, words = DAMAGES[how]
    damage(path)
    before, server = path.read_bytes(), scripted_server(s.call("submit"))
    for arguments in (against(server.url), ("replay", "last", "--json"), ("sessions", "ls")):
        with Program(*arguments, home=own_home) as program:
            assert program.end() == 6, arguments
            message = program.stderr.strip()
        assert len(message.splitlines()) == 1
        assert words in message
        assert str(path) in message
        assert "SANDBOX_TUI_HOME" in message  # how to start a new database
    assert path.read_bytes() == before
    assert server.requests == []


def test_a_read_only_database_can_be_read_but_no_run_starts(
    small_home: Path, one_session: Path, scripted_server: Start
) -> None:
    shutil.copy(one_session / "sessions.db", small_home)
    subprocess.run(["mount", "-o", "remount,ro", str(small_home)], check=True)
    server = scripted_server(s.call("submit"))
    with Program(*against(server.url), home=small_home) as program:
        assert program.end() == 6
        assert "read-only" in program.stderr
    assert server.requests == []
    with Program("replay", "last", "--json", home=small_home) as program:
        assert program.end() == 0
        events = program.events
    assert isinstance(events[-1], e.RunFinished)


def older_session(home: Path) -> Path:
    """A database written by an older version."""
    path = home / "sessions.db"
    path.write_bytes(gzip.decompress(OLDER.read_bytes()))
    return path


def read_with_every_command(home: Path, folder: Path, *, without: Sequence[str] = ()) -> None:
    """List, show, replay and export the session `r`; each reports once that it reads a copy."""
    for arguments in (
        ("sessions", "ls"),
        ("sessions", "show", "r"),
        ("replay", "r", "--json"),
        ("sessions", "export", "r", "-f", "markdown", "-o", "-"),
    ):
        command = [*without, str(PROGRAM), *arguments]
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "SANDBOX_TUI_HOME": str(home), "TMPDIR": str(folder)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert "plain" in done.stdout
        assert done.stderr.count("is read-only and was written by an older sandbox-tui") == 1
        assert list(folder.iterdir()) == []


def test_an_older_database_on_a_read_only_disk_is_read(small_home: Path, tmp_path: Path) -> None:
    before = older_session(small_home).read_bytes()
    subprocess.run(["mount", "-o", "remount,ro", str(small_home)], check=True)
    read_with_every_command(small_home, tmp_path)
    assert (small_home / "sessions.db").read_bytes() == before


@pytest.mark.parametrize("full", [False, True])
def test_an_older_read_only_database_is_read(tmp_path: Path, full: bool) -> None:
    """The file is read-only, or its folder as well."""
    home, folder = tmp_path / "home", tmp_path / "folder"
    home.mkdir()
    folder.mkdir()
    path = older_session(home)
    before = path.read_bytes()
    path.chmod(0o444)
    home.chmod(0o555 if full else 0o755)
    try:
        read_with_every_command(home, folder, without=() if os.geteuid() else WITHOUT_RIGHTS)
    finally:
        home.chmod(0o755)
    assert path.read_bytes() == before


def test_a_disk_that_is_full_before_the_run_starts(
    small_home: Path, one_session: Path, scripted_server: Start
) -> None:
    """Nothing is started: the model is not asked, and the sandbox is removed."""
    Store(small_home / "sessions.db").close()
    fill(small_home)
    server = scripted_server(s.call("submit"))
    with Program(*against(server.url), home=small_home) as program:
        assert program.end() == 6
        assert "the disk is full" in program.stderr
    assert server.requests == []


def squeezed(table: str, column: str) -> Callable[[Path], None]:
    """Damage that SQLite does not detect: a row's content cannot be decompressed."""

    def damage(path: Path) -> None:
        with contextlib.closing(sqlite3.connect(path)) as raw:
            raw.execute(f"UPDATE {table} SET compressed = 1, {column} = x'00ff'")
            raw.commit()

    return damage


@pytest.mark.parametrize(
    ("table", "column", "formats"),
    [("events", "json", ("html", "markdown")), ("terminal_output", "data", ("html", "asciicast"))],
)
def test_a_row_that_cannot_be_decompressed_is_reported(
    table: str, column: str, formats: Sequence[str], one_session: Path, own_home: Path
) -> None:
    shutil.copytree(one_session, own_home)
    squeezed(table, column)(own_home / "sessions.db")
    for format_ in formats:
        with Program("sessions", "export", "last", "-f", format_, "-o", "-", home=own_home) as run:
            assert run.end() == 6, format_
        (message,) = run.stderr.strip().splitlines()
        assert message.startswith(
            f"sandbox-tui: The session database {own_home}/sessions.db is damaged"
        )
    with Program("sessions", "check", home=own_home) as looked:
        assert looked.end() != 0
    assert "bug in sandbox-tui" not in looked.stderr


def test_a_replay_of_a_row_that_cannot_be_decompressed_says_so(
    one_session: Path, own_home: Path
) -> None:
    shutil.copytree(one_session, own_home)
    squeezed("events", "json")(own_home / "sessions.db")
    with Terminal("replay", "last", home=own_home) as terminal:
        terminal.wait_for("is damaged")
        terminal.press("q")
        assert terminal.exit_code() in (0, 6)


KILLED_WHILE_DELETING = """
import os, signal, sys
from pathlib import Path
from sandbox_tui.sessions import Store

store = Store(Path(sys.argv[1]))
left = [int(sys.argv[2])]

def count():
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    return 0

store._connection.set_progress_handler(count, 20)
store.delete(store.runs()[0].id)
"""


def every_row(path: Path) -> dict[str, int]:
    """The number of rows in each table."""
    with contextlib.closing(sqlite3.connect(path)) as raw:
        names = [
            name for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        return {name: raw.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}


def test_a_program_killed_while_deleting_deletes_all_or_nothing(
    one_session: Path, own_home: Path
) -> None:
    """Killed at twenty points, from the first row to the last."""
    whole = every_row(one_session / "sessions.db")
    killed = deleted = 0
    for steps in (
        1,
        2,
        3,
        4,
        6,
        8,
        11,
        15,
        20,
        27,
        36,
        48,
        64,
        85,
        113,
        150,
        200,
        400,
        2_000,
        40_000,
    ):
        shutil.rmtree(own_home, ignore_errors=True)
        shutil.copytree(one_session, own_home)
        path = own_home / "sessions.db"
        done = subprocess.run(
            [sys.executable, "-c", KILLED_WHILE_DELETING, str(path), str(steps)], check=False
        )
        assert done.returncode in (0, -signal.SIGKILL)
        killed += done.returncode != 0
        left = every_row(path)
        if left["runs"]:
            assert left == whole
        else:
            deleted += 1
            assert not left["events"] + left["terminal_output"] + left["blobs"] + left["run_blobs"]
        with contextlib.closing(Store(path)) as store:
            assert not check(store).problems
    assert killed > 5
    assert deleted
