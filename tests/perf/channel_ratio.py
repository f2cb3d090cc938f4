"""How the command channel compares with one `docker exec` per call, in one run: A B A B.

    python -m tests.perf.channel_ratio [--image NAME] [--rounds N]

Three figures, each with the ratio we hold ourselves to:

    call    `true`, the shell state carried over     at most 1/8 of the time of an exec of its own
    output  10 MB, stdout and stderr kept apart      at least 2.5 times as fast
    close   everything gone, container removed       less than one second

Both ways run in the same container, in turns, so that what else the machine does touches both.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from sandbox_tui.core.sandboxes.base import SandboxSpec
from sandbox_tui.core.sandboxes.docker import DockerSandbox
from sandbox_tui.core.sandboxes.docker_engine import connect
from sandbox_tui.sessions import new_id

FLOOD = "head -c 10000000 /dev/zero"
CALL_TARGET, OUTPUT_TARGET, CLOSE_TARGET = 8.0, 2.5, 1.0


async def timed(work: Callable[[], Awaitable[object]]) -> float:
    """Seconds that `work` takes."""
    began = time.perf_counter()
    await work()
    return time.perf_counter() - began


async def in_turns(
    ours: Callable[[], Awaitable[object]], theirs: Callable[[], Awaitable[object]], rounds: int
) -> tuple[list[float], list[float]]:
    """Seconds of each, taken A B A B after one round that does not count."""
    pairs = [(await timed(ours), await timed(theirs)) for _ in range(rounds + 1)][1:]
    return [ours for ours, _ in pairs], [theirs for _, theirs in pairs]


def report(name: str, ours: list[float], theirs: list[float], target: float) -> bool:
    """Print the medians and their ratio; whether the target is met."""
    mine, other = statistics.median(ours), statistics.median(theirs)
    ratio = other / mine
    met = ratio >= target
    print(
        f"{name:7} channel {mine * 1e3:8.2f} ms   exec per call {other * 1e3:8.2f} ms   "
        f"{ratio:5.1f} times as fast (target {target:g})   {'ok' if met else 'MISSED'}"
    )
    return met


async def measure(image: str, rounds: int) -> bool:
    """Measure all three; whether all targets are met."""
    sandbox = DockerSandbox(SandboxSpec(session_id=new_id(), image=image))
    await sandbox.start()
    client = connect()
    container: Any = client.containers.get(sandbox.info["container"])

    def channel(command: str) -> Callable[[], Awaitable[object]]:
        return lambda: sandbox.exec(command, timeout=60)

    def exec_run(command: str) -> Callable[[], Awaitable[object]]:
        words = ["bash", "-c", command]
        return lambda: asyncio.to_thread(container.exec_run, words, demux=True)

    try:
        await sandbox.exec("cd /tmp; export A=1; f() { :; }; v=2", timeout=60)
        calls = await in_turns(channel("true"), exec_run("true"), rounds)
        floods = await in_turns(channel(FLOOD), exec_run(FLOOD), max(5, rounds // 4))
    finally:
        close = await timed(sandbox.close)
        client.close()
    fine = report("call", *calls, CALL_TARGET)
    fine &= report("output", *floods, OUTPUT_TARGET)
    print(f"close   {close * 1e3:.0f} ms (target {CLOSE_TARGET * 1e3:.0f})")
    return fine and close < CLOSE_TARGET


def main() -> None:
    """Run it; exit code 1 when a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--image", default="sandbox-tui-test:latest")
    parser.add_argument("--rounds", type=int, default=40)
    given = parser.parse_args()
    sys.exit(0 if asyncio.run(measure(given.image, given.rounds)) else 1)


if __name__ == "__main__":
    main()
