"""Durations as displayed: exact in reports, short on screens, with the same figures."""

from __future__ import annotations

import pytest

from sandbox_tui.core.base.durations import clock, exact_duration, short_duration


@pytest.mark.parametrize(
    ("seconds", "exact", "short"),
    [
        (0.016, "0.02 s", "0.02s"),
        (0.4, "0.40 s", "0.40s"),
        (9.41, "9.4 s", "9.4s"),
        (42.9, "42 s", "42s"),
        (80, "1 min 20 s", "01:20"),
        (3 * 3600 + 125, "3 h 2 min", "3:02:05"),
    ],
)
def test_both_forms_say_the_same(seconds: float, exact: str, short: str) -> None:
    assert (exact_duration(seconds), short_duration(seconds)) == (exact, short)


def test_a_clock_never_goes_below_zero() -> None:
    assert clock(-1) == "00:00"
