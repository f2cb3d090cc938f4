import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.tools.arguments import (
    ArgumentsError,
    parse_arguments,
    text,
    whole_number,
    whole_numbers,
)


@given(st.text())
def test_any_text_is_an_object_or_a_clear_error(raw: str) -> None:
    try:
        assert isinstance(parse_arguments(raw), dict)
    except ArgumentsError as error:
        assert "JSON" in str(error)  # noqa: PT017


def test_no_arguments_at_all() -> None:
    assert parse_arguments("") == {}


@pytest.mark.parametrize("raw", ["[1]", "3", '"x"', "null", "{", "[" * 100_000])
def test_what_is_no_object(raw: str) -> None:
    with pytest.raises(ArgumentsError):
        parse_arguments(raw)


@pytest.mark.parametrize(
    ("value", "wanted"), [(3, 3), ("3", 3), (" 3 ", 3), (3.0, 3), (None, None)]
)
def test_numbers_given_as_strings(value: object, wanted: int | None) -> None:
    assert whole_number({"n": value}, "n") == wanted


@pytest.mark.parametrize("value", ["x", 1.5, True, [1], {}])
def test_what_is_no_number(value: object) -> None:
    with pytest.raises(ArgumentsError, match="n must be a whole number"):
        whole_number({"n": value}, "n")


@pytest.mark.parametrize("value", [[1, 5], ["1", "5"], "[1, 5]", "1, 5", "1 5"])
def test_ranges_in_all_their_spellings(value: object) -> None:
    assert whole_numbers({"r": value}, "r") == [1, 5]


def test_lone_surrogates_become_visible() -> None:
    assert text({"t": "a\ud800"}, "t") == "a\ufffd"
