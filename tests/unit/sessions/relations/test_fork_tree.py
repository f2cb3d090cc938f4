"""Sessions as family trees."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.relations.fork_origin import (
    ForkOrigin,
    own_part,
    read_origin,
    shared_part,
)
from sandbox_tui.sessions.relations.fork_tree import in_tree_order, with_lineage
from sandbox_tui.sessions.store.ids import time_of
from tests.unit.event_streams import started
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
        results_dir=None,
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
    places = [(one.id, depth) for one, depth in in_tree_order(runs)]
    assert places == [("a", 0), ("d", 1), ("f", 2), ("b", 1), ("e", 0), ("c", 0)]


def test_a_new_fork_brings_its_family_to_the_top(tmp_path: Path) -> None:
    old, newer = "20260101-100000-aaaaa", "20260105-100000-aaaaa"
    fork = "20260109-100000-aaaaa"
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        for name, parent in ((old, None), (newer, None), (fork, old)):
            started_at = time_of(old if name == fork else name)
            assert started_at is not None
            first = msgspec.structs.replace(
                started(name), run_id=name, started_at=started_at, parent=parent, seq=1
            )
            store.append(name, [first])
        runs = store.runs()
        assert [one.id for one in runs] == [fork, newer, old]
        assert runs[0].run_started_at == time_of(fork)
        assert [one.id for one, _ in in_tree_order(runs)] == [old, fork, newer]


NAMES = st.sampled_from("abcdef")


@given(st.dictionaries(NAMES, st.none() | NAMES))
def test_every_session_is_listed_once_whatever_its_parents(parents: dict[str, str | None]) -> None:
    """Also if the forks in a damaged file form a cycle."""
    runs = [run(name, parent) for name, parent in parents.items()]
    assert sorted(one.id for one, _ in in_tree_order(runs)) == sorted(parents)


def test_the_step_of_the_fork_point(tmp_path: Path) -> None:
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
    call = e.ToolCall(number=9, step=7, id="c", name="execute_bash", arguments='{"a": 0}')
    own_events: list[e.AnyEvent] = [
        e.HumanMessage(t=99.0, id=9, text="look again"),
        e.CallProposed(t=99.5, call=call),
        e.CallDecided(t=99.5, call=9, verdict="edit", by="human", arguments='{"a": 1}'),
        e.ModelAsked(t=99.5, step=8, digest="", messages=2),
        e.HumanMessage(t=100.0, id=10, text="not a reason"),
    ]
    numbered = [
        msgspec.structs.replace(event, seq=parting.seq + n) for n, event in enumerate(own_events, 1)
    ]
    store.append("child", [first, *events[1:], parting, *numbered])
    child = store.run("child")
    origin = read_origin(store, child)
    assert origin == ForkOrigin(
        parent="parent",
        step=7,
        message="look again",
        call=9,
        tool="execute_bash",
        arguments='{"a": 1}',
        proposed='{"a": 0}',
        is_within=True,
    )
    assert origin.place == "in step 7"
    own = own_part(child, shared_part(store, child))
    assert own.seconds == 100.0 - events[-1].t
    parent = store.run("parent")
    assert child.input_tokens == parent.input_tokens > 0
    assert (own.input_tokens, own.output_tokens) == (0, 0)
    assert own_part(parent, shared_part(store, parent)) == parent
    assert read_origin(store, parent) is None
    queries: list[str] = []
    listed = store.runs()
    with store.autocommit() as connection:
        connection.set_trace_callback(queries.append)
    places = {one.id: place for one, place in with_lineage(store, listed)}
    assert sum(query.startswith("SELECT") for query in queries) == 3, "however many forks"
    assert places["child"].origin == origin
    assert places["child"].depth == 1
    assert places["parent"].origin is None
    store.close()
