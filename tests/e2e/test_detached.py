"""A run without a screen, and screens that attach to it, as users see them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from sandbox_tui.core.events import types as e
from tests import scripted_server as s
from tests.e2e.test_cockpit import stored
from tests.e2e.tmux import PROGRAM, Terminal
from tests.integration.conftest import require
from tests.waiting import HANG_SECONDS

Start = Callable[..., s.ScriptedServer]


def program(home: Path, *words: str) -> str:
    done = subprocess.run(
        [PROGRAM, *words],
        env={**os.environ, "SANDBOX_TUI_HOME": str(home)},
        cwd=home.parent,
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_run_outlives_its_terminal_and_two_screens_share_it(
    scripted_server: Start, own_home: Path
) -> None:
    require("bubblewrap")
    server = scripted_server(
        s.calls(
            ("execute_bash", '{"command": "echo first-output"}'),
            ("execute_bash", '{"command": "echo second-output"}'),
        ),
        s.call("submit"),
    )
    run = ("run", "what is 6*7?", "--model", "scripted", "--base-url", server.url)
    words = (*run, "--sandbox", "bubblewrap", "--mode", "step", "--detach")
    with Terminal(*words, home=own_home) as terminal:
        assert terminal.exit_code() == 0
        session = stored(own_home)[0]
        assert isinstance(session, e.RunStarted)
        assert session.run_id in terminal.screen()
    # that terminal and all its processes have ended
    assert "(detached)" in program(own_home, "sessions", "ls")
    with Terminal("attach", home=own_home) as one:
        one.wait_for("waits for you", "detached", "1 bash")
        with Terminal(home=own_home, columns=120, rows=36) as two:
            two.wait_for("waits for you: bash")
            two.press("Enter")
            two.wait_for("watching", "T take control")
            two.press("a")
            two.wait_for("another terminal is in control")
            one.wait_for("you are in control, 1 watching")
            one.press("a")
            for screen in (one, two):
                screen.wait_for("first-output", "2 bash")
            two.press("T")
            two.wait_for("you are in control")
            one.wait_for("watching")
            two.press("q")
            two.wait_for("n new run")
        one.wait_gone("watching")
        one.press("a")
        one.wait_for("second-output", "3 submit")
        one.press("q")
        assert one.exit_code() == 0
    assert "waits for you (detached)" in program(own_home, "sessions", "ls")
    assert program(own_home, "stop") == f"stopped {session.run_id}"
    assert "cancelled" in program(own_home, "sessions", "ls")
    end = stored(own_home)[-1]
    assert isinstance(end, e.RunFinished)
    assert end.error == "You stopped the run."


def test_a_fork_without_a_screen_and_one_that_fails_on_it(
    scripted_server: Start, own_home: Path
) -> None:
    require("bubblewrap")
    flags = ("--speed", "0", "--sandbox", "bubblewrap", "--snapshots", "every", "--headless")
    program(own_home, "demo", *flags)
    parent = stored(own_home)[0]
    assert isinstance(parent, e.RunStarted)
    server = scripted_server(s.calls(("execute_bash", '{"command": "echo hi"}')), s.call("submit"))
    asked = ("--model", "scripted", "--base-url", server.url)
    at = ("fork", parent.run_id, "--at", "step:2")
    forked = program(own_home, *at, *asked, "--message", "go on", "--mode", "step", "--detach")
    assert forked != parent.run_id
    with Terminal("attach", forked, home=own_home) as terminal:
        terminal.wait_for("forked here from", "go on", "waits for you", "detached")
        terminal.press("a")
        terminal.wait_for("call 4 submit")
        terminal.press("a")
        terminal.wait_for("✓ submitted")
        terminal.press("q")
        assert terminal.exit_code() == 0
    refusing = scripted_server(s.failure(401, "who are you?"))
    asked = ("--model", "scripted", "--base-url", refusing.url)
    with Terminal(*at, *asked, home=own_home) as terminal:
        terminal.wait_for("✗ model error")
        terminal.press("q")
        assert terminal.exit_code() == 5
        terminal.wait_for("sandbox-tui: model error: ", "who are you?")
