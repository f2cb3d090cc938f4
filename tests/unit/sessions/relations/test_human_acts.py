"""What the user did in two sessions, beside each other."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.aligned_calls import calls_of
from sandbox_tui.sessions.relations.compare import compare
from sandbox_tui.sessions.relations.human_acts import ActPair, acts_of
from sandbox_tui.sessions.store.tables.annotations import add_note
from sandbox_tui.tui.format.compared.comparison import Divergence, calls_sentence, short_verdict
from sandbox_tui.tui.format.compared.facts import facts
from sandbox_tui.tui.format.compared.human_words import act_words, decision_words
from sandbox_tui.tui.screens.compare.row_kinds import differs, rows_of
from tests.unit.event_streams import started


def call(number: int, command: str, *, ended: bool = True) -> list[e.AnyEvent]:
    """A step with one call."""
    made = e.ToolCall(
        number=number, step=number, id=f"c{number}", name="execute_bash",
        arguments=json.dumps({"command": command}),
    )  # fmt: skip
    reply = e.ModelReplied(
        step=number, message={"role": "assistant", "content": "x"}, text="x", reasoning="",
        usage=e.Usage(), finish_reason="stop", latency=0.1,
    )  # fmt: skip
    end = e.CallFinished(call=number, observation="out", ok=True, exit_code=0, duration=0.1)
    return [reply, e.CallProposed(call=made), *([end] if ended else [])]


def store_run(store: Store, name: str, *events: e.AnyEvent, ended: bool = True) -> None:
    """Store a session of these events."""
    totals = e.Totals(steps=1, calls=1)
    end = e.RunFinished(reason="submitted", error=None, answer="a", totals=totals)
    run = [started(name), *events, *([end] if ended else [])]
    store.append(name, [msgspec.structs.replace(x, seq=n) for n, x in enumerate(run, 1)])


def test_acts_are_in_their_last_wording_and_between_their_calls(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    store_run(
        store,
        "one",
        *call(1, "ls"),
        e.HumanMessage(id=1, text="be quick"),
        e.Reworded(id=1, text="be brief"),
        e.HumanMessage(id=2, text="never mind"),
        e.Withdrawn(id=2),
        e.HumanCommand(id=3, command="date", told_to_model=False),
        *call(2, "make"),
        e.HumanFile(id=4, action="edit", path="/testbed/a.py", told_to_model=True, diff="+x"),
        e.ReplyInterrupted(step=3),
    )
    add_note(store, "one", 2, "odd")
    found = [(act.after_call, *act_words(act)) for act in acts_of(store, "one")]
    assert found == [
        (1, "message", "be brief"),
        (1, "you", "date"),
        (1, "✎", "odd"),
        (2, "edit", "/testbed/a.py"),
        (2, "you", "stopped the reply"),
    ]
    store.close()


def test_an_act_of_one_side_is_a_difference_and_may_explain_the_next_one(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    both = e.HumanMessage(id=1, text="begin")
    store_run(store, "one", both, *call(1, "ls"), *call(2, "make"))
    asked = e.HumanMessage(id=2, text="use ninja")
    store_run(store, "two", both, *call(1, "ls"), asked, *call(2, "ninja"))
    found = compare(store, store.run("one"), store.run("two"))
    assert [[pair.same for pair in place] for place in found.acts] == [[True], [False], []]
    assert calls_sentence(found) == (
        "Call 1 is identical; the sessions diverge at call 2 (step 2): different arguments, "
        "after your message on the right."
    )
    store.close()


def test_samples_of_one_task_have_their_numbers(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    store_run(store, "one")
    store_run(store, "two")
    both = (replace(store.run(name), sample=n) for n, name in ((4, "one"), (3, "two")))
    title = facts(compare(store, *both))[0]
    assert (title.left, title.right) == ("sample 4 · a task", "sample 3 · a task")
    store.close()


def test_the_sessions_part_at_an_act_before_the_first_call_that_differs(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    asked = e.HumanMessage(id=2, text="use ninja")
    store_run(store, "one", *call(1, "ls"), *call(2, "ls -l"), *call(3, "make"))
    store_run(store, "two", *call(1, "ls"), asked, *call(2, "ls -l"), *call(3, "make"))
    found = compare(store, store.run("one"), store.run("two"))
    words = "The sessions diverge after call 1 (step 1): your message on the right."
    assert calls_sentence(found) == words
    assert short_verdict(found) == (
        "1 call the same, then diverge after step 1, call 1: your message on the right"
    )
    rows = rows_of(found, [], hide_equal=False)
    mark = next(at for at, row in enumerate(rows) if isinstance(row, Divergence))
    assert isinstance(rows[mark + 1], ActPair), "the mark is above what was done"
    store.close()


@pytest.mark.parametrize(
    ("decided", "words"),
    [
        (e.CallDecided(call=1, verdict="approve", by="human"), ""),
        (e.CallDecided(call=1, verdict="reject", by="human"), "rejected by you"),
        (e.CallDecided(call=1, verdict="reject", by="policy"), "rejected by the policy"),
        (e.CallDecided(call=1, verdict="answer", by="human"), "answered by you"),
        (e.CallDecided(call=1, verdict="edit", by="human", arguments="{}"), "edited by you"),
    ],
)
def test_a_decision_has_the_words_of_the_list_of_calls(
    tmp_path: Path, decided: e.CallDecided, words: str
) -> None:
    store = Store(tmp_path / "s.db")
    store_run(store, "one", *call(1, "ls", ended=False), decided)
    assert decision_words(calls_of(store, "one")[0]) == words
    store.close()


def test_what_a_running_session_has_not_reached_is_no_difference(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    store_run(store, "one", *call(1, "ls"), *call(2, "make"), *call(3, "submit"))
    store_run(store, "two", *call(1, "ls"), *call(2, "make", ended=False), ended=False)
    found = compare(store, store.run("one"), store.run("two"))
    assert found.diverged_at is None
    assert [pair.is_pending for pair in found.pairs] == [False, True, True]
    assert calls_sentence(found) == "The same so far: 1 call."
    store.close()


def test_a_note_of_one_side_is_no_difference_but_stays_in_sight(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    store_run(store, "one", *call(1, "ls"))
    store_run(store, "two", *call(1, "ls"))
    add_note(store, "two", 1, "odd")
    found = compare(store, store.run("one"), store.run("two"))
    for hides in (False, True):
        rows = rows_of(found, facts(found), hide_equal=hides)
        (note,) = [row for row in rows if isinstance(row, ActPair)]
        assert not differs(note)
    store.close()
