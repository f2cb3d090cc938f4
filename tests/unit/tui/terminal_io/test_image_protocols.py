"""How images are drawn in terminals that answer the queries fully, partly or not at all."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

import pytest

from sandbox_tui.tui.terminal_io import image_protocols
from sandbox_tui.tui.terminal_io.capabilities import Answers, read_answers
from tests.waiting import HANG_SECONDS

ASK = """
import sys
from sandbox_tui.tui.terminal_io import image_protocols
way = image_protocols.prepare({!r})
sys.stdout.write(f"way {{way}}.")
sys.stdout.flush()
sys.stdout.write(f"left {{sys.stdin.readline()!r}}.")
"""


def ask(term: str, answers: dict[bytes, bytes], wanted: str = "auto", **more: str) -> str:
    """Return what `prepare` chooses in a terminal with these answers."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 800, 480))
    environment = {k: v for k, v in os.environ.items() if k not in ("TMUX", "STY", "TERM_PROGRAM")}
    process = subprocess.Popen(
        [sys.executable, "-c", ASK.format(wanted)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**environment, "TERM": term, **more},
        start_new_session=True,
    )
    os.close(slave)
    until, seen, typed = time.monotonic() + HANG_SECONDS, b"", False
    while time.monotonic() < until and not re.search(rb"left .*'\.", seen):
        if not select.select([master], [], [], 0.1)[0]:
            continue
        try:
            seen += os.read(master, 4096)
        except OSError:
            break
        for question, answer in answers.items():
            if re.search(question, seen):
                seen = re.sub(question, b"", seen)
                os.write(master, answer)
        if re.search(rb"way \w+\.", seen) and not typed:
            typed = True
            os.write(master, b"typed\n")
    process.wait(HANG_SECONDS)
    os.close(master)
    match = re.search(rb"way (\w+)\.", seen)
    assert match, seen
    assert b"left 'typed" in seen, seen
    return match[1].decode()


KITTY = rb"\x1b_G[^\x1b]*\x1b\\"
CELL = rb"\x1b\[16t"
ATTRIBUTES = rb"\x1b\[c"
XTERM = {CELL: b"", ATTRIBUTES: b"\x1b[?62;22c"}


def test_kitty() -> None:
    answers = {KITTY: b"\x1b_Gi=31;OK\x1b\\", CELL: b"\x1b[6;20;9t", ATTRIBUTES: b"\x1b[?62;c"}
    assert ask("xterm-kitty", answers) == "kitty"
    assert ask("xterm-256color", answers, TERM_PROGRAM="ghostty") == "kitty"
    assert ask("xterm-kitty", answers, TMUX="/tmp/x") == "blocks"


def test_sixel() -> None:
    assert ask("xterm", {ATTRIBUTES: b"\x1b[?62;4;22c"}) == "sixel"
    assert ask("xterm", XTERM) == "blocks"


def test_a_terminal_that_says_nothing() -> None:
    for term in ("dumb", "xterm-kitty"):
        assert ask(term, {}) == "blocks"


def test_a_configured_protocol_is_not_queried() -> None:
    assert ask("dumb", {}, "blocks") == "blocks"
    assert ask("dumb", {}, "none") == "none"
    assert ask("xterm", XTERM, "sixel") == "sixel"


def test_answers() -> None:
    found = read_answers(b"keys\x1b[6;20;9t\x1b[?64;4c")
    assert found == Answers(sixel=True, cell=(9, 20), typed="keys")
    assert read_answers(b"\x1b[?64;14;44c") == Answers()
    assert read_answers(b"\x1b_Gi=31;ENOENT:no\x1b\\\x1b[?6c") == Answers()


def test_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_protocols, "_found", [])
    assert image_protocols.way() == "blocks"


def test_what_was_typed_before_and_between_the_answers_is_kept() -> None:
    answers = read_answers("/é\x1b[6;16;8tx\x1b[A\x1b_Gi=31;OK\x1b\\\x1b[?1;2c,\r".encode())
    assert answers.typed == "/éx,"
    assert answers.cell == (8, 16)
