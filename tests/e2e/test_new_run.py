"""Runs started from the form, in a real terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox_tui.core.events import types as e
from tests import scripted_server as s
from tests.e2e.stored_events import stored
from tests.e2e.tmux import Terminal
from tests.integration.conftest import require

Start = Callable[..., s.ScriptedServer]


def configured(home: Path, server: s.ScriptedServer) -> None:
    home.mkdir()
    (home / "config.toml").write_text(
        f'[model]\nname = "m"\nbase_url = "{server.url}"\n[sandbox]\nkind = "bubblewrap"\n'
    )


@pytest.mark.parametrize(("columns", "rows"), [(160, 45), (60, 20)])
def test_a_run_is_started_by_key(
    own_home: Path, scripted_server: Start, columns: int, rows: int
) -> None:
    require("bubblewrap")
    server = scripted_server(s.call("execute_bash", command="echo hi"), s.call("submit"))
    configured(own_home, server)
    with Terminal(home=own_home, columns=columns, rows=rows) as terminal:
        terminal.wait_for("Nothing here yet")
        terminal.press("n")
        terminal.wait_for("max steps", "start")
        terminal.type("say hi")
        terminal.wait_for("say hi")
        terminal.press("C-s")
        terminal.wait_for("✓ submitted")
        terminal.press("q")
        terminal.wait_for("sessions 1")
        terminal.press("q")
        assert terminal.exit_code() == 0
    started = stored(own_home)[0]
    assert isinstance(started, e.RunStarted)
    assert (started.task, started.model) == ("say hi", "m")


def test_a_run_is_started_by_the_button_in_the_mode_that_was_chosen(
    own_home: Path, scripted_server: Start
) -> None:
    require("bubblewrap")
    server = scripted_server(s.call("execute_bash", command="echo hi"), s.call("submit"))
    configured(own_home, server)
    with Terminal(home=own_home, columns=100, rows=30) as terminal:
        terminal.wait_for("Nothing here yet")
        terminal.press("n")
        terminal.wait_for("max steps", "start")
        terminal.type("say hi")
        # past the button and the limit of calls to the mode
        terminal.press("BTab", "BTab", "BTab", "Enter")
        terminal.wait_for("step  every call waits")
        terminal.press("End", "Enter")
        terminal.wait_for("step  every call waits", "▼")
        terminal.press("Tab", "Tab", "Enter")
        terminal.wait_for("call 1", "approve")
        terminal.press("a")
        terminal.wait_for("◆ call 2")
        terminal.press("a")
        terminal.wait_for("✓ submitted")
        terminal.press("q")
        terminal.wait_for("sessions 1")
        terminal.press("q")
        assert terminal.exit_code() == 0
    decided = [x for x in stored(own_home) if isinstance(x, e.CallDecided)]
    assert [(x.verdict, x.by) for x in decided] == [("approve", "human")] * 2
