"""Two sessions side by side."""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.compare import Call, Comparison, align, compare, file_diff
from sandbox_tui.tui.format.comparison import (
    files_sentence,
    related_sentence,
    totals,
    where_they_part,
)
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


def test_spacing_of_arguments_does_not_part_them() -> None:
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
    assert all(pair.same and pair.agrees for pair in found.pairs)
    blob = store.put_blob("two", b"first\nsecond\n")
    other = e.FileChange(path="/testbed/new", change="created", kind="file", size=13, blob=blob)
    last = changed[-1].seq
    more = e.FilesChanged(seq=last + 1, t=99.0, step=9, changes=(other,))
    store.append("two", [more])
    found = compare(store, store.run("one"), store.run("two"))
    assert [(file.path, file.verdict) for file in found.files] == [("/testbed/new", "right only")]
    assert "+first" in file_diff(store, found.files[0])
    store.close()


def with_results(store: Store, name: str, *ends: e.CallFinished | e.CallDecided | None) -> None:
    """A session of as many equal calls, each with this end."""
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
        return compare(store, store.run("one"), store.run("two"))


def test_the_same_call_with_another_end_is_where_they_part(tmp_path: Path) -> None:
    found = compared(tmp_path, (ended(1), ended(2), ended(3)), (ended(1), ended(2, 1), ended(3)))
    assert found.diverged_at == 1
    assert where_they_part(found) == (
        "The first call is the same; they part at call 2 (step 2), which ends differently: "
        "left ok, right exit 1."
    )


def test_other_output_alone_does_not_part_them_but_is_said(tmp_path: Path) -> None:
    found = compared(tmp_path, (ended(1), ended(2, said="10:00")), (ended(1), ended(2, said="11")))
    assert found.diverged_at is None
    assert where_they_part(found) == (
        "They never part: all 2 calls are the same; the output of 1 differs."
    )
    assert where_they_part(compared(tmp_path / "b", (ended(1),), (ended(1),))) == (
        "They never part: the one call is the same; so are the results."
    )


def test_calls_are_counted_as_they_are_listed(tmp_path: Path) -> None:
    skipped = e.CallDecided(call=1, verdict="skip", by="human")
    found = compared(tmp_path, (skipped, ended(2, 3), None), (ended(1), ended(2), ended(3)))
    rows = {name: (left, right) for name, left, right in totals(found)}
    assert rows["calls"] == ("3, 1 failed, 1 not run, 1 without a result", "3, 0 failed")
    assert rows["name"] == ("the task of one", "the task of two")
    assert rows["session"] == ("one", "two")
    assert found.diverged_at == 0


def test_no_files_are_not_all_of_them(tmp_path: Path) -> None:
    found = compared(tmp_path, (ended(1),), (ended(1),))
    assert files_sentence(found) == "Neither has left files."
    assert related_sentence(found) == ""
