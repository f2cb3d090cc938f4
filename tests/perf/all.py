"""Run all benchmarks, one after the other, and write docs/benchmarks.md.

    python -m tests.perf.all [--only "startup tools"] [--runs 1000]

Takes about half an hour on two cores. `--only` repeats some benchmarks and keeps the other results.
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
    "startup": lambda options: startup.measure(),
    "calls": lambda options: headless_calls.measure(),
    "tools": lambda options: channel_ratio.measure(),
    "flood": lambda options: flood_ratio.measure(options.megabytes),
    "sandboxes": lambda options: many_sandboxes.measure(options.sandboxes),
    "leaks": lambda options: leaks.measure(options.runs),
    "idle": lambda options: idle.measure(),
    "files": lambda options: many_files.measure(),
    "wall": lambda options: wall_of_runs.measure(),
    "database": lambda options: session_database.measure(),
    "evaluations": lambda options: evaluation_beside_reference.measure(),
    "samples": lambda options: sandboxes_of_a_suite.measure(),
    "episodes": lambda options: episodes_at_once.measure(options.episodes),
    "suites": lambda options: large_suites.measure(),
    "emulator": lambda options: emulator_ratio.measure(),
}


def main() -> None:
    """Run the benchmarks; exit code 1 if a target is missed or a measurement failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=" ".join(PARTS), help=f"some of: {' '.join(PARTS)}")
    parser.add_argument("--runs", type=int, default=100, help="number of demo runs for `leaks`")
    parser.add_argument("--megabytes", type=float, default=50.0, help="output for `flood`")
    parser.add_argument(
        "--sandboxes", type=int, default=64, help="number of embedded sandboxes for `sandboxes`"
    )
    parser.add_argument("--episodes", type=int, default=1000, help="number for `episodes`")
    options = parser.parse_args()
    names = options.only.split()
    if unknown := [name for name in names if name not in PARTS]:
        parser.error(f"unknown benchmark {unknown[0]!r}; choose from {' '.join(PARTS)}")
    all_met = True
    for name in names:
        section = PARTS[name](options)
        all_met &= print_section(section)
        keep(name, section, f"python -m tests.perf.all --only {name}{_arguments(name, options)}")
    sys.exit(0 if all_met else 1)


def _arguments(name: str, options: argparse.Namespace) -> str:
    option_of = {"leaks": "runs", "flood": "megabytes"}
    option = option_of.get(name, name if name in ("sandboxes", "episodes") else "")
    return f" --{option} {vars(options)[option]:g}" if option else ""


if __name__ == "__main__":
    main()
