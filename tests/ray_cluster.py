"""A Ray cluster on loopback, in a separate process that ends the cluster when it exits.

`python -m tests.ray_cluster` starts the head and prints its address. Each line `add` on its stdin
adds a node and prints the process id of its raylet, the parent of everything that runs on the
node. Each line `kill PID` kills a node and prints `lost` when the head has noticed it. When stdin is
closed, the process and every node end.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.waiting import HANG_SECONDS

MEMORY_BYTES = 2 << 30
STORE_BYTES = 80 << 20

ENVIRONMENT = {
    # as on those systems, the address of this machine is then the loopback one
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
}
"""Variables for the processes of the cluster and those that join it."""

DETECTION = {
    "health_check_initial_delay_ms": 1000,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 5000,
    "health_check_failure_threshold": 8,
}
"""Settings that let the cluster notice a lost node within seconds, and keep one that is only slow."""


class RayCluster:
    """A context manager that runs the cluster.

    Attributes:
        address: address of the head, which is also a node.
    """

    def __enter__(self) -> RayCluster:
        # a short path, because socket names are limited in length
        self._folder = tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp")
        plain = {k: v for k, v in os.environ.items() if k != "OPENAI_API_KEY"}
        self._program = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=Path(__file__).parents[1],
            env={**plain, **ENVIRONMENT, "RAY_TMPDIR": self._folder.name},
        )
        self.address = self._line()
        return self

    def __exit__(self, *_: object) -> None:
        self._program.communicate(timeout=HANG_SECONDS)
        self._folder.cleanup()

    def add_node(self) -> int:
        """Add a node and return the process id of its raylet."""
        return int(self._answer("add"))

    def kill_node(self, raylet: int) -> None:
        """Kill a node and everything that runs on it, as a power failure would; return when the
        cluster has noticed. A program that joins earlier may be sent to the dead node."""
        assert self._answer(f"kill {raylet}") == "lost"

    def _answer(self, command: str) -> str:
        assert self._program.stdin is not None
        self._program.stdin.write(f"{command}\n")
        self._program.stdin.flush()
        return self._line()

    def _line(self) -> str:
        assert self._program.stdout is not None
        line = self._program.stdout.readline().strip()
        assert line, "the cluster did not start"
        return line


def _kill(raylet: int) -> None:
    """Kill a raylet and everything that runs on its node."""
    for process in (raylet, *_children(raylet)):
        os.kill(process, signal.SIGKILL)


def _children(parent: int) -> list[int]:
    found: list[int] = []
    for children in Path(f"/proc/{parent}/task").glob("*/children"):
        found += map(int, children.read_text().split())
    return found


def main() -> None:
    from ray.cluster_utils import Cluster

    node: dict[str, Any] = {
        "num_cpus": 1,
        "memory": MEMORY_BYTES,
        "object_store_memory": STORE_BYTES,
        "node_ip_address": "127.0.0.1",
        "include_dashboard": False,
    }
    head = {**node, "_system_config": DETECTION}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    print(cluster.address, flush=True)
    for line in sys.stdin:
        match line.split():
            case ["kill", raylet]:
                nodes = len(cluster.global_state._live_node_ids())
                _kill(int(raylet))
                while len(cluster.global_state._live_node_ids()) == nodes:
                    time.sleep(0.05)
                print("lost", flush=True)
            case _:
                added = cluster.add_node(**node)
                print(added.all_processes["raylet"][0].process.pid, flush=True)
    cluster.shutdown()


if __name__ == "__main__":
    main()
