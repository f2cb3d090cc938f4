"""Packed text attributes: their names, their SGR sequences, and what sequences change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.terminal.emulator.sgr import (
    DEFAULT,
    PLAIN,
    PROTECTED,
    Attributes,
    attributes_of,
    change_of,
    select,
    sequence_of,
    style_of,
)

NAMES = ("default", "black", "red", "brown", "white", "brightblack", "brightwhite")
COLOURS = st.sampled_from(NAMES) | st.integers(0, 0xFFFFFF).map("{:06x}".format)
ATTRIBUTES = st.builds(Attributes, COLOURS, COLOURS, *[st.booleans()] * 9)
CODES = st.sampled_from(
    ["", "0", "1", "2", "4", "7", "22", "27", "31", "97", "39", "44", "103", "49", "99", "007"]
) | st.sampled_from(
    ["38", "48", "38;5;9", "48;5;200", "38;2;1;2;3", "48;2;300;2;3", "58;2;1;2;3", "38;5", "38;2;1"]
) | st.sampled_from(["48;9;1", "38;5;", "4:3", "4:0", "38:2::1:2:3", "48:5:7", "1" * 300])  # fmt: skip


@given(ATTRIBUTES)
def test_a_look_has_its_names_and_its_sequence(attributes: Attributes) -> None:
    style = style_of(attributes)
    assert attributes_of(style) == attributes
    for before in (PLAIN, style_of(Attributes("red", "blue", *[True] * 8))):
        assert select(before, sequence_of(style)[2:-1]) == style & ~PROTECTED


@given(ATTRIBUTES, CODES)
def test_no_sequence_changes_the_protection(attributes: Attributes, code: str) -> None:
    style = style_of(attributes)
    assert select(style, code) & PROTECTED == style & PROTECTED


def test_the_default_look_is_plain() -> None:
    assert style_of(DEFAULT) == PLAIN
    assert attributes_of(PLAIN) == DEFAULT


@given(st.lists(CODES, max_size=6), ATTRIBUTES)
def test_parameters_do_together_what_they_do_one_by_one(
    codes: list[str], start: Attributes
) -> None:
    style = style_of(start)
    cut_short = [
        code for code in codes if code in ("38", "48", "38;5", "38;2;1", "48;9;1", "38;5;")
    ]
    if cut_short and codes.index(cut_short[0]) < len(codes) - 1:
        return  # what follows an incomplete colour may be parsed as part of it
    one_by_one = style
    for code in codes:
        one_by_one = select(one_by_one, code)
    if codes:
        assert select(style, ";".join(codes)) == one_by_one


@pytest.mark.parametrize(
    "parameters", ["38;5", "38", "48;2;1;2", "38;7;1", ";;;", "1;" * 60, "1;" * 90, "9" * 5000]
)
def test_odd_parameters_are_no_error(parameters: str) -> None:
    left, added = change_of(parameters)
    assert left >= 0
    assert added >= 0
