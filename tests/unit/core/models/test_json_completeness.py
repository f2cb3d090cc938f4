"""Detects the end of JSON that arrives in pieces, checked against a full parse after each."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.models.json_completeness import JsonOutline

VALUES = st.recursive(
    st.none() | st.integers() | st.text(alphabet='a"\\{}[] ', max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


def is_whole(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@given(st.dictionaries(st.text(max_size=3), VALUES), st.lists(st.integers(1, 9), min_size=1))
def test_an_object_is_closed_where_a_parser_finds_it_whole(value: object, sizes: list[int]) -> None:
    text, outline, at = json.dumps(value) + " \n", JsonOutline(), 0
    for number in range(len(text)):
        piece = text[at : at + sizes[number % len(sizes)]]
        at += len(piece)
        outline.add(piece)
        assert outline.closed == is_whole(text[:at])


@pytest.mark.parametrize(
    ("pieces", "closed"),
    [
        (["{}", " "], True),
        (["{}", "x"], False),
        (["{}", "{}"], False),
        (["{x}", " ", "}"], False),
        (["}"], True),  # not JSON: the parser reports it, once
        (['"{\\', '"}"'], True),
        (["", " "], False),
    ],
)
def test_what_follows_a_value_makes_it_none(pieces: list[str], closed: bool) -> None:
    outline = JsonOutline()
    for piece in pieces:
        outline.add(piece)
    assert outline.closed == closed
