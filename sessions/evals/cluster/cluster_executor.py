"""Runs the samples of an evaluation on the nodes of a cluster."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Protocol

from sandbox_tui.core.base.errors import ConfigError, SandboxTuiError
from sandbox_tui.core.evals.sample_request import SampleRequests
from sandbox_tui.core.evals.scorers.base import Scorer
from sandbox_tui.core.evals.scorers.paper.judge import SERVER_VARIABLE
from sandbox_tui.core.evals.scorers.paper.judge_model import MODEL_VARIABLE
from sandbox_tui.core.evals.scorers.table import scorer_named
from sandbox_tui.sessions.evals.cluster.node_messages import NodeHandle, NodeSetup
from sandbox_tui.sessions.evals.cluster.node_run import NodeRun
from sandbox_tui.sessions.evals.cluster.ray_cluster import (
    ClusterNode,
    connect,
)
from sandbox_tui.sessions.evals.cluster.scorer_code import scorer_code
from sandbox_tui.sessions.evals.sample_executor import SampleJob, SampleRun
from sandbox_tui.sessions.recording.run_registry import RunRegistry
from sandbox_tui.sessions.store.tables.eval_ledger import EvalPlan

LOOK_SECONDS = 5.0
"""Seconds between checks for nodes that have joined."""

NO_NODES = "The cluster has no nodes left."


class Connection(Protocol):
    """A connection to a cluster; see `RayConnection`."""

    def nodes(self) -> Sequence[ClusterNode]:
        """Return the nodes that can run samples (blocking)."""
        ...

    def start(self, node: ClusterNode) -> NodeHandle:
        """Start a process for samples on a node."""
        ...

    def close(self) -> None:
        """Leave the cluster (blocking)."""
        ...


@dataclass(frozen=True, slots=True)
class RayCluster:
    """A Ray cluster for an evaluation; a `Cluster`.

    Attributes:
        connection: to the cluster.
        per_node: samples at once on each node; None: as many as fit into its memory.
        concurrency: samples at once on all nodes that are present at the start.
    """

    connection: Connection
    per_node: int | None
    concurrency: int

    @classmethod
    def join(cls, address: str, per_node: int | None, memory_limit: int | None) -> RayCluster:
        """Join a cluster (blocking).

        Args:
            address: see `connect`.
            per_node: samples at once on each node; None: as many as fit into its memory.
            memory_limit: maximum bytes per sandbox; None: the default.

        Raises:
            ConfigError: the cluster cannot be joined, or has no node that can run samples.
        """
        connection = connect(address)
        nodes = connection.nodes()
        if not nodes:
            raise ConfigError(f"The Ray cluster at {address} has no node with a free CPU.")
        room = sum(node.room(per_node, memory_limit) for node in nodes)
        return cls(connection, per_node, room)

    def executor(self, registry: RunRegistry, plan: EvalPlan) -> ClusterExecutor:
        """Return the executor for an evaluation's samples on this cluster."""
        return ClusterExecutor(self.connection, self.per_node, registry, plan)


class ClusterExecutor:
    """Runs each sample on the node with the most free slots; a `SampleExecutor`.

    Nodes that join later run samples too. If a node is lost, so are its samples (`RunLost`).

    Args:
        connection: to the cluster.
        per_node: samples at once on each node; None: as many as fit into its memory.
        registry: the program's runs, which include samples while they run.
        plan: the evaluation's.
    """

    def __init__(
        self, connection: Connection, per_node: int | None, registry: RunRegistry, plan: EvalPlan
    ) -> None:
        self._connection = connection
        self._per_node = per_node
        self._registry = registry
        self._plan = plan
        self._nodes: dict[str, _Node] = {}
        self._setup = NodeSetup("", {}, {})
        self._has_changed = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None

    @property
    def problem(self) -> str:
        """Why no sample can run at present; empty if samples can."""
        return "" if any(not node.handle.lost for node in self._nodes.values()) else NO_NODES

    async def open(self) -> None:
        """Start a process on each node.

        Raises:
            SandboxTuiError: a node cannot run samples.
        """
        self._setup = await asyncio.to_thread(setup_for, self._plan)
        nodes = await asyncio.to_thread(self._connection.nodes)
        await asyncio.gather(*(self._add(node) for node in nodes))
        self._looking = asyncio.create_task(self._watch_for_nodes())

    async def place(self) -> _NodePlace:
        """Wait for a free slot and reserve it."""
        while (node := self._roomiest()) is None:
            self._has_changed.clear()
            await self._has_changed.wait()
        node.free -= 1
        return _NodePlace(node, self._registry, self._has_changed)

    async def close(self) -> None:
        """End the processes and the samples they still run, and leave the cluster."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait([self._looking])
        await asyncio.gather(*(_end(node.handle) for node in self._nodes.values()))
        await asyncio.to_thread(self._connection.close)

    def _roomiest(self) -> _Node | None:
        fit = [node for node in self._nodes.values() if node.free > 0 and not node.handle.lost]
        return max(fit, key=lambda node: node.free, default=None)

    async def _add(self, found: ClusterNode) -> None:
        """Start the process of a node.

        Raises:
            ConfigError: the node cannot run samples.
        """
        handle = self._connection.start(found)
        try:
            problem = await handle.call("prepare", self._setup)
        except SandboxTuiError as error:
            problem = str(error)
        if problem:
            await handle.end()
            raise ConfigError(f"The node {found.name} cannot run samples: {problem}.")
        room = found.room(self._per_node, self._plan.settings.sandbox.memory)
        self._nodes[found.id] = _Node(handle, room)
        self._has_changed.set()

    async def _watch_for_nodes(self) -> None:
        """Add nodes that join the cluster; ignore those that cannot run samples."""
        seen = set(self._nodes)
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            with contextlib.suppress(SandboxTuiError):
                for found in await asyncio.to_thread(self._connection.nodes):
                    if found.id not in seen:
                        seen.add(found.id)
                        await self._add(found)


@dataclass(slots=True)
class _Node:
    """A node in use, with its number of free slots."""

    handle: NodeHandle
    free: int


class _NodePlace:
    """A slot for one sample on a node."""

    def __init__(self, node: _Node, registry: RunRegistry, has_changed: asyncio.Event) -> None:
        self._node = node
        self._registry = registry
        self._has_changed = has_changed

    def begin(self, job: SampleJob) -> SampleRun:
        """Start the run of a sample in the background."""
        run = NodeRun(job, self._registry.store, self._node.handle)
        self._registry.begin_sample(run)
        return SampleRun(run, lambda: run.memory)

    def release(self) -> None:
        """Return the slot."""
        self._node.free += 1
        self._has_changed.set()


async def _end(handle: NodeHandle) -> None:
    if not handle.lost:
        with contextlib.suppress(SandboxTuiError):
            await handle.call("close")
    await handle.end()


def setup_for(plan: EvalPlan) -> NodeSetup:
    """Return what nodes need for an evaluation: the code of its scorers and some environment
    variables.

    The variables are those that models and scorers read: the judge's server and model, and any
    variable that they name in an attribute `..._env`.

    Raises:
        ConfigError: a setting or a scorer cannot be used.
    """
    suite = plan.suite
    used = SampleRequests.of(suite, plan.settings, "").settings
    variables = {SERVER_VARIABLE, MODEL_VARIABLE, used.model.api_key_env}
    scorers = sorted({suite.scorer_of(task) for task in suite.tasks})
    for name in scorers:
        variables |= _variables(scorer_named(name, suite.scorer_options.get(name, {})))
    return NodeSetup(
        version=version("sandbox-tui"),
        environment={name: os.environ[name] for name in variables if name in os.environ},
        code=scorer_code(scorers),
    )


def _variables(scorer: Scorer) -> set[str]:
    named = (getattr(scorer, name) for name in dir(scorer) if name.endswith("_env"))
    return {value for value in named if isinstance(value, str)}
