"""The emulator compared with pyte: CPU time and memory, for fifteen kinds of output.

    python -m tests.perf.emulator_ratio [--seconds 0.3] [--rounds 4] [--recorded | --from FOLDER] [NAME ...]

Each corpus (see `corpora.py`) is fed to both in alternating rounds (A B A B), in chunks of 16 KiB, on a
120 x 40 screen. Each round uses new screens with empty caches, and the best round of each emulator counts.
`terminal_oracles.py` prevents pyte's screens from crashing. The final screen is compared with avt's.
"""

from __future__ import annotations

import argparse
import gc
import math
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

import pyte

from sandbox_tui.core.terminal.emulator import sgr as graphics
from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.core.terminal.emulator.scrollback import SCROLLBACK
from tests.perf.corpora import COLUMNS, CORPORA, LINES, corpus, from_folder, recorded
from tests.perf.figures import Figure, Section
from tests.perf.report import print_section
from tests.terminal_oracles import (
    UncrashedHistory,
    UncrashedScreen,
    avt_lines,
    cut,
    display_of,
    installed,
)

PIECE = 16 * 1024
PLAIN = ("seq", "log")
"""Corpora of lines without colours."""

SCROLLING = (*PLAIN, "long", "build_color", "ls_color", "c256", "cjk_emoji")
"""Corpora whose lines go to scrollback."""

MEAN, ON_PLAIN, ON_ANY, MEMORY = 25.0, 80.0, 4.0, 60.0
"""How many times better our emulator has to be."""

Feed = Callable[[bytes], None]
Corpus = list[bytes]


def ours() -> Screen:
    """Create a screen of our emulator with empty caches."""
    graphics.change_of.cache_clear()
    graphics.sequence_of.cache_clear()
    Screen.meanings.clear()
    return Screen(COLUMNS, LINES)


def theirs() -> Feed:
    """Create a screen of pyte and return its `feed`."""
    return pyte.ByteStream(UncrashedScreen(COLUMNS, LINES)).feed


def pieces(data: bytes) -> Corpus:
    """Split output into the chunks in which a program writes it."""
    return [data[at : at + PIECE] for at in range(0, len(data), PIECE)]


def speed(feed: Feed, data: Corpus, seconds: float) -> float:
    """Return the throughput in megabytes per second of CPU time."""
    start, done = time.process_time(), 0
    for piece in data:
        feed(piece)
        done += len(piece)
        if time.process_time() - start > seconds:
            break
    return done / max(1e-6, time.process_time() - start) / 1e6


def differing(data: Corpus) -> int:
    """Count the rows of the final screen that differ from avt's."""
    screen = ours()
    for piece in data:
        screen.feed(piece)
    theirs = avt_lines(data, COLUMNS, LINES)
    return sum(a != b for a, b in zip(cut(display_of(screen)), theirs, strict=True))


def bytes_a_line(feed: Feed, count: Callable[[], int], data: Corpus, lines: int) -> float:
    """Return the bytes that a line of scrollback takes."""
    gc.collect()
    tracemalloc.start()
    for _ in range(50):
        for piece in data:
            feed(piece)
            if count() >= lines:
                break
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return used / max(1, count())


def memory(data: Corpus) -> tuple[float, float]:
    """Return the bytes per line of our scrollback at 20,000 lines, and of pyte's at 1,500."""
    history = UncrashedHistory(COLUMNS, LINES, history=SCROLLBACK)
    feed = pyte.ByteStream(history).feed
    small = [piece[at : at + 1024] for piece in data for at in range(0, len(piece), 1024)]
    pytes = bytes_a_line(feed, lambda: len(history.history.top), small, 1500)
    screen = ours()
    return bytes_a_line(screen.feed, lambda: screen.history_size, data, 20_000), pytes


def measure(
    wanted: Mapping[str, Corpus] | None = None, *, rounds: int = 4, seconds: float = 0.3
) -> Section:
    """Measure speed, memory and the final screen for these corpora; by default for all."""
    warnings.simplefilter("ignore")
    if wanted is None:
        wanted = {make.__name__: pieces(corpus(make)) for make in CORPORA}
    section = Section(
        title="Terminal emulator",
        words=(
            f"Throughput (MB per CPU second) compared with `pyte.Screen`, for {len(wanted)} kinds of "
            f"output (`tests/perf/corpora.py`) in chunks of 16 KiB on a {COLUMNS} x {LINES} screen: "
            f"best of {rounds} alternating rounds, each on a new screen. Memory per line of "
            "scrollback: 20,000 lines, compared with 1,500 lines in `pyte.HistoryScreen`."
        ),
    )
    ratios = [_speed(section, name, data, rounds, seconds) for name, data in wanted.items()]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    section.figures.append(
        Figure(name="geometric mean", ours="", ratio=mean, target=MEAN, met=mean >= MEAN)
    )
    for name in (name for name in wanted if name in SCROLLING):
        own, pytes = memory(wanted[name])
        section.figures.append(
            Figure.less(
                f"{name}: memory per scrollback line", own, pytes, MEMORY, "{:.0f} bytes".format
            )
        )
    _compare(section, wanted)
    return section


def _speed(section: Section, name: str, data: Corpus, rounds: int, seconds: float) -> float:
    """Add the figure to the section and return the ratio of the speeds."""
    best = [0.0, 0.0]
    for _ in range(rounds):
        best[0] = max(best[0], speed(ours().feed, data, seconds))
        best[1] = max(best[1], speed(theirs(), data, seconds))
    own, pytes = best
    target = ON_PLAIN if name in PLAIN else ON_ANY
    section.figures.append(
        Figure(
            name=name,
            ours=f"{own:.1f} MB/s",
            theirs=f"{pytes:.2f} MB/s",
            ratio=own / pytes,
            target=target,
            met=own / pytes >= target,
        )
    )
    return own / pytes


def _compare(section: Section, wanted: Mapping[str, Corpus]) -> None:
    if not installed("avt"):
        section.missing.append("The screens were not compared: pyavt is not installed.")
        return
    rows = {name: differing(data) for name, data in wanted.items()}
    differ = ", ".join(f"{count} in {name}" for name, count in rows.items() if count)
    section.figures.append(
        Figure(
            name="rows of the final screen that differ from avt",
            ours=differ or "none",
            met=not differ,
        )
    )


def main() -> None:
    """Run the benchmark; exit code 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--recorded", action="store_true")
    parser.add_argument("--from", type=Path, dest="folder")
    options = parser.parse_args()
    wanted: dict[str, Corpus] = {}
    for make in CORPORA:
        name = make.__name__
        if options.names and name not in options.names:
            continue
        data = from_folder(name, options.folder) if options.folder else None
        if options.recorded:
            data = recorded(name)
        wanted[name] = pieces(data or corpus(make))
    section = measure(wanted, rounds=options.rounds, seconds=options.seconds)
    sys.exit(0 if print_section(section) else 1)


if __name__ == "__main__":
    main()
