"""What many runs of the demo leave behind in one process, which should be nothing.

python -m tests.perf.leaks [RUNS] [docker|bubblewrap]
"""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import tempfile
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sandbox_tui.core.config.settings import load
from sandbox_tui.sessions import RunRegistry, Store
from sandbox_tui.tui.screens.home.demo_request import demo_request
from tests.perf.figures import Figure, Section
from tests.perf.report import print_section

WARM_UP = 5
"""Warm-up runs, which fill thread pools and caches."""

MEMORY_EACH = 100_000
"""Bytes that a run may leave behind: memory comes in whole pages, and the heap fluctuates."""


@dataclass(frozen=True, slots=True)
class Resources:
    """The resources that a process holds.

    Attributes:
        descriptors: open file descriptors.
        threads: threads of the process.
        tasks: tasks of the event loop.
        children: child processes.
        folders: our folders in the temporary folder.
        containers: our containers, running or not.
        memory: resident bytes.
    """

    descriptors: int
    threads: int
    tasks: int
    children: int
    folders: int
    containers: int
    memory: int


async def held_resources(kind: str) -> Resources:
    """Return what this process holds now and has left outside of itself."""
    gc.collect()
    me = os.getpid()
    children = Path(f"/proc/{me}/task/{me}/children").read_text().split()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Resources(
        descriptors=len(list(Path("/proc/self/fd").iterdir())),
        threads=threading.active_count(),
        tasks=len(asyncio.all_tasks()),
        children=len(children),
        folders=len(list(Path(tempfile.gettempdir()).glob("sandbox-tui-*"))),
        containers=_containers() if kind == "docker" else 0,
        memory=pages * os.sysconf("SC_PAGE_SIZE"),
    )


def _containers() -> int:
    owned = ["docker", "ps", "-aq", "--filter", f"label=sandbox-tui.pid={os.getpid()}"]
    done = subprocess.run(owned, capture_output=True, text=True, check=True)
    return len(done.stdout.split())


async def run_demos(home: Path, runs: int, kind: str) -> None:
    """Run the demo script repeatedly, recorded in one database."""
    settings = load({"sandbox.kind": kind, "agent.output": str(home / "output")})
    store = Store(home / "sessions.db")
    for _ in range(runs):
        worker = RunRegistry(store).begin(demo_request(settings, speed=0, mode="auto"))
        await worker.ended.wait()
        assert worker.exit_code == 0, worker.failure or worker.state.finished
    store.close()


async def fill_pool() -> None:
    """Start all threads of the event loop's default executor."""
    most = min(32, (os.cpu_count() or 1) + 4)
    all_there = threading.Barrier(most)
    await asyncio.gather(*(asyncio.to_thread(all_there.wait) for _ in range(most)))


async def growth(home: Path, runs: int, kind: str = "bubblewrap") -> tuple[Resources, Resources]:
    """Return the resources held before and after this many runs."""
    await fill_pool()
    await run_demos(home, WARM_UP, kind)
    before = await held_resources(kind)
    await run_demos(home, runs, kind)
    return before, await held_resources(kind)


def measure(runs: int = 100, kind: str = "bubblewrap") -> Section:
    """Measure the growth."""
    section = Section(
        title="Leaks",
        words=(
            f"Growth of one process over {runs} consecutive runs of the demo script in {kind} "
            f"sandboxes, after {WARM_UP} warm-up runs."
        ),
    )
    own_folder = tempfile.gettempdir()
    with TemporaryDirectory() as home, TemporaryDirectory() as place:
        os.environ["SANDBOX_TUI_HOME"], tempfile.tempdir = home, place
        before, after = asyncio.run(growth(Path(home), runs, kind))
        tempfile.tempdir = own_folder
    for name, count in asdict(before).items():
        more = asdict(after)[name] - count
        if name == "memory":
            each = more / runs
            formatted = f"{each / 1e3:+.1f} kB per run ({count / 1e6:.1f} MB before)"
            section.figures.append(Figure(name=name, ours=formatted, met=each < MEMORY_EACH))
        else:
            section.figures.append(
                Figure(name=name, ours=f"{more:+} ({count} before)", met=not more)
            )
    return section


def main() -> None:
    """Run the benchmark; exit code 1 if anything is left behind."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    kind = sys.argv[2] if len(sys.argv) > 2 else "bubblewrap"
    sys.exit(0 if print_section(measure(runs, kind)) else 1)


if __name__ == "__main__":
    main()
