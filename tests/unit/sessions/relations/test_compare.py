"""Two sessions side by side."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import time
from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.base.durations import clock
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.aligned_calls import Call, align, first_difference
from sandbox_tui.sessions.relations.compare import (
    Comparison,
    OwnPart,
    compare,
    contents_of,
    file_diff,
)
from sandbox_tui.tui.cli.sessions.compare import comparison_lines
from sandbox_tui.tui.format.compared.comparison import (
    call_line,
    calls_sentence,
    differing_lines,
    divergence,
    end_and_size,
    file_sizes,
    files_sentence,
    related_sentence,
    running_side,
    short_verdict,
)
from sandbox_tui.tui.format.compared.facts import answer_or_reason, fact_sign, facts
from sandbox_tui.tui.screens.compare.row_kinds import Hidden, rows_of
from tests.unit.event_streams import started
from tests.unit.sample_run import keep, sample

Ends = tuple[e.CallFinished | e.CallDecided | None, ...]


def call(number: int, what: str) -> Call:
    return Call(
        number=number, step=number, tool="execute_bash", arguments=f'{{"command": "{what}"}}'
    )


LETTERS = st.lists(st.sampled_from("abcd"), max_size=12)


@given(LETTERS, LETTERS)
def test_every_call_is_in_the_alignment_once_and_in_order(
    mine: list[str], theirs: list[str]
) -> None:
    left = [call(n, what) for n, what in enumerate(mine, 1)]
    right = [call(n, what) for n, what in enumerate(theirs, 1)]
    pairs = align(left, right)
    assert [pair.left for pair in pairs if pair.left] == left
    assert [pair.right for pair in pairs if pair.right] == right
    common = 0
    while common < min(len(mine), len(theirs)) and mine[common] == theirs[common]:
        common += 1
    assert all(pair.same for pair in pairs[:common])


def test_spacing_of_arguments_is_no_difference() -> None:
    one = Call(number=1, step=1, tool="t", arguments='{"a": 1,  "b": [2]}')
    other = Call(number=4, step=2, tool="t", arguments='{"b":[2],"a":1}')
    assert align([one], [other])[0].same
    broken = Call(number=1, step=1, tool="t", arguments="{")
    assert align([broken], [broken])[0].same
    assert not align([one], [broken])[0].same


def test_a_thousand_calls_that_hardly_agree_are_quick() -> None:
    left = [call(n, f"step {n % 7} of {n // 3}") for n in range(1000)]
    right = [call(n, f"step {n % 5} of {n // 4}") for n in range(1000)]
    same = [call(n, "ls") for n in range(1000)]
    began = time.process_time()
    align(left, right)
    align(same, [call(0, "cd"), *same])
    assert time.process_time() - began < 5.0


def test_a_session_and_its_like(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    events, contents = sample()
    keep(store, events, contents, "one")
    changed = [
        msgspec.structs.replace(x, run_id="two", parent="one", parent_seq=3)
        if isinstance(x, e.RunStarted)
        else x
        for x in events
    ]
    keep(store, changed, contents, "two")
    found = compare(store, store.run("one"), store.run("two"))
    assert found.diverged_at is None
    assert found.files == []
    assert found.related == "two is a fork of one"
    assert all(pair.same and pair.is_equal for pair in found.pairs)
    blob = store.put_blob("two", b"first\nsecond\n")
    other = e.FileChange(path="/testbed/new", change="created", kind="file", size=13, blob=blob)
    last = changed[-1].seq
    more = e.FilesChanged(seq=last + 1, t=99.0, step=9, changes=(other,))
    store.append("two", [more])
    found = compare(store, store.run("one"), store.run("two"))
    assert [(file.path, file.verdict) for file in found.files] == [("/testbed/new", "right only")]
    assert file_sizes(found.files[0]) == "– → 13B"
    time_ = next(fact for fact in facts(found) if fact.name == "time")
    assert time_.right == clock(99.0), "that of the whole session, as its steps and calls are"
    assert found.files[0].right_seq == last + 1
    assert contents_of(store, found.files[0]) == (b"", b"first\nsecond\n")
    assert "+first" in file_diff(store, found.files[0])
    store.close()


def replied(seq: int, t: float, step: int, tokens: int) -> e.ModelReplied:
    return e.ModelReplied(
        seq=seq, t=t, step=step, message={"role": "assistant", "content": "x"}, text="x",
        reasoning="", usage=e.Usage(input_tokens=tokens, output_tokens=0),
        finish_reason="stop", latency=1.0, cost=0.5,
    )  # fmt: skip


def test_a_fork_is_compared_as_a_whole_and_its_own_part_is_told_apart(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        shared = replied(2, 30.0, 1, 900)
        store.append("parent", [started("parent"), shared, replied(3, 44.0, 2, 100)])
        first = msgspec.structs.replace(started("fork"), parent="parent", parent_seq=2)
        forked = e.Forked(
            seq=3,
            t=30.0,
            parent="parent",
            parent_seq=2,
            step=1,
            snapshot=None,
            repeats=0,
            model="m",
        )
        store.append("fork", [first, shared, forked, replied(4, 50.0, 2, 100)])
        for name in ("parent", "fork"):
            store.give_up(name)
        found = compare(store, store.run("parent"), store.run("fork"))
        rows = {fact.name: fact for fact in facts(found)}
        figures = {name: rows[name][1:4] for name in ("steps", "tokens", "cost", "time")}
        assert figures == {
            "steps": ("2", "2", ""),
            "tokens": ("1.0k", "1.0k", ""),
            "cost": ("$1.00", "$1.00", ""),
            "time": ("00:44", "00:50", "+00:06"),
        }
        own = rows["own part"]
        assert (own.left, own.right) == ("", "1 step · 100 tokens · $0.50 · 00:20")
        assert fact_sign(own) == ""
        text = list(comparison_lines(store, found))
        whole = "The figures are those of the whole sessions; own part is what a fork added."
        assert text[:2] == ["Right is a fork of left after step 1.", whole]
        narrow = list(comparison_lines(store, found, 60))
        assert "own part    right: 1 step · 100 tokens · $0.50 · 00:20" in narrow
        headings = rows_of(found, [], hide_equal=False)[0]
        assert headings[1:3] == ("left, whole session", "right, whole session")
        swapped = compare(store, found.right, found.left)
        assert next(fact for fact in facts(swapped) if fact.name == "own part").left == own.right
        alone = compare(store, found.left, found.left)
        assert "own part" not in {fact.name for fact in facts(alone)}
        assert not next(comparison_lines(store, alone)).startswith("The figures")


def with_results(store: Store, name: str, *ends: e.CallFinished | e.CallDecided | None) -> None:
    """Store a session of equal calls, one for each of these endings."""
    events: list[e.AnyEvent] = [started(name, task=f"the task of {name}")]
    for number, end in enumerate(ends, 1):
        made = e.ToolCall(
            number=number, step=number, id=f"c{number}", name="execute_bash",
            arguments=json.dumps({"command": f"make {number}"}),
        )  # fmt: skip
        events.append(e.CallProposed(call=made))
        if isinstance(end, e.CallDecided):
            events.append(end)
            end = e.CallFinished(call=number, observation="no", ok=False, duration=0.0)
        if end is not None:
            events.append(end)
    store.append(name, [msgspec.structs.replace(x, seq=n) for n, x in enumerate(events, 1)])


def ended(call: int, code: int = 0, said: str = "same") -> e.CallFinished:
    return e.CallFinished(call=call, observation=said, ok=code == 0, exit_code=code, duration=0.1)


def compared(tmp_path: Path, mine: Ends, theirs: Ends) -> Comparison:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        with_results(store, "one", *mine)
        with_results(store, "two", *theirs)
        for name in ("one", "two"):  # as if their program had ended
            store.give_up(name)
        return compare(store, store.run("one"), store.run("two"))


def test_sessions_diverge_where_the_same_call_ends_differently(tmp_path: Path) -> None:
    mine = ended(1), ended(2, said="read\nheaviest: water"), ended(3)
    theirs = ended(1), ended(2, 1, "read\nKeyError"), ended(3)
    found = compared(tmp_path, mine, theirs)
    assert found.diverged_at == 1
    assert calls_sentence(found) == (
        "Call 1 is identical; the sessions diverge at call 2 (step 2): same call, exit 0 and exit 1."
    )
    diverges = divergence(found)
    assert diverges is not None
    assert end_and_size(diverges.pair.left) == "exit 0 · 0.10s · 2 lines"
    assert end_and_size(diverges.pair.right) == "exit 1 · 0.10s · 2 lines"
    assert diverges.line is not None
    assert differing_lines(diverges.line) == ("line 2: heaviest: water", "line 2: KeyError")
    assert diverges.pair.right is not None
    assert diverges.pair.right.seq == 5, "the event with the answer to the second call"


def test_different_output_alone_is_shown_but_no_divergence(tmp_path: Path) -> None:
    found = compared(tmp_path, (ended(1), ended(2, said="10:00")), (ended(1), ended(2, said="11")))
    assert found.diverged_at is None
    assert calls_sentence(found) == (
        "Identical: all 2 calls and exit codes; the output differs, first at call 2 (step 2)."
    )
    same = compared(tmp_path / "b", (ended(1),), (ended(1),))
    assert calls_sentence(same) == "Identical: the only call and its output."
    own = OwnPart(steps=1, begins_at=0.0, input_tokens=0, output_tokens=0, cost=None)
    fork = dataclasses.replace(same.right, parent=same.left.id, steps=3)
    of_fork = dataclasses.replace(same, right=fork, own=(None, own))
    assert calls_sentence(of_fork) == (
        "Identical: the only call and its output; the steps before the fork are those of the"
        " parent."
    )
    all_own = dataclasses.replace(of_fork, right=dataclasses.replace(fork, steps=1))
    assert calls_sentence(all_own) == "Identical: the only call and its output."
    assert divergence(same) is None


def test_calls_whose_output_differs_are_not_called_identical(tmp_path: Path) -> None:
    mine = ended(1, said="10:00"), ended(2), ended(3)
    theirs = ended(1, said="11:00"), ended(2), ended(3, 1)
    found = compared(tmp_path, mine, theirs)
    assert calls_sentence(found) == (
        "Calls 1 to 2 are the same, 1 of them with different output; "
        "the sessions diverge at call 3 (step 3): same call, exit 0 and exit 1."
    )
    assert short_verdict(found).startswith("2 calls the same (1 with different output), then ")
    rows = rows_of(found, [], hide_equal=True)
    assert [row.calls for row in rows if isinstance(row, Hidden)] == [1]
    found = compared(tmp_path / "b", (mine[0], ended(2)), (theirs[0], ended(2, 1)))
    assert calls_sentence(found).startswith(
        "Call 1 is the same, with different output; the sessions diverge at call 2 "
    )


def test_a_call_of_one_side_only_is_where_they_diverge(tmp_path: Path) -> None:
    found = compared(tmp_path, (ended(1),), (ended(1), ended(2)))
    assert calls_sentence(found) == (
        "Call 1 is identical; the sessions diverge at call 2 (step 2): only on the right."
    )
    assert end_and_size(None) == "no call"


@given(st.lists(st.sampled_from("ab\n"), max_size=9), st.lists(st.sampled_from("ab\n"), max_size=9))
def test_the_first_difference_is_the_first_line_that_differs(
    mine: list[str], theirs: list[str]
) -> None:
    left, right = "".join(mine).rstrip("\n"), "".join(theirs).rstrip("\n")
    found = first_difference(left, right)
    if found is None:
        assert left == right
        return
    sides = [text.split("\n") if text else [] for text in (left, right)]
    before = found.number - 1
    assert sides[0][:before] == sides[1][:before]
    assert sides[0][before : before + 1] == ([] if found.left is None else [found.left])
    assert sides[1][before : before + 1] == ([] if found.right is None else [found.right])
    assert found.left != found.right


def test_calls_are_counted_as_they_are_listed(tmp_path: Path) -> None:
    skipped = e.CallDecided(call=1, verdict="skip", by="human")
    found = compared(tmp_path, (skipped, ended(2, 3), None), (ended(1), ended(2), ended(3)))
    rows = {name: (left, right) for name, left, right, *_ in facts(found)}
    assert rows["calls"] == (
        "3, 1 failed, 1 not run, 1 without a result",
        "3",
    )
    assert rows["title"] == ("the task of one", "the task of two")
    assert rows["session"] == ("one", "two")
    assert found.diverged_at == 0


def test_no_files_are_not_all_of_them(tmp_path: Path) -> None:
    found = compared(tmp_path, (ended(1),), (ended(1),))
    assert files_sentence(found) == "Neither session left files."
    assert related_sentence(found) == ""


def test_a_running_session_may_yet_leave_files_and_end_its_call(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        for name, decided in (("waits", False), ("runs", True)):
            made = e.ToolCall(
                number=1, step=1, id="c", name="execute_bash", arguments='{"command": "ls"}'
            )
            told: list[e.AnyEvent] = [started(name), e.CallProposed(call=made)]
            if decided:
                told += [e.CallDecided(call=1, verdict="approve", by="policy")]
            store.append(name, [msgspec.structs.replace(x, seq=n) for n, x in enumerate(told, 1)])
        found = compare(store, store.run("waits"), store.run("runs"))
        assert found.is_running
        assert running_side(found) == "both are running"
        text = list(comparison_lines(store, found))
        assert text[0] == "Both are running: the figures are those so far."
        (pair,) = found.pairs
        ends = [end_and_size(pair.left), end_and_size(pair.right)]
        assert ends == ["waits for approval", "still running"]
        rows = {fact.name: fact for fact in facts(found)}
        assert rows["calls"][1:3] == ("1, 1 to approve", "1, 1 running")
        assert files_sentence(found) == "No files so far."
        assert calls_sentence(found).startswith("Nothing to compare yet")
        left, right = (dataclasses.replace(run, outcome="cancelled") for run in
                       (found.left, found.right))  # fmt: skip
        (pair,) = compare(store, left, right).pairs
        assert [end_and_size(pair.left), end_and_size(pair.right)] == ["no result · no output"] * 2


def test_a_call_that_was_cut_off_has_what_it_printed(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        for name in ("a", "b"):
            made = e.ToolCall(number=1, step=1, id="c", name="execute_bash", arguments="{}")
            told: list[e.AnyEvent] = [
                started(name),
                e.CallProposed(call=made),
                e.CallDecided(call=1, verdict="approve", by="policy"),
                e.CallStarted(call=1),
                e.TerminalOutput(terminal="model", data=f"one\r\n{name}\r\n".encode()),
            ]
            store.append(name, [msgspec.structs.replace(x, seq=n) for n, x in enumerate(told, 1)])
        left, right = (dataclasses.replace(store.run(name), outcome="killed") for name in "ab")
        (pair,) = compare(store, left, right).pairs
        assert [end_and_size(pair.left), end_and_size(pair.right)] == (
            ["no result · 2 lines, cut off"] * 2
        )
        assert pair.output_difference is not None
        assert pair.output_difference.left == "a"


def test_no_line_with_two_sides_is_wider_than_the_terminal(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("a long text " * 9), run_id="20261120-101112-abcde")
        keep(store, *sample("another text " * 9), run_id="20261121-131415-fghij")
        right, left = store.runs()
        found = compare(store, left, right)
        for width in (60, 80, 100, 160):
            lines = list(comparison_lines(store, found, width))
            files = next(
                at for at, line in enumerate(lines) if line.startswith("  ") and "/t" in line
            )
            assert max(map(len, lines[:files])) <= width
        (outcome,) = [
            one for one in comparison_lines(store, found, 60) if one.startswith("outcome")
        ]
        assert outcome.split() == ["outcome", "submitted", "=", "submitted"]
        text = "\n".join(comparison_lines(store, found))
        assert any(len(line) > 80 for line in text.splitlines())


def test_the_reason_for_a_missing_answer_is_not_shown_as_an_answer(tmp_path: Path) -> None:
    run = compared(tmp_path, (ended(1),), (ended(1),)).left
    assert answer_or_reason(dataclasses.replace(run, outcome="running")) == "none yet"
    left = dataclasses.replace(run, outcome="cancelled", answer=" half of it\n", error=None)
    assert answer_or_reason(left) == "(not submitted) half of it"
    said = dataclasses.replace(run, answer="42", error=None, outcome="submitted")
    stopped = dataclasses.replace(run, answer=" ", error="You ended the run.")
    silent = dataclasses.replace(run, answer=None, error=None)
    failed = dataclasses.replace(run, answer=None, error="OpenAI is overloaded.")
    handed_in = dataclasses.replace(silent, outcome="submitted")
    assert [answer_or_reason(one) for one in (said, stopped, silent, handed_in, failed)] == [
        "42",
        "no answer (you ended the run)",
        "no answer (the run was interrupted)",
        "no answer (output/answer.txt was not written)",
        "no answer (OpenAI is overloaded)",
    ]


def test_numbers_of_calls_are_aligned() -> None:
    nine, ten = (Call(seq=n, number=n, step=n, tool="submit", arguments="{}") for n in (9, 10))
    assert call_line(nine).index("·") == call_line(ten).index("·")
