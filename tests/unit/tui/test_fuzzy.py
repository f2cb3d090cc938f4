"""Letters that are left out of a word do not keep the palette from finding it."""

from __future__ import annotations

import pytest

from sandbox_tui.tui.screens.palette.entry import Entry, grouped
from sandbox_tui.tui.screens.palette.matching.fuzzy import SEVERAL, fit


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("thm", "Theme – look"),
        ("daylt", "daylight"),
        ("evls", "Evaluations"),
        ("rsme", "Resume the session"),
        ("cmpr", "Compare"),
    ],
)
def test_letters_are_left_out(typed: str, words: str) -> None:
    found = fit(typed, words)
    assert found is not None
    assert found.level == SEVERAL
    assert "".join(words.lower()[place] for place in found.places) == typed


def test_the_first_letter_is_not_left_out() -> None:
    found = fit("aylt", "daylight")
    assert found is None or found.level < SEVERAL


def test_what_cannot_be_chosen_comes_after_what_can() -> None:
    entries = [
        Entry("Actions", "one", "The head moves", "", lambda: None, off="not now"),
        Entry("Settings", "two", "Theme – look", "", lambda: None),
    ]
    assert [kind for kind, _ in grouped(entries, "thm", [])] == ["Settings", "Actions"]
