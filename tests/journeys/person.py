"""A user at a terminal: types commands at a shell prompt, presses keys, reads the screen.

with Person(home) as person:
    person.enters("sandbox-tui demo")
    person.sees("submitted")
    person.presses("q")
    assert person.is_back() == 0
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.e2e.tmux import Terminal, looks
from tests.waiting import HANG_SECONDS

ROOT = Path(__file__).parents[2]
PROBE = Path(__file__).with_name("probe")
EVIDENCE = ROOT / ".cache" / "journeys"
"""Where the probe in the program under test logs what the program really did."""

PATIENCE = float(os.environ.get("JOURNEYS_PATIENCE", HANG_SECONDS))
"""Seconds within which something has to appear on the screen."""

PROMPT = re.compile(r"\[(\d+):(\d+)\] \S* ?\$")


class Person(Terminal):
    """A shell in a terminal, with `sandbox-tui` on its path.

    Args:
        home: the program's home; commands run in its parent folder.
        columns, rows: size of the terminal.
        environment: additional variables of the shell.
    """

    def __init__(
        self,
        home: Path,
        columns: int = 160,
        rows: int = 45,
        environment: dict[str, str] | None = None,
    ) -> None:
        super().__init__(home=home, columns=columns, rows=rows)
        self.folder = home.parent
        self._more = environment or {}
        self._log = EVIDENCE / "none.log"
        self._commands = 0

    def __enter__(self) -> Person:
        EVIDENCE.mkdir(parents=True, exist_ok=True)
        test = re.sub(r"\W+", "-", os.environ.get("PYTEST_CURRENT_TEST", "x").split("::")[-1])
        self._log = EVIDENCE / f"{test}-{os.getpid()}.log"
        here = {
            "SANDBOX_TUI_HOME": str(self._home),
            "SANDBOX_TUI_JOURNEY_LOG": str(self._log),
            "PYTHONPATH": str(PROBE),
            "PS1": r"[\#:$?] \W $ ",
            "COLORTERM": "truecolor",
            **self._more,
        }
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        given = [word for name, value in here.items() for word in ("-e", f"{name}={value}")]
        columns, rows = self._size
        self._tmux(
            *("new-session", "-d", "-x", str(columns), "-y", str(rows), *given),
            *("-c", str(self.folder), "env", f"PATH={path}", "bash", "--norc", "--noprofile"),
        )
        self._tmux("set-option", "-g", "escape-time", "0")
        self.wait_for("[1:0]")
        return self

    # --- the shell

    def enters(self, command: str) -> None:
        """Type a command at the prompt and start it."""
        self._commands += 1
        self._tmux("clear-history")
        self.press("C-l")
        self.type(command)
        self.press("Enter")

    def is_back(self, seconds: float = PATIENCE) -> int:
        """Wait for the prompt and return the command's exit code."""
        code = None
        for last in looks(seconds):
            screen = self.screen()
            if (code := self._code(screen)) is not None:
                break
            assert not last, f"no prompt:\n{screen}"
        assert code is not None
        return code

    def _code(self, screen: str) -> int | None:
        """Return the exit code of the last command once the prompt is back, else None."""
        found = [m for m in PROMPT.finditer(screen) if int(m[1]) == self._commands + 1]
        return int(found[-1][2]) if found else None

    def runs(self, command: str, code: int = 0, seconds: float = PATIENCE) -> str:
        """Run a command until it ends, check its exit code and return the screen."""
        self.enters(command)
        ended = self.is_back(seconds)
        screen = self.screen()
        assert ended == code, f"exit code {ended}:\n{screen}"
        return screen

    # --- the program

    def hangs_up(self) -> None:
        """Close the terminal and wait until the program has ended too."""
        program = self.program()
        self._tmux("kill-server")
        until = time.monotonic() + PATIENCE
        while Path(f"/proc/{program}").exists():
            assert time.monotonic() < until, "it is still there"
            time.sleep(0.05)
        self._commands = 0

    def program(self) -> int:
        """Return the process id of the program that the shell runs."""
        shell = int(self._tmux("display-message", "-p", "#{pane_pid}").stdout)
        children = Path(f"/proc/{shell}/task/{shell}/children")
        return int(children.read_text().split()[0])

    def sees(self, *texts: str, seconds: float = PATIENCE) -> str:
        """Wait until all of `texts` are on the screen and return it; fail if the program ends."""
        screen = ""
        for last in looks(seconds):
            screen = self.screen()
            if all(text in screen for text in texts):
                break
            missing = [text for text in texts if text not in screen]
            assert self._code(screen) is None, f"the program is gone, never seen: {missing}"
            assert not last, f"never seen: {missing} in\n{screen}"
        return screen

    def sees_times(self, text: str, times: int) -> None:
        """Wait until `text` is on the screen at least `times` times."""
        for last in looks(PATIENCE):
            if (screen := self.screen()).count(text) >= times:
                break
            assert not last, f"not seen {times} times: {text}\n{screen}"

    def no_longer_sees(self, text: str) -> str:
        """Wait until `text` is no longer on the screen."""
        return self.wait_gone(text, PATIENCE)

    def waits_for_notice(self) -> None:
        """Wait until the program has notified the terminal of the run's end, which is invisible."""
        self.wait_until(lambda: '"ui.notify"' in self._log.read_text(), PATIENCE)

    types = Terminal.type

    def presses(self, *keys: str) -> None:
        """Press keys one after the other, each as a separate key."""
        for key in keys:
            before = _without_clocks(self.screen()) if key == "Escape" else ""
            self.press(key)
            # a terminal reads escape and a key right after it as alt and that key
            if key == "Escape":
                time.sleep(0.2)
                self._looks_for_change(before, self.screen)

    def presses_and_looks(self, *keys: str) -> None:
        """Press keys, each after the previous one has changed the screen or had time to."""
        for key in keys:
            self._rests()
            before = _without_clocks(
                self.coloured_screen()
            )  # moving the focus changes only colours
            self.presses(key)
            self._looks_for_change(before, self.coloured_screen)

    def presses_until(self, key: str, text: str) -> None:
        """Press a key, again if it was ignored, until `text` is on the screen: a program ignores
        what is typed within a moment of a dialog."""
        for _ in range(5):
            self.presses_and_looks(key)
            if any(text in self.screen() for _ in looks(PATIENCE / 5)):
                return
        raise AssertionError(f"never seen: {text} in\n{self.screen()}")

    def _rests(self) -> None:
        """Wait until only clocks move on the screen, for at most a second."""
        until = time.monotonic() + 1
        before, now = "", _without_clocks(self.screen())
        while now != before and time.monotonic() < until:
            time.sleep(0.1)
            before, now = now, _without_clocks(self.screen())

    def _looks_for_change(self, before: str, look: Callable[[], str]) -> None:
        """Wait until what one sees changes, for at most ten seconds."""
        until = time.monotonic() + 10
        while _without_clocks(look()) == before and time.monotonic() < until:
            time.sleep(0.05)

    def clicks(self, words: str, times: int = 1) -> None:
        """Click on text on the screen."""
        for y, line in enumerate(self.screen().split("\n")):
            if words in line:
                at = f"{line.index(words) + 1};{y + 1}"
                self.type(f"\x1b[<0;{at}M\x1b[<0;{at}m" * times)
                return
        raise AssertionError(f"no {words!r} to click on")

    def finds_file(self, words: str) -> None:
        """Filter the file tree."""
        self.presses("/")
        self.sees("enter keep")
        self.fills(words)
        self.presses("Enter")
        self.no_longer_sees("enter keep")

    def size(self, columns: int, rows: int) -> None:
        """Set the terminal's size; call before entering the context."""
        self._size = columns, rows

    def fills(self, text: str) -> None:
        """Replace the text of a one-line field."""
        self.press("C-e")
        self.press("C-u")
        self.type(text)


def _without_clocks(screen: str) -> str:
    """Replace all numbers but those of colours, because clocks change without input."""
    return re.sub(
        r"\x1b\[[\d;:]*m|\d+", lambda found: "0" if found[0].isdigit() else found[0], screen
    )
