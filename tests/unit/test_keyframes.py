"""Any moment by keyframe and tail equals that moment by folding everything before it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox_tui.core import events as e
from sandbox_tui.core.state import fold
from sandbox_tui.sessions import Store, kept_items, keyframes
from sandbox_tui.sessions.kept_screens import Screens
from sandbox_tui.sessions.keyframes import (
    catch_up,
    landmarks_of,
    last_keyframe,
    moment_at,
)
from sandbox_tui.sessions.landmarks import landmark
from sandbox_tui.sessions.moments import Moment
from tests.unit.run_streams import runs


@contextlib.contextmanager
def small_keyframes() -> Iterator[None]:
    """So many keyframes that a short run has several."""
    with (
        patch.object(keyframes, "LIGHT", 3),
        patch.object(keyframes, "HEAVY", 7),
        patch.object(keyframes, "FEW_FILES", 2),
        patch.object(kept_items, "PAGE", 2),
    ):
        yield


def assert_same(moment: Moment, events: list[e.AnyEvent]) -> None:
    """The moment is what folding these events gives."""
    state, screens = fold(events), Screens()
    for event in events:
        screens.apply(event)
    assert moment.state == state
    assert list(moment.state.files) == list(state.files)
    assert list(moment.state.calls) == list(state.calls)
    assert moment.state.pending == state.pending
    assert moment.state.running == state.running
    assert list(moment.screens.by_name) == list(screens.by_name)
    for name, screen in screens.by_name.items():
        assert moment.screens.by_name[name].keyframe() == screen.keyframe()


@settings(max_examples=60, deadline=None)
@given(runs(), st.data())
def test_keyframe_and_tail_are_the_whole(events: list[e.AnyEvent], data: st.DataObject) -> None:
    with (
        TemporaryDirectory() as folder,
        contextlib.closing(Store(Path(folder) / "s.db")) as store,
        small_keyframes(),
    ):
        store.append("r", events)
        catch_up(store, "r")
        if len(events) > 8:
            assert last_keyframe(store, "r") > 0
        seqs = data.draw(st.lists(st.integers(0, len(events)), min_size=1, max_size=6))
        for seq in seqs:
            assert_same(moment_at(store, "r", seq), events[:seq])
        places = [place for event in events if (place := landmark(event))]
        assert list(landmarks_of(store, "r").all) == places


@settings(max_examples=30, deadline=None)
@given(runs(), st.data())
def test_made_bit_by_bit_they_are_the_same(events: list[e.AnyEvent], data: st.DataObject) -> None:
    tables = ("keyframes", "items", "screens", "landmarks")

    def rows(store: Store) -> list[object]:
        return [store.rows(f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4") for table in tables]

    with TemporaryDirectory() as folder, small_keyframes():
        with contextlib.closing(Store(Path(folder) / "a.db")) as store:
            store.append("r", events)
            catch_up(store, "r")
            at_once = rows(store)
        with contextlib.closing(Store(Path(folder) / "b.db")) as store:
            done = 0
            while done < len(events):
                count = data.draw(st.integers(1, len(events) - done))
                store.append("r", events[done : done + count])
                done += count
                catch_up(store, "r")
            ends = [
                row["seq"] for row in store.rows("SELECT seq FROM keyframes WHERE kind = 'head'")
            ]
            assert ends == sorted(ends)
            seq = data.draw(st.integers(0, len(events)))
            assert_same(moment_at(store, "r", seq), events[:seq])
        assert len(at_once) == len(tables)
