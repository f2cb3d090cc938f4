"""The mirror's writer, read back through the emulator, in cases that its other tests leave out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.core.terminal.mirror import MAX_LINE_CHARS, MirrorWriter


def mirror(*parts: bytes) -> Screen:
    screen = Screen(60, 30)
    for part in parts:
        screen.feed(part)
    return screen


def lines(screen: Screen) -> list[str]:
    return [text for index in range(screen.lines) if (text := screen.text(index))]


MESSES = [
    b"\x1b[?1049h\x1b[31;44;7m",
    b"\x1b(0\x0e\x1b)0",
    b"\x1b[5;9r\x1b[?6h",
    b"\x1b[?25l\x1b[4h\x1b[?7l",
    b"\x1b]2;a title that never ends",
    b"\x1bPq and a picture",
    b"\x1b[1;2",
    b"\x1b[?1003h\x1b[?1006h\x1b[?2026h\x1b[?2004h\x1b[?1h",
    "漢".encode()[:2],
]


@pytest.mark.parametrize("mess", MESSES)
@pytest.mark.parametrize("exit_code", [0, 1])
def test_the_next_prompt_is_readable_whatever_was_left_behind(mess: bytes, exit_code: int) -> None:
    console = MirrorWriter()
    screen = mirror(
        console.prompt("model", "first"),
        console.output("stdout", b"shown\n" + mess),
        console.finished(exit_code=exit_code, duration=0.4),
        console.prompt("you", "second"),
        console.output("stdout", b"fine\n"),
    )
    seen = lines(screen)
    assert seen[0] == "model ❯ first"
    assert seen[-2:] == ["you   ❯ second", "fine"]
    assert screen.modes == {7, 25, 1007}
    look = screen.row(screen.y - 1)[-1][1]
    assert (look.fg, look.bg, look.reverse) == ("default", "default", False)
    assert not screen.in_alternate


def test_colours_after_the_last_newline_make_no_empty_line() -> None:
    console = MirrorWriter()
    screen = mirror(
        console.output("stdout", b"red\n\x1b[0m"),
        console.output("stdout", b"\x1b[K\x1b]0;t\x07"),
        console.prompt("model", "next"),
    )
    assert [screen.text(0), screen.text(1)] == ["red", "model ❯ next"]


def test_a_huge_command_is_shown_shortened() -> None:
    console = MirrorWriter()
    data = console.prompt("model", "x" * 100_000 + "\n" * 3 + "\ty")
    assert len(data) < 2 * MAX_LINE_CHARS
    assert "…" in data.decode()


@settings(max_examples=200)
@given(st.text(max_size=200))
def test_a_command_cannot_command_the_terminal(command: str) -> None:
    console = MirrorWriter()
    plain = Screen(200, 60)
    plain.feed(console.prompt("model", command))
    assert plain.title == ""
    assert plain.replies() == b""
    assert plain.modes == {7, 25, 1007}


# --- text


@given(st.text(st.characters(exclude_categories=())))
def test_places_without_newlines_and_tabs(text: str) -> None:
    line = sanitize(text, newlines=False, tabs=False)
    assert line == sanitize_line(text)
    assert not set(line) & set("\n\t\r\x0b\x0c\x85\u2028\u2029")
    assert sanitize_line(line) == line
    assert "\n" not in sanitize(text, newlines=False)
    assert "\t" not in sanitize(text, tabs=False)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x9b31m", "<U+009B>31m"),
        ("\ufdd0\U0003fffe", "<U+FDD0><U+3FFFE>"),
        ("\U000e0041\u2066", "<U+E0041><U+2066>"),
        ("a\tb\nc", "a\tb\nc"),
        ("\udcff", "<U+DCFF>"),
    ],
)
def test_invisible_characters_are_named(text: str, shown: str) -> None:
    assert sanitize(text) == shown
