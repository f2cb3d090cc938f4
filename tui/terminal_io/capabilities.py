"""Queries the terminal's capabilities before the screen begins.

All queries are sent at once. The last one is answered by every terminal (device attributes, ECMA-48
DA1): when its answer has arrived, so have the others, and none can arrive later and be treated as
keys. The caller can do other work while the answers are on their way.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import sys
import termios
import time
import tty
from collections.abc import Callable, Generator
from dataclasses import dataclass

LOCAL_TIMEOUT_SECONDS = 1.0
"""Seconds to wait for the last answer; over a network a terminal may be slow."""

REMOTE_TIMEOUT_SECONDS = 3.0

_KITTY = b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
_CELL_SIZE = b"\x1b[16t"
_ATTRIBUTES = b"\x1b[c"
_ATTRIBUTES_ANSWER = re.compile(rb"\x1b\[\?([\d;]*)c")

_SEQUENCE = re.compile(rb"\x1b(?:_[^\x1b]*\x1b\\|\[[0-?]*[ -/]*[@-~]|O.)?")
"""An answer, or the key of a terminal that sends a sequence."""


@dataclass(frozen=True, slots=True)
class Answers:
    """Capabilities of a terminal.

    Attributes:
        kitty: supports kitty's graphics protocol.
        sixel: supports sixel graphics.
        cell: width and height of a cell in pixels, if reported.
        typed: the characters that the user typed before the answers were there.
    """

    kitty: bool = False
    sixel: bool = False
    cell: tuple[int, int] | None = None
    typed: str = ""


@contextlib.contextmanager
def asked_terminal(*, about_kitty: bool) -> Generator[Callable[[], Answers], None, None]:
    """Send the queries; yields a function that waits for the answers. Until then, echo is off.

    A terminal that does not answer, or is not one, has no capabilities.

    Args:
        about_kitty: also query kitty's graphics, which some other terminals would print.
    """
    questions = (_KITTY if about_kitty else b"") + _CELL_SIZE + _ATTRIBUTES
    source = sys.stdin.fileno() if sys.stdout.isatty() and sys.stdin.isatty() else -1
    try:
        before = termios.tcgetattr(source)
        tty.setcbreak(source, termios.TCSANOW)
        os.write(sys.stdout.fileno(), questions)
    except (OSError, ValueError, termios.error):
        yield Answers
        return
    far = "SSH_CONNECTION" in os.environ or "SSH_TTY" in os.environ
    until = time.monotonic() + (REMOTE_TIMEOUT_SECONDS if far else LOCAL_TIMEOUT_SECONDS)
    try:
        yield lambda: read_answers(_read(source, until))
    finally:
        with contextlib.suppress(OSError, termios.error):
            termios.tcsetattr(source, termios.TCSANOW, before)


def read_answers(data: bytes) -> Answers:
    """Parse a terminal's answers."""
    attributes = _ATTRIBUTES_ANSWER.search(data)
    size = re.search(rb"\x1b\[6;(\d{1,4});(\d{1,4})t", data)
    return Answers(
        kitty=bool(re.search(rb"\x1b_Gi=31[^\x1b]*;OK\x1b\\", data)),
        sixel=attributes is not None and b"4" in attributes[1].split(b";"),
        cell=(int(size[2]), int(size[1])) if size else None,
        typed=_typed(data),
    )


def _typed(data: bytes) -> str:
    """Return what was typed between the answers; keys that send sequences are lost."""
    words = _SEQUENCE.sub(b"", data).decode(errors="ignore")
    return "".join(character for character in words if character.isprintable())


def _read(source: int, until: float) -> bytes:
    """Read from a terminal up to the last answer, or until a time of the monotonic clock."""
    data = b""
    with contextlib.suppress(OSError):
        while not _ATTRIBUTES_ANSWER.search(data):
            left = max(0.0, until - time.monotonic())
            if not select.select([source], [], [], left)[0]:
                break
            piece = os.read(source, 1024)
            if not piece:
                break
            data += piece
    return data
