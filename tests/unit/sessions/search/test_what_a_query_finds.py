"""Words without letters, calls of one tool, and the order of samples."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.search.across_sessions import search
from sandbox_tui.sessions.search.query import parse_query
from sandbox_tui.sessions.store.tables.annotations import add_tag
from sandbox_tui.tui.cli.main import main
from tests.unit.event_streams import started


def called(number: int, tool: str, command: str, observation: str) -> list[e.AnyEvent]:
    arguments = json.dumps({"command": command})
    call = e.ToolCall(number=number, step=number, id="", name=tool, arguments=arguments)
    seq = 2 * number
    return [
        e.CallProposed(seq=seq, t=seq, call=call),
        e.CallFinished(seq=seq + 1, t=seq, call=number, observation=observation, ok=True),
    ]


def sample(name: str, number: int, started_at: float, task: str = "count") -> e.RunStarted:
    labels = {"samples": "s", "sample": str(number)}
    settings = e.RunSettings(labels=labels)
    return msgspec.structs.replace(started(name, task, started_at), settings=settings)


def found(store: Store, query: str) -> list[tuple[str, str]]:
    return [(hit.run.id, hit.kind) for hit in search(store, query)]


@pytest.fixture
def ships(store: Store) -> Store:
    store.append("r", [started("r", "the harbour 🚢 of Ald"), *called(1, "bash", "a -> b", "!!!")])
    store.append("s", [started("s", "the harbour of Bex"), *called(1, "bash", "ls", "calm")])
    for run_id in ("r", "s"):
        add_tag(store, run_id, "good")
    return store


@pytest.mark.parametrize(
    ("query", "hits"),
    [
        ("🚢", [("r", "task")]),
        ('"🚢"', [("r", "task")]),
        ("🚢 harbour", [("r", "task")]),
        ("harbour 🚢🚢", []),
        ("⚓", []),
        ("!!!", [("r", "observation")]),
        ("->", [("r", "call")]),
        ("harbour -🚢", [("s", "task")]),
        ("🚢 -harbour", []),
        ("tag:good -🚢", [("s", "session")]),
        ("tag:good 🚢", [("r", "task")]),
        ("harbour -", [("r", "task"), ("s", "task")]),
    ],
)
def test_a_word_without_letters_is_looked_for_as_it_is_typed(
    ships: Store, query: str, hits: list[tuple[str, str]]
) -> None:
    assert sorted(found(ships, query)) == sorted(hits)


def test_an_excerpt_marks_a_word_without_letters(ships: Store) -> None:
    (hit,) = search(ships, "🚢")
    assert hit.snippet == "the harbour 🚢 of Ald"
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["🚢"]


def test_excluded_words_without_letters_alone_match_nothing() -> None:
    query = parse_query("-🚢")
    assert not query.has_terms
    assert query.mistakes[0].startswith("Add a word or a filter to search for")


@pytest.mark.parametrize("query", ["-", '""', "- -"])
def test_a_query_without_words_is_refused_in_the_shell(own_home: Path, query: str) -> None:
    own_home.mkdir()
    with contextlib.closing(Store(own_home / "sessions.db")) as store:
        store.append("r", [started("r")])
    done = CliRunner().invoke(main, ["sessions", "search", "--", query])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "There is nothing to search for: type a word or a filter." in done.stderr


def test_with_a_tool_words_are_found_in_its_calls_and_their_output(store: Store) -> None:
    task = started("r", "seq, please")
    calls = [*called(1, "execute_bash", "seq 3", "1 2"), *called(2, "editor", "view", "a seq")]
    store.append("r", [task, *calls])
    assert found(store, "tool:editor seq") == [("r", "observation")]
    assert found(store, "tool:bash seq") == [("r", "call")]
    assert found(store, "tool:bash") == [("r", "session")]
    assert found(store, "tool:bash -seq") == [], "the session contains it"


def test_samples_are_found_in_the_order_of_their_numbers(store: Store) -> None:
    for name, number, at in (("b", 3, 3.0), ("a", 1, 4.0), ("d", 4, 5.0), ("c", 2, 2.0)):
        store.append(name, [sample(name, number, at)])
    store.append("new", [started("new", "count", 9.0)])
    store.append("old", [started("old", "count", 1.0)])
    for query in ("count", "model:m"):
        ids = [hit.run.id for hit in search(store, query)]
        assert ids == ["new", "a", "c", "b", "d", "old"], query


def test_samples_are_listed_in_the_order_of_their_numbers(own_home: Path) -> None:
    own_home.mkdir()
    with contextlib.closing(Store(own_home / "sessions.db")) as store:
        for name, number, at in (("b", 3, 3.0), ("a", 1, 4.0), ("d", 4, 5.0), ("c", 2, 2.0)):
            store.append(name, [sample(name, number, at)])
        store.append("new", [started("new", "count", 9.0)])
    listed = CliRunner().invoke(main, ["sessions", "ls"]).stdout
    assert [line.split()[0] for line in listed.splitlines()[1:]] == ["new", "a", "c", "b", "d"]


def test_the_short_way_to_the_help_is_listed() -> None:
    text = CliRunner().invoke(main, ["sessions", "search", "--help"]).stdout
    assert "-h, --help" in text
    assert CliRunner().invoke(main, ["sessions", "search", "-h"]).stdout == text
