"""Sessions as families."""

from __future__ import annotations

from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core import events as e
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.family import arranged, kinship
from tests.unit.sample_run import sample


def run(name: str, parent: str | None = None) -> RunSummary:
    return RunSummary(
        id=name,
        task="t",
        model="m",
        sandbox="bubblewrap",
        title=None,
        started_at=0.0,
        ended_at=None,
        outcome="submitted",
        error=None,
        answer=None,
        output=None,
        steps=1,
        calls=1,
        failed_calls=0,
        input_tokens=0,
        output_tokens=0,
        cost=None,
        seconds=1.0,
        last_seq=3,
        parent=parent,
        parent_seq=None if parent is None else 1,
    )


def test_forks_follow_their_parents() -> None:
    runs = [run("f", "d"), run("e", "gone"), run("d", "a"), run("c"), run("b", "a"), run("a")]
    places = [(one.id, depth) for one, depth in arranged(runs)]
    assert places == [("e", 0), ("c", 0), ("a", 0), ("d", 1), ("f", 2), ("b", 1)]


NAMES = st.sampled_from("abcdef")


@given(st.dictionaries(NAMES, st.none() | NAMES))
def test_every_session_is_listed_once_whatever_its_parents(parents: dict[str, str | None]) -> None:
    """Also where a damaged file has forks go in a circle."""
    runs = [run(name, parent) for name, parent in parents.items()]
    assert sorted(one.id for one, _ in arranged(runs)) == sorted(parents)


def test_the_step_at_which_a_fork_parted(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    events, _ = sample()
    store.append("parent", events)
    first = msgspec.structs.replace(
        events[0], run_id="child", parent="parent", parent_seq=len(events)
    )
    parting = e.Forked(
        seq=len(events) + 1,
        t=99.0,
        parent="parent",
        parent_seq=len(events),
        step=7,
        snapshot=None,
        repeats=0,
        model="m",
    )
    store.append("child", [first, *events[1:], parting])
    places = {one.id: place for one, place in kinship(store, store.runs())}
    assert places["child"].step == 7
    assert places["child"].depth == 1
    assert places["parent"].step is None
    store.close()
