"""A Docker engine that is missing or goes away, and containers that something else interferes with.

The engine is the machine's own; where it goes away, the connection to it is cut. Only containers of
the test's own runs are touched; they are identified by their session.
"""

from __future__ import annotations

import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.core.sandboxes.docker.container_owner import LABEL
from sandbox_tui.core.sandboxes.docker.engine import connect
from sandbox_tui.sessions import Store
from tests import scripted_server as s
from tests.faults.private_engine import PrivateEngine, why_not
from tests.faults.program import Program, against, only, stored
from tests.faults.relay import Relay
from tests.integration.conftest import TEST_IMAGE, require
from tests.waiting import HANG_SECONDS

Start = Callable[..., s.ScriptedServer]
SOCKET = Path("/var/run/docker.sock")
WORK = s.call("execute_bash", command="export SEEN=yes; cd /tmp; echo kept >/testbed/output/kept")
LOOK = s.call("execute_bash", command="echo $PWD $SEEN")
WAIT = s.call("execute_bash", command="echo be''gun; sleep 600")
SUBMIT = s.call("submit")


@pytest.fixture
def engine() -> Iterator[Any]:
    require("docker")
    client = connect()
    yield client
    client.close()


@pytest.fixture
def relay(engine: Any, tmp_path: Path) -> Iterator[Relay]:
    """A connection to the engine that can be cut."""
    if not SOCKET.exists():
        pytest.skip(f"there is no engine at {SOCKET}")
    with Relay(tmp_path / "relay.sock", SOCKET) as line:
        yield line


@pytest.fixture
def private_engine(engine: Any) -> Iterator[PrivateEngine]:
    """An engine that may be stopped, with the test image."""
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    with (
        tempfile.TemporaryDirectory(prefix="engine-") as folder,
        PrivateEngine(Path(folder)) as own,
    ):
        own.take(TEST_IMAGE)
        yield own


def program(server: s.ScriptedServer, home: Path, *more: str, **environment: str) -> Program:
    """A run in a container."""
    arguments = against(server.url, "--image", TEST_IMAGE, *more, sandbox="docker")
    return Program(*arguments, home=home, **environment)


def containers(engine: Any, session: str) -> list[Any]:
    """The containers of one session."""
    labels = [f"{LABEL}=1", f"{LABEL}.session={session}"]
    return engine.containers.list(all=True, ignore_removed=True, filters={"label": labels})


def container(engine: Any, running: Program) -> Any:
    """The container of a program's only run."""
    running.wait_for("RunStarted")
    started = running.events[0]
    assert isinstance(started, e.RunStarted)
    (found,) = containers(engine, started.run_id)
    return found


def nothing_remains(engine: Any, *sessions: str) -> None:
    """Wait until no containers of these sessions are left."""
    until = time.monotonic() + HANG_SECONDS
    while left := [one for session in sessions for one in containers(engine, session)]:
        assert time.monotonic() < until, left
        time.sleep(0.1)


def ended(home: Path, running: Program) -> e.RunFinished:
    """The event that ended the run; checks that everything printed is stored."""
    events = running.events
    assert stored(home) == events
    assert isinstance(events[-1], e.RunFinished)
    return events[-1]


def session(running: Program) -> str:
    """The session of a program's only run."""
    started = running.events[0]
    assert isinstance(started, e.RunStarted)
    return started.run_id


# --- the engine


def test_no_engine_answers(own_home: Path, scripted_server: Start) -> None:
    server = scripted_server(SUBMIT)
    nowhere = f"unix://{own_home.parent}/nowhere.sock"
    with program(server, own_home, DOCKER_HOST=nowhere) as running:
        assert running.end() == 3
        words = running.stderr
    assert "No Docker engine answers: nothing listens at its address" in words
    assert "--sandbox bubblewrap" in words  # suggests the embedded one
    assert len(words.splitlines()) == 1
    assert stored(own_home) == []
    assert server.requests == []


def test_an_engine_without_the_image(engine: Any, own_home: Path, scripted_server: Start) -> None:
    server = scripted_server(SUBMIT)
    with program(server, own_home, "--image", "no-such-image:1") as running:
        assert running.end() == 3
        words = running.stderr
    assert "no image named 'no-such-image:1'" in words
    assert "`docker pull no-such-image:1`" in words
    assert len(words.splitlines()) == 1
    assert stored(own_home) == []
    assert server.requests == []


def test_an_engine_that_is_unreachable_for_a_while(
    engine: Any, relay: Relay, own_home: Path, scripted_server: Start
) -> None:
    """The running command's result is lost, files and shell state are not: the run continues."""
    server = scripted_server(WORK, WAIT, LOOK, SUBMIT)
    with program(server, own_home, DOCKER_HOST=relay.host) as running:
        running.wait_for_output(b"begun")
        relay.cut()
        running.wait_for("Warned")
        relay.restore()
        assert running.end() == 0, running.stderr
        end, events = ended(own_home, running), running.events
    warned = " ".join(event.text for event in only(e.Warned, events))
    assert "The Docker engine does not answer: the run waits for it" in warned
    assert "The Docker engine answers again." in warned
    seen = {event.call: event.observation for event in only(e.CallFinished, events)}
    assert "the connection to it was lost" in seen[2]
    assert "/tmp yes" in seen[3]
    assert (own_home.parent / str(end.output) / "kept").read_text() == "kept\n"
    nothing_remains(engine, session(running))


def test_an_engine_that_does_not_come_back(
    engine: Any, relay: Relay, own_home: Path, scripted_server: Start
) -> None:
    """The run ends; its unreachable container exits after its grace period."""
    server = scripted_server(WORK, WAIT, SUBMIT)
    line = {"DOCKER_HOST": relay.host, "SANDBOX_TUI_SANDBOX_GRACE": "4"}
    with program(server, own_home, **line) as running:
        running.wait_for_output(b"begun")
        relay.cut()
        assert running.end() == 4
        end, words = ended(own_home, running), running.stderr
    assert end.reason == "sandbox_error"
    assert "The Docker engine does not answer" in words
    command = f"  sandbox-tui fork {session(running)}"
    assert f"continues from there in a new sandbox:\n{command}\n" in words
    assert len(server.requests) == 2
    nothing_remains(engine, session(running))


def test_an_engine_that_is_stopped_and_started_again(
    private_engine: PrivateEngine, own_home: Path, scripted_server: Start
) -> None:
    """A real one: containers end with it. The run reports it; the next one has an engine again."""
    server = scripted_server(WORK, WAIT, WORK, SUBMIT)
    where = {"DOCKER_HOST": private_engine.host}
    with program(server, own_home, "--network", "none", **where) as running:
        running.wait_for_output(b"begun")
        private_engine.stop()
        running.wait_for("Warned")
        private_engine.start()
        assert running.end() == 4
        end, words = ended(own_home, running), running.stderr
    assert end.reason == "sandbox_error"
    assert "container" in words or "nothing listens at its address" in words
    command = f"  sandbox-tui fork {session(running)}"
    assert f"continues from there in a new sandbox:\n{command}\n" in words
    assert private_engine.docker("ps", "-aq").stdout == ""
    with program(server, own_home, "--network", "none", **where) as running:
        assert running.end() == 0, running.stderr


def test_ctrl_c_while_the_engine_is_unreachable(
    engine: Any, relay: Relay, own_home: Path, scripted_server: Start
) -> None:
    """The run ends without waiting any longer."""
    server = scripted_server(WORK, WAIT, SUBMIT)
    line = {"DOCKER_HOST": relay.host, "SANDBOX_TUI_SANDBOX_GRACE": "8"}
    with program(server, own_home, **line) as running:
        running.wait_for_output(b"begun")
        relay.cut()
        running.wait_for("Warned")
        running.send(signal.SIGINT)
        assert running.end() == 130
        assert ended(own_home, running).reason == "cancelled"
    nothing_remains(engine, session(running))


# --- the run's container


TAKEN: dict[str, Callable[[Any], None]] = {
    "kill": lambda one: one.kill(),
    "remove": lambda one: one.remove(force=True),
    "stop": lambda one: one.stop(timeout=0),
}


def test_containers_that_are_killed_removed_or_stopped(
    engine: Any, own_home: Path, scripted_server: Start
) -> None:
    """Killed, removed and stopped: three runs of one program."""
    asked = dict.fromkeys(TAKEN, 0)

    def answer(request: s.Chunk) -> s.Scripted:
        words = request["messages"][1]["content"]
        how = next(name for name in TAKEN if f"to {name}" in words)
        asked[how] += 1
        return WORK if asked[how] == 1 else WAIT

    server = scripted_server(answer)
    options = against(server.url, "--image", TEST_IMAGE, sandbox="docker")[2:]
    with Program("run", *(f"to {how}" for how in TAKEN), *options, home=own_home) as running:
        running.wait_for("FilesChanged", times=3)
        running.wait_for("CallStarted", call=2, times=3)
        store = Store(own_home / "sessions.db")
        runs = {run.task.removeprefix("to "): run.id for run in store.runs()}
        for how, take in TAKEN.items():
            (one,) = containers(engine, runs[how])
            take(one)
        assert running.end() == 4
        words = running.stderr
    assert "\n  sandbox-tui fork " in words
    for how in TAKEN:
        events = list(store.events(runs[how]))
        end, changed = events[-1], only(e.FilesChanged, events)
        assert isinstance(end, e.RunFinished), how
        assert end.reason == "sandbox_error", how
        assert "The container is gone: it was" in (end.error or ""), how
        assert "from outside" in (end.error or ""), how
        files = [change for event in changed for change in event.changes]
        assert any(file.path.endswith("/kept") and file.blob for file in files), how
    store.close()
    nothing_remains(engine, *runs.values())


def test_a_container_that_is_paused_from_outside(
    engine: Any, own_home: Path, scripted_server: Start
) -> None:
    """The run pauses with it, reports that, and continues with it."""
    ticking = "for n in {1..30}; do echo tick; sleep 0.1; done; echo through"
    server = scripted_server(s.call("execute_bash", command=ticking), LOOK, SUBMIT)
    with program(server, own_home) as running:
        running.wait_for_output(b"tick\r\ntick")  # the engine cannot pause a starting process
        one = container(engine, running)
        one.pause()
        running.wait_for("Warned")
        assert only(e.CallFinished, running.events) == []
        one.unpause()
        assert running.end() == 0, running.stderr
        events = running.events
    (warned,) = only(e.Warned, events)
    assert "The container was paused from outside" in warned.text
    assert f"`docker unpause {one.name}`" in warned.text
    assert "through" in only(e.CallFinished, events)[0].observation
    nothing_remains(engine, session(running))


def test_a_paused_container_and_a_time_limit(
    engine: Any, own_home: Path, scripted_server: Start
) -> None:
    """The container is unpaused to end the timed-out command, and the run continues."""
    endless = s.call("execute_bash", command="while sleep 0.1; do echo tick; done")
    server = scripted_server(endless, LOOK, SUBMIT)
    with program(server, own_home, "--command-timeout", "3") as running:
        running.wait_for_output(b"tick\r\ntick")
        container(engine, running).pause()
        assert running.end() == 0, running.stderr
        first, second, _ = only(e.CallFinished, running.events)
    assert first.timed_out
    assert second.ok
    nothing_remains(engine, session(running))


def test_a_command_that_needs_too_much_memory(
    engine: Any, own_home: Path, scripted_server: Start
) -> None:
    """The command is killed, the model is told why, and the run continues."""
    greedy = s.call("execute_bash", command="x=$(head -c 300m /dev/zero | tr '\\0' x)")
    killed = s.call("execute_bash", command="kill -9 $BASHPID")
    server = scripted_server(greedy, killed, LOOK, SUBMIT)
    memory = {"SANDBOX_TUI_SANDBOX_MEMORY": str(96 << 20)}
    with program(server, own_home, **memory) as running:
        assert running.end() == 0, running.stderr
        first, second, third, _ = only(e.CallFinished, running.events)
    assert "It was killed: the sandbox has 96 MiB of memory." in first.observation
    assert "memory" not in second.observation
    assert third.ok
    nothing_remains(engine, session(running))
