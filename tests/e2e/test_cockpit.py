"""The real program in a real terminal, used as a user would."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import fold
from tests import scripted_server as s
from tests.e2e.stored_events import stored
from tests.e2e.tmux import Terminal
from tests.integration.conftest import TEST_IMAGE, require
from tests.waiting import HANG_SECONDS

Start = Callable[..., s.ScriptedServer]
RELEASE = "C-]"


@pytest.mark.parametrize("kind", ["docker", "bubblewrap"])
def test_the_demo_from_start_to_replay(kind: str, own_home: Path) -> None:
    require(kind)
    demo = ("demo", "--speed", "8", "--sandbox", kind, "--image", TEST_IMAGE)
    with Terminal(*demo, home=own_home) as terminal:
        screen = terminal.wait_for("submitted", "Corvane 1914 8409", "grain.png")
        for text in ("calls 11", "‹model›", "files /testbed", kind, "model ❯ python3 solve.py"):
            assert text in screen
        assert "✗ exit 1" in screen or "2 failed" in screen
        terminal.press("q")
        assert terminal.exit_code() == 0
    with Terminal("replay", "last", home=own_home) as terminal:
        terminal.wait_for("replay", "playing")
        terminal.press("$")
        screen = terminal.wait_for("calls 11", "✓ submitted", "paused", "answer: Corvane 1914 8409")
        terminal.press("0")
        terminal.wait_gone("calls 11")
        terminal.press("n")
        terminal.wait_for("✗ exit 1", "report_parser")
        terminal.press("Right")
        terminal.wait_for("4 edit")
        terminal.press("q")
        assert terminal.exit_code() == 0


def test_all_steering_actions_in_one_run(own_home: Path) -> None:
    """Pause, step, edit, reject, inject (visible or not), message, vim and top in the shell."""
    require("bubblewrap")
    editor = next((name for name in ("vim", "vi") if shutil.which(name)), None)
    if editor is None:
        pytest.skip("there is no vi on this machine")
    demo = ("demo", "--speed", "20", "--sandbox", "bubblewrap", "--step")
    with Terminal(*demo, home=own_home) as terminal:
        terminal.wait_for("waits for you", "1 bash")
        terminal.press("a")
        terminal.wait_for("16 lines", "2 bash")
        terminal.press("e")
        terminal.wait_for("edit call 2", "ctrl+s run edited call")
        terminal.type(" | tail -n 3")
        terminal.press("C-s")
        terminal.wait_for("✓", "edited by you", "3 bash")
        terminal.press("r")
        terminal.wait_for("reason · the model", "enter send")
        terminal.type("no libraries please")
        terminal.press("Enter")
        terminal.wait_for("rejected by you", "no libraries please", "4 bash")
        terminal.press("i")
        terminal.wait_for("enter run", "visible to model ◉")
        terminal.type("export SEEN=yes; cd input; ls")
        terminal.press("Enter")
        terminal.wait_for("4 lines  visible to model")
        terminal.press("i")
        terminal.wait_for("enter run")
        terminal.press("C-t")
        terminal.wait_for("private ○")
        terminal.type("cd /testbed; echo quietly $SEEN")
        terminal.press("Enter")
        terminal.wait_for("quietly yes  private")
        terminal.press("m")
        terminal.wait_for("it reads this before", "enter send")
        terminal.type("mind the thousands")
        terminal.press("Enter")
        terminal.wait_for("sent with the next request")
        terminal.press("s", "a")
        terminal.wait_for("5 edit", "create solve.py")
        terminal.press("PPage")  # scroll up: the waiting call fills the pane
        terminal.wait_for("✓ delivered")

        terminal.press("t")
        terminal.wait_for("‹shell›", "keyboard goes to the sandbox", "you /testbed ❯")
        terminal.type("top -b -n 1 | head -1; echo $SEEN")
        terminal.press("Enter")
        terminal.wait_for("load average", "yes")
        terminal.type(f"{editor} note.txt")
        terminal.press("Enter")
        terminal.wait_gone("load average")  # the editor uses the alternate screen
        terminal.wait_for('"note.txt"')
        terminal.type("iwritten by hand")
        terminal.press("Escape")
        time.sleep(0.2)
        terminal.type(":wq")
        terminal.press("Enter")
        terminal.wait_for_times("you /testbed ❯", 3)  # the editor has ended
        terminal.type("cat note.txt; q''uit")
        terminal.press("Enter")
        terminal.wait_for("written by hand")
        terminal.press("q", "?", "1")  # these keys go to the sandbox too
        terminal.wait_for("❯ q?1")
        terminal.press("C-c")
        terminal.press(RELEASE)
        terminal.wait_gone("keyboard goes to the sandbox")
        terminal.press("1")
        terminal.press("M", "a", "a")
        terminal.wait_for("✓ submitted", "Corvane 1914 8409")
        terminal.press("q")
        assert terminal.exit_code() == 0

    events = stored(own_home)
    state = fold(events)
    verdicts = {
        d.call: d.verdict for d in events if isinstance(d, e.CallDecided) and d.by == "human"
    }
    assert verdicts[1] == "approve"
    assert verdicts[2] == "edit"
    assert verdicts[3] == "reject"
    assert [h.told_to_model for h in state.humans.values()] == [True, False, True]
    delivered = " ".join(d.text for d in events if isinstance(d, e.Delivered))
    assert "mind the thousands" in delivered
    assert "quietly" not in delivered
    typed = b"".join(x.data for x in events if isinstance(x, e.TerminalInput))
    # the editor queries the terminal, and the responses arrive among the typed text
    assert b"written by hand" in re.sub(rb"\x1b\[[?>]?[\d;]*\$?[A-Za-z]", b"", typed)
    assert "/testbed/note.txt" in state.files

    with Terminal("replay", "last", home=own_home) as terminal:
        terminal.wait_for("replay", "playing")
        terminal.press("$")
        terminal.wait_for("✓ submitted", "1 edited", "3 by you")
        terminal.press("\\")
        terminal.wait_for("‹shell›", "written by hand")
        terminal.press("g")
        terminal.press("q")
        terminal.exit_code()


def test_a_run_that_fails_says_why_everywhere(own_home: Path, scripted_server: Start) -> None:
    require("bubblewrap")
    server = scripted_server(s.failure(404, "no model named m"))
    run = ("run", "x", "--model", "m", "--base-url", server.url, "--sandbox", "bubblewrap")
    with Terminal(*run, home=own_home) as terminal:
        terminal.wait_for("✗ model error", "The server does not know")
        terminal.press("q")
        assert terminal.exit_code() == 5
        terminal.wait_for("sandbox-tui: model error: The server does not know")
    end = stored(own_home)[-1]
    assert isinstance(end, e.RunFinished)
    assert end.reason == "model_error"


def test_hostile_text_stays_text(own_home: Path, scripted_server: Start) -> None:
    require("bubblewrap")
    evil = "\x1b]0;owned\x07\x1b[2J[bold]\u202e"
    server = scripted_server(
        s.calls(
            ("execute_bash", json.dumps({"command": f"printf '%s' '{evil}'; touch $'o\\033]0;x'"})),
            text=f"look {evil}",
        ),
        s.call("submit"),
    )
    run = ("run", evil, "--model", "m", "--base-url", server.url, "--sandbox", "bubblewrap")
    with Terminal(*run, home=own_home) as terminal:
        screen = terminal.wait_for("✓ submitted", "␛]0;owned␇", "<U+202E>")
        assert "[bold]" in screen
        assert terminal.flag("pane_title") != "owned"
        terminal.press("q")
        terminal.exit_code()


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGQUIT, 131)]
)
def test_signals_restore_the_terminal(
    own_home: Path, scripted_server: Start, number: int, code: int
) -> None:
    require("bubblewrap")
    server = scripted_server(s.call("execute_bash", command="echo begun; sleep 100"))
    run = ("run", "x", "--model", "m", "--base-url", server.url, "--sandbox", "bubblewrap")
    with Terminal(*run, home=own_home) as terminal:
        terminal.wait_for("begun")
        assert terminal.flag("alternate_on") == "1"
        os.kill(terminal.pid(), number)
        assert terminal.exit_code() == code
        terminal.wait_for("speed")
        assert terminal.flag("alternate_on") == "0"
        assert terminal.flag("mouse_any_flag") == "0"
    end = stored(own_home)[-1]
    assert isinstance(end, e.RunFinished)
    assert end.reason == ("disconnected" if number == signal.SIGHUP else "cancelled")


def test_a_closed_terminal_leaves_a_run_that_can_be_resumed(own_home: Path) -> None:
    require("bubblewrap")
    demo = ("demo", "--sandbox", "bubblewrap", "--step")
    with Terminal(*demo, home=own_home) as terminal:
        terminal.wait_for("waits for you")
        process = Path(f"/proc/{terminal.pid()}")
    until = time.monotonic() + HANG_SECONDS
    while process.exists():
        assert time.monotonic() < until, "it is still there"
        time.sleep(0.05)
    end = stored(own_home)[-1]
    assert isinstance(end, e.RunFinished)
    assert (end.reason, end.error) == ("disconnected", "Its terminal was closed.")


def test_any_terminal_size_works(own_home: Path) -> None:
    require("bubblewrap")
    demo = ("demo", "--speed", "8", "--sandbox", "bubblewrap")
    with Terminal(*demo, home=own_home, columns=100, rows=30) as terminal:
        terminal.wait_for("calls")
        for columns, rows in ((60, 20), (40, 10), (10, 3), (1, 1), (200, 60), (40, 10), (160, 45)):
            terminal.resize(columns, rows)
        terminal.wait_for("✓ submitted")
        terminal.press("q")
        assert terminal.exit_code() == 0


def test_home_lists_replays_and_deletes(own_home: Path) -> None:
    require("bubblewrap")
    with Terminal(home=own_home) as terminal:
        terminal.wait_for("Nothing here yet", "new run")
        terminal.press("n")
        terminal.wait_for("new run", "max steps")
        terminal.press("C-s")
        terminal.wait_for("Enter a task.")
        terminal.press("Escape")
        terminal.wait_gone("max steps")
        terminal.press("d")
        terminal.wait_for("✓ submitted")
        terminal.press("q")
        terminal.wait_for("sessions 1", "✓", "submitted", "demo script")
        terminal.press("Enter")
        terminal.wait_for("replay", "playing")
        terminal.press("q")
        terminal.wait_for("sessions 1")
        terminal.press("?")
        terminal.wait_for("esc close", "Delete")
        terminal.press("Escape")
        terminal.wait_gone("Page down")  # no notification covers the bottom rows
        terminal.press("x")
        terminal.wait_for("Delete “The input")
        terminal.press("y")
        terminal.wait_for("Nothing here yet")
        terminal.press("q")
        assert terminal.exit_code() == 0


def test_a_missing_image_is_offered_and_a_failure_explained(own_home: Path) -> None:
    require("docker")
    name = "127.0.0.1:9/nobody/has-this:1"  # no server listens on this port
    with Terminal("demo", "--sandbox", "docker", "--image", name, home=own_home) as terminal:
        terminal.wait_for("the image is missing", name, "Pull it")
        terminal.press("Enter")
        terminal.wait_for("could not be pulled", "the image could not be built")
        terminal.press("Escape")
        assert terminal.exit_code() == 3
        assert "has no image named" in terminal.screen()
