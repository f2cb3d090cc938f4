from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.core.terminal.mirror import MAX_COMMAND_LINES, MirrorWriter
from tests.terminal_oracles import display_of


def mirror(*parts: bytes) -> list[str]:
    screen = Screen(60, 30)
    for part in parts:
        screen.feed(part)
    return [line.rstrip() for line in display_of(screen) if line.strip()]


def test_the_prompt_says_who() -> None:
    console = MirrorWriter()
    lines = mirror(
        console.prompt("model", "ls"),
        console.output("stdout", b"a\nb\n"),
        console.finished(exit_code=0, duration=0.1),
        console.prompt("you", "pwd"),
    )
    assert lines == ["model ❯ ls", "a", "b", "you   ❯ pwd"]


def test_output_without_a_newline_and_a_failure() -> None:
    console = MirrorWriter()
    lines = mirror(
        console.prompt("model", "x"),
        console.output("stderr", b"half"),
        console.finished(exit_code=3, duration=1.25),
        console.prompt("model", "y"),
    )
    assert lines == ["model ❯ x", "half", "✗ exit 3 · 1.2s", "model ❯ y"]


def test_a_program_that_leaves_a_mess_does_not_spoil_the_next_prompt() -> None:
    console = MirrorWriter()
    mess = b"\x1b[?1049h\x1b[31m\x1b(0\x1b[5;9r\x1b[?25l"
    lines = mirror(
        console.prompt("model", "vim"),
        console.output("stdout", mess),
        console.finished(exit_code=0, duration=0),
        console.prompt("model", "next"),
        console.output("stdout", b"fine\n"),
    )
    assert lines == ["model ❯ vim", "model ❯ next", "fine"]


def test_long_commands_are_shortened_and_cleaned() -> None:
    console = MirrorWriter()
    lines = mirror(console.prompt("model", "\n".join(f"line {n}\x1b]0;x\x07" for n in range(40))))
    assert len(lines) == MAX_COMMAND_LINES + 1
    assert lines[-1].strip() == f"… +{40 - MAX_COMMAND_LINES} lines"
    assert "␛]0;x␇" in lines[0]


@given(st.lists(st.binary(max_size=20), max_size=6))
def test_every_newline_starts_a_line_however_the_output_is_cut(pieces: list[bytes]) -> None:
    whole, cut = MirrorWriter(), MirrorWriter()
    at_once = whole.output("stdout", b"".join(pieces))
    in_pieces = b"".join(cut.output("stdout", piece) for piece in pieces)
    assert Screen_text(at_once) == Screen_text(in_pieces)


def Screen_text(data: bytes) -> list[str]:  # noqa: N802
    screen = Screen(40, 10)
    screen.feed(data + b".")
    return display_of(screen)
