"""Multi-line texts that are edited on one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.tui.format.one_line import with_its_lines


@pytest.mark.parametrize(
    ("before", "typed", "after"),
    [
        ("one\ntwo", "one␊two and more", "one\ntwo and more"),
        ("one\ntwo", "␊two", "\ntwo"),
        ("", "new", "new"),
        ("one", "a sign ␊ of my own", "a sign ␊ of my own"),
        ("one\na sign ␊", "one␊a sign ␊ more", "one␊a sign ␊ more"),
        ("one\ntwo", "", ""),
    ],
)
def test_line_breaks_stay(before: str, typed: str, after: str) -> None:
    assert with_its_lines(typed, before) == after


@given(st.text())
def test_unchanged_text_stays_identical(before: str) -> None:
    assert with_its_lines(sanitize(before, newlines=False).strip(), before) == before.strip()
