"""CPU time of the idle program: the home screen, and a run that waits for the user."""

from __future__ import annotations

import sys
from tempfile import TemporaryDirectory

from tests.perf.figures import Figure, Section
from tests.perf.in_pty import InPty
from tests.perf.peers import our_program
from tests.perf.report import print_section

SETTLING = 6.0
"""Seconds until everything is shown and the other screens are imported."""

MOST = 0.6
"""CPU seconds per minute: one percent."""

SCREENS = {
    "home screen": ([], b"palette"),
    "live screen, a call waits": (["demo", "--step", "--sandbox", "bubblewrap"], b"approve"),
}


def measure(seconds: float = 30.0) -> Section:
    """Measure both screens."""
    section = Section(
        title="Idle",
        words=(
            "CPU seconds per minute, all threads, on a pseudo-terminal of 140 x 40, measured over "
            f"{seconds:g} s without input."
        ),
    )
    for name, (command, word) in SCREENS.items():
        with TemporaryDirectory() as home:
            environment = {"SANDBOX_TUI_HOME": home, "SANDBOX_TUI_AGENT_OUTPUT": f"{home}/out"}
            with InPty([our_program(), *command], environment) as program:
                program.until(lambda seen, word=word: word in seen, 60)
                program.stay(SETTLING)
                before, written = program.cpu, len(program.seen)
                program.stay(seconds)
                used = (program.cpu - before) * 60 / seconds
                written = len(program.seen) - written
        section.figures += [
            Figure.bound(
                f"{name}: CPU time", used, MOST, lambda value: f"{value:.2f} s per minute"
            ),
            Figure(name=f"{name}: output to the terminal", ours=f"{written} bytes"),
        ]
    return section


if __name__ == "__main__":
    sys.exit(0 if print_section(measure()) else 1)
