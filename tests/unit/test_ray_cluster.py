"""The checks before joining a cluster, and what is sent to its nodes."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.evals import optional_packages
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.sessions.evals.cluster import ray_cluster
from sandbox_tui.sessions.evals.cluster.cluster_executor import setup_for
from sandbox_tui.sessions.evals.cluster.ray_cluster import (
    MAX_SILENCE_SECONDS,
    ClusterNode,
    RayNode,
    connect,
)
from sandbox_tui.sessions.evals.cluster.scorer_code import install_code, scorer_code
from sandbox_tui.sessions.evals.concurrency import MAX_CONCURRENCY
from sandbox_tui.sessions.recording.run_worker import RunLost
from sandbox_tui.sessions.store.tables.eval_ledger import EvalPlan


@pytest.mark.parametrize(
    "address", ["", "nowhere", "ray://127.0.0.1:10001", "127.0.0.1", "a/b:1", "127.0.0.1:port"]
)
def test_an_invalid_cluster_address_is_reported(address: str) -> None:
    with pytest.raises(ConfigError, match="is not the address of a Ray cluster: HOST:PORT"):
        connect(address)


def test_a_cluster_that_does_not_answer_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(ConfigError, match=f"No Ray cluster answers at 127.0.0.1:{port}"):
        connect(f"127.0.0.1:{port}")
    with pytest.raises(ConfigError, match="No Ray cluster answers at 127.0.0.1:99999"):
        connect("127.0.0.1:99999")


def test_a_missing_extra_is_reported_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(package: str) -> Any:
        return None if package == "ray" else object()

    monkeypatch.setattr(optional_packages, "find_spec", find)
    with pytest.raises(ConfigError) as raised:
        connect("auto")
    assert str(raised.value) == "--ray needs more packages: pip install 'sandbox-tui[ray]'."


def test_a_node_takes_as_many_samples_as_fit_into_its_memory() -> None:
    node = ClusterNode("1", "one", 2 << 30)
    assert node.room(None, None) == 8
    assert node.room(None, 128 << 20) == MAX_CONCURRENCY
    assert node.room(3, None) == 3
    assert ClusterNode("2", "two", 0).room(None, None) == 1


def test_own_scorers_travel_with_their_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "here" / "travelling"
    (package / "words").mkdir(parents=True)
    (package / "__pycache__").mkdir()
    (package / "__init__.py").write_text("")
    (package / "__pycache__" / "x.pyc").write_bytes(b"1")
    (package / "words" / "list.txt").write_text("right")
    (package / "scorers.py").write_text("ANSWER = 42\n")
    (tmp_path / "here" / "alone.py").write_text("ANSWER = 7\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "here"), *sys.path])
    names = ["exact", "travelling.scorers:Mine", "alone:Mine", "json:Mine", "msgspec:Mine"]
    code = scorer_code(names)
    assert set(code) == {
        "alone.py",
        "travelling/__init__.py",
        "travelling/scorers.py",
        "travelling/words/list.txt",
    }
    install_code(code, tmp_path / "there")
    assert sys.path[0] == str(tmp_path / "there")
    assert (tmp_path / "there" / "travelling" / "words" / "list.txt").read_text() == "right"


def test_keys_are_sent_under_the_names_that_models_and_scorers_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted = {
        "MY_KEY": "one",
        "JUDGE_KEY": "two",
        "JUDGE_BASE_URL": "http://127.0.0.1:1/v1",
        "JUDGE_MODEL": "j",
    }
    for name, value in {**wanted, "OTHER_KEY": "three"}.items():
        monkeypatch.setenv(name, value)
    suite = Suite(
        name="x",
        tasks=(Task(id="1", problem="?", target="!"),),
        scorers={"": "judge"},
        scorer_options={"judge": {"model": "m", "api_key_env": "JUDGE_KEY"}},
        model={"api_key_env": "MY_KEY"},
    )
    setup = setup_for(EvalPlan(suite=suite, settings=load({"model.name": "m"})))
    assert setup.environment == wanted
    assert not setup.code


class Unavailable(Exception):
    """A connection that broke."""


class ShakyNode:
    """A node's process, which every call but the last finds unreachable.

    Args:
        seconds: duration of each call, by the class's own clock.
    """

    def __init__(self, *seconds: float) -> None:
        self.now = 0.0
        self._seconds = list(seconds)
        self.read = SimpleNamespace(remote=self._call)

    async def _call(self) -> str:
        self.now += self._seconds.pop(0)
        if self._seconds:
            raise Unavailable
        return "events"


def reached(node: ShakyNode, monkeypatch: pytest.MonkeyPatch) -> RayNode:
    never = type("Never", (Exception,), {})
    errors = SimpleNamespace(ActorUnavailableError=Unavailable, RayActorError=never, RayError=never)
    monkeypatch.setattr(ray_cluster, "_ray", lambda: SimpleNamespace(exceptions=errors))
    monkeypatch.setattr(ray_cluster, "RETRY_SECONDS", 0)
    monkeypatch.setattr(ray_cluster, "time", SimpleNamespace(monotonic=lambda: node.now))
    return RayNode("one", node)


async def test_a_short_outage_after_a_long_poll_loses_no_node(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    long = 2 * MAX_SILENCE_SECONDS
    node = reached(ShakyNode(long, 1, 1), monkeypatch)
    assert await node.call("read") == "events"
    assert not node.lost


async def test_a_long_outage_loses_the_node(monkeypatch: pytest.MonkeyPatch) -> None:
    node = reached(ShakyNode(0, *[1] * 100), monkeypatch)
    with pytest.raises(RunLost, match="cannot be reached"):
        await node.call("read")
    assert node.lost
