"""How fast and how small the emulator is beside pyte: CPU time and memory, on output of 15 kinds.

    .venv/bin/python -m tests.perf.bench_terminal [--seconds 0.3] [--rounds 4] [--recorded | --from FOLDER] [NAME ...]

Each corpus (see `corpora.py`) goes through both, A B A B, in pieces of 16 KiB on a screen of 120 x 40,
each time through new screens that remember nothing; the best round of each counts. `pyte` is
`pyte.Screen`, kept from raising (`terminal_oracles.py`). `rows` says how many of the 40 rows differ
from those of avt in the end. Memory is that of a line of scrollback: ours at 20,000 lines beside
`pyte.HistoryScreen` at 1,500. Prints two tables; nothing here is a test.
"""

from __future__ import annotations

import argparse
import gc
import math
import time
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path

import pyte

from sandbox_tui.core.terminal import graphics
from sandbox_tui.core.terminal.history import SCROLLBACK
from sandbox_tui.core.terminal.screen import Screen

from ..terminal_oracles import UncrashedHistory, UncrashedScreen, avt_lines, cut, installed
from .corpora import COLUMNS, CORPORA, LINES, corpus, from_folder, recorded

PIECE = 16 * 1024
SCROLLING = ("seq", "log", "long", "build_color", "ls_color", "c256", "cjk_emoji")
"""Corpora whose lines go to scrollback."""

Feed = Callable[[bytes], None]


def ours() -> Screen:
    """Our emulator, new, and with nothing remembered of sequences it has met."""
    graphics.change_of.cache_clear()
    graphics.sequence_of.cache_clear()
    Screen.meanings.clear()
    return Screen(COLUMNS, LINES)


def theirs() -> Feed:
    """pyte's own screen, new."""
    return pyte.ByteStream(UncrashedScreen(COLUMNS, LINES)).feed


def pieces(data: bytes) -> list[bytes]:
    """What a terminal's program writes at once."""
    return [data[at : at + PIECE] for at in range(0, len(data), PIECE)]


def speed(feed: Feed, data: list[bytes], seconds: float) -> float:
    """Megabytes per second of CPU time."""
    start, done = time.process_time(), 0
    for piece in data:
        feed(piece)
        done += len(piece)
        if time.process_time() - start > seconds:
            break
    return done / max(1e-6, time.process_time() - start) / 1e6


def differing(data: list[bytes]) -> str:
    """Rows of the screen at the end that avt shows otherwise."""
    if not installed("avt"):
        return "-"
    screen = ours()
    for piece in data:
        screen.feed(piece)
    theirs = avt_lines(data, COLUMNS, LINES)
    return str(sum(a != b for a, b in zip(cut(screen.display), theirs, strict=True)))


def bytes_a_line(feed: Feed, count: Callable[[], int], data: list[bytes], lines: int) -> float:
    """Memory that a line of scrollback takes."""
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


def memory(data: list[bytes]) -> tuple[float, float]:
    """Bytes a line of pyte's scrollback and of ours."""
    history = UncrashedHistory(COLUMNS, LINES, history=SCROLLBACK)
    feed = pyte.ByteStream(history).feed
    small = [piece[at : at + 1024] for piece in data for at in range(0, len(piece), 1024)]
    pytes = bytes_a_line(feed, lambda: len(history.history.top), small, 1500)
    screen = ours()
    return pytes, bytes_a_line(screen.feed, lambda: screen.history_size, data, 20_000)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--recorded", action="store_true")
    parser.add_argument("--from", type=Path, dest="folder")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    wanted: dict[str, list[bytes]] = {}
    for make in CORPORA:
        name = make.__name__
        if arguments.names and name not in arguments.names:
            continue
        data = from_folder(name, arguments.folder) if arguments.folder else None
        if arguments.recorded:
            data = recorded(name)
        wanted[name] = pieces(data or corpus(make))

    print(f"{'MB/s of CPU':14}{'pyte':>9}{'ours':>9}{'ratio':>8}{'rows':>6}")
    ratios: list[float] = []
    for name, data in wanted.items():
        best = [0.0, 0.0]
        for _ in range(arguments.rounds):
            best[0] = max(best[0], speed(theirs(), data, arguments.seconds))
            best[1] = max(best[1], speed(ours().feed, data, arguments.seconds))
        ratios.append(best[1] / best[0])
        print(
            f"{name:14}{best[0]:9.2f}{best[1]:9.2f}{ratios[-1]:8.1f}{differing(data):>6}",
            flush=True,
        )
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{'geomean':14}{'':18}{mean:8.1f}\n")

    print(f"{'bytes a line':14}{'pyte':>9}{'ours':>9}{'ratio':>8}")
    for name, data in wanted.items():
        if name in SCROLLING:
            pytes, own = memory(data)
            print(f"{name:14}{pytes:9.0f}{own:9.0f}{pytes / own:8.1f}", flush=True)


if __name__ == "__main__":
    main()
