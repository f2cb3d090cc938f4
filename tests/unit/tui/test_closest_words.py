"""Words with typing mistakes are replaced by the closest ones that are known."""

from __future__ import annotations

import pytest

from sandbox_tui.tui.screens.palette.matching.closest_words import closest_words

KNOWN = ("theme", "temperature", "dark", "step", "stop", "resume", "export", "2")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("thme dark", "theme dark"),
        ("tmep", "temp"),
        ("tepmer", "temper"),
        ("setp 2", "step 2"),
        ("resmue", "resume"),
        ("exprot dark", "export dark"),
        ("dark", ""),
        ("xyz", ""),
        ("dark xyz", ""),
        ("emtp", ""),
    ],
)
def test_the_closest_words(typed: str, meant: str) -> None:
    assert closest_words(typed, KNOWN) == meant


def test_neighbours_are_swapped_rather_than_letters_far_apart() -> None:
    assert closest_words("pirme", ["permission", "primes"]) == "prime"
