"""Guide: Run many at once."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any

from tests import scripted_server as s
from tests.journeys.person import Person

Serve = Callable[..., s.ScriptedServer]


def reply(request: dict[str, Any]) -> s.Scripted:
    """Two calls, then submit, for any number of runs."""
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
        person.sees("Open the run", "Sort the runs")
        person.presses("Escape")
        person.presses_and_looks("n", "Right", "Left", "Down", "Up", "Down", "o", "f")
        person.presses_and_looks("f", "f", "f", "f")
        person.presses("W")
        person.sees("The header shows all answers.")
        person.presses("/")
        person.types("task two")
        person.sees("2 shown")
        person.presses("Enter", "Escape")
        person.no_longer_sees("2 shown")
        person.presses("a")  # and on to the next run
        person.sees("once again", "4 wait for you")
        person.presses("Y")
        person.sees("approve always · run ", "in all 2 runs of this task")
        person.sees("^g all runs")
        person.presses_and_looks("C-g")
        person.presses("Escape")
        person.presses("M")
        person.sees("in all 4 runs shown")
        person.presses_and_looks("g")
        person.presses("p")
        person.sees("Mode ask in all 4 runs", "mode ask")
        person.presses("M")
        person.sees("in all 4 runs shown")
        person.presses_and_looks("g")
        person.presses("s")
        person.sees("4 wait for you", "mode step")
        person.presses("r")
        person.sees("enter send")
        person.types("not so")
        person.presses("Enter")
        person.sees("“not so”", "4 wait for you", "A decide on 4")
        person.presses("A")
        person.sees("4 waiting calls", "y approve 4")
        person.presses_and_looks("Space")
        person.sees("y approve 3", "space tick")
        person.presses("r")
        person.sees("reject 3 calls")
        person.presses("Escape")
        person.no_longer_sees("reject 3 calls")
        person.sees("4 waiting calls", "y approve 3")
        person.presses("Escape")
        person.no_longer_sees("4 waiting calls")
        person.presses("A")
        person.sees("4 waiting calls", "y approve 4")
        person.presses("y")
        person.sees("Approved 4 calls", "4 wait for you")
        person.presses("Enter")
        person.sees("waits for you", "mode step")
        person.presses("q")
        person.sees("4 runs")
        person.presses("x")
        person.sees("End run")
        person.presses("y")
        person.sees("3 wait for you")
        person.presses("q")
        person.sees("wait for you", "b background")
        person.presses("b")
        person.sees("n new run", "sessions 4")
        person.presses("w")  # on the samples of one task
        person.sees("  2 runs")
        person.presses("C-q")
        person.sees("3 runs wait for you. End them all and quit?")
        person.presses("y")
        assert person.is_back() in (0, 130)
    sent = str([request["messages"] for request in server.requests])
    assert "not so" in sent


def test_the_answers_of_several_tasks(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(s.call("submit", answer="42"))
    with person:
        run = f"--base-url {server.url} --model m"
        person.enters(f'sandbox-tui run "task one" "task two" --samples 2 {run}')
        person.sees_times("2 submitted", 2)
        person.presses("W")
        person.sees("answers", "esc close")
        person.presses("Escape")
        person.no_longer_sees("esc close")
        person.presses("q")
        assert person.is_back() == 0


def test_a_run_is_paused_from_the_wall(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(s.call("execute_bash", command="echo begun; sleep 1000"))
    with person:
        person.enters(f"sandbox-tui run one two --base-url {server.url} --model m")
        person.sees("2 runs")
        person.sees_times("begun", 2)
        person.presses("Space")
        person.sees("1 pausing")
        person.presses("P")
        person.sees("2 pausing")
        person.presses("m")
        person.sees("message to run")
        person.presses("C-g")
        person.sees("message to both runs shown")
        person.presses("Escape")
        person.no_longer_sees("message to both")
        person.presses("x")
        person.sees("End run")
        person.presses("g")
        person.sees("End both runs shown?")
        person.presses("n")
        person.no_longer_sees("End both runs")
        person.presses("C-q")
        person.sees("2 runs are still running")
        person.presses("y")
        assert person.is_back() in (0, 130)


def test_a_run_continues_in_the_background(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(reply)  # type: ignore[arg-type]
    with person:
        person.enters(f"sandbox-tui run x --base-url {server.url} --model m --step")
        person.sees("waits for you")
        person.presses("q")
        person.sees("the run waits for you")
        person.presses("b")
        person.sees("n new run", "waits for you")
        person.presses("Enter")
        person.sees("waits for you", "◆ call 1")
        person.presses("M", "a")
        person.sees("mode auto")
        person.presses("a")
        person.sees("submitted")
        person.presses("q")
        person.sees("n new run", "submitted")
        person.presses("O")
        person.sees("sorted by")
        person.presses("q")
        assert person.is_back() == 0


def test_home_says_what_happens_in_the_background(person: Person, scripted_server: Serve) -> None:
    may_answer = threading.Event()

    def slow_reply(request: dict[str, Any]) -> s.Scripted:
        if may_answer.wait(60) and request["messages"][-1]["role"] == "tool":
            return s.call("submit")
        return s.call("execute_bash", command="echo hello")

    server = scripted_server(slow_reply)  # type: ignore[arg-type]
    with person:
        person.enters(f'sandbox-tui run "a slow task" --base-url {server.url} --model m --step')
        person.sees("waits for the model")
        person.presses("q")
        person.sees("the run is still running")
        person.presses("b")
        person.sees("n new run", "running")
        may_answer.set()
        person.sees("opens it")  # the lines of a toast wrap
        person.presses("Enter")
        person.sees("◆ call 1")
        person.presses("M", "a")
        person.sees("mode auto")
        person.presses("a")
        person.sees("submitted")
        person.presses("q")
        person.sees("n new run", "submitted")
        person.presses("q")
        assert person.is_back() == 0


def test_two_runs_are_compared_and_both_are_detached(
    person: Person, scripted_server: Serve
) -> None:
    server = scripted_server(reply)  # type: ignore[arg-type]
    with person:
        run = f"--base-url {server.url} --model m --step"
        person.enters(f'sandbox-tui run "task one" --samples 2 {run}')
        person.sees("2 runs", "2 wait for you")
        person.presses_and_looks("End")
        person.presses_and_looks("Home")
        person.presses_and_looks("c")
        person.sees("marked", "c unmark")
        person.presses_and_looks("Right")
        person.sees("c compare with 1")
        person.presses_and_looks("c")
        person.sees("s swap")
        person.presses("q")
        person.sees("2 wait for you")
        person.presses("q")
        person.sees("2 runs wait for you", "d detach")
        person.presses_and_looks("d")
        assert person.is_back() == 0
        screen = person.screen()
        assert screen.count("waits for you (detached)") == 2
        for session in set(re.findall(r"\d{8}-\d{6}-\w+", screen)):
            assert f"stopped {session}" in person.runs(f"sandbox-tui stop {session}")


def test_an_unfinished_edit_survives_detaching(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(reply)  # type: ignore[arg-type]
    with person:
        person.enters(f"sandbox-tui run x --base-url {server.url} --model m --step")
        person.sees("waits for you")
        person.presses("e")
        person.sees("edit call 1")
        person.types(" and my draft")
        person.presses("Escape")
        person.sees("Draft saved")
        person.no_longer_sees("edit call 1")
        person.presses("C-q")
        person.sees("1 run waits for you. End it and quit?", "d detach and quit")
        person.presses("d")
        assert person.is_back() == 0
        person.enters("sandbox-tui attach")
        person.sees("waits for you", "moved to a program")
        person.presses("e")
        person.sees("edit call 1", "and my draft")
        person.presses("C-s")
        person.sees("edited by you", "once again")
        person.presses("q")
        assert person.is_back() == 0
        assert "stopped" in person.runs("sandbox-tui stop --all")


def test_a_wall_too_long_for_the_screen_is_turned_by_pages(
    person: Person, scripted_server: Serve
) -> None:
    server = scripted_server(reply)  # type: ignore[arg-type]
    person.size(60, 20)
    with person:
        run = f"--base-url {server.url} --model m --step"
        person.enters(f"sandbox-tui run x --samples 12 {run}")
        person.sees("12 wait for you")
        person.presses_and_looks("NPage", "PPage")
        person.presses_until("C-q", "End them all and quit?")
        person.presses("x")
        person.is_back()


def test_a_run_is_detached_when_the_program_is_quit(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(reply)  # type: ignore[arg-type]
    with person:
        person.enters(f"sandbox-tui run x --base-url {server.url} --model m --step")
        person.sees("waits for you")
        person.presses("C-q")
        person.sees("1 run waits for you. End it and quit?", "d detach and quit")
        person.presses("d")
        assert person.is_back() == 0
        assert "waits for you (detached)" in person.screen()
        person.enters("sandbox-tui attach")
        person.sees("waits for you", "1 bash", "moved to a program")
        person.presses("a")
        person.sees("once again")
        person.presses("a")
        person.sees("submit")
        person.presses("a")
        person.sees("submitted")
        person.presses("q")
        assert person.is_back() == 0


def test_runs_whose_model_was_away_are_resumed_from_the_wall(person: Person) -> None:
    begins = s.call("execute_bash", command="echo first")
    with person:
        with s.ScriptedServer([begins]) as server:
            given = "SANDBOX_TUI_LIMITS_MAX_ATTEMPTS=1 sandbox-tui run one two three"
            person.enters(f"{given} --base-url {server.url} --model m --step")
            person.sees("3 wait for you")
        person.presses("A")
        person.sees("3 waiting calls")
        person.presses("y")
        person.sees("3 model unavailable", "r resume")
        person.no_longer_sees("▌")  # escape puts a notice away first
        person.presses("Escape")
        person.sees("q leaves the wall; r resumes 3 runs.")
        person.presses("r")
        person.sees("3 of the runs shown can be resumed", "all 3")
        person.presses("Escape")
        person.no_longer_sees("can be resumed")
        with s.ScriptedServer([s.call("submit")], port=server.port):
            person.presses("r")
            person.sees("only run 1")
            person.presses("r")
            person.sees("1 waits for you", "2 model unavailable")
            person.presses("x")
            person.sees("End run")
            person.presses("y")
            person.sees("1 cancelled", "resume 2 runs")
            person.presses("r")  # about the others
            person.sees("2 of the runs shown can be resumed")
            person.presses("a")
            person.sees("2 wait for you")
        person.presses("A")
        person.sees("2 waiting calls")
        person.presses("y")
        person.sees("2 submitted", "1 cancelled")
        person.presses("q")
        person.is_back()
