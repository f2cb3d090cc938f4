"""Quitting while runs go on: however impatient the user is, it is said how they ended."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests import scripted_server as s
from tests.e2e.tmux import Terminal
from tests.integration.conftest import require
from tests.scripted_server import ScriptedServer

Start = Callable[..., ScriptedServer]
COMMAND = "echo begun; sleep 100"


@contextmanager
def _asked_to_end(server: ScriptedServer, home: Path) -> Iterator[Terminal]:
    """A program with two runs whose commands run; it asks whether to end them."""
    require("bubblewrap")
    run = ("run", "x", "--model", "m", "--base-url", server.url, "--sandbox", "bubblewrap")
    with Terminal(*run, "--samples", "2", home=home, columns=100, rows=30) as terminal:
        terminal.wait_for_times("begun", 2)
        terminal.press("C-q")
        terminal.wait_for("End both")
        yield terminal


def test_ctrl_q_pressed_again_at_once_still_says_how_the_runs_ended(
    own_home: Path, scripted_server: Start
) -> None:
    server = scripted_server(*[s.call("execute_bash", command=COMMAND)] * 2)
    with _asked_to_end(server, own_home) as terminal:
        terminal.press("y", "C-q", "C-q")
        assert terminal.exit_code() == 130
        terminal.wait_for("2 cancelled", "speed")


def test_ctrl_c_while_the_screen_closes_still_says_how_the_runs_ended(
    own_home: Path, scripted_server: Start
) -> None:
    server = scripted_server(*[s.call("execute_bash", command=COMMAND)] * 2)
    with _asked_to_end(server, own_home) as terminal:
        pid = terminal.pid()
        terminal.press("y")
        terminal.wait_until(lambda: terminal.flag("alternate_on") == "0")
        if Path(f"/proc/{pid}").exists():
            os.kill(pid, signal.SIGINT)
        assert terminal.exit_code() == 130
        terminal.wait_for("2 cancelled", "speed")
