"""How fast the emulator is beside `pyte.Screen`: CPU time on made-up output of known kinds.

    .venv/bin/python -m tests.perf.bench_terminal [--seconds 1.0] [--rounds 2] [NAME ...]

Each corpus goes through both, A B A B, in pieces of 16 KiB on a screen of 120 x 40; the best round
of each counts. Corpora are made here, the same on every machine; a program's own screen (an editor,
a process list) is imitated by the sequences it would send. Prints a table; nothing here is a test.
"""

from __future__ import annotations

import argparse
import math
import random
import time
import warnings
from collections.abc import Callable

import pyte

from sandbox_tui.core.terminal.screen import Screen

COLUMNS, LINES, PIECE, SIZE = 120, 40, 16 * 1024, 600_000
WORDS = [
    "request",
    "handler",
    "worker",
    "pool",
    "connection",
    "timeout",
    "retrying",
    "upstream",
    "database",
    "query",
    "cache",
    "miss",
    "GET",
    "/api/v1/items",
    "200",
    "user",
    "session",
    "token",
]

Corpus = Callable[[random.Random], str]


def seq(chance: random.Random) -> str:
    """Short lines."""
    return "".join(f"{number}\r\n" for number in range(100_000))


def log(chance: random.Random) -> str:
    """Plain lines of a log."""
    return "".join(
        f"2026-11-21 02:{chance.randrange(60):02}:{chance.randrange(60):02},"
        f"{chance.randrange(1000):03} INFO  [{chance.choice(WORDS)}] {_words(chance, 4, 14)}\r\n"
        for _ in range(8000)
    )


def long(chance: random.Random) -> str:
    """One line of a hundred thousand characters, wrapped."""
    letters = 'abcdefghij klmnopqrstuvwxyz0123456789{}":,'
    return "".join(chance.choices(letters, k=100_000)) + "\r\n"


def build(chance: random.Random) -> str:
    """A compiler in colours."""
    return "".join(
        f"\x1b[1m\x1b[32m   Compiling\x1b[0m {chance.choice(WORDS)} v{number % 9}.{number % 7}.0\r\n"
        f"\x1b[33mwarning\x1b[0m\x1b[1m: unused variable: `{chance.choice(WORDS)}`\x1b[0m\r\n"
        f"  \x1b[1m\x1b[34m-->\x1b[0m src/{chance.choice(WORDS)}.rs:{number}:13\r\n"
        for number in range(5000)
    )


def ls(chance: random.Random) -> str:
    """A long listing with coloured names."""
    return "".join(
        f"-rw-r--r-- 1 root root {chance.randrange(10**6):>8} Nov 21 04:{chance.randrange(60):02} "
        f"\x1b[0m\x1b[{chance.choice(('01;34', '01;36', '01;32'))}m{chance.choice(WORDS)}\x1b[0m\r\n"
        for _ in range(8000)
    )


def pip(chance: random.Random) -> str:
    """Progress bars, drawn again and again on one line."""
    parts: list[str] = []
    for package in range(30):
        total = chance.randrange(20, 400) / 10
        parts.append(f"\x1b[?25lCollecting package-{package}>=1.{package}\r\n")
        for percent in range(101):
            full = int(40 * percent / 100)
            rest = f"\x1b[38;5;237m╺{'━' * (39 - full)}\x1b[0m" if full < 40 else ""
            parts.append(
                f"\r\x1b[2K     \x1b[38;2;114;156;31m{'━' * full}\x1b[0m{rest} "
                f"\x1b[32m{total * percent / 100:.1f}/{total} MB\x1b[0m "
                f"\x1b[31m{chance.randrange(10, 900) / 10} MB/s\x1b[0m "
                f"eta \x1b[36m0:00:0{chance.randrange(9)}\x1b[0m"
            )
        parts.append("\x1b[?25h\r\n")
    return "".join(parts)


def c256(chance: random.Random) -> str:
    """A background colour for every few cells."""
    return "".join(
        "".join(f"\x1b[48;5;{(i + j) % 256}m {(i + j) % 256:3}" for j in range(24)) + "\x1b[0m\r\n"
        for i in range(1500)
    )


def truecolor(chance: random.Random) -> str:
    """Pictures of half blocks: two colours for every cell."""
    return "".join(
        "\x1b[H"
        + "".join(
            "".join(
                f"\x1b[38;2;{(x * 2 + f) % 256};{y * 6 % 256};{f * 3 % 256};"
                f"48;2;{(y * 6 + f) % 256};{x * 2 % 256};{f % 256}m▀"
                for x in range(COLUMNS)
            )
            + "\x1b[0m\r\n"
            for y in range(LINES - 1)
        )
        for f in range(4)
    )


def wide(chance: random.Random) -> str:
    """Wide characters, without the emoji sequences pyte drops text after."""
    letters = "漢字日本語中文테스트한국어繁體简体😀🚀🎉"
    return "".join(
        "".join(chance.choices(letters, k=chance.randrange(5, 40))) + " abc def\r\n"
        for _ in range(6000)
    )


def region(chance: random.Random) -> str:
    """Scrolling above a status line, as tmux and pagers do."""
    return "".join(
        f"\x1b[2;39r\x1b[39;1H\n{_words(chance, 9, 10)}\x1b[K\x1b[r\x1b[40;1H\x1b[7m status {frame}"
        f" \x1b[K\x1b[m\x1b[{chance.randrange(2, 39)};{chance.randrange(1, 110)}H"
        "\x1b[1;34mX\x1b[3X\x1b[2P\x1b[2@\x1b[m"
        for frame in range(4000)
    )


def top(chance: random.Random) -> str:
    """A process list: few cells change, the cursor jumps."""
    return "".join(
        f"\x1b[{chance.randrange(6, 40)};{chance.choice((1, 12, 40, 61))}H\x1b[{chance.choice((30, 32, 36))}m"
        f"{chance.randrange(99999):>7}\x1b[39;49m \x1b[1m{chance.randrange(999) / 10:5.1f}\x1b[22m"
        f"\x1b[{chance.randrange(1, 9)}C{chance.choice(WORDS)}\x1b(B\x1b[m\x1b[K"
        for _ in range(10_000)
    )


def editor(chance: random.Random) -> str:
    """Whole screens of syntax colours, as an editor draws while one pages."""
    return "".join(
        "\x1b[?25l\x1b[H"
        + "".join(
            f"\x1b[33m{line:>4} \x1b[m    \x1b[38;5;130m{chance.choice(WORDS)}\x1b[m "
            f"= \x1b[36m{chance.choice(WORDS)}\x1b[m({_words(chance, 1, 7)})\x1b[K\r\n"
            for line in range(LINES - 1)
        )
        + "\x1b[40;1H\x1b[7m main.py\x1b[m\x1b[K\x1b[?12l\x1b[?25h"
        for _ in range(160)
    )


def _words(chance: random.Random, least: int, most: int) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(chance.randrange(least, most)))


CORPORA: tuple[Corpus, ...] = (
    seq, log, long, build, ls, pip, c256, truecolor, wide, region, top, editor
)  # fmt: skip


def corpus(make: Corpus) -> bytes:
    """About `SIZE` bytes of it."""
    data = make(random.Random(7)).encode()
    return (data * (SIZE // len(data) + 1))[:SIZE]


def ours() -> Callable[[bytes], None]:
    """Our emulator, new."""
    return Screen(COLUMNS, LINES).feed


def theirs() -> Callable[[bytes], None]:
    """pyte's own screen, new."""
    return pyte.ByteStream(pyte.Screen(COLUMNS, LINES)).feed


def speed(feed: Callable[[bytes], None], data: bytes, seconds: float) -> float:
    """Megabytes per second of CPU time."""
    start, done = time.process_time(), 0
    for at in range(0, len(data), PIECE):
        feed(data[at : at + PIECE])
        done = min(at + PIECE, len(data))
        if time.process_time() - start > seconds:
            break
    return done / max(1e-6, time.process_time() - start) / 1e6


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=float, default=0.7)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'MB/s of CPU':12}{'pyte':>9}{'ours':>9}{'ratio':>8}")
    ratios: list[float] = []
    for make in CORPORA:
        if arguments.names and make.__name__ not in arguments.names:
            continue
        data = corpus(make)
        best = [0.0, 0.0]
        for _ in range(arguments.rounds):
            for which, new in enumerate((theirs, ours)):
                best[which] = max(best[which], speed(new(), data, arguments.seconds))
        ratios.append(best[1] / best[0])
        print(f"{make.__name__:12}{best[0]:9.2f}{best[1]:9.2f}{ratios[-1]:8.1f}", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{'geomean':12}{'':18}{mean:8.1f}")


if __name__ == "__main__":
    main()
