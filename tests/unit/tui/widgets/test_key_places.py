"""The places of the keys in the key bar."""

from __future__ import annotations

from sandbox_tui.tui.widgets.key_places import Shown, placed


def columns(written: str) -> dict[str, int]:
    """Place keys of four columns; those in brackets are off, `w` comes and goes."""
    keys = [
        Shown(word.strip("()"), "", word.strip("()"), None, "", is_off=word.startswith("("))
        for word in written.split()
    ]
    return {known.key: column for column, known in placed(keys, ("w",), lambda _: 4)[0]}


def test_a_key_that_is_off_leaves_its_place_blank() -> None:
    assert columns("a b c") == {"a": 0, "b": 6, "c": 12}
    assert columns("a (b) c (d) e") == {"a": 0, "c": 12, "e": 24}


def test_several_keys_that_are_off_leave_the_place_of_one() -> None:
    assert columns("a (b) (c) d") == {"a": 0, "d": 12}
    assert columns("a (b) (c) (d) e f") == {"a": 0, "e": 12, "f": 18}


def test_a_key_that_comes_and_goes_takes_blank_places_first() -> None:
    assert columns("a w b c") == {"a": 0, "w": 6, "b": 12, "c": 18}
    assert columns("a w (b) c") == {"a": 0, "w": 6, "c": 12}
    assert columns("a w (b) (c) d") == {"a": 0, "w": 6, "d": 18}
