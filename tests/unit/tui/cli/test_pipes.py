"""Commands in a pipe: the reader may go away, and the home screen needs a terminal."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from sandbox_tui.tui.cli.main import main
from tests.e2e.tmux import PROGRAM


@pytest.mark.parametrize("command", ["config", "keys"])
def test_a_closed_pipe_has_the_exit_code_of_its_signal(command: str) -> None:
    program = subprocess.Popen(
        [PROGRAM, command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    )
    assert program.stdout is not None
    program.stdout.close()
    _, words = program.communicate()
    assert (program.returncode, words) == (128 + signal.SIGPIPE, b"")


@pytest.mark.parametrize(
    "command",
    ["config", "keys --json", "doctor --json", "--version", "eval --help"],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_said_in_one_line(command: str, unbuffered: str, own_home: Path) -> None:
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [PROGRAM, *command.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
    words = "sandbox-tui: The output cannot be written: No space left on device.\n"
    assert (done.returncode, done.stderr) == (1, words)


def test_the_home_screen_needs_a_terminal(own_home: Path) -> None:
    done = CliRunner().invoke(main, [])
    assert done.exit_code == 2
    assert done.stderr.startswith("sandbox-tui: The home screen needs a terminal.")
    assert not own_home.exists()


def test_the_screen_is_not_drawn_into_a_file(tmp_path: Path, own_home: Path) -> None:
    ours, theirs = pty.openpty()
    with (tmp_path / "log").open("w") as log:
        program = subprocess.Popen([PROGRAM], stdin=theirs, stdout=theirs, stderr=log)
        assert program.wait(60) == 2
    os.close(theirs)
    os.close(ours)
    words = (tmp_path / "log").read_text()
    assert words.startswith("sandbox-tui: The screen is drawn on stderr, which is not a terminal")
