"""The border of the list of calls shows only whole parts."""

from __future__ import annotations

import pytest

from sandbox_tui.tui.widgets.calls.call_counts import as_many_as_fit

PARTS = ["↓ new below", "1 failed", "3 by you"]


@pytest.mark.parametrize(
    ("inside", "shown"),
    [
        (0, "↓ new below · 1 failed · 3 by you"),
        (37, "↓ new below · 1 failed · 3 by you"),
        (36, "↓ new below · 1 failed · …"),
        (29, "↓ new below · …"),
        (19, "↓ new below · …"),
        (18, "↓ new below"),
        (14, ""),
    ],
)
def test_parts_without_room_are_left_out_with_a_sign(inside: int, shown: str) -> None:
    assert as_many_as_fit(PARTS, inside) == shown
