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
"""Seconds between looks for nodes that have joined."""

NO_NODES = "The cluster has no nodes left."


class Connection(Protocol):
    """A connection to a cluster; see `RayConnection`."""

    def nodes(self) -> Sequence[ClusterNode]:
        """The nodes that may run samples (blocking)."""
        ...

    def start(self, node: ClusterNode) -> NodeHandle:
        """A process for the samples of a node."""
        ...

    def close(self) -> None:
        """Leave the cluster (blocking)."""
        ...


@dataclass(frozen=True, slots=True)
class RayCluster:
    """A Ray cluster for an evaluation; a `Cluster`.

    Attributes:
        connection: to it.
        per_node: samples at once on each node; None: as many as fit into its memory.
        concurrency: samples at once on all nodes that were there at first.
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
            memory_limit: bytes that a sandbox may take; None: the default.

        Raises:
            ConfigError: that is not possible, or it has no node that runs anything.
        """
        connection = connect(address)
        nodes = connection.nodes()
        if not nodes:
            raise ConfigError(f"The Ray cluster at {address} has no node with a free CPU.")
        room = sum(node.room(per_node, memory_limit) for node in nodes)
        return cls(connection, per_node, room)

    def executor(self, registry: RunRegistry, plan: EvalPlan) -> ClusterExecutor:
        """What runs the samples of an evaluation there."""
        return ClusterExecutor(self.connection, self.per_node, registry, plan)


class ClusterExecutor:
    """Runs samples on nodes, each on the one with most room; a `SampleExecutor`.

    Nodes that join later run samples too. Samples of a node that is lost are lost with it
    (`RunLost`).

    Args:
        connection: to the cluster.
        per_node: samples at once on each node; None: as many as fit into its memory.
        registry: of the program's runs; the samples are among them while they run.
        plan: of the evaluation.
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
        """Why no sample can run at the moment; empty: they can."""
        return "" if any(not node.handle.lost for node in self._nodes.values()) else NO_NODES

    async def open(self) -> None:
        """Start a process on each node.

        Raises:
            SandboxTuiError: one of them cannot run samples.
        """
        self._setup = await asyncio.to_thread(setup_for, self._plan)
        nodes = await asyncio.to_thread(self._connection.nodes)
        await asyncio.gather(*(self._add(node) for node in nodes))
        self._looking = asyncio.create_task(self._look())

    async def place(self) -> _NodePlace:
        """Room for one more sample, once there is any."""
        while (node := self._roomiest()) is None:
            self._has_changed.clear()
            await self._has_changed.wait()
        node.free -= 1
        return _NodePlace(node, self._registry, self._has_changed)

    async def close(self) -> None:
        """End the processes, with what they still run, and leave the cluster."""
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
            ConfigError: it cannot run samples.
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

    async def _look(self) -> None:
        """Add nodes that join; one that cannot run samples is left alone."""
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
    """A node at work, and for how many more samples it has room."""

    handle: NodeHandle
    free: int


class _NodePlace:
    """Room for one sample on a node."""

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
        """Make room for another sample."""
        self._node.free += 1
        self._has_changed.set()


async def _end(handle: NodeHandle) -> None:
    if not handle.lost:
        with contextlib.suppress(SandboxTuiError):
            await handle.call("close")
    await handle.end()


def setup_for(plan: EvalPlan) -> NodeSetup:
    """What nodes have to know of an evaluation: the code of its scorers, and of the environment
    what models and scorers read: the judge's server, and variables they name as `..._env`.

    Raises:
        ConfigError: a setting or a scorer cannot be used.
    """
    suite = plan.suite
    used = SampleRequests.of(suite, plan.settings, "").settings
    variables = {SERVER_VARIABLE, used.model.api_key_env}
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
