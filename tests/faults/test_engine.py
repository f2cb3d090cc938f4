"""A Docker engine that is not there, goes away, or whose containers somebody else meddles with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandbox_tui.core import events as e
from tests import scripted_server as s
from tests.faults.engine import Engine, own_engine
from tests.faults.program import Program, against, only, stored
from tests.integration.conftest import TEST_IMAGE

Start = Callable[..., s.ScriptedServer]
WORK = s.call("execute_bash", command="export SEEN=yes; cd /tmp; echo kept >/testbed/output/kept")
LOOK = s.call("execute_bash", command="echo $PWD $SEEN")
WAIT = s.call("execute_bash", command="echo begun; sleep 600")
SUBMIT = s.call("submit")


@pytest.fixture(scope="module")
def one_engine() -> Iterator[Engine]:
    engine = own_engine()
    yield engine
    engine.put_away()


@pytest.fixture
def engine(one_engine: Engine) -> Iterator[Engine]:
    """An engine that runs, and on which nothing is left afterwards."""
    yield one_engine
    one_engine.stop()
    one_engine.start()
    left = one_engine.containers()
    if left:
        one_engine.docker("rm", "--force", *left)


def on(engine: Engine, url: str, *more: str) -> tuple[str, ...]:
    """Arguments of a run in a container of that engine, which has no network to offer."""
    where = ("--image", TEST_IMAGE, "--network", "none")
    return against(url, *where, *more, sandbox="docker")


def program(
    engine: Engine, server: s.ScriptedServer, home: Path, *more: str, **environment: str
) -> Program:
    environment = {"DOCKER_HOST": engine.host, **environment}
    return Program(*on(engine, server.url, *more), home=home, **environment)


def ended(home: Path, program: Program) -> e.RunFinished:
    """How it ended; all that was said is stored."""
    said = program.events
    assert stored(home) == said
    assert isinstance(said[-1], e.RunFinished)
    return said[-1]


# --- the engine


def test_no_engine_answers(own_home: Path, scripted_server: Start) -> None:
    server = scripted_server(SUBMIT)
    nowhere = {"DOCKER_HOST": f"unix://{own_home.parent}/nowhere.sock"}
    arguments = against(server.url, sandbox="docker")
    with Program(*arguments, home=own_home, **nowhere) as program:
        assert program.end() == 3
        words = program.stderr
    assert "No Docker engine answers: nothing listens at its address" in words
    assert "--sandbox bubblewrap" in words  # the embedded one is offered
    assert len(words.splitlines()) == 1
    assert stored(own_home) == []
    assert server.requests == []


def test_an_engine_without_the_image(
    engine: Engine, own_home: Path, scripted_server: Start
) -> None:
    server = scripted_server(SUBMIT)
    more = ("--image", "no-such-image:1")
    with program(engine, server, own_home, *more) as running:
        assert running.end() == 3
        words = running.stderr
    assert "no image named 'no-such-image:1'" in words
    assert "`sandbox-tui image build`" in words
    assert stored(own_home) == []
    assert engine.containers() == []
    assert server.requests == []


def test_an_engine_that_is_restarted(
    engine: Engine, own_home: Path, scripted_server: Start
) -> None:
    """The command that was running is lost; files and shell state are not, and the run goes on."""
    server = scripted_server(WORK, WAIT, LOOK, SUBMIT)
    with program(engine, server, own_home) as running:
        running.wait_for("CallStarted", call=2)
        engine.stop()
        running.wait_for("Warned")
        engine.start()
        assert running.end() == 0, running.stderr
        end = ended(own_home, running)
        said = running.events
    warned = " ".join(event.text for event in only(e.Warned, said))
    assert "The Docker engine does not answer: the run waits for it" in warned
    assert "The Docker engine answers again." in warned
    seen = {event.call: event.observation for event in only(e.CallFinished, said)}
    assert "the connection to it was lost" in seen[2]
    assert "/tmp yes" in seen[3]
    assert (own_home.parent / str(end.output) / "kept").read_text() == "kept\n"
    assert engine.containers() == []


def test_an_engine_that_does_not_come_back(
    engine: Engine, own_home: Path, scripted_server: Start
) -> None:
    server = scripted_server(WORK, WAIT, SUBMIT)
    with program(engine, server, own_home, SANDBOX_TUI_SANDBOX_GRACE="4") as running:
        running.wait_for("CallStarted", call=2)
        engine.stop()
        assert running.end() == 4
        end = ended(own_home, running)
        words = running.stderr
    assert end.reason == "sandbox_error"
    assert "The Docker engine does not answer" in words
    assert "sandbox-tui fork" in words
    assert len(server.requests) == 2


def test_ctrl_c_while_the_engine_is_gone(
    engine: Engine, own_home: Path, scripted_server: Start
) -> None:
    import signal

    server = scripted_server(WORK, WAIT, SUBMIT)
    with program(engine, server, own_home) as running:
        running.wait_for("CallStarted", call=2)
        engine.stop()
        running.wait_for("Warned")
        running.send(signal.SIGINT)
        assert running.end() == 130
        assert ended(own_home, running).reason == "cancelled"


# --- its container


@pytest.mark.parametrize("how", [("kill",), ("rm", "--force"), ("stop", "--time", "0")])
def test_a_container_that_somebody_takes_away(
    how: tuple[str, ...], engine: Engine, own_home: Path, scripted_server: Start
) -> None:
    server = scripted_server(WORK, WAIT, SUBMIT)
    with program(engine, server, own_home) as running:
        running.wait_for("FilesChanged")
        running.wait_for("CallStarted", call=2)
        assert engine.docker(*how, engine.container()).returncode == 0
        assert running.end() == 4
        end = ended(own_home, running)
        words = running.stderr
    assert end.reason == "sandbox_error"
    assert "The container is gone: it was" in words
    assert "from outside" in words
    assert f"sandbox-tui fork {stored(own_home)[0].run_id}" in words  # type: ignore[union-attr]
    changed = only(e.FilesChanged, stored(own_home))
    assert any(c.path.endswith("/kept") and c.blob for event in changed for c in event.changes)
    assert engine.containers() == []


def test_a_container_that_somebody_pauses(
    engine: Engine, own_home: Path, scripted_server: Start
) -> None:
    """What runs stands still with it; what is about to be run waits, and that is said."""
    pause = s.call("execute_bash", command="touch /tmp/x; kill -9 $$")
    paused: list[str] = []

    def second(request: s.Chunk) -> s.Scripted:
        paused.append(engine.container())
        assert engine.docker("pause", paused[0]).returncode == 0
        return LOOK

    server = scripted_server(pause, second, SUBMIT)
    with program(engine, server, own_home) as running:
        running.wait_for("Warned")
        assert only(e.CallFinished, running.events)[-1].call == 1
        assert engine.docker("unpause", paused[0]).returncode == 0
        assert running.end() == 0, running.stderr
        said = running.events
    (warned,) = only(e.Warned, said)
    assert "The container was paused from outside" in warned.text
    assert "docker unpause" in warned.text
    assert engine.containers() == []


def test_a_paused_container_and_a_time_limit(
    engine: Engine, own_home: Path, scripted_server: Start
) -> None:
    """A command that is to be ended is let go on for that, and the run with it."""
    server = scripted_server(WAIT, LOOK, SUBMIT)
    with program(engine, server, own_home, "--command-timeout", "3") as running:
        running.wait_for("CallStarted", call=1)
        assert engine.docker("pause", engine.container()).returncode == 0
        assert running.end() == 0, running.stderr
        first, second, _ = only(e.CallFinished, running.events)
    assert first.timed_out
    assert second.ok
    assert engine.containers() == []


def test_a_command_that_needs_too_much_memory(
    engine: Engine, own_home: Path, scripted_server: Start
) -> None:
    """The command is killed, the model is told why, and the run goes on."""
    greedy = s.call("execute_bash", command="head -c 300m /dev/zero | tail -c 300m | wc -c")
    killed = s.call("execute_bash", command="kill -9 $BASHPID")
    server = scripted_server(greedy, killed, LOOK, SUBMIT)
    memory = {"SANDBOX_TUI_SANDBOX_MEMORY": str(96 << 20)}
    with program(engine, server, own_home, **memory) as running:
        assert running.end() == 0, running.stderr
        first, second, third, _ = only(e.CallFinished, running.events)
    assert "It was killed: the sandbox has 96 MiB of memory." in first.observation
    assert "memory" not in second.observation
    assert third.ok
    assert engine.containers() == []
