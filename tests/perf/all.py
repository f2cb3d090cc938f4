"""Run all benchmarks, one after the other, and write docs/benchmarks.md.

    python -m tests.perf.all [--only "startup tools"] [--runs 1000]

Takes about half an hour on two cores. `--only` repeats some parts and keeps the figures of the others.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from tests.perf import (
    channel_ratio,
    emulator_ratio,
    episodes_at_once,
    evaluation_beside_reference,
    flood_ratio,
    headless_calls,
    idle,
    large_suites,
    leaks,
    many_files,
    many_sandboxes,
    sandboxes_of_a_suite,
    session_database,
    startup,
    wall_of_runs,
)
from tests.perf.figures import Section
from tests.perf.report import keep, print_section

PARTS: dict[str, Callable[[argparse.Namespace], Section]] = {
    "startup": lambda given: startup.measure(),
    "calls": lambda given: headless_calls.measure(),
    "tools": lambda given: channel_ratio.measure(),
    "flood": lambda given: flood_ratio.measure(given.megabytes),
    "sandboxes": lambda given: many_sandboxes.measure(given.sandboxes),
    "leaks": lambda given: leaks.measure(given.runs),
    "idle": lambda given: idle.measure(),
    "files": lambda given: many_files.measure(),
    "wall": lambda given: wall_of_runs.measure(),
    "database": lambda given: session_database.measure(),
    "evaluations": lambda given: evaluation_beside_reference.measure(),
    "samples": lambda given: sandboxes_of_a_suite.measure(),
    "episodes": lambda given: episodes_at_once.measure(given.episodes),
    "suites": lambda given: large_suites.measure(),
    "emulator": lambda given: emulator_ratio.measure(),
}


def main() -> None:
    """Measure; exit code 1 where a target is missed, or something could not be measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=" ".join(PARTS), help=f"some of: {' '.join(PARTS)}")
    parser.add_argument("--runs", type=int, default=100, help="runs of the demo, for `leaks`")
    parser.add_argument("--megabytes", type=float, default=50.0, help="of `flood`")
    parser.add_argument("--sandboxes", type=int, default=64, help="of `sandboxes`, embedded ones")
    parser.add_argument("--episodes", type=int, default=1000, help="of `episodes`")
    given = parser.parse_args()
    names = given.only.split()
    if unknown := [name for name in names if name not in PARTS]:
        parser.error(f"there is no part {unknown[0]!r}; there are {' '.join(PARTS)}")
    fine = True
    for name in names:
        section = PARTS[name](given)
        fine &= print_section(section)
        keep(name, section, f"python -m tests.perf.all --only {name}{_more(name, given)}")
    sys.exit(0 if fine else 1)


def _more(name: str, given: argparse.Namespace) -> str:
    own = {"leaks": "runs", "flood": "megabytes"}
    option = own.get(name, name if name in ("sandboxes", "episodes") else "")
    return f" --{option} {vars(given)[option]:g}" if option else ""


if __name__ == "__main__":
    main()
