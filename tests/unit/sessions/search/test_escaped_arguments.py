r"""Words of a call are found and shown as text, also if the server sent them as `\uXXXX`."""

from __future__ import annotations

import contextlib
import json
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.search.across_sessions import search
from sandbox_tui.sessions.search.readable_snippet import readable_snippet
from sandbox_tui.sessions.search.within_session import occurrences
from sandbox_tui.sessions.store.unescaped_arguments import unescaped_arguments
from tests.unit.event_streams import started

SENT = json.dumps({"command": "echo 'Größe der Häfen 🚢 船' > häfen.txt"})
"""With escapes, as `json.dumps` and many servers write it."""


def proposed(arguments: str, seq: int = 2) -> e.CallProposed:
    call = e.ToolCall(number=1, step=1, id="", name="execute_bash", arguments=arguments)
    return e.CallProposed(seq=seq, t=1.0, call=call)


@pytest.mark.parametrize("word", ["Größe", "große", "HÄFEN", "hafen", "häf", '"船"', "häfen.txt"])
def test_a_word_that_was_sent_escaped_is_found(store: Store, word: str) -> None:
    assert "\\u00f6" in SENT
    store.append("r", [started("r"), proposed(SENT)])
    found = search(store, word.replace("große", "große"))
    assert [(hit.kind, hit.seq) for hit in found] == [("call", 2)]
    assert "🚢" in found[0].snippet
    assert "\\u" not in found[0].snippet


def test_a_word_of_an_edited_call_is_found(store: Store) -> None:
    edited = json.dumps({"command": "ls Übersicht"})
    decided = e.CallDecided(seq=3, t=2.0, call=1, verdict="edit", by="human", arguments=edited)
    store.append("r", [started("r"), proposed(SENT), decided])
    assert [hit.kind for hit in search(store, "übersicht")] == ["call"]
    assert [hit.kind for hit in search(store, "häfen")] == ["call"]
    assert occurrences(store, "r", "häfen 🚢") == [2]


def test_the_event_keeps_the_arguments_as_they_were_sent(store: Store) -> None:
    store.append("r", [started("r"), proposed(SENT)])
    *_, event = store.events("r")
    assert isinstance(event, e.CallProposed)
    assert event.call.arguments == SENT


def test_malformed_arguments_stay_as_they_are(store: Store) -> None:
    broken = SENT[:-2]
    store.append("r", [started("r"), proposed(broken)])
    assert store.calls("r")[0].arguments == broken
    (hit,) = search(store, "echo")
    assert "🚢" in hit.snippet, "decoded only where it is shown"


def test_calls_recorded_earlier_are_decoded_when_the_database_is_upgraded(store: Store) -> None:
    store.append("r", [started("r"), proposed(SENT)])
    store.index_texts()
    with store.transaction() as connection:  # as the version before left it
        connection.execute("UPDATE calls SET arguments = ?", [SENT])
    assert search(store, "häfen") == []
    store.close()
    with contextlib.closing(sqlite3.connect(store.path)) as raw:
        raw.execute("DELETE FROM _migrations WHERE name = 'arguments_unescaped'")
        raw.commit()
    with Store(store.path) as upgraded:
        assert [hit.kind for hit in search(upgraded, "häfen")] == ["call"]
        with upgraded.transaction() as connection:
            connection.execute(
                "INSERT INTO calls_fts (calls_fts, rank) VALUES ('integrity-check', 1)"
            )


def test_an_excerpt_has_no_half_characters() -> None:
    assert readable_snippet('{"command": "echo \\ud83d\\udea2"}') == "$ echo 🚢"
    assert readable_snippet('{"command": "echo \\ud83d"}') == "$ echo \\ud83d"


VALUES = st.dictionaries(st.text(max_size=5), st.text(max_size=20) | st.integers(), max_size=3)


@given(VALUES, st.booleans())
def test_decoded_arguments_mean_the_same(arguments: dict[str, object], is_ascii: bool) -> None:
    text = json.dumps(arguments, ensure_ascii=is_ascii)
    assert json.loads(unescaped_arguments(text)) == arguments


@pytest.mark.parametrize(
    "text", [r'{"a": "\\u00e4"}', r'{"a": "\u0022\u005c\u0000\u001b"}', "[" * 9]
)
def test_escapes_that_are_needed_stay(text: str) -> None:
    assert unescaped_arguments(text) == text
