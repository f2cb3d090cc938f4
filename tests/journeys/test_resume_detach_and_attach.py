"""Guide: Resume, detach and attach."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.sandboxes.docker.container_owner import container_of
from sandbox_tui.core.sandboxes.docker.engine import connect
from sandbox_tui.sessions import Store
from tests import scripted_server as s
from tests.integration.conftest import TEST_IMAGE
from tests.journeys.person import Person

Serve = Callable[..., s.ScriptedServer]


def calls() -> list[s.Scripted]:
    return [
        s.calls(
            ("execute_bash", '{"command": "cd /tmp; export A=kept; echo begun"}'),
            ("execute_bash", '{"command": "echo sleeping; sleep 600"}'),
            ("execute_bash", '{"command": "echo $A in $PWD"}'),
        ),
        s.call("submit"),
    ]


def killed(person: Person, run: str) -> None:
    person.enters(run)
    person.sees("2 bash", "❯ echo sleeping")  # the second call has started
    os.kill(person.program(), signal.SIGKILL)
    person.is_back()
    person.runs("reset")


def test_a_killed_run_is_resumed(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(*calls(), *calls(), *calls(), *calls())
    run = f"sandbox-tui run x --base-url {server.url} --model m"
    with person:
        killed(person, run)
        person.enters("sandbox-tui")
        person.sees("interrupted", "r resume")
        person.presses("r")
        person.sees("resumed after", "kept in /tmp", "submitted")
        person.presses("q")
        person.sees("submitted", "n new run")
        person.presses("q")
        assert person.is_back() == 0
        killed(person, run)
        assert "submitted" in person.runs(
            "sandbox-tui resume last --headless --wait-for-server 9s | tail -5"
        )
        killed(person, run)
        session = re.search(r"\d{8}-\d{6}-\w{5}", person.runs("sandbox-tui sessions ls"))
        assert session is not None
        screen = person.runs(f"sandbox-tui resume {session[0]} --json | tail -c 300")
        assert "submitted" in re.sub(r"\s", "", screen)
        killed(person, run)
        person.runs("sandbox-tui resume last --detach")
        person.enters("sandbox-tui attach last --json | tail -c 300")
        person.is_back()


def test_a_run_whose_container_is_gone_is_forked(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(*calls(), *calls())
    with person:
        run = f"sandbox-tui run x --base-url {server.url} --model m --sandbox docker"
        killed(person, f"{run} --image {TEST_IMAGE}")
        session = re.search(r"\d{8}-\d{6}-\w{5}", person.runs("sandbox-tui sessions ls"))
        assert session is not None
        client = connect()
        container_of(client, session[0]).remove(force=True)
        client.close()
        person.enters("sandbox-tui resume")
        person.sees("this did not work", "F fork")
        person.presses("F")
        person.sees("before call 2", "f4 change the call")
        person.presses("Escape")
        assert person.is_back() == 8


def test_a_run_whose_model_was_away_is_resumed(person: Person) -> None:
    begins = s.call("execute_bash", command="cd /tmp; export A=kept; echo first")
    goes_on = s.call("execute_bash", command="echo $A in $PWD")
    with person:
        with s.ScriptedServer([begins]) as server:
            given = f"SANDBOX_TUI_LIMITS_MAX_ATTEMPTS=1 sandbox-tui run x --base-url {server.url}"
            person.enters(f"{given} --model m --step")
            person.sees("waits for you", "1 bash")
        person.presses("a")
        person.sees("model unavailable", "cannot be reached", "r resume")
        with s.ScriptedServer([goes_on], port=server.port):
            person.presses("r")
            person.sees("waits for you", "2 bash")
        person.presses("a")
        person.sees("model unavailable", "kept in /tmp", "r resume")
        person.presses("q")
        assert person.is_back() == 5
        person.sees("sandbox-tui resume")
        person.enters("sandbox-tui")
        person.sees("model unavailable", "n new run", "r resume")
        with s.ScriptedServer([goes_on], port=server.port):
            person.presses("r")
            person.sees("waits for you", "3 bash")
        person.presses("a")
        person.sees("model unavailable", "r resume")
        person.presses("q")
        person.sees("n new run")
        person.presses("q")
        person.is_back()
        with s.ScriptedServer([s.call("submit")], port=server.port):
            person.enters("sandbox-tui resume last")
            person.sees("waits for you", "4 submit")
            person.presses("a")
            person.sees("submitted")
        person.presses("q")
        assert person.is_back() == 0


@pytest.mark.parametrize("key", ["r", "Escape"])
def test_a_detached_run_whose_program_was_killed_is_resumed_from_the_screen(
    key: str, person: Person, scripted_server: Serve
) -> None:
    server = scripted_server(s.call("execute_bash", command="echo begun"), s.call("submit"))
    with person:
        run = f'sandbox-tui run "a long task" --base-url {server.url} --model m --step --detach'
        screen = person.runs(run)
        session = next(line for line in screen.splitlines() if line.startswith("20")).strip()
        person.enters("sandbox-tui attach")
        person.sees("waits for you", "detached", "1 bash")
        with contextlib.closing(Store(next(person.folder.rglob("sessions.db")))) as store:
            ownership = store.ownership(session)
        assert ownership is not None
        os.kill(ownership.owner.pid, signal.SIGKILL)
        person.sees("the run was interrupted", "r resume", "◌ interrupted")
        person.presses(key)
        if key == "Escape":
            assert person.is_back() != 0
            return
        person.sees("resumed after", "◆ call 1", "a approve")
        person.no_longer_sees("interrupted")
        person.presses("x")
        person.sees("End this run?")
        person.presses("y")
        person.sees("cancelled")
        person.presses("q")
        assert person.is_back() == 130


def test_a_call_that_holds_up_detaching_is_interrupted(
    person: Person, scripted_server: Serve
) -> None:
    server = scripted_server(
        s.call("execute_bash", command="echo sleeping; sleep 600"),
        s.call("execute_bash", command="echo later; sleep 600"),
    )
    with person:
        person.enters(f"sandbox-tui run x --base-url {server.url} --model m")
        person.sees("1 bash", "sleeping")
        person.presses("q")
        person.sees("detach")
        person.presses("d")
        person.sees("Waiting for call 1 to end", "i interrupt the call")
        person.presses("Escape")
        person.no_longer_sees("Waiting for call 1")
        person.presses_until("q", "d detach")
        person.presses_until("d", "Waiting for call 1 to end")
        person.sees("i interrupt the call")
        person.presses("i")
        person.is_back()
        person.enters("sandbox-tui attach")
        person.sees("2 bash", "interrupted")
        person.presses("q")
        person.is_back()
        person.runs("sandbox-tui stop")


def test_a_reply_that_holds_up_detaching_is_restarted(
    person: Person, scripted_server: Serve
) -> None:
    may_answer = threading.Event()

    def slow_reply(request: dict[str, Any]) -> s.Scripted:
        may_answer.wait(60)
        return s.call("submit")

    server = scripted_server(slow_reply)
    with person:
        person.enters(f"sandbox-tui run x --base-url {server.url} --model m --step")
        person.sees("waits for the model")
        person.presses("q")
        person.sees("d detach")
        person.presses("d")
        person.sees("R ask again")
        person.presses("R")
        person.is_back()
        may_answer.set()
        person.enters("sandbox-tui attach")
        person.sees("waits for you", "submit")
        person.presses("q")
        person.is_back()
        person.runs("sandbox-tui stop")


def test_a_detached_run_is_watched_and_stopped(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(s.call("execute_bash", command="echo begun"), s.call("submit"))
    with person:
        run = f'sandbox-tui run "a long task" --base-url {server.url} --model m --step --detach'
        screen = person.runs(run)
        session = next(line for line in screen.splitlines() if line.startswith("20")).strip()
        person.enters("sandbox-tui attach")
        person.sees("waits for you", "detached", "1 bash")
        with Person(Path(person.folder / "home"), columns=120, rows=36) as other:
            other.enters("sandbox-tui")
            other.sees("waits for you: bash")
            other.presses("Enter")
            other.sees("watching", "T take control")
            other.presses("T")
            other.sees("you are in control")
            person.sees("watching", "Another terminal has taken control; T takes it back.")
            other.presses("q")
            other.sees("n new run")
            other.presses("q")
            assert other.is_back() == 0
        person.presses("q")
        assert person.is_back() == 0
        began = "until [ -s events ]; do sleep 0.1; done"
        person.runs(f"(sandbox-tui attach {session} --json > events; touch ended) & {began}")
        assert f"stopped {session}" in person.runs(f"sandbox-tui stop {session}")
        last_lines = person.runs("until [ -e ended ]; do sleep 0.1; done; tail -c 300 events")
        assert "cancelled" in re.sub(r"\s", "", last_lines)
        assert "cancelled" in person.runs("sandbox-tui sessions ls")
        several = [re.findall(r"^20\S+", person.runs(run), re.MULTILINE)[-1] for _ in range(2)]
        refused = person.runs("sandbox-tui stop", 2)
        assert "2 detached runs. Name those to stop, or use --all:" in refused
        person.enters("sandbox-tui attach")
        person.sees("2 runs", "2 wait for you")
        with Person(Path(person.folder / "home"), columns=120, rows=36) as other:
            other.enters("sandbox-tui attach")
            other.sees("2 runs", "T take control", "watching")
            other.presses("T")
            other.sees("Another terminal controls 2 of the runs shown", "a  all 2")
            other.presses("Escape")
            other.no_longer_sees("Another terminal controls")
            other.presses("T")
            other.sees("T  only run 1")
            other.presses("T")
            person.sees("Another terminal has taken control of run 1; T takes it back.")
            other.sees("You control run 1; T takes the last one.")
            other.presses("T")
            other.sees("a approve")
            person.sees("2 wait elsewhere")
            person.presses("T")
            person.sees("a  all 2")
            person.presses("a")
            person.sees("You control runs 1 2.", "a approve")
            other.presses("q")
            assert other.is_back() == 0
        person.presses("q")
        assert person.is_back() == 0
        screen = person.runs(f"sandbox-tui stop {session} {several[0]}")
        assert f"{session} has ended (cancelled" in screen
        assert f"stopped {several[0]}" in screen
        assert f"stopped {several[1]}" in person.runs("sandbox-tui stop --all")


def test_whoever_watched_a_run_steers_it_once_it_is_detached_again(
    person: Person, scripted_server: Serve
) -> None:
    server = scripted_server(s.call("execute_bash", command="echo begun"), s.call("submit"))
    with person:
        person.runs(f"sandbox-tui run x --base-url {server.url} --model m --step --detach")
        person.enters("sandbox-tui attach")
        person.sees("waits for you", "detached", "1 bash")
        with Person(Path(person.folder / "home"), columns=120, rows=36) as other:
            other.enters("sandbox-tui attach")
            other.sees("watching", "T take control")
            (program,) = detached_programs(person.folder / "home")
            os.kill(program, signal.SIGKILL)
            other.sees("was interrupted")
            person.sees("was interrupted")
            person.presses("r")
            other.sees("you can watch it here and steer it there")
            person.sees("waits for you", "a approve")
            person.presses("q")
            person.sees("d detach")
            person.presses_and_looks("d")
            person.is_back()
            other.sees("The run goes on detached", "a approve")
            other.presses("q")
            other.is_back()
        person.runs("sandbox-tui stop --all")


def detached_programs(home: Path) -> list[int]:
    """Return the ids of the programs of detached runs that use this home."""
    return [
        int(process.name)
        for process in Path("/proc").iterdir()
        if process.name.isdigit()
        and b"remote.detached" in _text(process / "cmdline")
        and bytes(home) in _text(process / "environ")
    ]


def _text(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # it has ended
        return b""
