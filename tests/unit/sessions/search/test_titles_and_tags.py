"""A search finds the titles and tags that the user gave sessions, before all other texts."""

from __future__ import annotations

import contextlib
from pathlib import Path

from click.testing import CliRunner

from sandbox_tui.sessions import Store
from sandbox_tui.sessions.search.across_sessions import Hit, find, search
from sandbox_tui.sessions.search.query import parse_query
from sandbox_tui.sessions.store.tables.annotations import add_note, add_tag
from sandbox_tui.tui.cli.main import main
from tests.unit.event_streams import started


def put(store: Store, run_id: str, task: str, title: str | None = None, *tags: str) -> None:
    store.append(run_id, [started(run_id, task=task)])
    store.rename(run_id, title)
    for tag in tags:
        add_tag(store, run_id, tag)


def found(store: Store, query: str) -> list[tuple[str, str]]:
    return [(hit.run.id, hit.kind) for hit in search(store, query)]


def matching_words(hit: Hit) -> list[str]:
    return [hit.snippet[start:end] for start, end in hit.marks]


def test_titles_come_first_then_tags_then_the_texts(store: Store) -> None:
    put(store, "text", "the harbour, the harbour, the harbour")
    put(store, "tagged", "something", None, "paper", "harbour-2")
    put(store, "titled", "count the harbour", "Old harbour, renamed")
    put(store, "other", "nothing here", "another title", "other")
    assert found(store, "harb") == [
        ("titled", "title"),
        ("titled", "task"),
        ("tagged", "tag"),
        ("text", "task"),
    ]
    title, task, tag, _ = search(store, "harb")
    assert (title.seq, title.step, title.in_session, task.in_session) == (0, 0, 2, 2)
    assert (title.snippet, matching_words(title)) == ("Old harbour, renamed", ["harbour"])
    assert (tag.snippet, matching_words(tag)) == ("harbour-2 paper", ["harbour"])
    assert [hit.kind for hit in find(store, parse_query("harb"), each=1)] == [
        "title",
        "tag",
        "task",
    ]


def test_one_title_of_several_sessions_finds_them_all(store: Store) -> None:
    for run_id in ("a", "b"):
        put(store, run_id, "count", "same title", "good")
    assert sorted(found(store, "same")) == [("a", "title"), ("b", "title")]
    assert sorted(found(store, "good")) == [("a", "tag"), ("b", "tag")]


def test_the_whole_query_holds_for_titles_and_tags(store: Store) -> None:
    put(store, "ship", "a", "🚢 renamed title", "good")
    put(store, "plain", "b", "renamed title", "bad")
    assert found(store, "🚢") == [("ship", "title")]
    assert found(store, '"renamed title" tag:bad') == [("plain", "title")]
    assert found(store, "renamed -🚢") == [("plain", "title")]
    assert found(store, "renamed tool:bash") == []
    assert found(store, "is:own -good") == found(store, "tag:bad")
    assert found(store, "is:own -🚢") == found(store, "tag:bad")
    assert found(store, "renamed nothing") == []


def test_a_note_on_the_session_comes_after_its_title(store: Store) -> None:
    put(store, "r", "count", "renamed")
    add_note(store, "r", 0, "renamed by me")
    assert found(store, "renamed") == [("r", "title"), ("r", "note")]


def test_the_command_prints_where_the_match_is(own_home: Path) -> None:
    own_home.mkdir()
    with contextlib.closing(Store(own_home / "sessions.db")) as store:
        put(store, "r", "count", "renamed title here", "paper")
    printed = CliRunner().invoke(main, ["sessions", "search", "renamed"]).output
    assert printed.split() == ["r", "title", "renamed", "title", "here"]
    printed = CliRunner().invoke(main, ["sessions", "search", "paper"]).output
    assert printed.split() == ["r", "tag", "paper"]
