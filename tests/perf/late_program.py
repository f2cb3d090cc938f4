"""The program, with a timer that measures how late its event loop runs.

    python late_program.py FIGURES ARGUMENT ...

runs `sandbox-tui ARGUMENT ...` and at the end writes delays and memory to the file FIGURES as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from array import array
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

TICK = 0.005


class Lateness:
    """Measures the delay of the event loop at each tick, in seconds."""

    def __init__(self) -> None:
        self.ticks = array("d")

    async def watch(self) -> None:
        """Measure until cancelled."""
        while True:
            at = time.perf_counter()
            await asyncio.sleep(TICK)
            self.ticks.append(max(0.0, time.perf_counter() - at - TICK))

    def figures(self) -> dict[str, float]:
        """Return median, 99th percentile and maximum of the delays, and peak memory in bytes."""
        ordered = sorted(self.ticks)
        return {
            "median": ordered[len(ordered) // 2],
            "late": ordered[int(0.99 * len(ordered))],
            "most": ordered[-1],
            "memory": most_resident(),
        }


def most_resident() -> int:
    """Return the maximum resident memory of this process since its exec, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1]) * 1024


def main(figures: Path, arguments: list[str]) -> None:
    """Run the program with these arguments."""
    run, lateness = asyncio.run, Lateness()

    def watched(work: Coroutine[Any, Any, Any], **options: Any) -> Any:
        async def beside() -> Any:
            watching = asyncio.create_task(lateness.watch())
            try:
                return await work
            finally:
                watching.cancel()
                figures.write_text(json.dumps(lateness.figures()))

        return run(beside(), **options)

    asyncio.run = watched
    sys.argv = ["sandbox-tui", *arguments]
    from sandbox_tui.tui.cli.main import main as program

    program()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
