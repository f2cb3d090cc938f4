"""The tables and views that users query, and the page that documents them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from docs.query_your_runs import PAGE, queries, table
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables.annotations import add_note
from tests.perf.made_sessions import fill
from tests.unit.event_streams import started
from tests.unit.sample_run import keep, sample
from tests.unit.sessions.interchange.test_exports import only as exported

QUERIES = list(queries(PAGE.read_text()))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "sessions.db") as opened:
        yield opened


def call(seq: int, number: int, arguments: str = "{}") -> e.CallProposed:
    tool = e.ToolCall(number=number, step=1, id="", name="execute_bash", arguments=arguments)
    return e.CallProposed(seq=seq, t=float(seq), call=tool)


def test_the_page_has_ten_queries() -> None:
    assert len(QUERIES) == 10


@pytest.mark.parametrize("number", range(len(QUERIES)))
def test_a_query_of_the_page_answers_as_the_page_shows(store: Store, number: int) -> None:
    query, output = QUERIES[number]
    keep(store, *sample("ModuleNotFoundError"))
    fill(store, "long", 12)
    rows = store.rows(query)
    header, rule, *shown = output.splitlines()
    assert list(rows[0]) == header.split()
    assert set(rule) == {"-", " "}
    assert shown
    limit = query.rpartition("LIMIT ")[2].strip()
    assert len(rows) <= int(limit) if limit.isdigit() else rows
    assert table(list(rows[0]), [list(row.values()) for row in rows]).count("\n") == len(rows) + 2


def test_every_view_has_the_columns_that_the_page_names(store: Store) -> None:
    page = PAGE.read_text()
    for view in ("v_runs", "v_steps", "v_calls"):
        columns = [row["name"] for row in store.rows(f"PRAGMA table_info({view})")]
        (line,) = (line for line in page.splitlines() if line.startswith(f"| `{view}`"))
        assert line.split("|")[3].replace("`", "").strip().split(", ") == columns


def test_every_table_is_on_the_page(store: Store) -> None:
    page = PAGE.read_text()
    tables = [row["name"] for row in store.rows("SELECT name FROM pragma_table_list")]
    for name in tables:
        if "_fts_" not in name and not name.startswith(("sqlite_", "_")):
            assert f"`{name}`" in page, name


def test_steps_and_calls_are_stored_with_their_events(store: Store) -> None:
    events, _ = sample("words")
    keep(store, events[:8], [])  # up to the proposal of the first call
    (row,) = store.rows("SELECT * FROM v_calls")
    assert (row["number"], row["step"], row["outcome"]) == (1, 1, "unfinished")
    assert row["command"] == "echo words"
    store.append("r", events[8:])
    replied = [event for event in events if isinstance(event, e.ModelReplied)]
    steps = store.rows("SELECT * FROM steps ORDER BY number")
    assert [step["seq"] for step in steps] == [reply.seq for reply in replied]
    assert [(step["text"], step["reasoning"]) for step in steps] == [("words", "words")] * 2
    times = [1 + one.t - one.latency for one in replied]
    assert [step["started_at"] for step in steps] == pytest.approx(times)
    assert sum(step["cost"] for step in steps) == store.run("r").cost
    first, second = store.rows("SELECT * FROM v_calls ORDER BY number")
    assert (first["outcome"], first["exit_code"], first["duration"]) == ("failed", 3, 0.5)
    assert (second["outcome"], second["command"]) == ("ok", "create /testbed/a.py")
    (run,) = store.rows("SELECT * FROM v_runs")
    assert (run["outcome"], run["started_at"]) == ("submitted", "1970-01-01T00:00:01.000Z")
    kinds = [row["kind"] for row in store.rows("SELECT kind FROM messages ORDER BY seq")]
    assert kinds == ["task", "message", "command", "observation", "answer"]


def test_tokens_of_which_the_server_counted_none_are_all_estimates(store: Store) -> None:
    usage = e.Usage(input_tokens=5, output_tokens=1, estimated=True)
    partial = e.PartialReplyCounted(seq=2, t=1.0, step=1, usage=usage)
    store.append("r", [started("r"), partial])
    assert store.run("r").tokens == "5 in, 1 out (estimated: the server reported no counts)"


def test_tokens_that_nobody_counted_are_marked(store: Store) -> None:
    def reply(step: int, *, estimated: bool) -> e.ModelReplied:
        usage = e.Usage(input_tokens=5, output_tokens=1, estimated=estimated)
        return e.ModelReplied(
            seq=step + 1,
            t=float(step),
            step=step,
            message={},
            text="",
            reasoning="",
            usage=usage,
            finish_reason="stop",
            latency=0.1,
        )

    store.append("r", [started("r"), reply(1, estimated=False)])
    assert not store.run("r").tokens_estimated
    assert store.run("r").tokens == "5 in, 1 out"
    store.append("r", [reply(2, estimated=True), reply(3, estimated=False)])
    marks = store.rows("SELECT tokens_estimated AS mark FROM v_steps ORDER BY number")
    assert [row["mark"] for row in marks] == [0, 1, 0]
    assert store.rows("SELECT tokens_estimated AS mark FROM v_runs") == [{"mark": 1}]
    partly = "partly estimated: {} without counts"
    assert store.run("r").tokens == f"15 in, 3 out ({partly.format('1 reply')})"
    stopped = e.Usage(input_tokens=5, output_tokens=1, estimated=True)
    store.append("r", [e.PartialReplyCounted(seq=5, t=4.0, step=4, usage=stopped)])
    assert store.run("r").tokens == f"20 in, 4 out ({partly.format('2 replies')})"
    made = json.loads(exported(store, "atif"))
    marked = [step["metrics"]["extra"].get("tokens_estimated") for step in made["steps"][-3:]]
    assert marked == [None, True, None]
    assert made["final_metrics"]["extra"] == {"tokens_estimated": True}


@pytest.mark.parametrize(
    ("verdict", "outcome"), [("reject", "rejected"), ("skip", "skipped"), ("edit", "ok")]
)
def test_a_decision_about_a_call_is_reported(store: Store, verdict: Any, outcome: str) -> None:
    edited = '{"command": "second"}' if verdict == "edit" else None
    store.append(
        "r",
        [
            started(),
            call(2, 1, '{"command": "first"}'),
            e.CallDecided(seq=3, t=3.0, call=1, verdict=verdict, by="human", arguments=edited),
            e.CallFinished(seq=4, t=4.0, call=1, observation="", ok=verdict == "edit"),
        ],
    )
    (view,) = store.rows("SELECT * FROM v_calls")
    (row,) = store.rows("SELECT * FROM calls")
    assert (view["outcome"], row["decided_by"]) == (outcome, "human")
    if edited is not None:
        assert (row["arguments"], json.loads(row["proposed_arguments"])["command"]) == (
            edited,
            "first",
        )


def test_times_count_what_a_run_was_away(store: Store) -> None:
    events = [
        started(started_at=100.0),
        e.RunResumed(seq=2, t=5.0, resumed_at=1105.0, away=1000.0, sandbox_info={}),
        call(3, 1),
        e.CallFinished(seq=4, t=9.0, call=1, observation="", ok=True, duration=2.0),
        e.RunFinished(seq=5, t=10.0, reason="submitted", error=None, totals=e.Totals()),
    ]
    store.append("r", events)
    (row,) = store.rows("SELECT started_at FROM calls")
    assert row["started_at"] == 1107.0
    assert store.run("r").ended_at == 1110.0


def test_a_number_that_no_column_holds_is_left_out(store: Store) -> None:
    done = e.CallFinished(seq=3, t=3.0, call=1, observation="a\0b", ok=True, exit_code=2**63)
    store.append("r", [started(), call(2, 1, "not json \0"), done])
    assert list(store.events("r"))[2] == done
    (row,) = store.calls("r")
    assert (row.exit_code, row.observation, row.arguments) == (None, "a b", "not json  ")
    (view,) = store.rows("SELECT command FROM v_calls")
    assert view["command"] == ""


def test_all_or_nothing_of_a_batch_is_in_the_tables(store: Store) -> None:
    store.append("r", [started()])
    again = msgspec.structs.replace(started("r"), seq=2)
    with pytest.raises(Exception, match="UNIQUE"):
        store.append("r", [call(2, 1), again])
    assert store.calls("r") == []
    assert store.rows("SELECT * FROM calls_fts WHERE calls_fts MATCH 'execute_bash'") == []


def test_deleting_a_session_empties_its_tables_and_the_index(store: Store) -> None:
    keep(store, *sample("zebra"))
    add_note(store, "r", 1, "zebra")
    for name in ("steps", "calls", "messages", "notes"):
        found = f"SELECT * FROM {name}_fts WHERE {name}_fts MATCH 'zebra'"
        assert store.rows(found)
    store.delete("r")
    for name in ("steps", "calls", "messages", "notes"):
        assert not store.rows(f"SELECT * FROM {name}_fts WHERE {name}_fts MATCH 'zebra'")
        assert not store.rows(f"SELECT * FROM {name}")
        with store.transaction() as connection:
            connection.execute(f"INSERT INTO {name}_fts ({name}_fts) VALUES ('integrity-check')")


def test_contents_that_come_before_the_first_event_belong_to_the_run(store: Store) -> None:
    name = store.put_blob("r", b"early")
    assert store.rows("SELECT * FROM run_blobs") == []
    store.append("r", [started()])
    assert store.rows("SELECT * FROM run_blobs") == [{"run_id": "r", "digest": name}]
    store.delete("r")
    assert store.get_blob(name) is None


@pytest.mark.parametrize(
    ("name", "column"), [("calls", "observation"), ("steps", "text"), ("messages", "text")]
)
def test_sqlite_utils_searches_the_file(store: Store, name: str, column: str) -> None:
    keep(store, *sample("zebra"))
    program = Path(sys.executable).with_name("sqlite-utils")
    command = [program, "search", store.path, name, "zebra", "-c", "run_id", "-c", column]
    found = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    assert found
    assert all(row["run_id"] == "r" for row in found)
    assert all("zebra" in row[column] for row in found)
