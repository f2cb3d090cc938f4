"""The text left on a command's terminal when the command ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.terminal.transcript import transcript
from sandbox_tui.core.tools.bash import as_terminal_text
from tests.fakes import result

SIZE = (80, 24)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"one\r\ntwo\r\n", "one\ntwo"),
        (b"\x1b[1;31mred\x1b[0m\r\n", "red"),
        (b" 10%\r 50%\r100%\r\ndone\r\n", "100%\ndone"),
        (b"a\r\nb\r\n\x1b[2A\x1b[Kfirst\r\n\x1b[Ksecond\r\n", "first\nsecond"),
        (b"\x1b]0;title\x07shown\r\n", "shown"),
        (b"\x1b[?1049h\x1b[Hin vim\x1b[?1049lafter\r\n", "after"),
        ("日本\r\n".encode(), "日本"),
        (b"x" * 300 + b"\r\n", "x" * 300),
        (b"no newline", "no newline"),
    ],
)
def test_the_text_left_on_the_terminal(data: bytes, text: str) -> None:
    assert transcript(data, SIZE) == text


def test_all_lines_are_there() -> None:
    data = b"".join(b"line %d\r\n" % n for n in range(5000))
    assert transcript(data, SIZE).split("\n") == [f"line {n}" for n in range(5000)]


@given(st.binary(max_size=300))
def test_no_escape_is_left(data: bytes) -> None:
    assert "\x1b" not in transcript(data, SIZE)


def test_a_result_says_how_much_it_was() -> None:
    shown = as_terminal_text(result(b"10%\r100%\r\n"), SIZE)
    assert (shown.stdout, shown.stdout_bytes) == (b"100%", 4)
    capped = as_terminal_text(result(b"abc", stdout_bytes=100), SIZE)
    assert (capped.stdout, capped.stdout_bytes) == (b"abc", 100)
