from __future__ import annotations

from sandbox_tui.tui.format.titles import MAX_TITLE_CHARACTERS, first_line


def test_a_title_is_the_first_line_without_what_is_odd() -> None:
    assert first_line("\n  count\tthe \x1b[31mboats  \nand more") == "count the ␛[31mboats  "


def test_a_title_of_a_line_without_an_end_is_as_long_as_can_be_seen() -> None:
    assert first_line("é" * 1_000_000) == "é" * MAX_TITLE_CHARACTERS
