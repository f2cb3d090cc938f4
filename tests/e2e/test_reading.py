"""What a reader needs: nothing jumps, nothing is cut off, everything can be copied."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable
from pathlib import Path

from sandbox_tui.core.events import types as e
from tests import scripted_server as s
from tests.e2e.test_cockpit import stored
from tests.e2e.test_terminal import clipboard, mouse
from tests.e2e.tmux import Terminal, looks
from tests.integration.conftest import require

Start = Callable[..., s.ScriptedServer]


def run(server: s.ScriptedServer, *flags: str) -> tuple[str, ...]:
    require("bubblewrap")
    words = ("run", "x", "--model", "m", "--base-url", server.url, "--sandbox", "bubblewrap")
    return (*words, *flags)


def pane(screen: str, first: int, last: int) -> list[str]:
    """Cut the columns of a pane out of a screen, without the borders above and below."""
    return [line[first:last] for line in screen.split("\n")[2:-6]]


def at_rest(terminal: Terminal, first: int, last: int) -> list[str]:
    """Return the columns of a pane once six checks in a row have found the same."""
    seen: list[list[str]] = []

    def is_at_rest() -> bool:
        seen.append(pane(terminal.screen(), first, last))
        return len(seen) >= 6 and all(one == seen[-1] for one in seen[-6:])

    terminal.wait_until(is_at_rest)
    return seen[-1]


def test_ten_thousand_new_lines_move_nothing(own_home: Path, scripted_server: Start) -> None:
    """Neither the terminal nor the list of calls moves when the user has scrolled up in it."""
    few = [s.call("execute_bash", command=f"echo few {n}; seq -f 'early %g' 30") for n in range(9)]
    flood = s.call("execute_bash", command="seq -f 'late %g' 10000; touch flooded")
    server = scripted_server(*few, flood, s.call("submit"))
    with Terminal(*run(server, "--step"), home=own_home, columns=160, rows=45) as terminal:
        for number in range(1, 10):
            terminal.wait_for("waits for you", f" {number} bash")
            terminal.press("a")
        terminal.wait_for("waits for you", "10 bash")
        terminal.press("g")  # to the first call
        terminal.wait_for("↓ end = follow", "  1 bash")
        calls = at_rest(terminal, 0, 54)
        terminal.press("2", "PageUp", "PageUp")
        terminal.wait_for("↓ new below")
        reading = at_rest(terminal, 56, 113)
        assert any("early" in line for line in reading)
        terminal.press("a")
        terminal.wait_for("flooded")
        terminal.wait_for("↓ new below")
        assert at_rest(terminal, 56, 113) == reading
        over = next(at for at, line in enumerate(calls) if "10 bash" in line)
        assert at_rest(terminal, 0, 52)[:over] == [line[:52] for line in calls[:over]]
        terminal.press("End")
        terminal.wait_for("late 10000", "following")
        terminal.press("1", "G")
        terminal.wait_for("11 submit", "waits for you")
        terminal.press("a")
        terminal.wait_for("✓ submitted")
        terminal.press("q")
        assert terminal.exit_code() == 0


def test_all_of_a_long_answer_can_be_read_searched_and_copied(
    own_home: Path, scripted_server: Start
) -> None:
    command = "seq -f 'row %g' 100; echo the-''last-word"
    server = scripted_server(s.call("execute_bash", command=command), s.call("submit"))
    with Terminal(*run(server), home=own_home, columns=100, rows=30) as terminal:
        terminal._tmux("set-option", "-s", "set-clipboard", "on")
        terminal.wait_for("✓ submitted", "1 bash")
        terminal.press("g", "Down", "Down")
        terminal.press("Enter")
        terminal.wait_for("… 86 more lines", "o open all")
        terminal.press("o")
        terminal.wait_for("call 1", "row 1")
        terminal.press("G")
        screen = terminal.wait_for("the-last-word")
        lines = screen.split("\n")
        row = next(n for n, line in enumerate(lines) if "the-last-word" in line)
        column = lines[row].index("the-last-word")
        mouse(terminal, f"\x1b[<0;{column + 1};{row + 1}M")
        mouse(terminal, f"\x1b[<32;{column + 14};{row + 1}M")
        mouse(terminal, f"\x1b[<0;{column + 14};{row + 1}m")
        terminal.press("C-c")
        assert clipboard(terminal, "the-last-word") == "the-last-word"
        terminal.press("Escape")
        terminal.wait_for("1 bash")
        terminal.press("q")
        assert terminal.exit_code() == 0


def test_five_hundred_sizes(own_home: Path) -> None:
    require("bubblewrap")
    chance = random.Random(7)
    sizes = [(chance.randint(1, 220), chance.randint(1, 60)) for _ in range(500)]
    demo = ("demo", "--speed", "2", "--sandbox", "bubblewrap")
    with Terminal(*demo, home=own_home, columns=100, rows=30) as terminal:
        terminal.wait_for("calls")
        for columns, rows in [*sizes, (1, 1), (40, 10)]:
            terminal.resize(columns, rows)
        terminal.wait_for("calls")
        terminal.resize(160, 45)
        terminal.wait_for("✓ submitted", "answer.txt")
        terminal.press("q")
        assert terminal.exit_code() == 0


def test_ctrl_c_says_how_to_leave_and_ctrl_q_leaves(own_home: Path) -> None:
    require("bubblewrap")
    demo = ("demo", "--step", "--sandbox", "bubblewrap")
    with Terminal(*demo, home=own_home) as terminal:
        terminal.wait_for("waits for you")
        terminal.press("C-c")
        terminal.wait_for("ctrl+q")
        terminal.press("C-q")
        terminal.wait_for("1 run waits for you. End it and quit?")
        terminal.press("y")
        assert terminal.exit_code() == 130
        terminal.wait_for("speed")
        assert terminal.flag("alternate_on") == "0"
        assert terminal.flag("mouse_any_flag") == "0"
    end = stored(own_home)[-1]
    assert isinstance(end, e.RunFinished)
    assert end.reason == "cancelled"


def test_sigint_shuts_down_cleanly(own_home: Path) -> None:
    require("bubblewrap")
    demo = ("demo", "--step", "--sandbox", "bubblewrap")
    with Terminal(*demo, home=own_home) as terminal:
        terminal.wait_for("waits for you")
        os.kill(terminal.pid(), signal.SIGINT)
        assert terminal.exit_code() == 130
        terminal.wait_for("speed")
        assert terminal.flag("alternate_on") == "0"
    end = stored(own_home)[-1]
    assert isinstance(end, e.RunFinished)
    assert end.reason == "cancelled"


def test_many_runs_on_the_wall(own_home: Path, scripted_server: Start) -> None:
    """Several samples of one task: calls decided from the wall, a run opened, endings counted."""
    look = s.call("execute_bash", command="echo looked")
    server = scripted_server(*[look] * 3, *[s.call("submit")] * 3)
    wall = run(server, "--step", "--samples", "3")
    with Terminal(*wall, home=own_home, columns=100, rows=30) as terminal:
        terminal.wait_for("3 runs", "3 wait for you")
        for key in ("Left", "Right", "Down"):
            terminal.press("a")
            terminal.press(key)
        terminal.press("Up", "Left")
        terminal.press("Enter")
        terminal.wait_for("calls", "echo looked")
        terminal.press("q")
        terminal.wait_for("3 runs")
        for last in looks():  # approve all that still waits
            if "✓ 3 submitted" in terminal.screen():
                break
            assert not last, "a run was never approved"
            terminal.press("n", "a")
        terminal.press("q")
        assert terminal.exit_code() == 0


def test_a_run_is_started_from_the_palette_of_a_wall(
    own_home: Path, scripted_server: Start
) -> None:
    """No home screen is open: the form opens over the runs from the command line."""
    server = scripted_server(*[s.call("submit")] * 3)
    with Terminal(*run(server, "--samples", "2"), home=own_home, columns=100, rows=30) as terminal:
        terminal.wait_for("2 runs", "✓ 2 submitted")
        terminal.press("C-p")
        terminal.wait_for("palette", "Actions")
        terminal.type("new run")
        terminal.wait_for("New run")
        terminal.press("Enter")
        terminal.wait_for("max steps", "start")
        terminal.type("One more task")
        terminal.press("C-s")
        terminal.wait_for("calls", "One more task", "submitted")
        terminal.press("q")
        terminal.wait_for("3 runs", "✓ 3 submitted")
        terminal.press("q")
        assert terminal.exit_code() == 0
