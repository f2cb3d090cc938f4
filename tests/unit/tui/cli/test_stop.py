"""`sandbox-tui stop`: without an id it ends the only detached run, and never chooses among several."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from click.testing import CliRunner, Result

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.remote.sockets import listen, remove_left_socket
from sandbox_tui.tui.cli.main import main
from sandbox_tui.tui.cli.sessions import detached_runs
from sandbox_tui.tui.format.next_command import next_command
from tests.unit.event_streams import started

RUNS = ("20261120-101112-stopa", "20261121-101112-stopb")
ENDED = "20261119-101112-ended"


@pytest.fixture
def detached(store: Store) -> Iterator[None]:
    """Two runs that never end, each with its socket."""
    with contextlib.ExitStack() as sockets:
        for number, run in enumerate(RUNS):
            store.append(run, [started(run, task=f"task {number}", started_at=float(number))])
            if not number:
                store.append(run, [e.CallHeld(seq=2, t=1.0, call=1)])
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
        "sandbox-tui: 2 detached runs. Name those to stop, or use --all:",
        f"  {RUNS[1]}  running        task 1",
        f"  {RUNS[0]}  waits for you  task 0",
    ]


def stop_at_once(run: RunSummary, store: Store) -> None:
    """Stop a run whose program does not exist."""
    assert store.has_run(run.id)


@pytest.mark.usefixtures("detached")
def test_what_has_ended_keeps_no_other_from_being_stopped(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detached_runs, "stop_run", stop_at_once)
    end = e.RunFinished(seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals())
    store.append(ENDED, [started(ENDED), end])
    done = stop(ENDED, "stopa", RUNS[1], "stopa")
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [f"stopped {RUNS[0]}", f"stopped {RUNS[1]}"]
    assert done.stderr == f"sandbox-tui: {ENDED} has ended (submitted).\n"
    done = stop("nobody", "stopa")
    assert done.exit_code == 2
    assert done.stdout == f"stopped {RUNS[0]}\n"
    assert "There is no session 'nobody'" in done.stderr


@pytest.mark.usefixtures("detached")
def test_all_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detached_runs, "stop_run", stop_at_once)
    done = stop("--all")
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [f"stopped {RUNS[1]}", f"stopped {RUNS[0]}"]
    assert stop("--all", RUNS[0]).exit_code == 2


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


def test_without_a_run_the_last_one_is_named_with_what_to_do(store: Store) -> None:
    store.append(RUNS[0], [started(RUNS[0], task="count the boats")])
    store.give_up(RUNS[0])
    assert f"`sandbox-tui resume {RUNS[0]}` resumes it." in stop().stderr
    end = e.RunFinished(seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals())
    store.append(RUNS[0], [end])
    assert stop().stderr.splitlines() == [
        "sandbox-tui: There is no detached run. The newest run, “count the boats”, has ended "
        "(submitted).",
        f"`sandbox-tui replay {RUNS[0]}` replays it.",
    ]


@pytest.mark.parametrize("command", ["attach", "stop"])
def test_last_names_the_newest_session_if_no_run_is_detached(store: Store, command: str) -> None:
    end = e.RunFinished(seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals())
    store.append(ENDED, [started(ENDED, task="count the boats"), end])
    done = CliRunner().invoke(main, [command, "last"])
    assert f"{ENDED} has ended (submitted)" in done.output
    assert "boats" not in done.output


def test_attach_says_that_a_run_has_ended_and_what_to_do(store: Store) -> None:
    store.append(ENDED, [started(ENDED, task="count the boats")])
    store.give_up(ENDED)
    done = CliRunner().invoke(main, ["attach", ENDED])
    assert done.exit_code == 2
    assert done.stderr.splitlines() == [
        f"sandbox-tui: {ENDED} has ended (interrupted): there is nothing left to attach to.",
        f"`sandbox-tui resume {ENDED}` resumes it.",
        f"`sandbox-tui replay {ENDED}` replays it.",
    ]
    end = e.RunFinished(seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals())
    store.append(ENDED, [end])
    assert CliRunner().invoke(main, ["attach", ENDED]).stderr.splitlines() == [
        f"sandbox-tui: {ENDED} has ended (submitted): there is nothing left to attach to.",
        f"`sandbox-tui replay {ENDED}` replays it.",
    ]


def test_a_run_of_another_terminal_is_no_detached_run_and_can_be_replayed(store: Store) -> None:
    store.append(RUNS[0], [started(RUNS[0])])  # this program owns it
    words = (
        f"{RUNS[0]} is not a detached run: it runs in another terminal. "
        f"`sandbox-tui replay {RUNS[0]}` shows its recording so far."
    )
    assert words in stop(RUNS[0]).stderr
    assert next_command(store.run(RUNS[0]), has_lost_sandbox=False).verb == "replay"


def test_without_detached_runs_all_have_ended(store: Store) -> None:
    store.append(ENDED, [started(ENDED)])
    done = stop("--all")
    assert done.exit_code == 0
    assert done.stderr == "sandbox-tui: There is no detached run: nothing was stopped.\n"
    assert stop().exit_code == 2


def test_of_the_newest_run_the_next_command_is_on_a_line_of_its_own(store: Store) -> None:
    end = e.RunFinished(seq=2, t=1.0, reason="cancelled", error=None, totals=e.Totals())
    store.append(ENDED, [started(ENDED, task="hello two"), end])
    assert stop().stderr.splitlines() == [
        "sandbox-tui: There is no detached run. The newest run, “hello two”, has ended "
        "(cancelled).",
        f"`sandbox-tui replay {ENDED}` replays it.",
    ]
