"""The terminal pane in a real terminal: search, copy, mouse, paste, tabs, input for a command."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox_tui.core.events import types as e
from tests import scripted_server as s
from tests.e2e.test_cockpit import RELEASE, stored
from tests.e2e.tmux import Terminal
from tests.integration.conftest import require
from tests.waiting import HANG_SECONDS

Start = Callable[..., s.ScriptedServer]

# Enables mouse reports and bracketed paste, then prints all input visibly, byte by byte, until q.
LISTENER = (
    "printf '\\033[?1000;1006;2004h'; stty -echo -icanon; printf 'rea''dy\\r\\n'; "
    "timeout 30 cat -v; stty sane"
)


@contextmanager
def running(
    home: Path, scripted_server: Start, command: str, *flags: str, columns: int = 160
) -> Iterator[Terminal]:
    """Start a run whose model issues one command, then submits once approved."""
    require("bubblewrap")
    server = scripted_server(s.call("execute_bash", command=command), s.call("submit"))
    run = ("run", "x", "--model", "m", "--base-url", server.url, "--sandbox", "bubblewrap")
    with Terminal(*run, *flags, home=home, columns=columns) as terminal:
        yield terminal


def leave(terminal: Terminal) -> None:
    terminal.press("1")
    terminal.press("q")
    assert terminal.exit_code() == 0


def test_search_through_ten_thousand_lines(own_home: Path, scripted_server: Start) -> None:
    command = "for i in $(seq 10000); do echo line $i; done; echo the N''eedle"
    with running(own_home, scripted_server, command) as terminal:
        terminal.wait_for("✓ submitted", "the Needle")
        terminal.press("2")
        terminal.press("/")
        terminal.wait_for("/ search")
        terminal.type("line 77")
        terminal.wait_for("111/111")
        terminal.press("Enter")
        terminal.wait_for("line 7799", "↓ more below")
        terminal.press("n")
        terminal.wait_for("1/111", "││line 77 ")
        terminal.press("N", "N")
        terminal.wait_for("110/111", "line 7798")
        terminal.press("/")
        terminal.wait_for("110/111 · ↑ ↓")
        terminal.type("needle")
        terminal.wait_for("the Needle", "1/1 · ↑ ↓")
        terminal.press("Escape")
        terminal.wait_gone("1/1 · ↑ ↓")
        time.sleep(0.2)  # otherwise the terminal reads escape and 1 as alt+1, as any terminal does
        leave(terminal)


def test_selections_reach_the_clipboard_through_tmux(
    own_home: Path, scripted_server: Start
) -> None:
    with running(own_home, scripted_server, "echo; echo copy-日本-this and more") as terminal:
        terminal._tmux("set-option", "-s", "set-clipboard", "on")
        screen = terminal.wait_for("✓ submitted", "copy-日本-this and more")
        lines = screen.split("\n")
        row = next(n for n, line in enumerate(lines) if "││copy-日本-this" in line)
        column = lines[row].index("copy-日本-this") + 3
        for _ in range(2):
            click(terminal, column, row)
        terminal.press("y")
        assert clipboard(terminal, "copy-日本-this") == "copy-日本-this"
        for _ in range(3):
            # a different cell, so that these are not clicks three to five on the same one
            click(terminal, column + 2, row)
        terminal.press("C-c")
        assert clipboard(terminal, "and more") == "copy-日本-this and more"
        leave(terminal)


def click(terminal: Terminal, column: int, row: int) -> None:
    """Press and release the left button there, as the outer terminal reports it."""
    for end in "Mm":
        mouse(terminal, f"\x1b[<0;{column + 1};{row + 1}{end}")


def mouse(terminal: Terminal, report: str) -> None:
    terminal._tmux("send-keys", "-H", *(f"{byte:02x}" for byte in report.encode()))


def clipboard(terminal: Terminal, wanted: str) -> str:
    """Return tmux's buffer, which OSC 52 fills, once it contains `wanted`."""
    until = time.monotonic() + HANG_SECONDS
    while wanted not in (text := terminal._tmux("show-buffer").stdout):
        assert time.monotonic() < until, f"never copied: {text!r}"
        time.sleep(0.05)
    return text


def test_a_program_in_the_shell_gets_mouse_and_paste(
    own_home: Path, scripted_server: Start
) -> None:
    with running(own_home, scripted_server, "true", "--step") as terminal:
        terminal.wait_for("waits for you", " 1 bash", "approve")
        terminal.press("t")
        terminal.wait_for("‹shell›", "keyboard goes to the sandbox · ctrl+] releases it", "❯ ")
        terminal.type(LISTENER)
        terminal.press("Enter")
        screen = terminal.wait_for("ready")
        row = next(n for n, line in enumerate(screen.split("\n")) if "ready" in line)
        column = screen.split("\n")[row].index("ready")
        click(terminal, column + 2, row)
        terminal.wait_for("^[[<0;3;", "M^[[<0;3;")
        terminal._tmux("set-buffer", "two\nlines")
        terminal._tmux("paste-buffer", "-p")
        terminal.wait_for("^[[200~two", "lines^[[201~")
        terminal.press("C-c")
        terminal.press(RELEASE)
        terminal.wait_gone("keyboard goes to the sandbox")
        terminal.press("+")
        terminal.wait_for("‹shell-2› ×", "keyboard goes to the sandbox")
        terminal.type("echo on''ly here")
        terminal.press("Enter")
        screen = terminal.wait_for("only here")
        top = screen.split("\n")[1]
        terminal.press(RELEASE)
        terminal.wait_gone("keyboard goes to the sandbox")
        top = terminal.wait_for("‹model›").split("\n")[1]
        click(terminal, top.index("shell ×") + 1, 1)
        terminal.wait_for("‹shell› ×", "ready")
        top = terminal.screen().split("\n")[1]
        click(terminal, top.index("shell-2 ×") + len("shell-2 "), 1)
        terminal.wait_gone("shell-2")
        terminal.press("M", "a", "a")
        terminal.wait_for("✓ submitted")
        leave(terminal)
    closed = [x.terminal for x in stored(own_home) if isinstance(x, e.TerminalClosed)]
    assert closed[0] == "shell-2"


def test_a_command_that_asks_is_answered(own_home: Path, scripted_server: Start) -> None:
    command = (
        "printf '\\033[7mready\\033[0m\\n'; read -s -p 'password: ' x; echo; echo \"${#x} chars\""
    )
    with running(own_home, scripted_server, command, "--tty", "--step") as terminal:
        terminal.wait_for("waits for you", " 1 bash", "approve")
        terminal.press("a")
        terminal.wait_for(
            "◆ waits for input", "waits for a password · 2, enter answers · esc interrupts"
        )
        terminal.press("2")
        terminal.wait_for("waits for a password · enter answers · esc calls")
        terminal.press("Enter")
        terminal.wait_for("keyboard goes to the sandbox")
        terminal.type("hunter2")
        terminal.press("Enter")
        terminal.wait_for("7 chars")
        terminal.wait_gone("keyboard goes to the sandbox")
        terminal.wait_for("◆ call 2")
        terminal.press("M", "a", "a")
        terminal.wait_for("✓ submitted")
        leave(terminal)
    events = stored(own_home)
    typed = b"".join(x.data for x in events if isinstance(x, e.TerminalInput))
    assert typed == b"*******\r"
    observed = next(x.observation for x in events if isinstance(x, e.CallFinished))
    assert observed.endswith("[STDOUT]\nready\npassword:\n7 chars")
