"""A hundred thousand files in a sandbox: how long until the screen shows them, and one more; what
they cost in memory; how long the screen stands still meanwhile."""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory

from sandbox_tui.core.launch import RunRequest
from sandbox_tui.core.models.base import Delta, Reply, Request
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.collecting import collect_rarely
from sandbox_tui.tui.screens.live import LiveScreen
from tests.perf.figures import Figure, Section, megabytes, milliseconds
from tests.perf.in_process import Commands, embedded
from tests.perf.report import print_section

FOLDERS, EACH = 1000, 99
MAKE = (
    f"for d in $(seq {FOLDERS}); do mkdir d$d; (cd d$d; touch $(seq -f 'file-%g.txt' {EACH})); done"
)
ONE_MORE = "echo words >d500/fresh.txt"
STILL = 0.4
"""Seconds the screen may stand still, while a hundred thousand files come at once."""

STILL_LATER = 0.25
"""The same while one more does."""


class Steps(Commands):
    """Runs each command when it is let."""

    def __init__(self, *commands: str) -> None:
        super().__init__(*commands)
        self.let = asyncio.Semaphore(0)

    async def ask(self, request: Request) -> AsyncIterator[Delta | Reply]:
        await self.let.acquire()
        yield self.next(request)


def measure() -> Section:
    """Measure it."""
    section = Section(
        title="A hundred thousand files",
        words=(
            f"A command makes {FOLDERS * (EACH + 1):,} files and folders in an embedded sandbox, "
            "while the live screen shows the run; then another makes one more. Seconds are from "
            "the end of the command until the tree of files has them; standing still is the "
            "longest time in which the screen's loop did nothing else."
        ),
    )
    with TemporaryDirectory() as home:
        os.environ["SANDBOX_TUI_HOME"] = home
        asyncio.run(_measure(section, Path(home)))
    return section


async def _measure(section: Section, home: Path) -> None:
    settings = embedded(home)
    model = Steps(MAKE, ONE_MORE)
    store = Store(home / "sessions.db")
    app = SandboxTui(settings, store, [RunRequest(task="files", settings=settings, model=model)])
    async with app.run_test(size=(140, 40)) as pilot:
        await pilot.pause()
        collect_rarely()
        screen = app.screen
        assert isinstance(screen, LiveScreen)
        before, slowest = _resident(), 0.0
        for name, there, most in (
            ("all of them", lambda: len(screen.state.files) >= FOLDERS * EACH, STILL),
            ("one more", lambda: "/testbed/d500/fresh.txt" in screen.state.files, STILL_LATER),
        ):
            calls = len(screen.state.calls)
            model.let.release()
            ended = time.perf_counter()
            while not there():
                last = time.perf_counter()
                await asyncio.sleep(0.002)
                slowest = max(slowest, time.perf_counter() - last)
                done = list(screen.state.calls.values())[calls:]
                if not done or done[0].status == "running":
                    ended = time.perf_counter()
            took = time.perf_counter() - ended
            for _ in range(50):
                last = time.perf_counter()
                await asyncio.sleep(0.002)
                slowest = max(slowest, time.perf_counter() - last)
            section.figures += [
                Figure(name=f"{name}: until they are there", ours=milliseconds(took)),
                Figure.bound(f"{name}: the screen stands still", slowest, most, milliseconds),
            ]
            slowest = 0.0
        more = _resident() - before
        section.figures.append(Figure(name="memory for them", ours=megabytes(more)))
        model.let.release()
        worker = next(iter(app.runs.all.values()))
        await worker.ended.wait()
    store.close()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    section.figures.append(Figure(name="most memory of the program", ours=megabytes(most)))


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    sys.exit(0 if print_section(measure()) else 1)
