import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox_tui.core.tools import truncation as bounds
from sandbox_tui.core.tools.truncation import (
    decode_ends,
    decode_output,
    truncate_ends,
    truncate_middle,
)


@given(st.text(), st.integers(2, 40), st.integers(2, 200))
def test_never_longer_than_asked(text: str, max_lines: int, max_chars: int) -> None:
    result = truncate_middle(text, max_lines=max_lines, max_chars=max_chars)
    if not result.truncated:
        assert result.text == text
        return
    kept = [line for line in result.text.split("\n") if not line.startswith("[... ")]
    assert len(kept) <= max_lines + 1  # a line cut in the middle counts as two
    assert len("".join(kept)) <= max_chars


def test_head_and_tail_are_kept() -> None:
    text = "\n".join(f"line {n}" for n in range(1000))
    result = truncate_middle(text, max_lines=10, max_chars=1000)
    lines = result.text.split("\n")
    assert (lines[0], lines[4], lines[6], lines[-1]) == ("line 0", "line 4", "line 995", "line 999")
    assert "990 lines" in lines[5]


def test_one_long_line_is_cut_in_the_middle() -> None:
    result = truncate_middle("a" * 500_000 + "b", max_lines=10, max_chars=100)
    assert result.truncated
    assert result.text.startswith("a" * 50 + "\n")
    assert result.text.endswith("ab")
    assert len(result.text) < 400


def test_output_as_text() -> None:
    assert decode_output(b"\x1b[31mred\x1b[0m \x1b]0;t\x07x\xff\0") == "red x\ufffd"
    assert decode_output(b"10%\r50%\r100%\ndone\r\n") == "100%\ndone\n"


def test_a_string_that_never_ends_takes_one_line_with_it() -> None:
    assert decode_output(b"a\x1b]0;oops\nline 1\nline 2\n") == "a\nline 1\nline 2\n"
    assert decode_output(b"a\x1bPq#0;2\nline 1\n") == "a\nline 1\n"
    assert decode_output(b"a\x1bPq#0;2\n-~\x1b\\b\x1b]8;;x\x1b\\c") == "abc"


def test_escapes_take_linear_time() -> None:
    assert len(decode_output(b"\x1b]" * 1_000_000)) == 0
    assert len(decode_output(b"\x1bP\x1b[" * 500_000)) <= 500_000


@given(st.text())
def test_short_output_is_unchanged(text: str) -> None:
    result = truncate_middle(text, max_lines=text.count("\n") + 1, max_chars=len(text))
    assert result == (text, False)


def test_the_line_in_between_counts_what_is_missing() -> None:
    text = "\n".join("y" * 100 for _ in range(50))
    result = truncate_middle(text, max_lines=10, max_chars=400)
    assert "40 lines and 608 characters" in result.text
    assert result.text.count("y") + result.text.count("\n") - 2 == 400


@given(st.binary())
def test_any_bytes_become_text(data: bytes) -> None:
    text = decode_output(data)
    text.encode("utf-8")
    assert "\0" not in text
    assert "\x1b" not in text


_LINES = st.lists(st.text("ab\u00e9 ", max_size=12), max_size=60).map("\n".join)


@given(_LINES, st.integers(1, 12), st.integers(2, 60))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_long_output_is_bounded_as_if_all_of_it_were_text(
    monkeypatch: pytest.MonkeyPatch, text: str, max_lines: int, max_chars: int
) -> None:
    with monkeypatch.context() as small:
        small.setattr(bounds, "MAX_DECODED_END_BYTES", 8)
        ends = decode_ends(text.encode(), max_chars)
    wanted = truncate_middle(text.rstrip("\n"), max_lines=max_lines, max_chars=max_chars)
    got = truncate_ends(ends, max_lines=max_lines, max_chars=max_chars)
    if wanted.text.count("\n") < max_lines or not ends.tail:
        assert got.truncated == wanted.truncated
    shown = [line for line in got.text.split("\n") if not line.startswith("[... ")]
    lines = [line for line in wanted.text.split("\n") if not line.startswith("[... ")]
    if ends.tail and (text.rstrip("\n").count("\n") >= max_lines):
        assert (shown, got.text.count(" lines ")) == (lines, wanted.text.count(" lines "))


@pytest.mark.parametrize(
    "piece", [b"\n", b"x", b"line of output\n", b"\x1b[31m", b"10%\r", b"\x1b]"]
)
def test_long_output_is_bounded_before_it_is_made_into_text(
    monkeypatch: pytest.MonkeyPatch, piece: bytes
) -> None:
    made: list[int] = []

    def counted(data: bytes) -> str:
        made.append(len(data))
        return decode_output(data)

    monkeypatch.setattr(bounds, "decode_output", counted)
    ends = decode_ends(piece * ((16 << 20) // len(piece)), 20_000)
    assert sum(made) <= 2 * bounds.MAX_DECODED_END_BYTES
    shown = truncate_ends(ends, max_lines=160, max_chars=20_000)
    assert len(shown.text) < 20_300
