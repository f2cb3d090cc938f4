"""What storing events and upgrading an older session database cost.

    python -m tests.perf.session_database [--steps 2000] [--commit 048f495]

Storing: CPU time per event of a run whose events arrive ten at a time, with the tables to query and the
full-text index that are kept up meanwhile. Upgrading: CPU time of opening a file that an older commit
wrote, compared with `VACUUM INTO` of the same file, in turns A B A B. The older code comes from the
repository's history.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from tests.perf.figures import Figure, Section, in_turns, median
from tests.perf.made_sessions import events_of
from tests.perf.report import print_section
from tests.unit.sessions.store.older.make import write

BATCH = 10
MAX_MICROSECONDS = 100.0
MAX_RATIO = 15.0
OLDER = "048f495"
"""The last commit before the tables to query."""


def measure(steps: int = 2_000, commit: str = OLDER, rounds: int = 3) -> Section:
    """All figures."""
    section = Section(
        title="Session database",
        words=(
            f"Storing a run of {steps:,} steps, {BATCH} events at a time, with its tables to query and "
            f"full-text index; then opening a file of {steps:,} steps that commit {commit} wrote, "
            f"compared with `VACUUM INTO` of it. CPU time; median of {rounds} alternating rounds."
        ),
    )
    with TemporaryDirectory() as folder:
        section.figures.append(_storing(Path(folder), steps, rounds))
        older = Path(folder) / "older.db"
        try:
            write(commit, older, steps)
        except subprocess.CalledProcessError:
            section.missing.append(f"Upgrading: commit {commit} is not in this repository.")
        else:
            section.figures.append(_upgrading(older, rounds))
    return section


def _storing(folder: Path, steps: int, rounds: int) -> Figure:
    events = list(events_of("r", steps, random.Random(1)))
    taken = median([_store(folder / f"{n}.db", events) for n in range(rounds)]) / len(events) * 1e6
    return Figure.bound("storing an event", taken, MAX_MICROSECONDS, lambda us: f"{us:.0f} µs")


def _store(path: Path, events: list[e.AnyEvent]) -> float:
    numbered = [
        msgspec.structs.replace(event, seq=seq, t=seq * 0.1) for seq, event in enumerate(events, 1)
    ]
    batches = [numbered[first : first + BATCH] for first in range(0, len(numbered), BATCH)]
    with Store(path) as store:

        def append() -> None:
            for batch in batches:
                store.append("r", batch)

        return cpu_of(append)


def _upgrading(older: Path, rounds: int) -> Figure:
    copy = older.with_name("copy.db")

    def upgrade() -> float:
        shutil.copy(older, copy)
        return cpu_of(lambda: Store(copy).close())

    def vacuum() -> float:
        target = older.with_name("vacuumed.db")
        target.unlink(missing_ok=True)
        with closing(sqlite3.connect(older)) as connection:
            return cpu_of(lambda: connection.execute("VACUUM INTO ?", [str(target)]))

    upgraded, vacuumed = in_turns(upgrade, vacuum, rounds)
    name = f"upgrading a file of {older.stat().st_size / 1e6:.0f} MB: CPU time over that of `VACUUM INTO`"
    return Figure.bound(
        name, median(upgraded) / median(vacuumed), MAX_RATIO, lambda times: f"{times:.1f}"
    )


def cpu_of(work: Callable[[], object]) -> float:
    """Seconds of CPU time, all threads."""
    began = time.process_time()
    work()
    return time.process_time() - began


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=2_000)
    parser.add_argument("--commit", default=OLDER)
    given = parser.parse_args()
    sys.exit(0 if print_section(measure(given.steps, given.commit)) else 1)


if __name__ == "__main__":
    main()
