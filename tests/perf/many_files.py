"""A hundred thousand files in a sandbox: the delay until the screen shows them and one more,
their memory, and how long the screen is blocked.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
import time
from collections.abc import AsyncGenerator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from sandbox_tui.core.models.base import Delta, Reply, Request
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.lifecycle.gc_tuning import tune_gc
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from tests.perf.figures import Figure, Section, megabytes, milliseconds
from tests.perf.in_process import Commands, embedded
from tests.perf.memory import most_resident
from tests.perf.report import print_section

FOLDERS, EACH = 1000, 99
MAKE = (
    f"for d in $(seq {FOLDERS}); do mkdir d$d; (cd d$d; touch $(seq -f 'file-%g.txt' {EACH})); done"
)
ONE_MORE = "echo words >d500/fresh.txt"
STILL = 0.4
"""Maximum seconds the screen may be blocked while a hundred thousand files arrive at once."""

STILL_LATER = 0.25
"""The same for one more file."""


class Steps(Commands):
    """Runs each command once released."""

    def __init__(self, *commands: str) -> None:
        super().__init__(*commands)
        self.let = asyncio.Semaphore(0)

    async def ask(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
        await self.let.acquire()
        yield self.next(request)


def measure() -> Section:
    """Run the benchmark in a separate process."""
    section = Section(
        title="A hundred thousand files",
        words=(
            f"A command creates {FOLDERS * (EACH + 1):,} files and folders in an embedded sandbox "
            "while the live screen shows the run; a second command creates one more. Delay is the "
            "time from the end of the command until the file tree has them. Blocked is the longest "
            "time in which the event loop served nothing else."
        ),
    )
    with TemporaryDirectory() as home:
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
            return process.submit(_alone, section, Path(home)).result()


def _alone(section: Section, home: Path) -> Section:
    """Measure in a dedicated process, so that its memory is that of the program."""
    os.environ["SANDBOX_TUI_HOME"] = str(home)
    return asyncio.run(_measure(section, home))


async def _measure(section: Section, home: Path) -> Section:
    settings = embedded(home)
    model = Steps(MAKE, ONE_MORE)
    store = Store(home / "sessions.db")
    app = SandboxTui(settings, store, [RunRequest(task="files", settings=settings, model=model)])
    async with app.run_test(size=(140, 40)) as pilot:
        await pilot.pause()
        tune_gc()
        screen = app.screen
        assert isinstance(screen, LiveScreen)
        before, slowest = _resident(), 0.0
        for name, there, most in (
            ("all files", lambda: len(screen.state.files) >= FOLDERS * EACH, STILL),
            ("one more file", lambda: "/testbed/d500/fresh.txt" in screen.state.files, STILL_LATER),
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
                Figure(name=f"{name}: delay", ours=milliseconds(took)),
                Figure.bound(f"{name}: blocked", slowest, most, milliseconds),
            ]
            slowest = 0.0
        more = _resident() - before
        section.figures.append(Figure(name="memory for the files", ours=megabytes(more)))
        model.let.release()
        worker = next(iter(app.runs.all.values()))
        await worker.ended.wait()
    store.close()
    most = most_resident()
    section.figures.append(Figure(name="maximum memory of the program", ours=megabytes(most)))
    return section


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    sys.exit(0 if print_section(measure()) else 1)
