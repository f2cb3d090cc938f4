"""Well-formed but expensive files: each is refused with a message, or is processed within bounds.

The real program imports them and writes every kind of export, with limited memory and CPU time.
"""

from __future__ import annotations

import os
import resource
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.perf.memory import LAUNCHER
from tests.security.crafted import CRAFTED
from tests.security.terminals import PROGRAM

MEMORY = 700 << 10
"""Resident memory that a process may use, in KiB."""

SECONDS = 60
"""CPU seconds that a process may use."""


class Ended(NamedTuple):
    """How a process ended: exit code, peak memory in KiB, and its messages."""

    code: int
    memory: int
    words: str


def run(home: Path, *arguments: str | Path) -> Ended:
    """Run the program, which is killed when it uses too much CPU time."""
    process = subprocess.Popen(
        [*LAUNCHER, PROGRAM, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "SANDBOX_TUI_HOME": str(home)},
    )
    resource.prlimit(process.pid, resource.RLIMIT_CPU, (SECONDS, SECONDS))
    assert process.stdout is not None
    with process.stdout:
        words = process.stdout.read().decode("utf-8", "replace")
    process.wait()
    words, _, measured = words.rstrip("\n").rpartition("\n")
    code, held = map(int, measured.split())
    return Ended(code, held >> 10, words)


FORMATS = ("html", "markdown", "bundle")
"""Two that process all of a session's terminals or text, and the one that copies the session."""


@pytest.mark.parametrize("name", CRAFTED)
def test_expensive_files_end_within_bounds(name: str, tmp_path: Path) -> None:
    file_name, make = CRAFTED[name]
    path, home = make(tmp_path / file_name), tmp_path / "home"
    imported = run(home, "sessions", "import", path)
    assert imported.memory < MEMORY
    assert imported.code in (0, 2), imported.words
    if imported.code:
        assert imported.words.startswith("sandbox-tui: ")
        return
    for format_ in FORMATS:
        done = run(home, "sessions", "export", "last", "-f", format_, "-o", tmp_path, "--force")
        assert done.code == 0, (format_, done)
        assert done.memory < MEMORY, (format_, done)
