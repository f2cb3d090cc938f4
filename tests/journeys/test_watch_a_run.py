"""Guide: Watch a run."""

from __future__ import annotations

from collections.abc import Callable

from tests import scripted_server as s
from tests.journeys.person import Person

Serve = Callable[..., s.ScriptedServer]


def test_calls_are_read(person: Person) -> None:
    with person:
        person.runs("sandbox-tui demo --headless --speed 0 >/dev/null")
        person.enters("sandbox-tui replay last")
        person.sees("replay", "playing")
        person.presses("$")
        person.sees("paused", "submitted")
        for key in ("Home", "Down", "PageDown", "Up", "End", "PageUp", "g", "j", "Enter"):
            person.presses_and_looks(key)
        person.presses("2")
        person.presses_and_looks(">", "<")
        person.presses("1", "?")
        person.sees("Previous pane")
        person.presses("Escape")
        person.no_longer_sees("Previous pane")
        person.presses("f")
        person.sees("only failures")
        person.presses_and_looks("f", "f", "f", "f")
        person.no_longer_sees("· only")
        person.presses("/")
        person.types("python3")
        person.sees("python3", " of ")
        person.presses_and_looks("Down", "Up", "Enter", "n", "N", "Escape")
        person.presses("/", "Escape")
        person.presses("Home", "Down", "Down", "o")
        person.sees("call 1", "esc close")
        person.presses("/")
        person.types("e")
        person.presses_and_looks("Enter", "n", "n", "N")
        person.presses("Escape")
        person.no_longer_sees("esc close")
        person.sees("paused")
        person.presses("q")
        assert person.is_back() == 0


def test_a_result_is_read_opened_replayed_and_exported(
    person: Person, scripted_server: Serve
) -> None:
    server = scripted_server(
        s.call("execute_bash", command="echo forty-two > output/answer.txt"), s.call("submit")
    )
    opener = person.folder / "bin" / "xdg-open"
    opener.parent.mkdir()
    opener.write_text(f'#!/bin/sh\necho "$1" >>{person.folder}/opened\n')
    opener.chmod(0o755)
    with person:
        person.runs(f"export PATH={opener.parent}:$PATH DISPLAY=:9")
        person.enters(f"sandbox-tui run x --base-url {server.url} --model m")
        person.sees("✓ submitted  forty-two", "1 file, 10B, in", "answer.txt 10B")
        person.presses("B")
        person.sees("Opened")
        person.presses("V")
        person.sees("replay", "playing")
        person.presses("q")
        person.sees("✓ submitted  forty-two", "E export")
        person.presses("E")
        person.sees("secrets")
        person.presses("Down", "Enter")
        person.types("report.md")
        person.presses("C-s")
        person.sees("Wrote", "report.md")
        person.presses("q")
        assert person.is_back() == 0
        screen = person.screen()
        for words in (
            "submitted · x",
            "forty-two",
            "2 steps · 2 calls",
            "1 file, 10B, in /",
            "session",
        ):
            assert words in screen
    assert "/output/" in (person.folder / "opened").read_text()
    assert "forty-two" in (person.folder / "report.md").read_text()


def test_panes_are_switched(person: Person) -> None:
    person.size(100, 30)
    with person:
        person.enters("sandbox-tui demo --step --speed 20")
        person.sees("waits for you")
        for key in ("2", "3", "1", "Tab", "BTab", "z", "z", "\\", "1"):
            person.presses_and_looks(key)
        person.presses("C-o")
        person.sees("│ s  ")
        person.presses("Escape")
        person.no_longer_sees("│ s  ")
        person.presses("C-o")
        person.sees("│ s  ")
        person.presses("a")
        person.no_longer_sees("│ s  ")
        person.presses("C-p")
        person.sees("palette", "Approve the call", "Actions")
        person.types("approve")
        person.sees("Approve the call", "Approve this and all like it")
        person.presses("Enter")
        person.sees("2 bash")
        person.presses("C-q")
        person.sees("End it and quit?")
        person.presses("y")
        assert person.is_back() == 130


def test_the_terminal_is_searched_and_copied_from(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(
        s.call("execute_bash", command="seq 1 300; echo needle one; seq 1 99; echo needle two"),
        s.call("execute_bash", command="sleep 100"),
    )
    with person:
        person.enters(f"sandbox-tui run x --base-url {server.url} --model m --snapshots off")
        person.sees("needle two", "sleep 100")
        person.presses("2", "/")
        person.types("needle")
        person.sees("· ↑ ↓")
        person.presses_and_looks("Up", "Up", "Down", "Escape")
        person.presses("/")
        person.types("needle one")
        person.presses_and_looks("Enter", "n", "N", "Escape")
        person.presses_and_looks("PgUp", "PgDn", "Home", "End")
        person.sees("needle two")
        person.clicks("needle two", times=2)
        person.presses_and_looks("y")
        person.presses("q")
        person.sees("the run is still running")
        person.presses("x")
        assert person.is_back() == 130
