"""A killed program, and another that resumes its run, as a user sees it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

from sandbox_tui.core.events import types as e
from tests import scripted_server as s
from tests.e2e.test_cockpit import stored
from tests.e2e.tmux import Terminal
from tests.integration.conftest import TEST_IMAGE, require

Start = Callable[..., s.ScriptedServer]


def run(server: s.ScriptedServer, *more: str) -> tuple[str, ...]:
    where = ("--sandbox", "docker", "--image", TEST_IMAGE)
    return ("run", "what is 6*7?", "--model", "scripted", "--base-url", server.url, *where, *more)


def test_a_killed_run_is_resumed_from_the_home_screen(
    scripted_server: Start, own_home: Path
) -> None:
    require("docker")
    server = scripted_server(
        s.calls(
            ("execute_bash", '{"command": "cd /tmp; export A=kept; echo begun"}'),
            ("execute_bash", '{"command": "echo sleeping; sleep 600"}'),
            ("execute_bash", '{"command": "echo $A in $PWD"}'),
        ),
        s.call("submit"),
    )
    with Terminal(
        *run(server, "--output", str(own_home.parent / "out")), home=own_home
    ) as terminal:
        terminal.wait_for("2 bash", "sleeping")
        terminal.press("m")
        terminal.type("a word from before")
        terminal.press("Enter")
        terminal.wait_until(lambda: e.HumanMessage in map(type, stored(own_home)))
        os.kill(terminal.pid(), signal.SIGKILL)
        terminal.exit_code()
    before = len(stored(own_home))
    with Terminal(home=own_home) as terminal:
        terminal.wait_for("what is 6*7?", "interrupted", "r resume")
        terminal.press("r")
        screen = terminal.wait_for(
            "resumed after", "Call 2 was running", "kept in /tmp", "✓ submitted"
        )
        assert "the program ended here" in screen
        terminal.press("q")
        terminal.wait_for("submitted", "n new run")
        terminal.wait_gone("r resume")  # the details follow the row
        terminal.press("q")
        assert terminal.exit_code() == 0
    events = stored(own_home)
    assert isinstance(events[before], e.RunResumed)
    assert any(
        isinstance(event, e.Delivered) and "a word from before" in event.text for event in events
    )


def test_a_session_that_cannot_be_resumed_says_why(scripted_server: Start, own_home: Path) -> None:
    require("docker")
    server = scripted_server(s.call("execute_bash", command="echo sleeping; sleep 600"))
    with Terminal(*run(server), home=own_home) as terminal:
        terminal.wait_for("1 bash", "sleeping")
        os.kill(terminal.pid(), signal.SIGKILL)
        terminal.exit_code()
    from sandbox_tui.core.sandboxes.docker.container_owner import container_of
    from sandbox_tui.core.sandboxes.docker.engine import connect

    client = connect()
    started = stored(own_home)[0]
    assert isinstance(started, e.RunStarted)
    container_of(client, started.run_id).remove(force=True)
    client.close()
    with Terminal(home=own_home) as terminal:
        terminal.wait_for("gone: F continues the run")
        terminal.wait_gone("r resume")
        terminal.press("r")
        terminal.wait_for("This session's sandbox is gone; F forks it.")
        terminal.press("C-q")
        assert terminal.exit_code() == 0
    with Terminal("resume", home=own_home) as terminal:
        terminal.wait_for("this did not work")
        terminal.press("Escape")
        assert terminal.exit_code() == 8
        assert "the container of this session is gone" in terminal.screen()
