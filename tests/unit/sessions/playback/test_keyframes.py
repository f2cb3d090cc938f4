"""A position restored from a keyframe and the events after it equals the fold of all events."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.core.terminal.emulator.screen import Screen
from sandbox_tui.core.terminal.emulator.scrollback import ContinuedHistory, History
from sandbox_tui.sessions import Store, record
from sandbox_tui.sessions.playback import keyframes
from sandbox_tui.sessions.playback import lazy_items as lazy_items
from sandbox_tui.sessions.playback.keyframes import (
    catch_up,
    last_keyframe,
    last_readable_keyframe,
    markers_of,
    playback_state_at,
)
from sandbox_tui.sessions.playback.lazy_scrollback import TerminalScreens
from sandbox_tui.sessions.playback.markers import CALL_ENDS, FAILURES, marker_of
from sandbox_tui.sessions.playback.playback_state import PlaybackState
from sandbox_tui.sessions.playback.player import position_at
from sandbox_tui.sessions.search.within_session import occurrences
from sandbox_tui.sessions.store.compression import decompress
from sandbox_tui.sessions.store.maintenance import check
from tests.examples import examples
from tests.perf.made_sessions import fill
from tests.unit.event_streams import started
from tests.unit.run_streams import runs


@contextlib.contextmanager
def small_keyframes() -> Iterator[None]:
    """Store keyframes so often that even a short run has several."""
    with (
        patch.object(keyframes, "MIN_WEIGHT", 3),
        patch.object(keyframes, "MAX_WEIGHT", 7),
        patch.object(keyframes, "MAX_CHANGED_FILES", 2),
        patch.object(lazy_items, "PAGE_ITEMS", 2),
    ):
        yield


def assert_same(playback: PlaybackState, events: list[e.AnyEvent]) -> None:
    """Assert that the restored position equals the fold of these events."""
    state, screens = fold(events), TerminalScreens()
    for event in events:
        screens.apply(event)
    assert playback.state == state
    assert list(playback.state.files) == list(state.files)
    assert list(playback.state.calls) == list(state.calls)
    assert playback.state.pending == state.pending
    assert playback.state.running == state.running
    assert list(playback.screens.by_name) == list(screens.by_name)
    for name, screen in screens.by_name.items():
        assert playback.screens.by_name[name].keyframe() == screen.keyframe()


@examples(25)
@given(runs(), st.data())
def test_keyframe_and_tail_are_the_whole(events: list[e.AnyEvent], data: st.DataObject) -> None:
    with (
        TemporaryDirectory() as folder,
        contextlib.closing(Store(Path(folder) / "s.db")) as store,
        small_keyframes(),
    ):
        store.append("r", events)
        at_first = markers_of(store, "r")
        catch_up(store, "r")
        if len(events) > 8:
            assert last_keyframe(store, "r") > 0
        seqs = data.draw(st.lists(st.integers(0, len(events)), min_size=1, max_size=6))
        for seq in seqs:
            assert_same(playback_state_at(store, "r", seq), events[:seq])
        places = [place for event in events if (place := marker_of(event))]
        assert list(markers_of(store, "r").all) == places
        assert list(markers_of(store, "r", at_first).all) == places


@examples(12)
@given(runs(), st.data())
def test_made_bit_by_bit_they_are_the_same(events: list[e.AnyEvent], data: st.DataObject) -> None:
    tables = ("keyframes", "keyframe_items", "keyframe_screens", "markers")

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
            assert_same(playback_state_at(store, "r", seq), events[:seq])
        assert len(at_once) == len(tables)


# --- what may go wrong


def prepared(folder: Path, steps: int = 40) -> tuple[Store, list[e.AnyEvent]]:
    """Copy a session with keyframes into a separate database."""
    (folder / "s.db").write_bytes(prepared_file(steps))
    store = Store(folder / "s.db")
    return store, list(store.events("r"))


@functools.cache
def prepared_file(steps: int) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "s.db"
        with contextlib.closing(Store(path)) as store:
            fill(store, "r", steps)
            catch_up(store, "r")
        assert list(Path(folder).iterdir()) == [path]  # no WAL file is left beside it
        return path.read_bytes()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE keyframes SET data = x'00'",
        "UPDATE keyframes SET data = x''",
        "UPDATE keyframes SET data = 'text'",
        "UPDATE keyframes SET data = x'01ff' WHERE kind = 'head'",
        "DELETE FROM keyframes WHERE kind = 'tree'",
        "UPDATE keyframes SET data = substr(data, 1, 20)",
        "DELETE FROM keyframe_screens",
        "UPDATE keyframe_screens SET data = x'00'",
        "UPDATE keyframe_screens SET history = 5000000",
        "DELETE FROM keyframe_items",
        "DELETE FROM keyframe_items WHERE item % 2",
        "UPDATE keyframe_items SET data = x'00'",
        "UPDATE keyframe_items SET kind = 'note'",
        "UPDATE keyframe_items SET kind = 'nothing'",
        "UPDATE keyframe_items SET compressed = 1 - compressed",
    ],
)
def test_damaged_keyframes_are_skipped(tmp_path: Path, damage: str) -> None:
    store, events = prepared(tmp_path)
    with store.transaction() as connection:
        connection.execute(damage)
    for seq in (5, 333, len(events)):
        assert_same(playback_state_at(store, "r", seq), events[:seq])
    store.close()


def test_keyframes_of_an_earlier_version_are_replaced(tmp_path: Path) -> None:
    store, events = prepared(tmp_path)
    last = last_keyframe(store, "r")
    with store.transaction() as connection:
        connection.execute("DELETE FROM keyframes")
        connection.execute("UPDATE keyframe_items SET seq = seq + 1, data = x'00'")
    with patch.object(keyframes, "FORMAT", keyframes.FORMAT - 1):
        catch_up(store, "r")
    assert_same(playback_state_at(store, "r", last + 1), events[: last + 1])
    assert last_readable_keyframe(store, "r") == 0
    catch_up(store, "r")
    assert last_readable_keyframe(store, "r") == last
    playback = playback_state_at(store, "r", last + 1)
    assert playback.keyframe.seq == last
    assert_same(playback, events[: last + 1])
    damaged = store.rows("SELECT * FROM keyframe_items WHERE data = x'00'")
    assert not damaged, "no row of the earlier version is left to be taken for a newer one"
    places = [place for event in events if (place := marker_of(event))]
    assert list(markers_of(store, "r").all) == places
    store.close()


@pytest.mark.parametrize("which", range(12))
def test_forged_heads_are_refused_or_harmless(tmp_path: Path, which: int) -> None:
    store, events = prepared(tmp_path, 20)
    row = store.rows("SELECT max(seq) AS seq, data FROM keyframes WHERE kind = 'head'")[0]
    fields = msgspec.msgpack.decode(decompress(row["data"][0], row["data"][1:]))
    for value in (None, -1, 10**9, "x", [], {}, [[1, 2, 3]], [["model", 0, 1]], [[1, 1]]):
        forged = [value if place == which else field for place, field in enumerate(fields)]
        with store.transaction() as connection:
            connection.execute(
                "UPDATE keyframes SET data = ? WHERE kind = 'head' AND seq = ?",
                [b"\0" + msgspec.msgpack.encode(forged), row["seq"]],
            )
        playback = playback_state_at(store, "r", len(events))
        assert playback.seq == len(events)
        for screen in playback.screens.by_name.values():
            screen.keyframe()
        assert list(playback.state.items) == fold(events).items
    store.close()


@pytest.mark.parametrize("wrong", [-3, -1, 1, 40, 10**6])
def test_a_keyframe_that_counts_its_items_wrongly_is_not_believed(
    tmp_path: Path, wrong: int
) -> None:
    store, events = prepared(tmp_path, 20)
    row = store.rows("SELECT max(seq) AS seq, data FROM keyframes WHERE kind = 'head'")[0]
    fields = msgspec.msgpack.decode(decompress(row["data"][0], row["data"][1:]))
    at = keyframes._Head.__struct_fields__.index("items")
    fields[at] += wrong
    with store.transaction() as connection:
        connection.execute(
            "UPDATE keyframes SET data = ? WHERE kind = 'head' AND seq = ?",
            [b"\0" + msgspec.msgpack.encode(fields), row["seq"]],
        )
    assert_same(playback_state_at(store, "r", len(events)), events)
    store.close()


def test_scrollback_is_the_same_however_far_up(tmp_path: Path) -> None:
    store, events = prepared(tmp_path, 300)
    playback, screens = playback_state_at(store, "r", len(events)), TerminalScreens()
    for event in events:
        screens.apply(event)
    ours, whole = playback.screens.by_name["model"], screens.by_name["model"]
    assert ours.history_size == whole.history_size > 3000
    for line in (0, 1, 700, 1999, whole.history_size - 1):
        assert ours.row(line) == whole.row(line)
    assert list(ours.find("part_77.py:3")) == list(whole.find("part_77.py:3"))
    store.close()


def test_scrollback_has_its_limit_however_it_came_to_be() -> None:
    for past in (0, 3, 10, 15):
        lines = [f"line {number}" for number in range(40)]
        whole, ours = History(10), ContinuedHistory(lines[max(0, past - 10) : past], 10)
        whole.extend(lines[:past])
        for number in range(past, 40):
            assert (list(ours), len(ours)) == (list(whole), len(whole))
            assert [ours.text(at) for at in range(len(ours))] == [
                whole.text(at) for at in range(len(whole))
            ]
            assert [ours.tail(count) for count in range(12)] == [
                whole.tail(count) for count in range(12)
            ]
            whole.append(lines[number])
            ours.append(lines[number])
        ours.clear()
        assert list(ours) == []


def test_keyframes_take_room_as_the_session_does(tmp_path: Path) -> None:
    def room(store: Store, run_id: str) -> int:
        return sum(
            store.rows(f"SELECT sum(length(data)) AS n FROM {table} WHERE run_id = ?", [run_id])[0][
                "n"
            ]
            for table in ("keyframes", "keyframe_items", "keyframe_screens")
        )

    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        for steps in (100, 800):
            fill(store, f"r{steps}", steps)
            catch_up(store, f"r{steps}")
        assert room(store, "r800") < 9 * room(store, "r100")


def test_a_jump_reads_few_rows(tmp_path: Path) -> None:
    """The number of rows that a jump reads does not grow with the session."""
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        read: dict[int, int] = {}
        for steps in (100, 800):
            fill(store, f"r{steps}", steps)
            catch_up(store, f"r{steps}")
            worst = 0
            last = store.run(f"r{steps}").last_seq
            for seq in range(last // 2, last, last // 40):
                with patch.object(Store, "rows", autospec=True, side_effect=Store.rows) as asked:
                    playback = playback_state_at(store, f"r{steps}", seq)
                    list(playback.state.items[-60:])
                    worst = max(worst, asked.call_count)
                    assert seq - playback.keyframe.seq <= keyframes.MAX_WEIGHT
            read[steps] = worst
        assert read[800] <= read[100] + 1


def test_a_seek_parses_one_chunk_of_output_at_most(tmp_path: Path) -> None:
    """A seek feeds the emulator at most the output between two keyframes, which is bounded."""
    line = b"\x1b[32m%06d\x1b[0m some words of output\r\n"
    pieces = [b"".join(line % (n * 100 + m) for m in range(100)) for n in range(600)]
    first = msgspec.structs.replace(started("r"), seq=1)
    events: list[e.AnyEvent] = [first] + [
        e.TerminalOutput(seq=number, t=number / 10, terminal="model", data=piece)
        for number, piece in enumerate(pieces, 2)
    ]
    chunk = keyframes.MAX_WEIGHT * keyframes.BYTES_PER_WEIGHT + len(pieces[0])
    assert sum(map(len, pieces)) > 5 * chunk
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        store.append("r", events)
        catch_up(store, "r")
        fed: list[int] = []

        def counted(screen: Screen, data: bytes) -> None:
            fed.append(len(data))
            feed(screen, data)

        feed = Screen.feed
        with patch.object(Screen, "feed", counted):
            for seq in (2, 77, 300, 301, 555, 601):
                fed.clear()
                screen = playback_state_at(store, "r", seq).screens.by_name["model"]
                assert sum(fed) <= chunk
                assert f"{seq * 100 - 101:06}" in screen.text(screen.history_size + screen.y - 1)
                fed.clear()
                screen.row(screen.history_size // 2)  # a line far up
                assert sum(fed) <= chunk


def test_a_session_that_is_deleted_takes_them_along(tmp_path: Path) -> None:
    store, _ = prepared(tmp_path)
    store.delete("r")
    for table in ("keyframes", "keyframe_items", "keyframe_screens", "markers"):
        assert store.rows(f"SELECT count(*) AS n FROM {table}") == [{"n": 0}]
    assert check(store).problems == []
    store.close()


def test_making_them_changes_no_event_and_ends_when_told(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    fill(store, "r", 60)
    before = store.rows("SELECT * FROM events ORDER BY seq")
    calls = iter([True] * 400)
    catch_up(store, "r", should_continue=lambda: next(calls, False))
    half = last_keyframe(store, "r")
    assert 0 < half <= 401
    made: list[int] = []
    catch_up(store, "r", on_keyframe=made.append)
    assert made
    assert made[0] > half
    assert store.rows("SELECT * FROM events ORDER BY seq") == before
    assert check(store).problems == []
    store.close()


async def test_they_are_made_while_a_run_is_recorded(tmp_path: Path) -> None:
    made = Store(tmp_path / "made.db")
    fill(made, "r", 60)
    events = list(made.events("r"))
    made.close()

    async def source() -> AsyncIterator[e.AnyEvent]:
        for event in events:
            yield event
            if isinstance(event, e.ModelAsked):
                await asyncio.sleep(0.005)

    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        assert [event async for event in record(source(), store, "r")] == events
        assert last_keyframe(store, "r") > len(events) // 4
        for seq in (77, 500, len(events)):
            assert_same(playback_state_at(store, "r", seq), events[:seq])


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("how", ["mode=ro", "mode=ro&immutable=1"])
def test_a_file_that_cannot_be_written_has_them_beside_it(
    tmp_path: Path, stored: bool, how: str
) -> None:
    path = tmp_path / "s.db"
    with contextlib.closing(Store(path)) as store:
        for run_id in ("r", "s"):
            fill(store, run_id, 60)
        if stored:
            stop = iter([True] * 700)
            catch_up(store, "r", should_continue=lambda: next(stop, False))
        events = list(store.events("r"))
    before = path.read_bytes()
    store = Store._open_readonly(path, how)
    for _ in range(2):
        catch_up(store, "r")
        catch_up(store, "s")
    assert last_keyframe(store, "r") > len(events) - keyframes.MAX_WEIGHT // 3
    count = store.rows(
        "SELECT count(*) AS n, count(DISTINCT seq) AS d FROM markers WHERE run_id = 'r'"
    )
    assert count[0]["n"] == count[0]["d"]
    for seq in (5, 650, 900, len(events)):
        playback = playback_state_at(store, "r", seq)
        assert seq - playback.keyframe.seq < 200
        assert_same(playback, events[:seq])
    store.close()
    assert path.read_bytes() == before


# --- places


def test_markers_are_found_from_anywhere(tmp_path: Path) -> None:
    store, events = prepared(tmp_path)
    places = markers_of(store, "r")
    failures = [x.seq for x in events if isinstance(x, e.CallFinished) and not x.ok]
    assert places.steps == 40
    assert len(failures) == 2
    assert places.next(0, 1, FAILURES) == failures[0]
    assert places.next(failures[0], 1, FAILURES) == failures[1]
    assert places.next(failures[1], 1, FAILURES) is None
    assert places.next(failures[1], -1, FAILURES) == failures[0]
    assert places.next(failures[0], -1, FAILURES) is None
    assert places.next(len(events), -1, CALL_ENDS) is not None
    replies = {x.step: x.seq for x in events if isinstance(x, e.ModelReplied)}
    assert all(places.time_of_step(n) == fold(events).reply_arrived(n) for n in (1, 7, 40, 41))
    assert [places.of_step(n) for n in (1, 7, 40, 41)] == [
        replies[1],
        replies[7],
        replies[40],
        None,
    ]
    for t in (-1.0, 0.0, events[50].t, events[50].t + 1e-6, 1e9):
        wanted = sum(1 for event in events if event.t <= t)
        assert position_at(store, "r", t) == wanted
    store.close()


def test_text_is_found_at_the_moments_it_appeared(tmp_path: Path) -> None:
    store, events = prepared(tmp_path)
    found = occurrences(store, "r", "PART_7.PY")
    assert found == []
    found = occurrences(store, "r", "part_7.py:11")
    assert [type(events[seq - 1]) for seq in found] == [e.CallFinished]
    found = occurrences(store, "r", "test-12")
    assert [type(events[seq - 1]) for seq in found] == [e.CallProposed]
    assert len(occurrences(store, "r", "part_")) == 40
    assert occurrences(store, "r", "") == []
    assert occurrences(store, "r", "part_", rest=lambda: False) == []
    store.close()
