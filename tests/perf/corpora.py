"""Terminal output of fifteen kinds, generated or recorded, to measure and compare the emulator
with.

Generated output is the same on every machine; full-screen programs (an editor, a process list) are
imitated by the sequences they send. `recorded` runs the real program instead, if installed.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import random
import select
import shutil
import signal
import struct
import termios
import time
from collections.abc import Callable
from pathlib import Path

COLUMNS, LINES, SIZE = 120, 40, 1_000_000

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

Make = Callable[[random.Random], str]


def words(chance: random.Random, least: int, most: int) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(chance.randrange(least, most)))


def seq(chance: random.Random) -> str:
    """Short lines."""
    return "".join(f"{number}\r\n" for number in range(200_000))


def log(chance: random.Random) -> str:
    """Plain lines of a log."""
    return "".join(
        f"2026-11-21 02:{chance.randrange(60):02}:{chance.randrange(60):02},"
        f"{chance.randrange(1000):03} INFO  [{chance.choice(WORDS)}] {words(chance, 4, 14)}\r\n"
        for _ in range(14_000)
    )


def long(chance: random.Random) -> str:
    """Wrapped lines of a hundred thousand characters."""
    letters = 'abcdefghij klmnopqrstuvwxyz0123456789{}":,'
    return "".join(chance.choices(letters, k=100_000)) + "\r\n"


def build_color(chance: random.Random) -> str:
    """Coloured output of a compiler."""
    return "".join(
        f"\x1b[1m\x1b[32m   Compiling\x1b[0m {chance.choice(WORDS)} v{number % 9}.{number % 7}.0\r\n"
        f"\x1b[33mwarning\x1b[0m\x1b[1m: unused variable: `{chance.choice(WORDS)}`\x1b[0m\r\n"
        f"  \x1b[1m\x1b[34m-->\x1b[0m src/{chance.choice(WORDS)}.rs:{number}:13\r\n"
        for number in range(9000)
    )


def ls_color(chance: random.Random) -> str:
    """A long listing with coloured names."""
    return "".join(
        f"-rw-r--r-- 1 root root {chance.randrange(10**6):>8} Nov 21 04:{chance.randrange(60):02} "
        f"\x1b[0m\x1b[{chance.choice(('01;34', '01;36', '01;32'))}m{chance.choice(WORDS)}\x1b[0m\r\n"
        for _ in range(14_000)
    )


def pip(chance: random.Random) -> str:
    """Progress bars redrawn on one line."""
    parts: list[str] = []
    for package in range(60):
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
    """A new background colour every few cells."""
    return "".join(
        "".join(f"\x1b[48;5;{(i + j) % 256}m {(i + j) % 256:3}" for j in range(24)) + "\x1b[0m\r\n"
        for i in range(4000)
    )


def truecolor(chance: random.Random) -> str:
    """Pictures made of half blocks: two colours for every cell."""
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
        for f in range(8)
    )


def cjk_emoji(chance: random.Random) -> str:
    """Wide characters, emoji of several code points, letters with combining marks."""
    letters, emoji = "漢字日本語中文테스트한국어繁體简体", "😀🚀🎉👩‍💻👍🏽🇯🇵❤️✅⚠️🧪"
    return "".join(
        f"{''.join(chance.choices(letters, k=chance.randrange(5, 40)))} "
        f"{''.join(chance.choices(emoji, k=chance.randrange(1, 8)))} e\u0301a\u0308 abc\r\n"
        for _ in range(12_000)
    )


def scroll_region(chance: random.Random) -> str:
    """Scrolling above a status line, with cells inserted and deleted."""
    return "\x1b[?1049h" + "".join(
        f"\x1b[2;39r\x1b[39;1H\n{words(chance, 9, 10)}\x1b[K\x1b[r\x1b[40;1H\x1b[7m status {frame}"
        f" \x1b[K\x1b[m\x1b[{chance.randrange(2, 39)};{chance.randrange(1, 110)}H"
        "\x1b[1;34mX\x1b[3X\x1b[2P\x1b[2@\x1b[m"
        for frame in range(4000)
    )


def htop(chance: random.Random) -> str:
    """A process list: few cells change, the cursor jumps, ncurses resets in three sequences."""
    reset = "\x1b[39m\x1b(B\x1b[m"
    return "\x1b[?1049h" + "".join(
        f"\x1b[{chance.randrange(6, 40)};1H{reset}{chance.randrange(99999):>5}"
        f"\x1b[{chance.randrange(6, 40)};26H\x1b[36m{chance.randrange(9)}{reset}{chance.randrange(999):03}"
        f"\x1b[{chance.randrange(6, 40)};52H\x1b(B\x1b[0;1m\x1b[90m{chance.randrange(99) / 10:4}"
        f"{reset} 0:00.{chance.randrange(99):02} \x1b[36m│  └─ {reset}{chance.choice(WORDS)}\x1b[K"
        for _ in range(9000)
    )


def mc(chance: random.Random) -> str:
    """Two framed panels in which every cell has a background."""
    return "\x1b[?1049h" + "".join(
        f"\x1b[1;1H\x1b[97m\x1b[44m┌{'─' * 58}┐\x1b[1;61H┌<─ /usr/lib {'─' * 40}.[^]>┐"
        + "".join(
            f"\x1b[{row};{left}H\x1b[37m\x1b[44m│\x1b[97m/{chance.choice(WORDS):<37}\x1b[37m│"
            f"\x1b[97m{chance.randrange(99999):>7}\x1b[37m│\x1b[97mNov 21 04:{chance.randrange(60):02}"
            f"\x1b[37m│"
            for row in range(2, 38)
            for left in (1, 61)
        )
        + "\x1b[40;1H\x1b[97m\x1b[40m 1\x1b[30m\x1b[46mHelp      \x1b[97m\x1b[40m10\x1b[30m\x1b[46mQuit"
        for _ in range(200)
    )


def less(chance: random.Random) -> str:
    """A pager, scrolling forwards line by line."""
    return "\x1b[?1049h\x1b[?1h\x1b=" + "".join(
        f"\r\x1b[K{words(chance, 3, 12)}\r\n\x1b[7m(END)\x1b[27m\x1b[K"
        if number % 4
        else f"\r\x1b[K\x1b[1mNAME\x1b[0m {words(chance, 3, 12)}\r\n:\x1b[K"
        for number in range(15_000)
    )


def tmux(chance: random.Random) -> str:
    """A multiplexer: lines in a region above a status line, each followed by an erase."""
    return "\x1b[?1049h\x1b[22;0;0t\x1b(B\x1b[m\x1b[?25l" + "".join(
        f"\x1b[1;39r\x1b[39;120H\n\x1b[39;1Hline {number} {chance.randrange(32768)}\x1b[K\r\n"
        f"\x1b[1;40r\x1b[39;1H\x1b[34m\x1b[1m{chance.choice(WORDS)}\x1b(B\x1b[m\x1b[K"
        f'\x1b[40;1H\x1b[30m\x1b[42m[0] 0:bash*{" " * 40}\x1b[{chance.randrange(50, 99)}G"vm" 04:26'
        "\x1b(B\x1b[m\x1b[39;1H"
        for number in range(8000)
    )


def vim(chance: random.Random) -> str:
    """Full screens with syntax colours, as an editor draws them while the user pages."""
    return "\x1b[?1049h" + "".join(
        "\x1b[?25l\x1b[H"
        + "".join(
            f"\x1b[33m{line:>4} \x1b[m    \x1b[38;5;130m{chance.choice(WORDS)}\x1b[m "
            f"= \x1b[36m{chance.choice(WORDS)}\x1b[m({words(chance, 1, 7)})\x1b[K\r\n"
            for line in range(LINES - 1)
        )
        + "\x1b[40;1H\x1b[7m main.py\x1b[m\x1b[K\x1b[?12l\x1b[?25h"
        for _ in range(300)
    )


CORPORA: tuple[Make, ...] = (
    seq, log, long, build_color, ls_color, pip, c256, truecolor, cjk_emoji, scroll_region, htop, mc,
    less, tmux, vim,
)  # fmt: skip


def corpus(make: Make, size: int = SIZE) -> bytes:
    """Return `size` bytes of a corpus, repeated if it is shorter."""
    data = make(random.Random(7)).encode()
    return (data * (size // len(data) + 1))[:size]


_TEXT = argparse.__file__
_PROGRAMS: dict[str, tuple[list[str], list[bytes]]] = {
    "ls_color": (["ls", "-laR", "--color=always", "/usr/lib/python3", "/usr/share", "/etc"], []),
    "vim": (
        ["vim", "-u", "NONE", "-N", "-n", "-c", "syntax on|set number ruler", _TEXT],
        [b"\x04", b"\x04", b"\x15", b"20j", b"5k", b"/self\r", b"dd", b"u", b"ostuff\x1b", b"G", b"gg"],
    ),
    "less": (["less", "-R", _TEXT], [b" ", b" ", b"b", b"j", b"j", b"k", b"d", b"u"]),
    "htop": (["htop", "-d", "1"], [b"\x1b[B", b"\x1b[A", b"\x1b[6~", b"\x1b[5~", b"P", b"M", b"t"]),
    "mc": (["mc", "-u", "/usr/bin", "/usr/lib"], [b"\x1b[B", b"\x1b[6~", b"\t", b"\x1b[A", b"\x1b[5~"]),
    "tmux": (
        ["tmux", "-L", "bench", "-f", "/dev/null", "new",
         "for i in $(seq 3000); do echo line $i $RANDOM; done; ls -la --color /usr/bin; sleep 1"],
        [],
    ),
}  # fmt: skip
"""Programs to record, with the keys that are pressed in a loop."""

SECONDS = 6


def recorded(name: str, size: int = SIZE) -> bytes | None:
    """Record a real program while its keys are pressed; None if it is not installed."""
    program, keys = _PROGRAMS.get(name, ([], []))
    if not program or not shutil.which(program[0]):
        return None
    data = _record(program, keys, size)
    return (data * (size // max(1, len(data)) + 1))[:size] if data else None


def _record(program: list[str], keys: list[bytes], size: int) -> bytes:
    pid, descriptor = pty.fork()
    if pid == 0:
        names = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "COLORTERM": "truecolor"}
        sizes = {"LINES": str(LINES), "COLUMNS": str(COLUMNS)}
        os.execvpe(program[0], program, {**os.environ, **names, **sizes})
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    data = bytearray()
    began = time.monotonic()
    pressed, due = 0, began + 0.5
    while time.monotonic() < began + SECONDS and len(data) < size:
        if select.select([descriptor], [], [], 0.01)[0]:
            try:
                piece = os.read(descriptor, 65_536)
            except OSError:
                break
            if not piece:
                break
            data += piece
        if keys and time.monotonic() >= due:
            os.write(descriptor, keys[pressed % len(keys)])
            pressed, due = pressed + 1, time.monotonic() + 0.01
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(descriptor)
    return bytes(data)


def from_folder(name: str, folder: Path) -> bytes | None:
    """Return a stored recording, `NAME.bin` in a folder; None if there is none."""
    path = folder / f"{name}.bin"
    return path.read_bytes() if path.exists() else None
