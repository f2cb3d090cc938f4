"""An answer that a model puts only into its call of `submit` is shown, and marked."""

from __future__ import annotations

import json

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.compare import compare
from sandbox_tui.sessions.relations.session_detail import read_detail
from sandbox_tui.sessions.search.across_sessions import search
from sandbox_tui.sessions.store.answers import answer_in_call
from sandbox_tui.tui.format.answers import answer_in_list, answer_or_why_none, sample_title
from sandbox_tui.tui.format.compared.facts import facts
from sandbox_tui.tui.widgets.sessions.session_result import result_words
from tests.unit.event_streams import started

SAID = '{"answer": "7919"}'
MARKED = "7919 (said in submit; output/answer.txt was not written)"
SHORT = "7919"


def keep(store: Store, run_id: str, arguments: str, answer: str | None) -> None:
    call = e.ToolCall(number=1, step=1, id="c", name="submit", arguments=arguments)
    end = e.RunFinished(
        seq=3, t=2.0, reason="submitted", error=None, totals=e.Totals(), answer=answer
    )
    store.append(run_id, [started(run_id), e.CallProposed(seq=2, t=1.0, call=call), end])


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (SAID, "7919"),
        ('{"answer": 7919}', "7919"),
        ('{"final_answer": " 7919\\n"}', "7919"),
        ('{"note": "done"}', ""),
        ('{"answer": true}', ""),
        ("{}", ""),
        ("[1]", ""),
        ("no JSON", ""),
    ],
)
def test_the_answer_in_a_call(arguments: str, answer: str) -> None:
    assert answer_in_call(arguments) == answer


def test_an_answer_that_was_only_said_is_shown_and_marked(store: Store) -> None:
    keep(store, "said", SAID, None)
    keep(store, "empty", SAID, "")
    keep(store, "written", SAID, "7907")
    keep(store, "silent", "{}", None)
    by_id = {run.id: run for run in store.runs()}
    assert by_id == {name: store.run(name) for name in by_id}
    assert answer_or_why_none(by_id["said"]) == MARKED
    assert answer_or_why_none(by_id["empty"]) == "7919 (said in submit; output/answer.txt is empty)"
    assert result_words(by_id["said"]) == result_words(by_id["empty"]) == SHORT
    assert result_words(by_id["written"]) == answer_or_why_none(by_id["written"]) == "7907"
    assert result_words(by_id["silent"]) == "no answer"
    marked = answer_in_list(by_id["said"], marks_said=True)
    assert (marked, answer_in_list(by_id["said"], marks_said=False)) == (
        f"{SHORT} · said in submit",
        SHORT,
    )
    assert sample_title(1, by_id["said"]) == f"sample 1 · answer: {SHORT}"
    found = {fact.name: fact for fact in facts(compare(store, by_id["said"], by_id["written"]))}
    assert (found["answer"].left, found["answer"].right) == (MARKED, "7907")


@pytest.mark.parametrize(
    ("said", "answer", "other"),
    [
        ("7919", "7907", "7919"),
        ("7,919", "7919", ""),
        ("It is 7919.", "7919", ""),
        ("7919", '{"prime": 7919}', ""),
        ("-7919", "7919", "-7919"),
        ("7919", "", ""),
    ],
)
def test_submit_may_contradict_the_file(store: Store, said: str, answer: str, other: str) -> None:
    keep(store, "r", json.dumps({"answer": said}), answer)
    assert read_detail(store, store.run("r")).said_otherwise == other


@pytest.mark.parametrize("query", ["7919", "outcome:submitted"])
def test_a_search_finds_the_answer_that_was_only_said(store: Store, query: str) -> None:
    keep(store, "said", SAID, None)
    (hit,) = search(store, query)
    assert hit.run == store.run("said")
    assert result_words(hit.run) == SHORT
