"""Guide: Try the demo."""

from __future__ import annotations

from pathlib import Path

from tests.integration.conftest import TEST_IMAGE, require
from tests.journeys.person import Person


def test_the_demo_is_watched_from_the_home_screen(person: Person) -> None:
    with person:
        person.enters("sandbox-tui --theme daylight")
        person.sees("watch, steer and replay", "no model is chosen yet")
        person.presses("?")
        person.sees("keys", "Everywhere")
        person.presses("Escape")
        person.no_longer_sees("Everywhere")
        person.presses("d")
        person.sees("submitted", "Corvane 1914 8409")
        person.presses("q")
        person.sees("Which harbour", "submitted", "n new run")
        person.presses("q")
        assert person.is_back() == 0


def test_the_demo_waits_before_every_call(person: Person) -> None:
    with person:
        person.enters("sandbox-tui demo --mode step --speed 0.5")
        person.sees("waits for you", "1 bash")
        for number in (2, 3):
            person.presses("a")
            person.sees("waits for you", f"{number} bash")
        person.presses("q")
        person.sees("the run waits for you")
        person.presses("n")
        person.no_longer_sees("the run waits for you")
        person.presses("q")
        person.sees("the run waits for you")
        person.presses("x")
        assert person.is_back() == 130
        person.enters("sandbox-tui demo --step --speed 20")
        person.sees("waits for you", "1 bash")
        person.presses("C-q")
        person.sees("1 run waits for you. End it and quit?")
        person.presses("y")
        assert person.is_back() == 130


def test_the_demo_takes_the_options_of_a_run(person: Person) -> None:
    with person:
        limits = "--max-steps 30 --max-tokens 9000 --token-limit 900000 --time-limit 300"
        where = "--sandbox bubblewrap --network bridge --snapshots off --output out"
        more = "--prompts math --command-timeout 60 --tty --speed 0"
        screen = person.runs(f"sandbox-tui demo --headless {limits} {where} {more} | tail -20")
        assert "submitted" in screen
        assert list((person.folder / "out").rglob("answer.txt"))
        fewer = "SANDBOX_TUI_LIMITS_MAX_STEPS=7"  # a limit for models: the script is longer
        person.runs(f"{fewer} sandbox-tui demo --json --no-tty --speed 0 > events")
        events = (person.folder / "events").read_text().splitlines()
        assert '"kind":"RunStarted"' in events[0].replace(" ", "")
        assert '"reason":"submitted"' in events[-1].replace(" ", "")
        screen = person.runs("sandbox-tui demo --detach --speed 0")
        session = next(line for line in screen.splitlines() if line.startswith("20")).strip()
        person.enters(f"sandbox-tui attach {session} --headless")
        person.is_back()
        person.sees("submitted")
        assert session in person.runs("sandbox-tui sessions ls")


def test_the_demo_in_docker(person: Person, home: Path) -> None:
    require("docker")
    with person:
        person.enters(f"sandbox-tui demo --speed 20 --sandbox docker --image {TEST_IMAGE}")
        person.sees("docker", "submitted", "Corvane 1914 8409")
        person.presses("q")
        assert person.is_back() == 0
