"""Evaluations on a Ray cluster: a node is lost, one joins, and a coordinator ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.core.sandboxes.docker.engine import connect
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger
from tests import scripted_server as s
from tests.arithmetic_model import reply
from tests.integration.conftest import TEST_IMAGE, require
from tests.integration.test_runs import PROGRAM
from tests.ray_cluster import ENVIRONMENT, RayCluster
from tests.waiting import HANG_SECONDS

TASKS = 6
KEY = "sk-of-the-coordinator-alone-123"

SCORER = """
import re
from dataclasses import dataclass

from sandbox_tui.core.evals.scorers.base import Score

NUMBER = re.compile(r"[0-9]+")


@dataclass
class LastNumber:
    name: str = "last_number"

    async def score(self, attempt):
        found = NUMBER.findall(attempt.answer or "")
        right = bool(found) and found[-1] == attempt.task.target
        return Score(value=float(right), explanation=f"{found} is to be {attempt.task.target}")
"""

SUITE = """
dataset: {path: tasks.jsonl, domain: math}
scorers: my_scorer:LastNumber
modes: [sandbox]
sandbox: {grace: 8}
"""


class Gate:
    """Lets models answer; while it is closed, models that have called a tool wait."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.waiting = threading.Semaphore(0)

    def reply(self, request: dict[str, Any]) -> s.Scripted:
        if any(message["role"] == "assistant" for message in request["messages"]):
            self.waiting.release()
            self.open.wait(HANG_SECONDS)
        return reply(request)

    def wait_for(self, models: int, program: subprocess.Popen[str]) -> None:
        """Wait until this many models wait, which they do not if the program has ended."""
        give_up = time.monotonic() + HANG_SECONDS
        for _ in range(models):
            while not self.waiting.acquire(timeout=0.5):
                assert program.poll() is None, "the program has ended"
                assert time.monotonic() < give_up


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.open.set()


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    with RayCluster() as cluster:
        yield cluster


class Coordinator:
    """The program on the coordinator, with a suite whose scorer no node has."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self.home = home
        self._programs: list[subprocess.Popen[str]] = []
        rows = [
            {
                "id": f"t{n}",
                "problem": f"What is {100 + n} * {7 + n}?",
                "target": (100 + n) * (7 + n),
            }
            for n in range(TASKS)
        ]
        (folder / "tasks.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        (folder / "my_scorer.py").write_text(SCORER)
        (folder / "products.yaml").write_text(SUITE)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        program = subprocess.Popen(
            [PROGRAM, "eval", *arguments, "--concurrency", "2", "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                **ENVIRONMENT,
                "SANDBOX_TUI_HOME": str(self.home),
                "PYTHONPATH": str(self.folder),
                "OPENAI_API_KEY": KEY,
            },
        )
        self._programs.append(program)
        return program

    def kill(self) -> None:
        """Kill programs that a failed test left running; print what unread programs said."""
        for program in self._programs:
            if program.poll() is None:
                program.kill()
            if program.stdout is not None and not program.stdout.closed:
                print(*program.communicate(), sep="\n")

    def run(self, cluster: RayCluster, server: s.ScriptedServer) -> subprocess.Popen[str]:
        suite = str(self.folder / "products.yaml")
        where = ["--sandbox", "docker", "--image", TEST_IMAGE, "--ray", cluster.address]
        return self.start("run", suite, "--model", "scripted", "--base-url", server.url, *where)

    def store(self) -> Store:
        return Store(self.home / "sessions.db")


@pytest.fixture
def coordinator(tmp_path: Path, own_home: Path) -> Iterator[Coordinator]:
    coordinator = Coordinator(tmp_path, own_home)
    yield coordinator
    coordinator.kill()


def until(condition: Callable[[], object]) -> None:
    """Wait for something that another program does."""
    give_up = time.monotonic() + HANG_SECONDS
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.05)


def containers(store: Store) -> list[str]:
    """The containers of all sessions in a database."""
    client = connect(timeout=10)
    try:
        ids = {run.id for run in store.runs()}
        found = client.api.containers(all=True, filters={"label": "sandbox-tui=1"})
        return [one["Id"] for one in found if one["Labels"].get("sandbox-tui.session") in ids]
    finally:
        client.close()


def check_complete(store: Store) -> list[Any]:
    """Check that every sample is scored once and correctly; returns the results."""
    found = eval_ledger.summary(store)
    assert (found.status, found.over) == ("finished", TASKS)
    results = eval_ledger.results(store, found.info.id)
    assert Counter((one.status, one.score) for one in results) == {("scored", 1.0): TASKS}
    assert len({one.run_id for one in results}) == TASKS
    for one in results:
        assert store.run(one.run_id).outcome == "submitted"
        events = list(store.events(one.run_id))
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert [type(event) for event in events[-2:]] == [e.Scored, e.RunFinished]
        (answer,) = [
            row for row in store.file_changes(one.run_id) if row.path.endswith("answer.txt")
        ]
        assert store.get_blob(answer.digest) == f"{one.target}\n".encode()
    return results


def test_the_samples_of_a_lost_node_run_again(
    cluster: RayCluster,
    coordinator: Coordinator,
    gate: Gate,
    scripted_server: Callable[..., s.ScriptedServer],
) -> None:
    require("docker")
    server = scripted_server(gate.reply)
    raylet = cluster.add_node()
    program = coordinator.run(cluster, server)
    gate.wait_for(4, program)
    with coordinator.store() as store:
        until(lambda: [run.steps for run in store.runs()] == [1] * 4)  # visible here while they run
        cluster.kill_node(raylet)
        until(lambda: [run.outcome for run in store.runs()].count("cancelled") == 2)
        gate.open.set()
        out, err = program.communicate(timeout=HANG_SECONDS)
        assert program.returncode == 0, err
        assert {json.loads(line)["task"] for line in out.splitlines()} == {
            f"t{n}" for n in range(TASKS)
        }
        results = check_complete(store)
        lost = [run for run in store.runs() if run.outcome == "cancelled"]
        assert len(store.runs()) == TASKS + len(lost) == TASKS + 2
        assert all("is gone" in (run.error or "") for run in lost)
        again = {label(store, run.id, "task") for run in lost}
        assert len(again) == 2
        (gone,) = {label(store, run.id, "node") for run in lost}
        nodes = {one.task: label(store, one.run_id, "node") for one in results}
        assert len(set(nodes.values())) == 1
        assert gone not in nodes.values()
        assert all(one.attempts == 1 for one in results)  # a lost node is not counted as an attempt
        assert set(server.authorizations) == {f"Bearer {KEY}"}
        until(
            lambda: not containers(store)
        )  # the lost node's containers outlive it for the grace period
    assert all(KEY.encode() not in file.read_bytes() for file in coordinator.home.glob("*.db*"))
    report = subprocess.run(
        [PROGRAM, "eval", "report"],
        env={**os.environ, "SANDBOX_TUI_HOME": str(coordinator.home)},
        capture_output=True,
        text=True,
    )
    assert f"{TASKS}/{TASKS}" in report.stdout


def label(store: Store, run_id: str, name: str) -> str:
    """A label of a session."""
    started = next(iter(store.events(run_id)))
    assert isinstance(started, e.RunStarted)
    assert started.settings is not None
    return started.settings.labels[name]


def test_a_coordinator_that_is_stopped_stops_the_nodes(
    cluster: RayCluster,
    coordinator: Coordinator,
    gate: Gate,
    scripted_server: Callable[..., s.ScriptedServer],
) -> None:
    """The remaining samples run when it is resumed, also on a node that joins meanwhile."""
    require("docker")
    server = scripted_server(gate.reply)
    program = coordinator.run(cluster, server)
    gate.wait_for(2, program)
    program.send_signal(signal.SIGTERM)
    _, err = program.communicate(timeout=HANG_SECONDS)
    assert program.returncode == 128 + signal.SIGTERM, err
    with coordinator.store() as store:
        assert not containers(store)
        assert eval_ledger.summary(store).stopped_because == "The program received SIGTERM."
        assert {run.outcome for run in store.runs()} == {"cancelled"}
        program = coordinator.start("resume", "--ray", cluster.address)
        gate.wait_for(2, program)
        raylet = cluster.add_node()
        gate.wait_for(2, program)
        gate.open.set()
        _, err = program.communicate(timeout=HANG_SECONDS)
        assert program.returncode == 0, err
        check_complete(store)
        assert not containers(store)
    cluster.kill_node(raylet)


def test_a_coordinator_that_is_killed_leaves_nothing_on_the_nodes(
    cluster: RayCluster,
    coordinator: Coordinator,
    gate: Gate,
    scripted_server: Callable[..., s.ScriptedServer],
) -> None:
    require("docker")
    server = scripted_server(gate.reply)
    program = coordinator.run(cluster, server)
    gate.wait_for(2, program)
    with coordinator.store() as store:
        assert len(containers(store)) == 2
        program.kill()
        program.communicate()
        until(lambda: not containers(store))
        gate.open.set()
        resumed = coordinator.start("resume", "--ray", cluster.address)
        _, err = resumed.communicate(timeout=HANG_SECONDS)
        assert resumed.returncode == 0, err
        check_complete(store)
