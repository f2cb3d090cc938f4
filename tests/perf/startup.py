"""Start-up time: `--help` against the reference, the first screen against Posting and Harlequin."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from tempfile import TemporaryDirectory

from tests.perf.figures import Figure, Section, in_turns, median, milliseconds, seconds_of
from tests.perf.in_pty import InPty
from tests.perf.peers import HARLEQUIN, POSTING, QUIET, REFERENCE, PeerMissing, our_program

HELP_TARGET, PAINT_TARGET = 8.0, 1.0


def measure(rounds: int = 7) -> Section:
    """Measure both."""
    section = Section(
        title="Start-up",
        words=(
            "Run time of `sandbox-tui --help` and `llm-in-sandbox run --help`; then the time from "
            "process start until the last line of the first screen is drawn, on a 140 x 40 "
            "pseudo-terminal that answers terminal queries. "
            f"Median of {rounds} alternating rounds."
        ),
    )
    with TemporaryDirectory() as home:
        for measured in (_help, _posting, _harlequin):
            try:
                section.figures.append(measured(home, rounds))
            except (PeerMissing, TimeoutError) as error:
                section.missing.append(str(error))
    return section


def _help(home: str, rounds: int) -> Figure:
    reference = REFERENCE.program("llm-in-sandbox")

    def run(*command: str) -> Callable[[], float]:
        environment = {**os.environ, **QUIET, "SANDBOX_TUI_HOME": home}
        return lambda: seconds_of(
            lambda: subprocess.run(command, capture_output=True, env=environment, check=True)
        )

    ours, theirs = in_turns(run(our_program(), "--help"), run(reference, "run", "--help"), rounds)
    name = f"`--help`, vs. llm-in-sandbox {REFERENCE.version}"
    return Figure.less(name, median(ours), median(theirs), HELP_TARGET, milliseconds)


def _posting(home: str, rounds: int) -> Figure:
    theirs = first_paint([POSTING.program("posting")], b"Variables", home)
    return _paint(f"first screen, vs. Posting {POSTING.version}", home, theirs, rounds)


def _harlequin(home: str, rounds: int) -> Figure:
    theirs = first_paint([HARLEQUIN.program("harlequin"), ":memory:"], b"History", home)
    return _paint(f"first screen, vs. Harlequin {HARLEQUIN.version}", home, theirs, rounds)


def _paint(name: str, home: str, theirs: Callable[[], float], rounds: int) -> Figure:
    ours, others = in_turns(first_paint([our_program()], b"palette", home), theirs, rounds)
    return Figure.less(name, median(ours), median(others), PAINT_TARGET, milliseconds)


def first_paint(command: list[str], word: bytes, home: str) -> Callable[[], float]:
    """Return a function that measures the time until `word`, on the last line, is drawn."""
    environment = {"HOME": home, "SANDBOX_TUI_HOME": home, "XDG_CONFIG_HOME": home}

    def paint() -> float:
        with InPty(command, environment) as program:
            return program.until(lambda seen: word in seen, 60)

    return paint
