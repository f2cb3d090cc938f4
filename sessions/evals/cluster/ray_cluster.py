"""Connects to a Ray cluster, lists its nodes and starts processes there. Only this imports Ray.

Ray: Moritz et al., "Ray: A Distributed Framework for Emerging AI Applications", OSDI 2018.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import re
import socket
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, cast

from sandbox_tui.core.base.errors import ConfigError, SandboxTuiError
from sandbox_tui.core.evals.optional_packages import require
from sandbox_tui.sessions.evals.cluster.sample_node import SampleNode
from sandbox_tui.sessions.evals.concurrency import samples_within
from sandbox_tui.sessions.recording.run_worker import RunLost

KINDS_OF_ADDRESS = "HOST:PORT of its head, auto or local"

CONNECT_SECONDS = 5.0
"""Maximum time for the head of a cluster to accept a connection."""

MAX_SILENCE_SECONDS = 60.0
"""Time after which an unreachable node counts as lost."""

RETRY_SECONDS = 1.0

_HOST_AND_PORT = re.compile(r"\[?(?P<host>[^/\s]+?)\]?:(?P<port>\d{1,5})")


@dataclass(frozen=True, slots=True)
class ClusterNode:
    """A machine of a cluster that can run samples.

    Attributes:
        id: assigned by Ray.
        name: shown to the user.
        memory: bytes that Ray may use on it.
    """

    id: str
    name: str
    memory: int

    def room(self, per_node: int | None, memory_limit: int | None) -> int:
        """Return the number of samples that may run at once.

        Args:
            per_node: the number requested by the user; None: as many as fit into its memory.
            memory_limit: maximum bytes per sandbox; None: the default.
        """
        return per_node or samples_within(self.memory, memory_limit)


class RayConnection:
    """This program's only connection to a cluster; created by `connect`.

    Args:
        thread: the thread that initialized Ray: what Ray starts for `local` ends with that thread.
    """

    def __init__(self, thread: ThreadPoolExecutor) -> None:
        self._thread = thread

    def nodes(self) -> list[ClusterNode]:
        """Return the live nodes that have at least one CPU (blocking).

        Raises:
            SandboxTuiError: the cluster does not answer.
        """
        try:
            rows: list[dict[str, Any]] = _ray().nodes()
        except Exception as error:
            raise SandboxTuiError(f"The Ray cluster does not answer: {_line(error)}.") from error
        return [_node(row) for row in rows if row["Alive"] and row["Resources"].get("CPU", 0) > 0]

    def start(self, node: ClusterNode) -> RayNode:
        """Start a process for samples on a node; the first call raises if it did not start."""
        ray = _ray()
        scheduling: Any = ray.util.scheduling_strategies
        strategy = scheduling.NodeAffinitySchedulingStrategy(node_id=node.id, soft=False)
        kind: Any = ray.remote(num_cpus=0, max_restarts=0, scheduling_strategy=strategy)(SampleNode)
        return RayNode(node.name, kind.remote())

    def close(self) -> None:
        """Leave the cluster; a `local` one is shut down (blocking)."""
        self._thread.submit(_ray().shutdown).result()
        self._thread.shutdown()


class RayNode:
    """The process on a node, a `SampleNode`; see `NodeHandle`."""

    def __init__(self, name: str, actor: Any) -> None:
        self.name = name
        self.lost = False
        self._actor = actor

    async def call(self, method: str, *args: object) -> Any:
        """Call a method of its `SampleNode`, retrying if the connection breaks.

        Raises:
            RunLost: the node is lost.
            SandboxTuiError: the method failed.
        """
        errors: Any = _ray().exceptions
        silent_since: float | None = None
        while not self.lost:
            try:
                return await getattr(self._actor, method).remote(*args)
            except errors.ActorUnavailableError:
                now = time.monotonic()
                silent_since = now if silent_since is None else silent_since
                self.lost = now - silent_since > MAX_SILENCE_SECONDS
                await asyncio.sleep(RETRY_SECONDS)
            except errors.RayActorError as error:
                self.lost = True
                raise RunLost(f"The node {self.name} is gone: {_line(error)}.") from error
            except errors.RayError as error:
                raise SandboxTuiError(f"The node {self.name} failed: {_line(error)}.") from error
        raise RunLost(f"The node {self.name} is gone: it cannot be reached.")

    async def end(self) -> None:
        """End its process."""
        self.lost = True
        with contextlib.suppress(Exception):
            await asyncio.to_thread(_ray().kill, self._actor)


def connect(address: str) -> RayConnection:
    """Join a Ray cluster (blocking).

    Args:
        address: `HOST:PORT` of its head; `auto` for the cluster that this machine belongs to;
            `local` for one on this machine that lasts as long as this program.

    Raises:
        ConfigError: there is none, this program cannot join it, or Ray is not installed.
    """
    require("ray", "--ray", "ray")
    if address not in ("auto", "local"):
        _check_reachable(address)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # in the main thread, Ray would install its own handler for SIGTERM
    thread = ThreadPoolExecutor(1, thread_name_prefix="ray")
    try:
        thread.submit(_join, address).result()
    except Exception as error:
        thread.shutdown()
        raise ConfigError(
            f"The Ray cluster at {address} cannot be joined: {_line(error)}. This program has to "
            "run on one of its machines (`ray start`)."
        ) from error
    return RayConnection(thread)


def _check_reachable(address: str) -> None:
    found = _HOST_AND_PORT.fullmatch(address)
    if found is None:
        raise ConfigError(f"{address!r} is not the address of a Ray cluster: {KINDS_OF_ADDRESS}.")
    try:
        socket.create_connection((found["host"], int(found["port"])), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise ConfigError(f"No Ray cluster answers at {address}: {_line(error)}.") from error


def _join(address: str) -> None:
    ray = _ray()
    if ray.is_initialized():
        return
    own: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
    ray.init(address=address, log_to_driver=False, logging_level=logging.CRITICAL, **own)
    _silence()


def _silence() -> None:
    """Keep Ray from printing its notices, such as a lost node, on stdout, which carries samples as
    JSON or the screen."""
    worker: Any = sys.modules.get("ray._private.worker")
    silent: Callable[..., None] = lambda *args, **kwargs: None  # noqa: E731
    if worker is not None and hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = silent


def _node(row: dict[str, Any]) -> ClusterNode:
    name = f"{row['NodeManagerHostname']} ({row['NodeManagerAddress']}, {row['NodeID'][:6]})"
    return ClusterNode(row["NodeID"], name, int(row["Resources"].get("memory", 0)))


def _line(error: BaseException) -> str:
    """Return a Ray error as one line without a full stop; the original may fill a page."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__)[:300].rstrip(".")


def _ray() -> Any:
    import ray

    return cast(Any, ray)
