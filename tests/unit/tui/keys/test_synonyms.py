"""Other words for actions follow what an action does to the session at hand."""

from __future__ import annotations

import pytest

from sandbox_tui.tui.keys.synonyms import synonyms


@pytest.mark.parametrize(
    ("name", "words", "other", "is_found"),
    [
        ("home.delete", "Delete the session, or all marked", "rm", True),
        ("home.delete", "Delete the session, or all marked", "stop", False),
        ("home.delete", "End the run", "stop", True),
        ("home.open", "Watch", "attach", True),
        ("home.open", "Replay the session", "attach", False),
        ("home.demo", "Watch the demo", "attach", False),
        ("live.leave", "Leave the run", "detach", True),
        ("wall.leave", "Leave the wall", "detach", True),
    ],
)
def test_a_word_finds_an_action_only_where_it_is_one(
    name: str, words: str, other: str, is_found: bool
) -> None:
    assert (other in synonyms(name, words).split()) is is_found
