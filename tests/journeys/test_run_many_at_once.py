"""Guide: Run many at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests import scripted_server as s
from tests.journeys.person import Person

Serve = Callable[..., s.ScriptedServer]


def reply(request: dict[str, Any]) -> s.Scripted:
    """Two calls, then it submits: however many runs ask."""
    turn = sum(message["role"] == "assistant" for message in request["messages"])
    if turn > 1:
        return s.call("submit")
    return s.call("execute_bash", command=("echo hello", "echo once again")[turn])


def test_the_wall(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(reply)  # type: ignore[arg-type]
    with person:
        run = f"--base-url {server.url} --model m --step"
        person.enters(f'sandbox-tui run "task one" "task two" --samples 2 {run}')
        person.sees("4 runs", "4 wait for you")
        person.presses("?")
        person.sees("look into", "order")
        person.presses("Escape")
        person.presses_and_looks("Right", "Left", "Down", "Up", "o", "f")
        person.presses_and_looks("f", "f", "f", "f")
        person.presses("/")
        person.types("task two")
        person.sees("2 shown")
        person.presses("Enter", "Escape")
        person.no_longer_sees("2 shown")
        person.presses("a")
        person.sees("once again", "4 wait for you")
        person.presses("r")
        person.sees("enter")
        person.types("not so")
        person.presses("Enter")
        person.sees("4 wait for you")
        person.presses("Enter")
        person.sees("waits for you", "mode step")
        person.presses("q")
        person.sees("4 runs")
        person.presses("x")
        person.sees("End run")
        person.presses("y")
        person.sees("3 wait for you")
        person.presses("q")
        person.sees("3 runs")
        person.presses("b")
        person.sees("n new run")
        person.presses("w")
        person.sees("3 wait for you")
        person.presses("C-q")
        person.sees("3 runs are still going")
        person.presses("y")
        assert person.is_back() in (0, 130)
    told = str([request["messages"] for request in server.requests])
    assert "not so" in told


def test_a_run_is_paused_from_the_wall(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(s.call("execute_bash", command="echo begun; sleep 1000"))
    with person:
        person.enters(f"sandbox-tui run one two --base-url {server.url} --model m")
        person.sees("2 runs")
        person.sees_times("begun", 2)
        person.presses("Space")
        person.sees("paused")
        person.presses("C-q")
        person.sees("2 runs are still going")
        person.presses("y")
        assert person.is_back() in (0, 130)


def test_a_run_goes_on_in_the_background(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(reply)  # type: ignore[arg-type]
    with person:
        person.enters(f"sandbox-tui run x --base-url {server.url} --model m --step")
        person.sees("waits for you")
        person.presses("q")
        person.sees("the run is still going")
        person.presses("b")
        person.sees("n new run", "running")
        person.presses("Enter")
        person.sees("waits for you", "◆ call 1")
        person.presses("M", "a")
        person.sees("mode auto")
        person.presses("a")
        person.sees("submitted")
        person.presses("q")
        person.sees("n new run", "submitted")
        person.presses("q")
        assert person.is_back() == 0
