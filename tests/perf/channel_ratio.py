"""What the channel costs beside `docker exec`, measured in turns (A B A B) in one run.

    python -m tests.perf.channel_ratio [IMAGE]

Prints medians and ratios: `true` with carried state against an exec per call, 10 MB of output, and
the time a clean end takes. It judges nothing; the figures depend on the machine, the ratios less.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable, Callable

from sandbox_tui.core.sandboxes.base import SandboxSpec
from sandbox_tui.core.sandboxes.docker import DockerSandbox
from sandbox_tui.core.sandboxes.docker_engine import connect
from sandbox_tui.sessions import new_id

ROUNDS = 5
CALLS = 20
TEN_MEGABYTES = "head -c 10000000 /dev/zero"


async def timed(action: Callable[[], Awaitable[object]], times: int) -> list[float]:
    """Seconds of each of so many calls."""
    spent: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        await action()
        spent.append(time.perf_counter() - began)
    return spent


async def measure(image: str) -> None:
    """Print the figures."""
    sandbox = DockerSandbox(SandboxSpec(session_id=new_id(), image=image))
    await sandbox.start()
    client = connect()
    container = client.containers.get(sandbox.info["container"])

    def by_exec(command: str) -> Callable[[], Awaitable[object]]:
        return lambda: asyncio.to_thread(container.exec_run, ["bash", "-c", command], demux=True)

    def by_channel(command: str) -> Callable[[], Awaitable[object]]:
        return lambda: sandbox.exec(command, timeout=60)

    await sandbox.exec("export STATE=carried; cd /tmp", timeout=9)
    for name, command, calls in (("true", "true", CALLS), ("10 MB", TEN_MEGABYTES, 5)):
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(ROUNDS):
            ours += await timed(by_channel(command), calls)
            theirs += await timed(by_exec(command), max(3, calls // 4))
        a, b = statistics.median(ours), statistics.median(theirs)
        print(f"{name:<6} channel {a * 1e3:7.2f} ms   exec {b * 1e3:7.2f} ms   ratio 1/{b / a:.1f}")
    client.close()
    ends: list[float] = []
    for number in range(ROUNDS):
        if number:
            sandbox = DockerSandbox(SandboxSpec(session_id=new_id(), image=image))
            await sandbox.start()
        ends += await timed(sandbox.close, 1)
    print(f"clean end {statistics.median(ends):.2f} s, at most {max(ends):.2f} s")


if __name__ == "__main__":
    asyncio.run(measure(sys.argv[1] if len(sys.argv) > 1 else "sandbox-tui-test:latest"))
