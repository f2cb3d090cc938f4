"""Steps and calls are indexed in batches and are found as if they were indexed at once."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store, record
from sandbox_tui.sessions.recording import full_text_indexer
from sandbox_tui.sessions.search.across_sessions import search
from sandbox_tui.sessions.store import full_text_index
from tests.unit.event_streams import started
from tests.waiting import HANG_SECONDS

TABLES = ("steps", "calls")


def replied(seq: int, step: int, text: str) -> e.ModelReplied:
    return e.ModelReplied(
        seq=seq,
        t=float(seq),
        step=step,
        message={},
        text=text,
        reasoning="",
        usage=e.Usage(),
        finish_reason="stop",
        latency=0.1,
    )


def proposed(seq: int, number: int, text: str) -> e.CallProposed:
    arguments = json.dumps({"command": text})
    call = e.ToolCall(number=number, step=1, id="", name="execute_bash", arguments=arguments)
    return e.CallProposed(seq=seq, t=float(seq), call=call)


def finished(seq: int, number: int, text: str) -> e.CallFinished:
    return e.CallFinished(seq=seq, t=float(seq), call=number, observation=text, ok=True)


BEGINNING: tuple[e.AnyEvent, ...] = (
    started(),
    replied(2, 1, "zebra"),
    proposed(3, 1, "zebra"),
    finished(4, 1, "zebra"),
    proposed(5, 2, "zebra"),
)
"""A step and two calls, of which the second is running."""


def indexed(store: Store, word: str = "zebra") -> list[int]:
    """Count the rows of each table that other programs find."""
    return [
        len(store.rows(f"SELECT rowid FROM {table}_fts WHERE {table}_fts MATCH ?", [word]))
        for table in TABLES
    ]


def assert_indexes_are_right(store: Store) -> None:
    """Let FTS5 check each index against its table (https://www.sqlite.org/fts5.html, 6.5)."""
    with store.transaction() as connection:
        for table in TABLES:
            connection.execute(
                f"INSERT INTO {table}_fts ({table}_fts, rank) VALUES ('integrity-check', 1)"
            )


def test_a_search_finds_what_has_just_been_stored(store: Store) -> None:
    store.append("r", BEGINNING)
    assert indexed(store) == [0, 0]
    assert [hit.kind for hit in search(store, "zebra")] == ["reply", "call", "observation", "call"]
    assert indexed(store) == [1, 2]
    store.append("r", [finished(6, 2, "okapi")])
    assert [hit.seq for hit in search(store, "okapi")] == [6], "a call that was already indexed"
    assert_indexes_are_right(store)


def test_a_search_finds_what_another_program_has_just_stored(store: Store) -> None:
    store.append("r", BEGINNING)
    with Store(store.path) as other:
        store.append("r", [finished(6, 2, "okapi"), proposed(7, 3, "okapi")])
        assert [hit.seq for hit in search(other, "okapi")] == [6, 7]


def test_a_call_that_was_never_proposed_is_found(store: Store) -> None:
    """A damaged or imported session may contain such a call."""
    edited = e.CallDecided(seq=2, call=1, verdict="edit", by="human", arguments="zebra")
    store.append("r", [started(), edited])
    assert [(hit.kind, hit.seq) for hit in search(store, "zebra")] == [("call", 0)]


def test_all_of_a_run_that_has_ended_is_indexed(store: Store) -> None:
    end = e.RunFinished(seq=6, t=6.0, reason="submitted", error=None, totals=e.Totals())
    store.append("r", [*BEGINNING, end])
    assert indexed(store) == [1, 2]


def test_only_so_many_rows_wait(store: Store) -> None:
    store.append("r", [started()])
    for seq in range(2, full_text_index.MAX_UNINDEXED + 1):
        store.append("r", [proposed(seq, seq, "zebra")])
    assert indexed(store) == [0, 0]
    store.append("r", [proposed(full_text_index.MAX_UNINDEXED + 1, 1, "zebra")])
    assert indexed(store) == [0, full_text_index.MAX_UNINDEXED]


def test_rows_are_indexed_while_a_run_says_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For example while it waits for its model: other programs cannot index before a search."""
    monkeypatch.setattr(full_text_indexer, "MAX_LATE_SECONDS", 0.0)

    async def events() -> AsyncIterator[e.AnyEvent]:
        for event in BEGINNING:
            yield event
        await asyncio.Event().wait()

    async def go() -> None:
        async with aclosing(record(events(), store, "r")) as recording:
            async for event in recording:
                if event.seq == len(BEGINNING):
                    break
            async with asyncio.timeout(HANG_SECONDS):
                while indexed(store) != [1, 2]:
                    await asyncio.sleep(0.005)

    asyncio.run(go())


def test_rows_are_indexed_when_a_recording_is_left(store: Store) -> None:
    async def events() -> AsyncIterator[e.AnyEvent]:
        for event in BEGINNING:
            yield event
        await asyncio.Event().wait()

    async def go() -> None:
        async with aclosing(record(events(), store, "r")) as recording:
            async for event in recording:
                if event.seq == len(BEGINNING):
                    return

    asyncio.run(go())
    assert indexed(store) == [1, 2]


KILLED = """
import os, signal, sys
from pathlib import Path
from sandbox_tui.sessions import Store
from tests.unit.sessions.search.test_full_text_index import BEGINNING
store = Store(Path(sys.argv[1]))
for event in BEGINNING:
    store.append("r", [event])
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_next_program_indexes_what_a_killed_one_left(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path)])
    assert killed.returncode < 0
    with Store(path) as store:
        assert list(store.events("r")) == list(BEGINNING)
        assert indexed(store) == [1, 2]
        assert_indexes_are_right(store)
    command = [sys.executable, "-m", "sqlite_utils", "search", str(path), "calls", "zebra"]
    found = subprocess.run([*command, "-c", "number"], capture_output=True, check=True).stdout
    assert {row["number"] for row in json.loads(found)} == {1, 2}


def test_a_file_that_may_not_be_written_is_searched_as_it_is(store: Store) -> None:
    store.append("r", BEGINNING)
    store.index_texts()
    store.append("r", [finished(6, 2, "okapi"), proposed(7, 3, "giraffe")])
    with store.autocommit() as connection:
        connection.execute("PRAGMA query_only = ON")
    assert [hit.seq for hit in search(store, "okapi")] == [6]
    assert search(store, "giraffe") == []


@settings(max_examples=60, deadline=None)
@example([("edit", 1, "zebra"), ("search", 1, "zebra")])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["reply", "call", "finish", "edit", "other run", "search", "delete"]),
            st.integers(1, 4),
            st.sampled_from(["zebra", "okapi", "zebra okapi", "", "a\0b"]),
        ),
        max_size=30,
    )
)
def test_an_index_has_what_its_table_has(
    tmp_path_factory: pytest.TempPathFactory, done: list[tuple[str, int, str]]
) -> None:
    """Whatever is stored, stored again, deleted and searched for, in any order."""
    with Store(tmp_path_factory.mktemp("index") / "s.db") as store:
        store.append("r", [started()])
        seq = 1
        for what, number, text in done:
            if what == "delete" or what == "other run":
                if store.has_run("other"):
                    store.delete("other")
                if what == "other run":
                    other = [started("other"), replied(2, 1, text), proposed(3, number, text)]
                    store.append("other", other)
                continue
            if what == "search":
                search(store, text)
                continue
            seq += 1
            event: e.AnyEvent = proposed(seq, number, text)
            if what == "reply":
                event = replied(seq, number, text)
            elif what == "finish":
                event = finished(seq, number, text)
            elif what == "edit":
                event = e.CallDecided(
                    seq=seq, t=0.0, call=number, verdict="edit", by="human", arguments=text
                )
            store.append("r", [event])
        store.index_texts()
        assert_indexes_are_right(store)
        for word in ("zebra", "okapi"):
            inside = [
                store.rows(f"SELECT count(*) AS n FROM {table} WHERE instr({texts}, ?)", [word])
                for table, texts in (
                    ("steps", "content"),
                    ("calls", "input || ' ' || coalesce(observation, '')"),
                )
            ]
            assert indexed(store, word) == [rows[0]["n"] for rows in inside]
