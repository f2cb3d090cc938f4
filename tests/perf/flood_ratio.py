"""The terminal widget under a flood of output, compared with textual-terminal's.

Each runs in an app of its own on a real pseudo-terminal.

    python -m tests.perf.flood_ratio [--megabytes 50] [--theirs 3] [--rounds 2]
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.perf.corpora import build_color, corpus, htop, log, ls_color, vim
from tests.perf.figures import Figure, Section, median, milliseconds, quantile
from tests.perf.in_pty import InPty
from tests.perf.peers import TEXTUAL_TERMINAL, PeerMissing
from tests.perf.report import print_section

KINDS = (
    ("plain log lines", log, 100.0),
    ("coloured file listing", ls_color, 30.0),
    ("coloured compiler output", build_color, 30.0),
    ("full-screen process list", htop, 8.0),
    ("full-screen editor", vim, 8.0),
)
"""Kinds of output: name, corpus, and how many times less CPU time our widget has to take."""

IDLE_KEYS = 300
MEDIAN_TARGET, WORST_TARGET = 5.0, 10.0
"""Maximum key latency relative to the idle app: of the median, and of the 99th percentile."""


@dataclass(frozen=True, slots=True)
class Flood:
    """The results of one run.

    Attributes:
        cpu: CPU seconds per megabyte.
        latencies: seconds from each key press until the app handled it.
    """

    cpu: float
    latencies: list[float]


def measure(megabytes: float = 50.0, theirs: float = 3.0, rounds: int = 2) -> Section:
    """Measure CPU time and key latency for every kind of output."""
    section = Section(
        title="Terminal widget under a flood of output",
        words=(
            f"CPU time per MB of the whole app: {megabytes:g} MB through this program's widget and "
            f"{theirs:g} MB through textual-terminal's, each in a Textual app of its own on a real "
            "pseudo-terminal of 120 x 38. A key is pressed every 30 to 70 ms; its latency is "
            "compared with that of the idle app. (textual-terminal uses a constant that Textual "
            f"has removed; it is given an empty one.) {rounds} alternating rounds."
        ),
    )
    python = [sys.executable]
    try:
        other = [TEXTUAL_TERMINAL.program("python")]
    except PeerMissing as error:
        section.missing.append(str(error))
        return section
    with TemporaryDirectory() as folder:
        idle = flood(python, "ours", b"", 0.0, Path(folder)).latencies
        for name, make, target in KINDS:
            data = corpus(make)
            pairs = [
                (
                    flood(python, "ours", data, megabytes, Path(folder)),
                    flood(other, "theirs", data, theirs, Path(folder)),
                )
                for _ in range(rounds)
            ]
            section.figures += _figures(name, target, pairs, idle)
    return section


def _figures(
    name: str, target: float, pairs: Sequence[tuple[Flood, Flood]], idle: list[float]
) -> list[Figure]:
    ours, theirs = [a for a, _ in pairs], [b for _, b in pairs]
    version = TEXTUAL_TERMINAL.version
    cpu = Figure.less(
        f"{name}: CPU time per MB, vs. textual-terminal {version}",
        median([one.cpu for one in ours]),
        median([one.cpu for one in theirs]),
        target,
        milliseconds,
    )
    late = [value for one in ours for value in one.latencies]
    others = [value for one in theirs for value in one.latencies]
    found = [cpu]
    for words, share, most in (
        ("median", 0.5, MEDIAN_TARGET),
        ("99th percentile", 0.99, WORST_TARGET),
    ):
        if not late or not others:
            continue
        value, rest = quantile(late, share), quantile(idle, share)
        latency = (
            f"{milliseconds(value)}, {value / rest:.1f} times the {milliseconds(rest)} when idle"
        )
        found.append(
            Figure(
                name=f"{name}: key latency, {words} (at most {most:g} times idle)",
                ours=latency,
                theirs=milliseconds(quantile(others, share)),
                met=value <= most * rest,
            )
        )
    return found


def flood(python: list[str], which: str, data: bytes, megabytes: float, folder: Path) -> Flood:
    """Run the app once; with zero megabytes, until it has handled enough keys.

    Raises:
        RuntimeError: the app did not finish the flood.
    """
    held, log_file = folder / "corpus", folder / "log"
    held.write_bytes(data)
    log_file.unlink(missing_ok=True)
    script = str(Path(__file__).with_name("flood_app.py"))
    command = [*python, script, which, str(held), str(megabytes), str(log_file)]
    sent: list[tuple[str, float]] = []
    with InPty(command, {}) as app:
        app.until(lambda _: "begin" in _text(log_file), 60)
        due, last = time.monotonic(), time.monotonic() + 600
        while app.read(0.004) and time.monotonic() < last:
            app.forget()
            if not megabytes and len(sent) >= IDLE_KEYS:
                app.stay(0.3)
                break
            if time.monotonic() >= due:
                key = "abcdefghijklmnopqrstuvwxyz"[len(sent) % 26]
                sent.append((key, time.monotonic()))
                app.type(key.encode())
                due = time.monotonic() + random.uniform(0.03, 0.07)
    log_lines: list[list[Any]] = [json.loads(line) for line in _text(log_file).splitlines()]
    end = next((what for kind, what, _ in log_lines if kind == "end"), None)
    if end is None and megabytes:
        raise RuntimeError(f"the flood of {which} did not end")
    until = next((at for kind, _, at in log_lines if kind == "end"), float("inf"))
    answered = [(key, at) for kind, key, at in log_lines if kind == "key"]
    late = [
        at - when
        for (key, when), (handled, at) in zip(sent, answered, strict=False)
        if key == handled and when <= until
    ]
    return Flood(cpu=end["cpu"] / end["bytes"] * 1e6 if end else 0.0, latencies=late)


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def main() -> None:
    """Run the benchmark; exit code 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=50.0)
    parser.add_argument("--theirs", type=float, default=3.0)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    sys.exit(0 if print_section(measure(options.megabytes, options.theirs, options.rounds)) else 1)


if __name__ == "__main__":
    main()
