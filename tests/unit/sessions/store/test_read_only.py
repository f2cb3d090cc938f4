"""A read-only database beside the WAL of a program that was killed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PROGRAM = Path(sys.executable).with_name("sandbox-tui")

KILLED = (
    "import os, sys; from pathlib import Path\n"
    "from sandbox_tui.sessions import Store; from tests.unit.sample_run import sample\n"
    "Store(Path(sys.argv[1])).append('r', sample('zebra')[0]); os._exit(0)"
)
"""Leaves a whole session in the WAL."""

COMMANDS = (
    ("sessions", "ls"),
    ("replay", "r", "--json"),
    ("sessions", "export", "r", "-f", "markdown", "-o", "-"),
)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "home"
    folder.mkdir()
    subprocess.run([sys.executable, "-c", KILLED, str(folder / "sessions.db")], check=True)
    assert (folder / "sessions.db-wal").stat().st_size > 0
    yield folder
    folder.chmod(0o755)


def without_rights(folder: Path, *rights: str) -> list[str]:
    """Return the prefix of a command without write access to `folder`, also for root."""
    if not os.access(folder, os.W_OK):
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("this user may write to read-only files")
    given_up = ",".join(f"-{right}" for right in rights)
    return ["setpriv", f"--bounding-set={given_up}", f"--inh-caps={given_up}"]


def run(
    home: Path, command: list[str], *arguments: str, temporary: Path
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command, str(PROGRAM), *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "SANDBOX_TUI_HOME": str(home), "TMPDIR": str(temporary)},
    )


def made_read_only(home: Path) -> None:
    for file in home.iterdir():
        file.chmod(0o444)
    home.chmod(0o555)


def test_a_log_with_its_index_is_read_in_place(home: Path, tmp_path: Path) -> None:
    made_read_only(home)
    command = without_rights(home, "dac_override")
    for arguments in COMMANDS:
        done = run(home, command, *arguments, temporary=tmp_path)
        assert (done.returncode, done.stderr) == (0, ""), arguments
        assert "zebra" in done.stdout


def test_a_log_without_its_index_is_read_from_a_copy(home: Path, tmp_path: Path) -> None:
    """SQLite would have to create the WAL index in a read-only folder."""
    (home / "sessions.db-shm").unlink()
    made_read_only(home)
    before = {file.name: file.read_bytes() for file in home.iterdir()}
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    command = without_rights(home, "dac_override")
    for arguments in COMMANDS:
        done = run(home, command, *arguments, temporary=temporary)
        assert done.returncode == 0, done.stderr
        assert "zebra" in done.stdout
        assert "latest events are still in its log: a private copy is read" in done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert list(temporary.iterdir()) == []
    assert {file.name: file.read_bytes() for file in home.iterdir()} == before


def test_an_unreadable_log_is_an_error(home: Path, tmp_path: Path) -> None:
    """A session is never shown without its latest events."""
    (home / "sessions.db-shm").unlink()
    made_read_only(home)
    (home / "sessions.db-wal").chmod(0o000)
    command = without_rights(home, "dac_override", "dac_read_search")
    done = run(home, command, "sessions", "ls", temporary=tmp_path)
    assert done.returncode == 6
    assert done.stdout == ""
    assert "in its log, sessions.db-wal, which cannot be copied: Permission denied." in done.stderr
    assert len(done.stderr.splitlines()) == 1
