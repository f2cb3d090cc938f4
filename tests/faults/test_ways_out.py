"""Signals, readers that go away, and a clock that jumps, during a run without a screen.

With a screen: tests/e2e/test_cockpit.py and test_reading.py.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.core.sandboxes.bubblewrap.owner_record import PREFIX
from sandbox_tui.core.sandboxes.bubblewrap.snapshots import FolderSnapshots
from tests import scripted_server as s
from tests.faults.program import PROGRAM, Program, against, only, stored
from tests.integration.conftest import TEST_IMAGE, require

Start = Callable[..., s.ScriptedServer]
WAIT = s.call("execute_bash", command="echo kept >output/kept; echo be''gun; sleep 600")


@pytest.mark.parametrize(
    ("numbers", "code"),
    [
        ((signal.SIGINT, signal.SIGINT), 130),
        ((signal.SIGTERM, signal.SIGTERM), 143),
        ((signal.SIGHUP, signal.SIGTERM, signal.SIGINT), 129),
    ],
)
def test_repeated_signals(
    numbers: tuple[signal.Signals, ...], code: int, own_home: Path, scripted_server: Start
) -> None:
    """The first one counts; later ones do not disturb the orderly end."""
    require("bubblewrap")
    server = scripted_server(WAIT)
    results = own_home.parent / "out"
    with Program(*against(server.url, "--output", str(results)), home=own_home) as program:
        program.wait_for_output(b"begun")
        program.send(numbers[0])
        program.wait_for("CallFinished", call=1)
        for number in numbers[1:]:
            program.send(number)
        assert program.end() == code
        events = program.events
    assert stored(own_home) == events
    end = events[-1]
    assert isinstance(end, e.RunFinished)
    is_hangup = numbers[0] == signal.SIGHUP
    assert end.reason == ("disconnected" if is_hangup else "cancelled")
    why = "Its terminal was closed." if is_hangup else f"received {numbers[0].name}"
    assert why in (end.error or "")
    assert only(e.CallFinished, events)[-1].interrupted
    assert (results / "kept").read_text() == "kept\n"


def test_a_signal_right_after_the_start(own_home: Path, scripted_server: Start) -> None:
    require("bubblewrap")
    server = scripted_server(WAIT)
    with Program(*against(server.url), home=own_home) as program:
        program.wait_for("RunStarted")
        program.send(signal.SIGTERM)
        assert program.end() == 143
        events = program.events
    assert stored(own_home) == events
    assert isinstance(events[-1], e.RunFinished)


def test_a_closed_pipe_ends_the_program_cleanly(own_home: Path, scripted_server: Start) -> None:
    """`sandbox-tui run ... | head -1`: the run ends in order, and its session is complete."""
    require("bubblewrap")
    server = scripted_server(WAIT, s.call("submit"))
    program = subprocess.Popen(
        [str(PROGRAM), *against(server.url)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=own_home.parent,
        env={**os.environ, "SANDBOX_TUI_HOME": str(own_home)},
    )
    assert program.stdout is not None
    assert program.stderr is not None
    program.stdout.readline()
    program.stdout.close()
    with program.stderr:
        words = program.stderr.read().decode()
    code = program.wait()
    assert "Traceback" not in words
    assert "Exception" not in words
    assert code == 128 + signal.SIGPIPE
    end = stored(own_home)[-1]
    assert isinstance(end, e.RunFinished)
    assert end.reason == "cancelled"


def test_output_that_cannot_be_written(own_home: Path, scripted_server: Start) -> None:
    """For example, to a file on a full disk."""
    require("bubblewrap")
    server = scripted_server(WAIT, s.call("submit"))
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [str(PROGRAM), *against(server.url)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=own_home.parent,
            env={**os.environ, "SANDBOX_TUI_HOME": str(own_home)},
        )
    assert done.returncode == 1
    words = "sandbox-tui: The output cannot be written: No space left on device.\n"
    assert done.stderr == words
    end = stored(own_home)[-1]
    assert isinstance(end, e.RunFinished)
    assert end.reason == "cancelled"


JUMPS = """
import time
_real, _calls = time.time, 0
def jumping():
    global _calls
    _calls += 1
    return _real() + 86400 * (_calls % 3 - 1)
time.time = jumping
"""
"""The host's clock: a day behind, correct, a day ahead, and so on."""


@pytest.mark.parametrize("kind", ["bubblewrap", "docker"])
def test_a_clock_that_jumps(kind: str, own_home: Path, scripted_server: Start) -> None:
    """No measurement of a run depends on it: neither times nor limits."""
    require(kind)
    folder = own_home.parent / "clock"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(JUMPS)
    work = s.call("execute_bash", command="echo x >>output/kept; sleep 0.2")
    server = scripted_server(work, work, work, s.call("submit"))
    more = ("--image", TEST_IMAGE, "--time-limit", "100", "--command-timeout", "20")
    arguments = against(server.url, *more, sandbox=kind)
    with Program(*arguments, home=own_home, PYTHONPATH=str(folder)) as program:
        assert program.end() == 0, program.stderr
        events = program.events
    assert stored(own_home) == events
    times = [event.t for event in events]
    assert times == sorted(times)
    assert 0.6 < times[-1] < 100
    assert all(0.2 <= event.duration < 20 for event in only(e.CallFinished, events)[:3])
    with Program("sessions", "ls", home=own_home, PYTHONPATH=str(folder)) as program:
        assert program.end() == 0


@pytest.mark.parametrize("snapshots", ["off", "every"])
def test_a_thousand_nested_folders(snapshots: str, own_home: Path, scripted_server: Start) -> None:
    """Leftover files keep neither the program from ending nor the next run from starting."""
    require("bubblewrap")
    dig = "import os\nfor _ in range(1200): os.mkdir('d'); os.chdir('d')\nopen('file', 'w').close()"
    server = scripted_server(
        s.call("execute_bash", command=f'python3 -c "{dig}"'), s.call("submit")
    )
    arguments = against(server.url, "--snapshots", snapshots)
    with Program(*arguments, home=own_home) as program:
        assert program.end() == 0, program.stderr
        events = program.events
    assert isinstance(events[-1], e.RunFinished)
    assert events[-1].reason == "submitted"
    assert stored(own_home) == events
    assert private_folders(events[0]) == []
    taken = only(e.SnapshotTaken, events)
    assert bool(taken) == (snapshots == "every")
    snapshots_left = FolderSnapshots(own_home / "snapshots")
    assert all(snapshots_left.remove(one.image) for one in taken)
    assert not list((own_home / "snapshots").glob("*"))


def private_folders(started: e.AnyEvent) -> list[Path]:
    """What remains of a run's embedded sandbox."""
    assert isinstance(started, e.RunStarted)
    found = Path(tempfile.gettempdir()).glob(f"{PREFIX}*/owner.json")
    return [path for path in found if started.run_id in path.read_text()]
