from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from sandbox_tui.tui.format.wrap_cells import last_wrapped, wrap_cells


def test_words_are_wrapped_and_omissions_marked() -> None:
    assert wrap_cells("one two three", 7, 5) == ["one two", "three"]
    assert wrap_cells("one two three", 7, 1) == ["one tw…"]
    assert wrap_cells("", 7, 2) == []
    assert wrap_cells("one", 7, 0) == []


def test_wide_characters_count_twice() -> None:
    lines = wrap_cells("漢字" * 10, 7, 3)
    assert all(cell_len(line) <= 7 for line in lines)
    assert lines[-1].endswith("…")


def test_the_last_words_are_seen_while_they_are_written() -> None:
    assert last_wrapped("one two three four", 9, 1) == ["four"]
    assert last_wrapped("one two three four", 10, 2) == ["one two", "three four"]
    assert last_wrapped("one", 9, 0) == []


def test_a_line_of_combining_characters_only_is_shortened() -> None:
    (line,) = wrap_cells("\u0301 漢", 2, 1)
    assert line in ("…", "\u0301…")  # versions of Rich differ; both fill one cell


@given(st.text(alphabet=" \nab漢\u0301", max_size=60), st.integers(-60, 12), st.integers(-1, 4))
def test_any_text_is_wrapped_to_any_width(text: str, width: int, lines: int) -> None:
    """A widget asks before it has a size, too."""
    for wrap in (wrap_cells, last_wrapped):
        wrapped = wrap(text, width, lines)
        assert len(wrapped) <= max(0, lines)
        assert all(cell_len(line) <= max(2, width) for line in wrapped)
    assert bool(wrap_cells(text, width, lines)) == bool(lines > 0 and text.strip())
