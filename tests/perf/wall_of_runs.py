"""Many runs at once on the screen: the delay of everything else in the event loop.

python -m tests.perf.wall_of_runs [RUNS]
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from tempfile import TemporaryDirectory

from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.models.base import Delta, Reply, Request
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.lifecycle.gc_tuning import tune_gc
from tests.perf.figures import Figure, Section, median, milliseconds, quantile
from tests.perf.in_process import Commands, embedded
from tests.perf.report import print_section

COMMANDS = (
    "seq 2000; sleep 1",
    "for i in $(seq 20); do echo line $i; sleep 0.1; done",
    "ls -la /usr/bin",
)
ROUNDS = 4
WORDS = "I will look at this now."
TICK = 0.005
MEDIAN, MOST = 0.02, 0.4
"""Maximum median and maximum delay of a timer, in seconds."""


class Busy(Commands):
    """Runs the commands and streams text before each."""

    async def ask(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
        for word in WORDS.split(" "):
            yield Delta(channel="text", text=f"{word} ")
            await asyncio.sleep(0.02)
        yield self.next(request, WORDS)


def measure(runs: int = 64) -> Section:
    """Run the benchmark."""
    section = Section(
        title="Many runs on the wall",
        words=(
            f"{runs} concurrent runs in one program, each with {ROUNDS * len(COMMANDS)} calls that "
            "print, in embedded sandboxes, with a model that replies instantly, while the wall shows "
            "all of them. Delay is how late the event loop serves a timer that is due every "
            f"{TICK * 1000:g} ms. All have to submit."
        ),
    )
    with TemporaryDirectory() as home:
        os.environ["SANDBOX_TUI_HOME"] = home
        asyncio.run(_measure(section, Path(home), runs))
    return section


async def _measure(section: Section, home: Path, runs: int) -> None:
    settings = embedded(home)
    store = Store(home / "sessions.db")
    requests = [_request(settings, number) for number in range(runs)]
    app = SandboxTui(settings, store, requests)
    late: list[float] = []
    began = time.perf_counter()
    async with app.run_test(size=(160, 45)) as pilot:
        await pilot.pause()
        tune_gc()
        while len(app.runs.all) < runs or app.runs.unfinished:
            at = time.perf_counter()
            await asyncio.sleep(TICK)
            late.append(max(0.0, time.perf_counter() - at - TICK))
        took = time.perf_counter() - began
        ended = [one.state.finished for one in app.runs.all.values()]
    store.close()
    name = f"{runs} runs"
    section.figures += [
        Figure(
            name=f"{name}, all submitted",
            ours=milliseconds(took),
            met=sum(end is not None and end.reason == "submitted" for end in ended) == runs,
        ),
        Figure.bound(f"{name}: delay, median", median(late), MEDIAN, milliseconds),
        Figure(name=f"{name}: delay, 99th percentile", ours=milliseconds(quantile(late, 0.99))),
        Figure.bound(f"{name}: delay, maximum", max(late), MOST, milliseconds),
    ]


def _request(settings: Settings, number: int) -> RunRequest:
    return RunRequest(task=f"work {number}", settings=settings, model=Busy(*ROUNDS * COMMANDS))


def main() -> None:
    """Run the benchmark; exit code 1 if a target is missed."""
    section = measure(int(sys.argv[1]) if len(sys.argv) > 1 else 64)
    sys.exit(0 if print_section(section) else 1)


if __name__ == "__main__":
    main()
