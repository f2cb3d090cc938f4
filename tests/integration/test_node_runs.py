"""Samples on nodes inside this process: everything of a cluster but Ray."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import RunRegistry, Store
from sandbox_tui.sessions.evals.cluster import cluster_executor
from sandbox_tui.sessions.evals.cluster.cluster_executor import NO_NODES, RayCluster
from sandbox_tui.sessions.evals.cluster.ray_cluster import ClusterNode
from sandbox_tui.sessions.evals.cluster.sample_node import SampleNode
from sandbox_tui.sessions.evals.evaluation import Evaluation, begin_evaluation
from sandbox_tui.sessions.evals.runner import EvalRunner
from sandbox_tui.sessions.interchange.exports import bundle
from sandbox_tui.sessions.recording.run_worker import RunLost
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.lifecycle.first_screen import Evaluating
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.evals.eval_screen import EvalScreen
from sandbox_tui.tui.widgets.calls.end_card import EndCard
from sandbox_tui.tui.widgets.status_bar import StatusBar
from tests.arithmetic_model import reply
from tests.integration.conftest import require
from tests.integration.test_eval_screen import HeldModel, listed, model, on_top, shown, words
from tests.integration.test_evals import EXPECTED, Start, scores, settings, suite
from tests.waiting import until

__all__ = ["model"]


class NodeHere:
    """A `NodeHandle` for a node in this process; `cut` makes the node disappear."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lost = False
        self._node = SampleNode()
        self._gone = asyncio.Event()

    async def call(self, method: str, *args: object) -> Any:
        called = asyncio.ensure_future(getattr(self._node, method)(*args))
        gone = asyncio.ensure_future(self._gone.wait())
        await asyncio.wait([called, gone], return_when=asyncio.FIRST_COMPLETED)
        gone.cancel()
        if self.lost:
            called.cancel()
            raise RunLost(f"The node {self.name} is gone.")
        return await called

    async def cut(self) -> None:
        """Lose the node and everything that runs there."""
        self.lost = True
        self._gone.set()
        await self._node._registry.stop("Its machine is gone.")

    async def end(self) -> None:
        self.lost = True


class ClusterHere:
    """A `Connection` to a cluster of such nodes.

    Attributes:
        found: the available nodes.
        handles: the started nodes, by id.
    """

    def __init__(self, *names: str) -> None:
        self.found = [ClusterNode(name, name, 1 << 30) for name in names]
        self.handles: dict[str, NodeHere] = {}

    def nodes(self) -> list[ClusterNode]:
        return list(self.found)

    def start(self, node: ClusterNode) -> NodeHere:
        self.handles[node.id] = NodeHere(node.name)
        return self.handles[node.id]

    def close(self) -> None:
        """Nothing to do."""


def evaluated(
    store: Store, config: Any, here: ClusterHere, at_once: int, **more: Any
) -> Evaluation:
    cluster = RayCluster(here, at_once, at_once * len(here.found))
    return begin_evaluation(
        store, suite(**more), config, concurrency=cluster.concurrency, cluster=cluster
    )


async def test_samples_are_shared_out_and_come_back_whole(
    scripted_server: Start, store: Store
) -> None:
    require("bubblewrap")
    evaluation = evaluated(
        store, settings(scripted_server(reply)), ClusterHere("one", "two"), at_once=2
    )
    registry = RunRegistry(store)
    await EvalRunner(evaluation, registry).run()
    results = ledger.results(store, evaluation.info.id)
    assert scores(results) == EXPECTED
    assert not registry.all
    nodes: set[str] = set()
    for one in results:
        started, *_, scored, finished = store.events(one.run_id)
        assert isinstance(started, e.RunStarted)
        assert started.settings is not None
        nodes.add(started.settings.labels["node"])
        assert isinstance(scored, e.Scored)
        assert isinstance(finished, e.RunFinished)
        for row in store.file_changes(one.run_id):
            assert row.digest is None or store.get_blob(row.digest) is not None
    assert nodes == {"one", "two"}


async def test_a_session_too_large_for_a_bundle_comes_without_contents(
    scripted_server: Start, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    require("bubblewrap")
    monkeypatch.setattr(bundle, "MAX_EVENTS", 1)
    evaluation = evaluated(store, settings(scripted_server(reply)), ClusterHere("one"), at_once=2)
    await EvalRunner(evaluation, RunRegistry(store)).run()
    results = ledger.results(store, evaluation.info.id)
    assert scores(results) == EXPECTED
    assert all(store.run(one.run_id).outcome for one in results)


async def test_a_sample_on_a_node_is_watched_and_a_lost_node_is_waited_for(
    scripted_server: Start, store: Store, model: HeldModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It cannot be steered from here; without nodes the evaluation pauses until another joins."""
    require("bubblewrap")
    monkeypatch.setattr(cluster_executor, "LOOK_SECONDS", 0.05)
    config = settings(scripted_server(model))
    here = ClusterHere("one")
    evaluation = evaluated(store, config, here, at_once=1, modes=("sandbox",))
    async with shown(store, Evaluating(evaluation), config) as (app, pilot):
        await until(pilot, on_top(app, EvalScreen))
        await until(pilot, lambda: listed(app) and listed(app)[0].startswith("●"))
        await pilot.press("enter")
        await until(pilot, on_top(app, LiveScreen))
        screen = app.screen
        assert isinstance(screen, LiveScreen)
        await until(pilot, lambda: screen.query_one(StatusBar).prefix == "on one")
        assert not screen.check_action("steer", ())
        await pilot.press("space")
        await until(pilot, lambda: said(app, "it can only be watched"))

        await here.handles["one"].cut()
        await until(pilot, screen.worker.ended.is_set)
        assert screen.state.finished is not None
        assert screen.state.finished.reason == "cancelled"
        end = screen.query_one(EndCard)
        await until(pilot, lambda: "The node one is gone." in str(end.render()))
        assert app.screen is screen
        await pilot.press("q")
        await until(pilot, lambda: on_top(app, EvalScreen)() and NO_NODES in words(app))

        here.found = [ClusterNode("two", "two", 1 << 30)]
        await until(pilot, lambda: "two" in here.handles)
        model.go.set()
        await pilot.press("p")
        await until(pilot, lambda: "finished" in words(app))
    results = ledger.results(store, evaluation.info.id)
    assert [one.score for one in results] == [1.0] * 4
    assert [run.outcome for run in store.runs()].count("cancelled") == 1


def said(app: Any, part: str) -> bool:
    return any(part in str(toast.message) for toast in app._notifications)
