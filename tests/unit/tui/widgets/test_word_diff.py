from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox_tui.tui.widgets.preview.diff import DiffDocument
from sandbox_tui.tui.widgets.preview.word_diff import Span, changed_words
from tests.unit.tui.widgets.test_preview_kinds import PALETTE


def cut(line: str, spans: tuple[Span, ...]) -> list[str]:
    return [line[start:end] for start, end in spans]


def test_differing_words_are_marked() -> None:
    old, new = "total = price * count", "total = price * amount + tax"
    before, after = changed_words(old, new)
    assert cut(old, before) == ["count"]
    assert cut(new, after) == ["amount + tax"]


def test_lines_with_little_in_common_are_left_alone() -> None:
    assert changed_words("import os", "def main() -> None:") == ((), ())
    assert changed_words("", "x") == ((), ())
    assert changed_words("x " * 300, "y " * 300) == ((), ())


LINES = st.text(st.sampled_from("ab 漢\t.\0"), max_size=40)


@given(old=LINES, new=LINES)
@settings(max_examples=200, deadline=None)
def test_without_the_marked_words_both_lines_are_equal(old: str, new: str) -> None:
    before, after = changed_words(old, new)
    if (before, after) != ((), ()):
        assert without(old, before) == without(new, after)


def without(line: str, spans: tuple[Span, ...]) -> str:
    for start, end in reversed(spans):
        line = line[:start] + line[end:]
    return line


def test_a_diff_singles_them_out_in_both_forms() -> None:
    document = DiffDocument("a = f(x, 1)\nsame\n", "a = f(x, 2)\nsame\n", "x")
    for width in (60, 120):
        marked = [
            line.plain[span.start : span.end]
            for line in document.lines(width, PALETTE)
            for span in line.spans
            if getattr(span.style, "reverse", None)
        ]
        assert marked == ["1", "2"]
