"""Two sessions side by side."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core import events as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.compare import Call, align, compare, file_diff
from tests.unit.sample_run import keep, sample


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
    assert found.parted is None
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
