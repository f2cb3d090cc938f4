"""The cost of storing events and of upgrading an older session database.

    python -m tests.perf.session_database [--steps 2000] [--commit 048f495]

Storing: CPU time per event of a run whose events arrive ten at a time, including the tables for queries
and the full-text index, compared with an older commit that had neither; alternating rounds (A B A B), each
in a separate process. Upgrading: CPU time of opening a file that the older commit wrote, compared with
`VACUUM INTO` of the same file. The older code comes from the repository's history.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from sandbox_tui.sessions import Store
from tests.perf.figures import Figure, Section, in_turns, median
from tests.perf.report import print_section
from tests.unit.sessions.store.older.make import ROOT, tree_of, write

BATCH = 10
MIN_STORING_RATIO = 0.83
"""Minimum ratio of the older code's time to ours, so ours takes at most 1.2 times as long."""

MAX_RATIO = 15.0
OLDER = "048f495"
"""The last commit without the tables for queries."""


def measure(steps: int = 2_000, commit: str = OLDER, rounds: int = 5) -> Section:
    """Measure storing and upgrading."""
    section = Section(
        title="Session database",
        words=(
            f"Storing a run of {steps:,} steps, {BATCH} events at a time, with the tables for queries and "
            f"the full-text index, compared with commit {commit}, which has neither; then opening a file of "
            f"{steps:,} steps that this commit wrote, compared with `VACUUM INTO` of that file. CPU time; "
            f"median of {rounds} alternating rounds."
        ),
    )
    try:
        section.figures.append(_storing(commit, steps, rounds))
        with TemporaryDirectory() as folder:
            older = Path(folder) / "older.db"
            write(commit, older, steps)
            section.figures.append(_upgrading(older, rounds))
    except subprocess.CalledProcessError:
        section.missing.append(f"Commit {commit} is not in this repository, or does not run.")
    return section


STORE = """
import sys, time
from pathlib import Path
from sandbox_tui.sessions import Store
from tests.perf.made_sessions import fill

class Collected(list):
    def append(self, run_id, batch):
        self.extend(batch)

steps, size = int(sys.argv[2]), int(sys.argv[3])
events = Collected()
fill(events, "r", steps)
store = Store(Path(sys.argv[1]))
began = time.process_time()
for first in range(0, len(events), size):
    store.append("r", events[first : first + size])
print((time.process_time() - began) / len(events))
store.close()
"""
"""Prints the CPU seconds per event; also works with the older code."""


def _storing(commit: str, steps: int, rounds: int) -> Figure:
    with tree_of(commit) as (tree, environment):
        ours, theirs = in_turns(
            lambda: _store(ROOT, dict(os.environ), steps),
            lambda: _store(tree, environment, steps),
            rounds,
        )
    name = f"storing an event: CPU time, vs. commit {commit}"
    return Figure.less(
        name, median(ours), median(theirs), MIN_STORING_RATIO, lambda s: f"{s * 1e6:.0f} µs"
    )


def _store(tree: Path, environment: dict[str, str], steps: int) -> float:
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-c", STORE, f"{folder}/s.db", str(steps), str(BATCH)]
        done = subprocess.run(
            command, cwd=tree, env=environment, stdout=subprocess.PIPE, check=True
        )
    return float(done.stdout)


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
    """Return the CPU seconds of all threads that `work` takes."""
    began = time.process_time()
    work()
    return time.process_time() - began


def main() -> None:
    """Run the benchmark; exit code 1 if a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=2_000)
    parser.add_argument("--commit", default=OLDER)
    options = parser.parse_args()
    sys.exit(0 if print_section(measure(options.steps, options.commit)) else 1)


if __name__ == "__main__":
    main()
