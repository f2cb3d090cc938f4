from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.tools.bounds import bound, to_text


@given(st.text(), st.integers(2, 40), st.integers(2, 200))
def test_never_longer_than_asked(text: str, max_lines: int, max_chars: int) -> None:
    result = bound(text, max_lines=max_lines, max_chars=max_chars)
    if not result.truncated:
        assert result.text == text
        return
    kept = [line for line in result.text.split("\n") if not line.startswith("[... ")]
    assert len(kept) <= max_lines + 1  # a line that is cut in its middle is two
    assert len("".join(kept)) <= max_chars


def test_head_and_tail_are_kept() -> None:
    text = "\n".join(f"line {n}" for n in range(1000))
    result = bound(text, max_lines=10, max_chars=1000)
    lines = result.text.split("\n")
    assert (lines[0], lines[4], lines[6], lines[-1]) == ("line 0", "line 4", "line 995", "line 999")
    assert "990 lines" in lines[5]


def test_one_long_line_is_cut_in_the_middle() -> None:
    result = bound("a" * 500_000 + "b", max_lines=10, max_chars=100)
    assert result.truncated
    assert result.text.startswith("a" * 50 + "\n")
    assert result.text.endswith("ab")
    assert len(result.text) < 400


def test_output_as_text() -> None:
    assert to_text(b"\x1b[31mred\x1b[0m \x1b]0;t\x07x\xff\0") == "red x\ufffd"
    assert to_text(b"10%\r50%\r100%\ndone\r\n") == "100%\ndone\n"


def test_a_string_that_never_ends_takes_one_line_with_it() -> None:
    assert to_text(b"a\x1b]0;oops\nline 1\nline 2\n") == "a\nline 1\nline 2\n"
    assert to_text(b"a\x1bPq#0;2\nline 1\n") == "a\nline 1\n"
    assert to_text(b"a\x1bPq#0;2\n-~\x1b\\b\x1b]8;;x\x1b\\c") == "abc"


def test_escapes_take_linear_time() -> None:
    assert len(to_text(b"\x1b]" * 1_000_000)) == 0
    assert len(to_text(b"\x1bP\x1b[" * 500_000)) <= 500_000


@given(st.text())
def test_what_fits_is_left_alone(text: str) -> None:
    result = bound(text, max_lines=text.count("\n") + 1, max_chars=len(text))
    assert result == (text, False)


def test_the_line_in_between_counts_what_is_missing() -> None:
    text = "\n".join("y" * 100 for _ in range(50))
    result = bound(text, max_lines=10, max_chars=400)
    assert "40 lines and 608 characters" in result.text
    assert result.text.count("y") + result.text.count("\n") - 2 == 400


@given(st.binary())
def test_any_bytes_become_text(data: bytes) -> None:
    text = to_text(data)
    text.encode("utf-8")
    assert "\0" not in text
    assert "\x1b" not in text
