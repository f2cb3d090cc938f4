"""Search finds sessions by their content, whatever is typed; tags and notes; reclaimed space."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.base.write_file import write_file
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.search.across_sessions import find, search
from sandbox_tui.sessions.search.query import parse_query
from sandbox_tui.sessions.search.query_completion import completions
from sandbox_tui.sessions.search.search_as_you_type import Finder
from sandbox_tui.sessions.store import database
from sandbox_tui.sessions.store.maintenance import check, reclaim, size, vacuum
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables.annotations import (
    add_note,
    add_tag,
    all_tags,
    notes_of,
    remove_note,
    remove_tag,
    set_tags,
    split_tags,
    tags_of,
)
from sandbox_tui.tui.cli.main import main
from tests.examples import examples
from tests.snapshots.sample_eval import EVAL_ID, enter_eval
from tests.unit.event_streams import started
from tests.unit.sample_run import keep, sample

PROGRAM = Path(sys.executable).with_name("sandbox-tui")


def finished(seq: int, observation: str) -> list[e.AnyEvent]:
    call = e.ToolCall(number=seq, step=seq, id="", name="execute_bash", arguments="{}")
    return [
        e.ModelAsked(seq=seq, t=seq, step=seq, digest="", messages=1),
        e.CallProposed(seq=seq + 1, t=seq, call=call),
        e.CallFinished(seq=seq + 2, t=seq, call=seq, observation=observation, ok=True),
    ]


def found(store: Store, query: str) -> list[tuple[str, int, str]]:
    return [(hit.run.id, hit.step, hit.kind) for hit in search(store, query)]


def test_all_recorded_texts_are_searched(store: Store) -> None:
    store.append("r", [started("r", task="measure the harbour"), *finished(2, "Aldwick 1911")])
    store.append("s", [started("s", task="something else"), *finished(2, "nothing")])
    assert found(store, "harbour") == [("r", 0, "task")]
    assert found(store, "HARB") == [("r", 0, "task")]
    assert found(store, "aldwick 1911") == [("r", 2, "observation")]
    assert found(store, '"1911 aldwick"') == []
    assert set(found(store, "execute_bash")) == {("r", 2, "call"), ("s", 2, "call")}
    assert found(store, "something -else") == []
    (hit,) = search(store, "harbour")
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["harbour"]


def test_snippets_have_no_escapes_and_as_many_words_as_asked_for(store: Store) -> None:
    text = json.dumps({"command": "grep -E '[\\d ]+' harbour.txt " + "word " * 60})
    call = e.ToolCall(number=1, step=1, id="", name="execute_bash", arguments=text)
    store.append("r", [started("r"), e.CallProposed(seq=2, t=1, call=call)])
    (short,) = search(store, "harbour")
    assert "[\\d ]" in short.snippet
    assert "\\\\" not in short.snippet
    (hit,) = find(store, parse_query("harbour"), words=48)
    assert hit.snippet.count("word") > 30 > short.snippet.count("word")
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["harbour"]


@pytest.mark.parametrize(
    ("tool", "arguments", "words", "shown"),
    [
        ("execute_bash", {"command": 'grep "harbour" *.py'}, 20, '$ grep "harbour" *.py'),
        ("execute_bash", {"command": "harbour", "is_input": True}, 20, "harbour · is_input: true"),
        (
            "str_replace_editor",
            {"command": "view", "path": "/harbour.py"},
            20,
            "command: view · path: /harbour",
        ),
        ("edit", {"path": "a.py", "old_str": "x = {}", "new_str": "harbour"}, 20, "path: a.py"),
        ("submit_harbour", {}, 20, "submit_harbour"),
        ("note", {"text": "harbour 中文"}, 20, "text: harbour 中文"),
    ],
)
def test_a_call_is_found_as_text_not_as_json(
    store: Store, tool: str, arguments: dict[str, Any], words: int, shown: str
) -> None:
    text = json.dumps(arguments)
    call = e.ToolCall(number=1, step=1, id="", name=tool, arguments=text)
    store.append("r", [started("r"), e.CallProposed(seq=2, t=1, call=call)])
    (hit,) = find(store, parse_query("harbour"), words=words)
    assert shown in " ".join(hit.snippet.split())
    assert '": ' not in hit.snippet
    assert not hit.snippet.endswith("}")
    assert "harbour" in [hit.snippet[start:end].replace("submit_", "") for start, end in hit.marks]


def test_every_kind_of_text_is_found(store: Store) -> None:
    keep(store, *sample("zebra"))
    kinds = {hit.kind for hit in search(store, "zebra")}
    assert kinds == {"task", "reply", "call", "observation", "message", "command", "answer"}


def test_later_events_are_found_later(store: Store) -> None:
    store.append("r", [started(task="first")])
    assert found(store, "second") == []
    store.append("r", finished(2, "second"))
    assert found(store, "second") == [("r", 2, "observation")]
    assert len(search(store, "second")) == 1
    store.append("r", finished(5, "second again"))
    assert found(store, "again") == [("r", 5, "observation")]


def test_filters(store: Store) -> None:
    run = started("r", task="alpha", started_at=time.mktime((2026, 11, 5, 12, 0, 0, 0, 0, -1)))
    store.append("r", [msgspec.structs.replace(run, model="qwen3-coder"), *finished(2, "x")])
    totals = e.Totals()
    store.append("s", [started("s", task="alpha", started_at=1.0)])
    store.append("s", [e.RunFinished(seq=2, t=1, reason="max_steps", error="e", totals=totals)])
    add_tag(store, "s", "To Do")
    for query, wanted in {
        "alpha": {"r", "s"},
        "model:QWEN alpha": {"r"},
        "model:qwen": {"r"},
        "tag:to-do": {"s"},
        "#to-do": {"s"},
        "#to alpha": {"s"},
        '"#to-do"': {"s"},  # words of a tag
        "outcome:max_steps": {"s"},
        "outcome:running": {"r"},
        "outcome:interrupted": set[str](),
        "tool:bash": {"r"},
        "after:2026-11-05 before:2026-11-06": {"r"},
        "before:2026-11-05": {"s"},
        "after:2026-11-05T13:00": set[str](),
        "cost:>0.5": set[str](),
        'model:"qwen3"': {"r"},
    }.items():
        assert {run_id for run_id, _, _ in found(store, query)} == wanted, query
    with store.transaction() as connection:
        connection.execute("UPDATE runs SET cost = 0.7 WHERE id = 'r'")
    assert {run_id for run_id, _, _ in found(store, "cost:>0.5")} == {"r"}
    assert found(store, "cost:<0.5") == []
    for odd in ("after:someday", "cost:much", "tag:"):
        (remark,) = parse_query(odd).remarks
        assert remark.startswith(f"{odd.partition(chr(58))[0]} takes")


@pytest.mark.parametrize(
    "query",
    [
        "",
        '"',
        '"""',
        "*",
        "AND",
        "NOT x",
        "a OR",
        "NEAR(a b",
        "body:x",
        "{a b}: c",
        "^x",
        "a + b",
        "-",
        "--",
        "-x",
        "(",
        "\0",
        "'; DROP TABLE runs; --",
        "x" * 100_000,
        "cost:>" + "9" * 400,
        "after:99999-01-01",
        "after:0001-01-01",
        "\ud800",
        "日本語",
        "a" * 10 + " " + "b " * 500,
    ],
)
def test_no_query_raises(store: Store, query: str) -> None:
    store.append("r", [started(task="NOT AND x body:x")])
    search(store, query)


@examples(300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(), max_size=40) | st.text("\"*()-:^+{} aNOTRD'", max_size=40))
def test_any_query_at_all(store: Store, query: str) -> None:
    if not store.runs():
        store.append("r", [started(task="a NOT b")])
    search(store, query)


@examples(20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_a_word_of_a_text_finds_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "w.db").unlink(missing_ok=True)
    store = Store(tmp_path / "w.db")
    store.append("r", [started(task=f"{text} needle")])
    assert found(store, "needle") == [("r", 0, "task")]
    store.close()


@pytest.mark.parametrize(
    ("query", "remark"),
    [
        ("colour:red x", "There is no filter colour: it is searched as a word."),
        ("modle:red", "There is no filter modle (did you mean model:red?): it is searched"),
        ("iz:failed", "There is no filter iz (did you mean outcome:failed?)"),
        ("iz:own", "There is no filter iz (did you mean is:own?)"),
        ("tga:running", "There is no filter tga (did you mean tag:running?)"),
        ("since:7d x", "There is no filter since (did you mean after:7d?)"),
        (
            "iz:failed modle:x",
            "There are no filters iz and modle (did you mean outcome:failed model:x?): "
            "they are searched as words.",
        ),
        (
            "modle:x colour:red",
            "There are no filters modle and colour (did you mean model:x?): "
            "they are searched as words. Filters are model",
        ),
        ("is:failed", "is takes sample (of an evaluation or a training) or own (any other"),
        ("outcome:faild", "No session ends with faild (did you mean failed?)."),
        ("-tag:x y", "A filter cannot be negated: -tag:x."),
        ("outcome:great", "No session ends with great"),
        ("cost>much", "cost takes US dollars, as in cost>0.5 or cost<2, not >much."),
        ("time>3y", "time takes a duration, as in time>10m or time<1h30m, not >3y."),
        ("steps>1k", "steps takes a number, as in steps>10, not >1k."),
        ("size>5 x", "There is no filter size: it is searched as a word. Filters are model"),
        ("token>5k x", "There is no filter token (did you mean tokens>5k?): it is searched"),
        ("model>5 x", "There is no filter model> (did you mean model:5?): it is searched"),
        ("a->b x", ""),
        ("steps<=10 tokens>=5k time:90s cost>$1 x", ""),
        ("-x", "Add a word or a filter to search for"),
        ("tag:good -x", ""),
        ("-#good x", "A filter cannot be negated"),
        ("-is:sample x", ""),
        ("is:good x", "is takes sample"),
        ("x # y", ""),
        ("note: x", ""),
        ("http://x:8000", ""),
        ("http://example.org", ""),
        ("std::vector", ""),
        ("outcome:failed cost>0.5 cost<=2 after:7d before:today x", ""),
        ('model:"two words" x', ""),
    ],
)
def test_parts_that_were_not_understood_are_reported(query: str, remark: str) -> None:
    remarks = parse_query(query).remarks
    assert [one[: len(remark)] for one in remarks] == ([remark] if remark else [])


@pytest.mark.parametrize("wrong", ["outcome:great", "steps>x", "after:zzz"])
def test_a_wrong_filter_is_left_out(wrong: str) -> None:
    assert parse_query(f"{wrong} x").filters == parse_query("x").filters


def test_an_unknown_filter_names_the_filters_there_are() -> None:
    mistake, remark = parse_query("foo:bar after:zzz").remarks
    assert mistake.startswith("after takes 2026-11-01")
    assert remark.startswith("There is no filter foo: it is searched as a word. Filters are model")


def test_samples_come_after_own_sessions_and_can_be_left_out(store: Store) -> None:
    for name in ("own", "sample"):  # the sample is newer
        first = started(name, task="boats", started_at=1.0 if name == "own" else 9.0)
        store.append(name, [first, *finished(2, "boats, boats, boats" * (name == "sample"))])
    enter_eval(store, 5e8)
    ledger.claim(store, EVAL_ID, ledger.results(store, EVAL_ID)[-1].key, "sample")
    every = [one for one, *_ in found(store, "boats")]
    assert every[0] == "own"
    assert every[-1] == "sample"
    assert found(store, "before:2001-01-01 model:m")[0][0] == "own"
    assert {one for one, *_ in found(store, "boats is:sample")} == {"sample"}
    for query in ("boats -is:sample", "boats is:own"):
        assert {one for one, *_ in found(store, query)} == {"own"}
    assert "own" in {one for one, *_ in found(store, "is:own")}
    assert "sample" not in {one for one, *_ in found(store, "is:own")}


def test_with_a_filter_excluded_words_leave_out_sessions_that_contain_them(store: Store) -> None:
    store.append("r", [started("r", task="boats"), *finished(2, "a storm"), *finished(5, "calm")])
    store.append("s", [started("s", task="boats"), *finished(2, "calm")])
    store.append("t", [started("t", task="storms, untagged")])
    for run_id in ("r", "s"):
        add_tag(store, run_id, "good")
    assert found(store, "tag:good -storm") == [("s", 0, "session")]
    assert found(store, "-storm tag:good -calm") == []
    assert {one for one, *_ in found(store, 'tag:good -"storm calm"')} == {"r", "s"}


def test_a_filter_that_is_half_typed_finds_what_it_may_become(store: Store) -> None:
    for name, reason in (("a", "submitted"), ("b", "max_steps"), ("c", None), ("d", "cost_limit")):
        store.append(name, [started(name, task="x")])
        if reason is not None:
            end = e.RunFinished(seq=2, t=1, reason=reason, error=None, totals=e.Totals())  # type: ignore[arg-type]
            store.append(name, [end])
    add_tag(store, "a", "paper")
    add_tag(store, "b", "paperless")
    for query, wanted in {
        "outcome:f": {"b", "d"},
        "outcome:m": {"b"},
        "outcome:limit": {"d"},
        "outcome:su x": {"a"},
        "tag:pap": {"a", "b"},
        "tag:paper": {"a"},
        "tag:x": set[str](),
    }.items():
        assert {run_id for run_id, _, _ in found(store, query)} == wanted, query
    unended = {run_id for word in ("ru", "int") for run_id, _, _ in found(store, f"outcome:{word}")}
    assert unended == {"c"}


def test_sessions_that_failed_and_days(store: Store) -> None:
    now = time.time()
    for name, reason, ago in (("a", "submitted", 0), ("b", "max_steps", 3), ("c", None, 30)):
        store.append(name, [started(name, task="x", started_at=now - ago * 86400)])
        if reason is not None:
            end = e.RunFinished(seq=2, t=1, reason=reason, error=None, totals=e.Totals())  # type: ignore[arg-type]
            store.append(name, [end])
    for query, wanted in {
        "outcome:failed": {"b"},
        "OUTCOME:submitted": {"a"},
        "after:7d": {"a", "b"},
        "before:yesterday": {"b", "c"},
        "before:7d x": {"c"},
        "cost>0": set[str](),
    }.items():
        assert {run_id for run_id, _, _ in found(store, query)} == wanted, query


@examples(300)
@given(st.text(st.characters(), max_size=30) | st.text('moduetagcfr:"<> -_=5', max_size=20))
def test_completions_continue_from_what_is_typed(text: str) -> None:
    values = {"model": ["qwen3-coder", "two words"], "tag": ["good"], "outcome": ["failed"]}
    ways = completions(text, values)
    assert len(set(ways)) == len(ways)
    for way in ways:
        kept = text[: text.rfind(" ") + 1] if " " in text else ""
        assert way.startswith(kept)
        assert way != text
        if not way.endswith((":", ">")):
            assert not parse_query(way).remarks or parse_query(text).remarks


def test_completions() -> None:
    values = {"model": ["qwen3-coder", "two words"], "tag": ["good"]}
    assert completions("x mo", values) == ["x model:"]
    assert completions("x t", values) == ["x tag:", "x tool:", "x tokens>", "x time>"]
    assert completions("model:", values) == ["model:qwen3-coder", 'model:"two words"']
    assert completions("model:CODER", values) == ["model:qwen3-coder"]
    assert completions("tag:good", values) == []
    assert completions("x #go", values) == ["x #good"]
    assert completions('"mo', values) == []
    assert completions("colour:", values) == []


def test_a_session_shows_its_best_places_and_how_many_there_are(store: Store) -> None:
    keep(store, *sample("zebra"))
    search(store, "zebra")
    hits = find(store, parse_query("zebra"), each=2)
    assert len(hits) == 2
    assert hits[0].in_session == len(search(store, "zebra")) > 2


def test_a_finder_that_is_closed_says_so(store: Store) -> None:
    keep(store, *sample("zebra"))
    finder = Finder(store.path)
    assert finder.find(parse_query("zebra")).hits
    assert "execute_bash" in finder.values()["tool"]
    finder.close()
    finder.close()
    for ask in (lambda: finder.find(parse_query("zebra")), finder.values):
        with pytest.raises(StoreError):
            ask()


def test_tags_are_set_all_or_none(store: Store) -> None:
    keep(store, *sample("words"))
    set_tags(store, "r", ["#One", "two"])
    assert tags_of(store, "r") == ["one", "two"]
    with pytest.raises(StoreError, match="A tag is"):
        set_tags(store, "r", ["three", "x" * 60])
    assert all_tags(store) == {"r": ["one", "two"]}
    set_tags(store, "r", split_tags("demo, good,#Best ,, # x"))
    assert tags_of(store, "r") == ["best", "demo", "good", "x"]
    set_tags(store, "r", [])
    assert all_tags(store) == {}


def test_tags_and_notes(store: Store) -> None:
    keep(store, *sample("words"))
    assert add_tag(store, "r", "  Two Words ") == "two-words"
    assert add_tag(store, "r", "two,words,") == "two-words"
    add_tag(store, "r", "two words")
    assert tags_of(store, "r") == ["two-words"]
    note = add_note(store, "r", 2, "look at this")
    assert notes_of(store, "r") == [note]
    assert found(store, '"at this"') == [("r", 2, "note")]
    assert remove_note(store, "r", note.id)
    assert not remove_note(store, "r", note.id)
    assert found(store, '"at this"') == []
    assert remove_tag(store, "r", "#Two Words")
    assert not remove_tag(store, "r", "two-words")
    for bad in ("", " ", "x" * 51, "a\x1bb"):
        with pytest.raises(StoreError, match="A tag is"):
            add_tag(store, "r", bad)
    with pytest.raises(StoreError, match="There is no step 3"):
        add_note(store, "r", 3, "x")
    with pytest.raises(StoreError, match="cannot be empty"):
        add_note(store, "r", 1, " ")
    with pytest.raises(StoreError, match="no session"):
        add_tag(store, "nope", "x")


def test_deleting_takes_everything_along_and_gives_the_space_back(store: Store) -> None:
    keep(store, *sample("words"))
    large = [
        e.TerminalOutput(seq=n, t=n, terminal="model", data=os.urandom(60_000))
        for n in range(2, 60)
    ]
    store.append("s", [started("s", task="large zebra"), *large])
    add_tag(store, "s", "x")
    add_note(store, "s", 0, "zebra")
    assert found(store, "zebra")
    before = size(store)
    store.delete("s")
    assert found(store, "zebra") == []
    for table in ("steps", "calls", "messages", "notes", "tags", "events", "terminal_output"):
        assert not store.rows(f"SELECT 1 FROM {table} WHERE run_id = 's'")
    assert reclaim(store) > 3_000_000
    assert size(store) < before - 3_000_000
    assert found(store, "words")
    assert not check(store).problems
    assert reclaim(store) == 0  # nothing left to reclaim


def test_an_intact_database_is_reported_as_intact(store: Store) -> None:
    keep(store, *sample("words"))
    search(store, "words")
    report = check(store)
    assert (report.problems, report.sessions, report.events) == ([], 1, 31)
    assert report.bytes > 0


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        ("DELETE FROM events WHERE seq = 4", "should have 31 events and has 30"),
        ("DELETE FROM events WHERE kind = 'TerminalOutput'", "terminal output without its event"),
        ("DELETE FROM run_blobs", "2 file contents that no session uses"),
        ("DELETE FROM blobs", "2 references to file contents that are missing"),
        ("DELETE FROM runs", "31 events without a session"),
    ],
)
def test_problems_are_named(store: Store, spoil: str, words: str) -> None:
    keep(store, *sample("words"))
    with sqlite3.connect(store.path) as raw:
        raw.execute("PRAGMA foreign_keys = OFF")
        raw.execute(spoil)
    raw.close()
    assert any(words in problem for problem in check(store).problems)


def test_vacuum_removes_what_nobody_has(store: Store) -> None:
    keep(store, *sample("words"))
    with store.transaction() as connection:
        connection.execute("DELETE FROM run_blobs")
    vacuum(store)
    assert check(store).problems == []
    assert check(store).contents == 0


def test_vacuum_says_that_the_file_is_in_use(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    other = sqlite3.connect(store.path)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="locked by another program"):
        vacuum(store)
    assert reclaim(store) == 0
    other.rollback()
    other.close()


def test_a_read_only_database_can_still_be_looked_at(store: Store, tmp_path: Path) -> None:
    """For a user who may write neither to the file nor to its folder."""
    keep(store, *sample("zebra"))
    search(store, "zebra")
    store.close()
    home = tmp_path / "home"
    home.mkdir()
    shutil.copy(store.path, home / "sessions.db")
    (home / "sessions.db").chmod(0o444)
    home.chmod(0o555)
    environment = {**os.environ, "SANDBOX_TUI_HOME": str(home)}
    command: list[str | Path] = []
    if os.access(home, os.W_OK):  # root may write to it unless it drops this capability
        if shutil.which("setpriv") is None:
            pytest.skip("this user may write to read-only files")
        command = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"]

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, PROGRAM, *arguments], capture_output=True, text=True, env=environment
        )

    for arguments in (
        ["sessions", "ls"],
        ["sessions", "show", "r"],
        ["sessions", "search", "zebra"],
        ["sessions", "check"],
        ["sessions", "export", "r", "-f", "markdown", "-o", "-"],
        ["replay", "r", "--json"],
        ["policy", "check", "r", "--json"],
    ):
        done = run(*arguments)
        assert (done.returncode, done.stderr) == (0, ""), arguments
        assert "zebra" in done.stdout or "whole" in done.stdout
    for arguments in (["sessions", "rename", "r", "x"], ["sessions", "vacuum"]):
        done = run(*arguments)
        assert done.returncode == 6
        assert "is read-only" in done.stderr
    home.chmod(0o755)


def test_the_commands(tmp_path: Path, own_home: Path) -> None:
    own_home.mkdir()
    store = Store(own_home / "sessions.db")
    keep(store, *sample("zebra\x1b[31m"))
    store.close()

    def run(*words: str | Path) -> Result:
        return CliRunner().invoke(main, ["sessions", *map(str, words)])

    assert run("rename", "r", "A title").exit_code == 0
    assert run("tag", "r", "One", "two").stdout == "one two\n"
    assert run("tag", "r", "two", "--remove").stdout == "one\n"
    assert "mind the gap" in run("note", "r", "mind", "the", "gap", "--step", "1").stdout
    hit = run("search", "tag:one", "gap").stdout
    assert hit.startswith("r")
    assert "mind the gap" in hit
    assert "\x1b" not in run("search", "zebra").stdout
    few = run("search", "zebra", "--limit", "1")
    assert len(few.stdout.splitlines()) == 1
    assert few.stderr == "The first match; --limit N shows more.\n"
    assert run("search", "zebra").stderr == ""
    assert run("search", "tag:none", "gap").stdout == ""
    assert run("search", "tag:one", "-gap").stdout == ""
    assert run("search", "tag:one", "-giraffe").stdout.startswith("r")
    assert run("search", "tag:one", "-harbour").stdout.startswith("r")
    assert run("search", "-h").stdout == run("search", "--help").stdout
    assert "No such option" in run("search", "tag:one", "--jsn").stderr
    both = run("search", "foo:bar", "after:zzz").stderr
    assert "after takes" in both
    assert "There is no filter foo" in both
    for wrong in ("cost>x", "outcome:great", "after:someday", "gap cost<"):
        refused = run("search", "--", wrong)
        assert (refused.exit_code, refused.stdout) == (2, ""), wrong
    target = tmp_path / "out.md"
    assert run("export", "r", "-f", "markdown", "-o", target).exit_code == 0
    assert target.read_text().startswith("# A title")
    again = run("export", "r", "-f", "markdown", "-o", target)
    assert again.exit_code == 2
    assert "already exists" in again.stderr
    assert run("export", "r", "-f", "asciicast", "-o", tmp_path).exit_code == 0
    assert {p.name for p in tmp_path.glob("*.cast")} == {"r.model.cast", "r.shell.cast"}
    assert "There is no format" in run("export", "r", "-f", "x").stderr
    for name, meant in (
        ("json", "trajectory or chat-jsonl"),
        ("txt", "markdown"),
        ("htlm", "html"),
    ):
        assert f"Did you mean {meant}?" in run("export", "r", "-f", name).stderr
    assert run("export", "r", "-f", "chat_jsonl", "-o", tmp_path / "r.jsonl").exit_code == 0
    assert run("tag", "r", "demo,", "good,best").stdout == "best demo good one\n"
    assert run("check").exit_code == 0
    assert "freed" in run("vacuum").stdout


@pytest.mark.parametrize(("umask", "mode"), [(0o077, 0o600), (0o027, 0o640), (0o022, 0o644)])
def test_an_export_is_for_those_whom_the_umask_lets_read(
    tmp_path: Path, umask: int, mode: int
) -> None:
    before = os.umask(umask)
    try:
        target = tmp_path / "x.md"
        write_file(target, b"first")
        write_file(target, b"second")
    finally:
        os.umask(before)
    assert target.stat().st_mode & 0o777 == mode
    assert target.read_bytes() == b"second"
    assert list(tmp_path.iterdir()) == [target]


def test_a_match_in_several_lines_is_printed_on_one_line(own_home: Path) -> None:
    own_home.mkdir()
    with contextlib.closing(Store(own_home / "sessions.db")) as store:
        keep(store, *sample("first line\n\n\tzebra\r\nlast line"))
    printed = CliRunner().invoke(main, ["sessions", "search", "zebra"]).stdout
    assert "first line zebra last line" in printed
    assert "␊" not in printed
