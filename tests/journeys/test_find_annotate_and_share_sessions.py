"""Guide: Find, annotate and share sessions."""

from __future__ import annotations

import json

from tests.journeys.person import Person
from tests.unit.sessions.interchange.test_imports import MINI

SWE = {
    "environment": "swe_main",
    "trajectory": [
        {"action": "ls\n", "observation": "a.py\n", "response": "ls", "thought": "I look."},
        {"action": "submit", "observation": "", "thought": "done", "execution_time": 0.1},
    ],
    "history": [{"role": "user", "content": [{"type": "text", "text": "mend it"}]}],
    "info": {"exit_status": "submitted", "submission": "diff"},
}


def test_sessions_are_kept_in_order_on_the_command_line(person: Person) -> None:
    with person:
        person.runs("sandbox-tui demo --headless --speed 0 >/dev/null")
        person.runs("sandbox-tui demo --headless --speed 0 --max-steps 2 >/dev/null", code=7)
        assert "max steps" in person.runs("sandbox-tui sessions ls").replace("_", " ")
        first = json.loads(
            person.runs("sandbox-tui sessions ls --json --limit 1 | cut -c1-150")
            .split("{", 1)[1]
            .split(",")[0]
            .join("{}")
        )["id"]
        person.runs(f"sandbox-tui sessions rename {first} two steps only")
        person.runs(f"sandbox-tui sessions tag {first} good paper")
        person.runs(f"sandbox-tui sessions tag {first} paper --remove")
        person.runs(f'sandbox-tui sessions note {first} --step 2 "here it ends"')
        screen = person.runs(f"sandbox-tui sessions show {first}")
        assert "two steps only" in screen
        assert "good" in screen
        assert "paper" not in screen
        assert "here it ends" in person.runs('sandbox-tui sessions search tag:good "here it ends"')
        assert "here it ends" in person.runs(
            "sandbox-tui sessions search --json --limit 3 'ends' | tail -c 700"
        )
        person.runs(f"sandbox-tui sessions note {first} --remove 1")
        assert "two steps only" in person.runs("sandbox-tui sessions ls --all")
        assert "  2  ok" in person.runs("sandbox-tui sessions show last")
        person.runs("sandbox-tui sessions show last --json >shown")
        shown = json.loads((person.folder / "shown").read_text())
        assert len(shown["call_list"]) == shown["calls"]
        person.runs(f'sandbox-tui sessions note {first} --step 44 "nowhere"', code=2)
        person.runs("sandbox-tui sessions check")
        person.runs(f"sandbox-tui sessions rm {first} --yes")
        assert "two steps only" not in person.runs("sandbox-tui sessions ls")
        person.runs("sandbox-tui sessions vacuum")
        person.enters("sandbox-tui sessions rm last")
        person.sees("Delete")
        person.types("n")
        person.presses("Enter")
        person.sees("Nothing was deleted.")
        assert person.is_back() == 130


def test_sessions_are_exported_and_imported(person: Person) -> None:
    (person.folder / "a.traj").write_text(json.dumps(SWE))
    (person.folder / "a.traj.json").write_text(json.dumps(MINI))
    with person:
        person.runs("sandbox-tui demo --headless --speed 0 >/dev/null")
        export = "sandbox-tui sessions export last"
        person.runs(f"{export} -f html -o run.html --no-redact")
        assert "Which harbour" in (person.folder / "run.html").read_text()
        person.runs(f"{export} -f html -o run.html", code=2)
        person.runs(f"{export} -f html -o run.html --force")
        (person.folder / "link.md").symlink_to("real.md")
        person.runs(f"{export} -o link.md")
        assert (person.folder / "link.md").is_symlink()
        assert "Which harbour" in (person.folder / "real.md").read_text()
        person.runs(f"{export} -f svg --at 4 --size 120x40 -o step-4.svg")
        assert "<svg" in (person.folder / "step-4.svg").read_text()
        person.runs(f"{export} -f film --size 90x24 -o run.film.svg")
        assert "@keyframes" in (person.folder / "run.film.svg").read_text()
        for format_, name in (
            *(("markdown", "a.md"), ("trajectory", "trajectory.json"), ("atif", "a.json")),
            *(("chat-jsonl", "a.jsonl"), ("asciicast", "a.cast"), ("svg", "a.svg")),
            ("bundle", "a.sbx"),
        ):
            person.runs(f"{export} -f {format_} -o {name}")
            assert (person.folder / name).stat().st_size > 200
        person.runs("sandbox-tui sessions rm last --yes")
        recording = (
            '{"version": 2, "width": 80, "height": 24, "timestamp": 1}\n[0.5, "o", "a line"]\n'
        )
        (person.folder / "b.cast").write_text(recording)
        casts = ("b.cast", "a.cast")
        files = ("a.sbx", "trajectory.json", "a.json", *casts, "a.traj", "a.traj.json")
        for number, name in enumerate(files, 1):
            person.runs(f"sandbox-tui sessions import {name}")
            lines = person.runs("sandbox-tui sessions ls --json | wc -l").splitlines()
            assert str(number) in [line.strip() for line in lines]
        person.enters("sandbox-tui replay last")
        person.sees("imported", "11 steps")
        person.presses("q")
        assert person.is_back() == 0


def test_a_session_is_imported_on_the_screen(person: Person) -> None:
    for name in ("a.traj.json", "a.z.json"):
        (person.folder / name).write_text(json.dumps(MINI))
    with person:
        person.enters("sandbox-tui")
        person.sees("Nothing here yet")
        person.presses("C-p")
        person.sees("palette")
        person.types("import")
        person.sees("Import sessions from a file")
        person.presses("Enter")
        person.sees("import sessions")
        person.types("a.traj.json")
        person.presses("Enter")
        person.sees("Imported", "sessions 1")
        person.presses("I")
        person.sees("import sessions")
        person.types("a.")
        person.sees("2 files match")
        person.presses_and_looks("Down")
        person.sees("1 of 2")
        person.presses_and_looks("Down")
        person.sees("2 of 2")
        person.presses_and_looks("Up")
        person.sees("1 of 2", "a.traj.json")
        person.presses("Enter")
        person.sees("not imported", "already here")
        person.presses("Escape")
        person.no_longer_sees("not imported")
        person.presses("q")
        assert person.is_back() == 0


def test_sessions_are_found_named_tagged_and_deleted_on_the_home_screen(person: Person) -> None:
    with person:
        person.runs("sandbox-tui demo --headless --speed 0 >/dev/null")
        person.runs("sandbox-tui demo --headless --speed 0 --max-steps 2 >/dev/null", code=7)
        person.runs("sandbox-tui config set keys.home.open f6")
        person.enters("sandbox-tui")
        person.sees("sessions 2", "f6 open")
        with Person(person.folder / "home") as other:
            other.runs("sandbox-tui config set model.name chosen-elsewhere")
        person.presses("F5")  # reads the settings, too
        person.sees("Reloaded the sessions and the settings.")
        person.sees("chosen-elsewhere")
        person.presses_and_looks("Down", "Up", "End", "Home")
        person.presses("F6")
        person.sees("replay", "step 2 of 2")
        person.presses("q")
        person.sees("sessions 2")
        person.presses("R")
        person.sees("enter save")
        person.presses("Escape")
        person.no_longer_sees("enter save")
        person.presses("R")
        person.sees("enter save")
        person.fills("two steps only")
        person.presses("Enter")
        person.sees("two steps only")
        person.presses("t")
        person.sees("enter save")
        person.types("Good")
        person.presses("Enter")
        person.sees("#good")
        person.presses("/")
        person.sees("search all sessions")
        person.types("harb")
        person.sees("found")
        person.presses_and_looks("Down", "Down", "Up")
        person.fills("outc")
        person.presses_and_looks("Tab")
        person.sees("outcome:")
        person.fills("is:sample")
        person.sees("No matches in any session.")
        person.fills("is:own tool:bash Corv")
        person.sees("2 sessions ·", "answer")
        person.presses("Enter")
        person.sees("paused", "found")
        person.presses_and_looks("n", "N")
        person.presses("w")
        person.sees("note on step")
        person.types("the very place")
        person.presses("Enter")
        person.sees("✎ the very place")
        person.presses("q")
        person.sees("2 sessions ·")
        person.presses_and_looks("Down", "Tab", "Escape")
        person.presses("Escape")  # the first one may have put a notice away
        person.sees("sessions 2")
        person.presses("/")
        person.sees("search all sessions")
        person.presses_and_looks("Escape")
        person.no_longer_sees("search all sessions")
        person.presses("x")
        person.sees("Delete")
        person.presses("y")
        person.sees("sessions 1")
        person.presses("q")
        assert person.is_back() == 0


def test_a_session_is_exported_from_home_and_from_its_replay(person: Person) -> None:
    with person:
        person.runs("sandbox-tui demo --headless --speed 0 >/dev/null")
        person.enters("sandbox-tui")
        person.sees("sessions 1", "last call")
        person.presses("y")
        person.sees("Copied 2")
        person.presses("B")
        person.sees("There is no desktop")
        person.presses("N")
        person.sees("note on this session")
        person.types("share this one")
        person.presses("Enter")
        person.sees("share this one")
        person.presses("o")
        person.sees("share this one", "last call")
        person.presses("q")
        person.sees("sessions 1")
        person.presses("F")
        person.sees("after step (0–11)")
        person.presses("Escape")
        person.no_longer_sees("after step (0")
        person.presses("E")
        person.sees("secrets", "markdown")
        person.presses("Escape")
        person.no_longer_sees("secrets")
        person.presses("Enter")
        person.sees("replay")
        person.presses("E")
        person.sees("secrets")
        person.presses("Down", "Tab", "Right")
        person.sees("kept")
        person.presses("Tab")
        person.types("report.md")
        person.presses("C-s")
        person.sees("Wrote", "report.md")
        assert "Which harbour" in (person.folder / "report.md").read_text()
        person.presses("q")
        person.sees("sessions 1")
        person.presses("q")
        assert person.is_back() == 0
