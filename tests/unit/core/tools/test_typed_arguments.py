import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments, text_argument
from sandbox_tui.core.tools.typed_arguments import (
    int_argument,
    int_list_argument,
    missing_arguments,
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
def test_values_that_are_not_objects(raw: str) -> None:
    with pytest.raises(ArgumentsError):
        parse_arguments(raw)


@pytest.mark.parametrize(
    ("value", "wanted"), [(3, 3), ("3", 3), (" 3 ", 3), (3.0, 3), (None, None)]
)
def test_numbers_given_as_strings(value: object, wanted: int | None) -> None:
    assert int_argument({"n": value}, "n") == wanted


@pytest.mark.parametrize("value", ["x", 1.5, True, [1], {}])
def test_values_that_are_not_numbers(value: object) -> None:
    with pytest.raises(ArgumentsError, match="n must be a whole number"):
        int_argument({"n": value}, "n")


@pytest.mark.parametrize("value", [[1, 5], ["1", "5"], "[1, 5]", "1, 5", "1 5"])
def test_ranges_in_all_their_spellings(value: object) -> None:
    assert int_list_argument({"r": value}, "r") == [1, 5]


def test_an_object_written_as_text_once_more() -> None:
    assert parse_arguments('"{\\"command\\": \\"ls\\"}"') == {"command": "ls"}
    with pytest.raises(ArgumentsError, match="not a string"):
        parse_arguments('"ls"')


def test_line_breaks_inside_of_strings_are_understood() -> None:
    assert parse_arguments('{"command": "a\n\tb"}') == {"command": "a\n\tb"}


@pytest.mark.parametrize(("value", "wanted"), [("x", "x"), (5, "5"), (1.5, "1.5"), (None, None)])
def test_values_accepted_as_text(value: object, wanted: str | None) -> None:
    assert text_argument({"t": value}, "t") == wanted


@pytest.mark.parametrize("value", [True, [], {"a": 1}])
def test_values_refused_as_text(value: object) -> None:
    with pytest.raises(ArgumentsError, match="t must be a string"):
        text_argument({"t": value}, "t")


@pytest.mark.parametrize("value", ["1-5", {"a": 1}, 5, [1, [2]], ["x"], "[" * 100_000])
def test_values_that_are_not_ranges(value: object) -> None:
    with pytest.raises(ArgumentsError, match=r"r must be a (list of )?whole number"):
        int_list_argument({"r": value}, "r")


def test_an_error_is_short_whatever_it_is_about() -> None:
    with pytest.raises(ArgumentsError) as caught:
        int_argument({"n": "x" * 1_000_000}, "n")
    assert len(str(caught.value)) < 200
    given_names = {f"{n}" * 1000: 1 for n in range(1000)}
    assert len(str(missing_arguments(given_names, "path"))) < 1000


def test_a_misspelt_parameter_is_seen() -> None:
    assert str(missing_arguments({"cmd": "ls"}, "command")) == "command is required. Given: cmd."
    assert str(missing_arguments({}, "a", "b")) == "a and b are required. Given: nothing."


def test_lone_surrogates_become_visible() -> None:
    assert text_argument({"t": "a\ud800"}, "t") == "a\ufffd"
