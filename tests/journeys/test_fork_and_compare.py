"""Guide: Fork and compare."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests import scripted_server as s
from tests.journeys.person import Person

Serve = Callable[..., s.ScriptedServer]


def reply(request: dict[str, Any]) -> s.Scripted:
    """A few calls, then submit."""
    turn = sum(message["role"] == "assistant" for message in request["messages"])
    command = f"echo call {turn} | tee -a calls.txt"
    return s.call("submit") if turn > 3 else s.call("execute_bash", command=command)


def test_a_run_is_forked_on_the_screen_and_compared(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(reply)  # type: ignore[arg-type]
    with person:
        run = f"--base-url {server.url} --model m --snapshots every"
        person.runs(f"sandbox-tui run 'count calls' --headless {run} >/dev/null")
        person.enters("sandbox-tui replay last")
        person.sees("step 5 of 5")
        person.presses(":")
        person.sees("enter go")
        person.types("2")
        person.presses("Enter")
        person.sees("paused", "step 2 of")
        person.presses("F")
        person.sees("a message for the model")
        person.presses("Escape")
        person.no_longer_sees("a message for the model")
        person.presses("F")
        person.sees("a message for the model")
        person.presses("F3")
        person.sees("choose a model")
        person.presses("Escape")
        person.no_longer_sees("choose a model")
        person.fills("3")
        person.sees("After step 3 of")
        person.presses("F8")
        person.sees("In step 2 of")
        person.fills("1")
        person.sees("After step 1 of")
        person.presses("Tab")
        person.fills("44")
        person.presses("Tab")
        person.types("please go on")
        person.presses("Tab")
        person.fills("another")
        person.presses("Tab")
        person.fills(f"{server.url}/")
        person.presses("F4")
        person.sees("fields / JSON")
        person.types(" differently")
        person.presses("C-s")
        person.no_longer_sees("fields / JSON")
        person.presses("C-s")
        person.sees("forked here from", "please go on", "✓ submitted")
        person.presses("F")
        person.sees("a message for the model")
        person.presses("Escape")
        person.no_longer_sees("a message for the model")
        person.presses("C-r")
        person.sees("run again", "count calls", "another")
        person.presses("Escape")
        person.no_longer_sees("max steps")
        person.presses("q")
        person.sees("paused")
        person.presses("C-r")
        person.sees("run again", "count calls")
        person.presses("Escape")
        person.no_longer_sees("max steps")
        person.presses("q")
        assert person.is_back() == 0
        person.runs("sandbox-tui config set keys.compare.open f6")
        person.enters("sandbox-tui")
        person.sees("sessions 2", "└─")
        person.presses("Home", "C-r")
        person.sees("run again", "count calls")
        person.presses("Escape")
        person.no_longer_sees("max steps")
        person.presses("Home", "Space")
        person.sees("◉", "esc unmark")
        person.presses("Escape")
        person.no_longer_sees("◉")
        person.presses("Home", "Space", "Down", "Space")
        person.sees("◉", "2 marked")
        person.presses("c")
        person.sees("compare", "is a fork of")
        person.presses_and_looks("n", "n", "N", "s", "n")
        person.presses("h")
        person.sees("identical call", "show equal")
        person.presses("h")
        person.sees("hide equal")
        person.presses("/")
        person.sees("enter find")
        person.types("go on")
        person.presses("Enter")
        person.sees("“go on”", "end search")
        person.presses("Escape")
        person.no_longer_sees("“go on”")
        person.sees("/testbed/differently")
        person.presses("p", "o")
        person.sees("difference", "differences only")
        person.presses("o")
        person.no_longer_sees("differences only")
        person.presses("Right")
        person.sees("difference 3 of 3")
        person.presses("Left")
        person.sees("difference 2 of 3")
        person.presses("Escape")
        person.no_longer_sees("esc close")
        person.sees("compare")
        person.presses("F6")
        person.sees("esc close")
        person.presses("Escape")
        person.no_longer_sees("esc close")
        for side in ("l", "r"):
            person.presses(side)
            person.sees("replay", "paused")
            person.presses("q")
            person.sees("compare", "diverge")
        person.presses("q")
        person.sees("sessions 2")
        person.presses("q")
        assert person.is_back() == 0
    assert "another" in {request["model"] for request in server.requests}


def test_the_same_from_a_script(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(reply)  # type: ignore[arg-type]
    with person:
        run = f"--base-url {server.url} --model m --snapshots every"
        person.runs(f"sandbox-tui run 'count calls' --headless {run} >/dev/null")
        first = next(
            line.split()[0]
            for line in person.runs("sandbox-tui sessions ls").splitlines()
            if "count calls" in line
        )
        model = f"--model other --base-url {server.url} --temperature 0.1 --seed 3 --tool-calls native --extra-body '{{\"a\":1}}'"
        limits = "--max-steps 20 --max-tokens 99 --token-limit 99999 --time-limit 60"
        where = "--sandbox bubblewrap --network bridge --snapshots off --output forked"
        person.runs(
            f"sandbox-tui fork {first} --headless --at step:3 --message 'Use the library.' {model} "
            "--wait-for-server 9s "
            f"{limits} {where} --command-timeout 60 --prompts math --no-repeat | tail -5"
        )
        person.runs(
            f"sandbox-tui fork {first} --json --at call:2 --tty --mode ask --yes --edit-call "
            '\'{"command": "echo changed"}\' | tail -c 700'
        )
        person.runs(f"sandbox-tui fork {first} --at step:1 --task 'count more' --no-tty --detach")
        person.enters(f"sandbox-tui fork {first} --at step:1 --step")
        person.sees("waits for you")
        person.presses("C-q")
        person.sees("1 run waits for you. End it and quit?")
        person.presses("y")
        assert person.is_back() == 130
        screen = person.runs(f"sandbox-tui compare {first} last --diffs")
        assert "echo call" in screen or "call" in screen
        assert "call" in person.runs(f"sandbox-tui compare {first} last --headless")
        assert "call" in person.runs("sandbox-tui compare last --headless")
        person.enters(f"sandbox-tui compare {first} last")
        person.sees("compare", "s swap")
        person.presses("q")
        assert person.is_back() == 0
        person.runs(f"sandbox-tui compare {first} last --json | cut -c1-300")
        assert first in person.runs("sandbox-tui snapshots ls")
        person.runs("sandbox-tui snapshots ls --json | cut -c1-300")
        person.runs(f"sandbox-tui snapshots prune {first} --yes")
        person.runs("sandbox-tui snapshots prune --all --yes")
    sent = str([request["messages"] for request in server.requests])
    assert "Use the library." in sent
    assert "count more" in sent
    assert any(request.get("a") == 1 for request in server.requests)
