"""`sandbox-tui stop`: without an id it ends the only detached run, and never chooses among several."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from click.testing import CliRunner, Result

from sandbox_tui.sessions import Store
from sandbox_tui.sessions.remote.sockets import listen, remove_left_socket
from sandbox_tui.tui.cli.main import main
from tests.unit.event_streams import started

RUNS = ("20261120-101112-stopa", "20261121-101112-stopb")


@pytest.fixture
def detached(store: Store) -> Iterator[None]:
    """Two runs that never end, each with its socket."""
    with contextlib.ExitStack() as sockets:
        for number, run in enumerate(RUNS):
            store.append(run, [started(run, task=f"task {number}", started_at=float(number))])
            sockets.callback(remove_left_socket, run)
            sockets.enter_context(contextlib.closing(listen(run)))
        yield


def stop(*words: str) -> Result:
    return CliRunner().invoke(main, ["stop", *words])


@pytest.mark.usefixtures("detached")
def test_of_several_runs_none_is_chosen() -> None:
    done = stop()
    assert done.exit_code == 2
    assert done.stderr.splitlines() == [
        "sandbox-tui: 2 detached runs are running. Name those to stop:",
        f"  {RUNS[1]}  task 1",
        f"  {RUNS[0]}  task 0",
    ]


def test_a_socket_that_a_killed_program_left_is_no_run(store: Store) -> None:
    store.append(RUNS[0], [started(RUNS[0])])
    listen(RUNS[0]).close()
    done = stop()
    assert done.exit_code == 2
    assert "There is no detached run" in done.stderr


def test_without_a_run_there_is_nothing_to_stop(store: Store) -> None:
    store.append(RUNS[0], [started(RUNS[0])])
    done = stop()
    assert done.exit_code == 2
    assert "There is no detached run" in done.stderr
