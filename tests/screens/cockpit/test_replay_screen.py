"""The replay screen, as a user works with it: any position, on all three panes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import CallItem, RunState, fold
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.playback.keyframes import last_keyframe
from sandbox_tui.sessions.playback.lazy_scrollback import TerminalScreens
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.keys.available_actions import available_actions
from sandbox_tui.tui.screens.cockpit.replay.go_to_step import GoToStepDialog
from sandbox_tui.tui.screens.cockpit.replay.replay_bar import ReplayBar
from sandbox_tui.tui.screens.cockpit.replay.replay_position import ReplayPosition
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.cockpit.replay.session_search import SessionSearch
from sandbox_tui.tui.screens.dialogs.pager import PagerScreen
from sandbox_tui.tui.textual_support.private_api import (
    has_toast_lines,
    remove_toast,
    shown_toasts,
)
from sandbox_tui.tui.textual_support.toasts import put_toasts_away
from sandbox_tui.tui.textual_support.typed_app import subscribe_to_bindings
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.calls.call_list import WINDOW_ITEMS, Calls
from sandbox_tui.tui.widgets.calls.end_card import EndCard
from sandbox_tui.tui.widgets.calls.rows.task_rows import TASK
from sandbox_tui.tui.widgets.calls.search.call_filter import fits
from sandbox_tui.tui.widgets.calls.search.find_bar import FindBar
from sandbox_tui.tui.widgets.files.file_tree import FileTree
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.preview.lines import PreviewLines
from sandbox_tui.tui.widgets.preview.preview import Preview
from sandbox_tui.tui.widgets.status_bar import StatusBar
from sandbox_tui.tui.widgets.terminal.pane import TerminalPane
from sandbox_tui.tui.widgets.timeline import Timeline
from tests.perf.made_sessions import fill
from tests.unit.event_streams import started
from tests.waiting import until

STEPS = 120


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[e.AnyEvent]]:
    """Record a session of `STEPS` steps; return the database and the events."""
    path = tmp_path_factory.mktemp("session") / "s.db"
    with contextlib.closing(Store(path)) as store:
        fill(store, "r", STEPS)
        return path, list(store.events("r"))


@asynccontextmanager
async def replayed(
    path: Path, size: tuple[int, int] = (160, 45)
) -> AsyncIterator[tuple[ReplayScreen, Pilot[int]]]:
    store = Store(path)
    app = SandboxTui(load({}), store, store.run("r"))
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        await until(pilot, lambda: screen._index.is_complete)
        await pilot.press("0")
        await until(pilot, lambda: screen.position == 0)
        yield screen, pilot
    store.close()


async def at(screen: ReplayScreen, pilot: Pilot[int], seq: int) -> None:
    """Wait until the replay has reached an event."""
    await until(pilot, lambda: screen.position == seq and screen._replay.requested_position is None)
    await pilot.pause()


def panes_are(screen: ReplayScreen, events: list[e.AnyEvent], *, played: bool = False) -> None:
    """Assert that all three panes show the state after these events.

    A played screen received its output in different pieces, so it shows the same, but may store its
    rows differently; pass `played` to skip the comparison of keyframes.
    """
    state, screens = fold(events), TerminalScreens()
    if not played:
        apply_changes_of_ended_calls(state, list(screen._store.events("r", after=len(events))))
    for event in events:
        screens.apply(event)
    assert screen.state == state
    terminals = screen.query_one(TerminalPane)
    assert terminals.names == list(screens.by_name)
    for name, emulator in screens.by_name.items():
        ours = terminals.views[name].emulator
        if not played:
            assert ours.keyframe() == emulator.keyframe()
        assert (ours.x, ours.y, ours.scrolled) == (emulator.x, emulator.y, emulator.scrolled)
        rows = range(emulator.history_size + emulator.lines)
        assert [ours.row(row) for row in rows] == [emulator.row(row) for row in rows]
    files = screen.query_one(FileTree)
    assert {path for path in state.files if files.select(path)} == {
        path for path in state.files if not path.startswith("/testbed/package_0/.")
    }
    calls = screen.query_one(Calls)
    shown = [calls._state.items[index] for index in calls._shown if index != TASK]
    assert shown == list(state.items)[-len(shown) :]
    assert len(shown) >= min(WINDOW_ITEMS, len(state.items))


def apply_changes_of_ended_calls(state: RunState, later: list[e.AnyEvent]) -> None:
    """Apply what calls had changed by then, which was recorded later."""
    seq, t = state.seq, state.t
    for event in later:
        if isinstance(event, e.CallFinished):
            break
        call = state.calls.get(event.call or 0) if isinstance(event, e.FilesChanged) else None
        if call is not None and call.finished is not None:
            state.apply(event)
    state.seq, state.t = seq, t


def of_kind(events: list[e.AnyEvent], kind: type, **having: Any) -> list[int]:
    return [
        event.seq
        for event in events
        if isinstance(event, kind) and all(getattr(event, k) == v for k, v in having.items())
    ]


async def test_every_jump_shows_its_moment(session: tuple[Path, list[e.AnyEvent]]) -> None:
    path, events = session
    async with replayed(path) as (screen, pilot):
        for seq in (1, 3, 40, len(events), 1501, 0, 900, 2):
            screen.seek(seq)
            await at(screen, pilot, seq)
            panes_are(screen, events[:seq])


async def test_keys_go_by_call_event_second_step_and_failure(
    session: tuple[Path, list[e.AnyEvent]],
) -> None:
    path, events = session
    ends, failures = of_kind(events, e.CallFinished), of_kind(events, e.CallFinished, ok=False)
    async with replayed(path) as (screen, pilot):
        await pilot.press("right", "right", "l")
        await at(screen, pilot, ends[2])
        await pilot.press("left")
        await at(screen, pilot, ends[1])
        await pilot.press("full_stop", "full_stop", "comma")
        await at(screen, pilot, ends[1] + 1)
        await pilot.press("n")
        await at(screen, pilot, failures[0])
        await pilot.press("n", "n", "N")
        await at(screen, pilot, failures[1])
        panes_are(screen, events[: failures[1]])

        t = screen.state.t
        await pilot.press("shift+right")
        await at(screen, pilot, sum(1 for event in events if event.t <= t + 1))
        t = screen.state.t
        await pilot.press("shift+left")
        await at(screen, pilot, sum(1 for event in events if event.t <= t - 1))

        await pilot.press("colon")
        await until(pilot, lambda: isinstance(screen.app.focused, Input))
        await pilot.press(*"77", "enter")
        await at(screen, pilot, of_kind(events, e.CallStarted, call=77)[0])
        assert screen.state.step == 77
        await pilot.press("colon")
        await until(pilot, lambda: isinstance(screen.app.focused, Input))
        await pilot.press("escape")
        await until(pilot, lambda: screen.app.screen is screen)
        assert screen.state.step == 77
        await pilot.press("dollar_sign")
        await at(screen, pilot, len(events))
        await pilot.press("n")
        await pilot.pause()
        assert screen.position == len(events)


async def test_a_step_that_does_not_exist_is_named_at_the_field(
    session: tuple[Path, list[e.AnyEvent]],
) -> None:
    async with replayed(session[0]) as (screen, pilot):
        await pilot.press("colon")
        await until(pilot, lambda: isinstance(pilot.app.screen, GoToStepDialog))
        line = pilot.app.screen.query_one(Input)
        assert str(line.border_title).startswith(f"step, 1 to {STEPS} ")
        await pilot.press(*"999", "enter")
        await until(pilot, lambda: line.has_class("-wrong"))
        assert str(line.border_subtitle) == f"no step 999: enter 1 to {STEPS}"
        assert isinstance(pilot.app.screen, GoToStepDialog)
        assert screen.position == 0
        await pilot.press("backspace")
        await until(pilot, lambda: not line.has_class("-wrong"))
        assert "enter go" in str(line.border_subtitle)
        await pilot.press("enter")
        await at(screen, pilot, of_kind(session[1], e.CallStarted, call=99)[0])


async def test_other_places_are_typed_too(session: tuple[Path, list[e.AnyEvent]]) -> None:
    path, events = session
    begun = of_kind(events, e.CallStarted)
    async with replayed(path) as (screen, pilot):

        async def go(text: str, seq: int) -> None:
            await pilot.press("colon")
            await until(pilot, lambda: isinstance(pilot.app.focused, Input))
            pilot.app.screen.query_one(Input).value = text
            await pilot.press("enter")
            await at(screen, pilot, seq)

        await go("10", begun[9])
        await go("+5", begun[14])
        await go("-14", begun[0])
        half = events[-1].t / 2
        await go("50%", sum(1 for event in events if event.t <= half))
        await go("0:05", sum(1 for event in events if event.t <= 5))
        await go("$", len(events))
        await go("0", 0)
        await go("77", begun[76])
        calls = screen.query_one(Calls)
        assert isinstance(calls.last_shown, CallItem)
        assert (calls.last_shown.call.step, calls.last_shown.status) == (77, "running")
        assert screen.step_notes.step_here == 77
        await pilot.press("right")
        await at(screen, pilot, of_kind(events, e.CallFinished)[76])


async def test_a_renamed_session_is_replayed_under_its_title(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        fill(store, "r", 1)
        store.rename("r", "the good one")
    async with replayed(tmp_path / "s.db") as (screen, _):
        assert screen.task_line == "the good one"
        assert "the good one" in screen.query_one(StatusBar).render_line(0).text


async def test_search_goes_forwards_and_backwards(session: tuple[Path, list[e.AnyEvent]]) -> None:
    path, events = session
    found = [x.seq for x in events if isinstance(x, e.CallFinished) and "part_1" in x.observation]
    async with replayed(path) as (screen, pilot):
        calls = screen.query_one(Calls)
        await pilot.press("1", "slash")
        await until(pilot, lambda: isinstance(screen.focused, Input))
        await pilot.press(*"part_1")
        await until(
            pilot,
            lambda: (
                len(screen._found._hits) == len(found) and screen._replay.requested_position is None
            ),
        )
        await at(screen, pilot, found[0])
        assert f"1 of {len(found)} found" in str(screen.query_one(FindBar).border_title)
        assert calls.current is not None
        assert "part_1.py" in str(calls.current)
        await pilot.press("enter")
        await until(pilot, lambda: calls.has_focus)
        await pilot.press("n")
        await at(screen, pilot, found[1])
        await pilot.press("N", "N")
        await at(screen, pilot, found[-1])
        assert f"{len(found)} of {len(found)} found" in str(calls.border_subtitle)
        panes_are(screen, events[: found[-1]])
        await pilot.press("slash")
        await until(pilot, lambda: isinstance(screen.focused, Input))
        await pilot.press(*"part_2zz")  # "part_2" is elsewhere
        await until(pilot, lambda: screen.query_one(FindBar).border_title == "no matches")
        await at(screen, pilot, found[-1])
        await pilot.press("escape")
        await until(pilot, lambda: not screen._found.words)
        await pilot.press("N")  # without a search, the key goes to failures again
        await at(screen, pilot, of_kind(events, e.CallFinished, ok=False)[-1])


async def test_a_jump_during_a_search_takes_the_calls_along(
    session: tuple[Path, list[e.AnyEvent]],
) -> None:
    path, events = session
    ends = of_kind(events, e.CallFinished)
    async with replayed(path) as (screen, pilot):
        calls = screen.query_one(Calls)
        await pilot.press("1", "slash")
        await until(pilot, lambda: isinstance(screen.focused, Input))
        await pilot.press(*"part_30", "enter")
        await until(pilot, lambda: calls.has_focus and "part_30" in str(calls.current))
        for key, step in (("right", 31), ("left", 30), ("left", 29), ("dollar_sign", STEPS)):
            await pilot.press(key)
            await at(screen, pilot, ends[step - 1] if step < STEPS else len(events))
            assert screen.state.step == step
            assert calls.is_visible(calls.cursor)
            assert isinstance(calls.current, CallItem)
            assert calls.current.call.step == step
            assert screen.step_notes.step_here == step
        await pilot.press("N")
        await at(screen, pilot, ends[29])
        assert "part_30" in str(calls.current)
        await pilot.press("up", "up", "up", "right")
        await at(screen, pilot, ends[30])
        assert screen.step_notes.step_here == 31


async def test_a_search_says_that_it_is_searching_until_its_matches_are_known(
    session: tuple[Path, list[e.AnyEvent]], monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end, search = asyncio.Event(), SessionSearch.look_for

    async def search_slowly(self: SessionSearch, words: str) -> None:
        await may_end.wait()
        await search(self, words)

    monkeypatch.setattr(SessionSearch, "look_for", search_slowly)
    async with replayed(session[0]) as (screen, pilot):
        await pilot.press("1", "slash")
        await until(pilot, lambda: isinstance(screen.focused, Input))
        await pilot.press(*"quaggas")
        bar = screen.query_one(FindBar)
        await until(pilot, lambda: bar.border_title == "searching…")
        await pilot.press("enter")
        calls = screen.query_one(Calls)
        await until(pilot, lambda: "searching…" in str(calls.border_subtitle))
        may_end.set()
        await until(pilot, lambda: "no matches" in str(calls.border_subtitle))


async def test_a_search_that_ends_late_does_not_pull_the_user_back(
    session: tuple[Path, list[e.AnyEvent]], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, events = session
    may_end, search = asyncio.Event(), SessionSearch.look_for

    async def search_slowly(self: SessionSearch, words: str) -> None:
        await may_end.wait()
        await search(self, words)

    monkeypatch.setattr(SessionSearch, "look_for", search_slowly)
    store = Store(path)
    app = SandboxTui(load({}), store)
    async with app.run_test(size=(160, 45)) as pilot:
        found = of_kind(events, e.CallProposed)[80]
        place = ReplayPosition(found, words="part_")
        screen = ReplayScreen(store.run("r"), store, at=place)
        await app.push_screen(screen)
        await at(screen, pilot, found)
        await until(pilot, lambda: screen._index.is_complete)
        await pilot.press("colon")
        await until(pilot, lambda: isinstance(app.focused, Input))
        await pilot.press("9", "enter")
        nine = of_kind(events, e.CallStarted, call=9)[0]
        await at(screen, pilot, nine)
        may_end.set()
        await until(pilot, lambda: "found" in screen._found.sentence(screen.position))
        await until(pilot, lambda: not any(one.group == "find" for one in screen.workers))
        await until(pilot, lambda: screen.is_settled)
        assert screen.position == nine
    store.close()


async def test_playing_on_from_a_match_is_followed(
    session: tuple[Path, list[e.AnyEvent]],
) -> None:
    async with replayed(session[0]) as (screen, pilot):
        calls = screen.query_one(Calls)
        await pilot.press("1", "slash")
        await until(pilot, lambda: isinstance(screen.focused, Input))
        await pilot.press(*"part_30", "enter")
        await until(pilot, lambda: calls.has_focus and "part_30" in str(calls.current))
        await pilot.press("space")
        await until(pilot, lambda: screen.state.step >= 32)
        assert calls.following
        assert screen.step_notes.step_here >= 31


async def test_escape_ends_a_search_that_was_kept_and_then_leaves(
    session: tuple[Path, list[e.AnyEvent]],
) -> None:
    path, _ = session
    async with replayed(path) as (screen, pilot):
        calls = screen.query_one(Calls)
        await pilot.press("1", "slash")
        await until(pilot, lambda: isinstance(screen.focused, Input))
        await pilot.press(*"part_1", "enter")
        await until(pilot, lambda: screen._found._hits and calls.has_focus)
        await pilot.press("escape")
        await until(pilot, lambda: not screen._found.words)
        assert screen.app.screen is screen
        assert "found" not in str(calls.border_subtitle)
        await pilot.press("slash")
        await until(pilot, lambda: isinstance(screen.focused, Input))
        assert screen.query_one(FindBar).query_one(Input).value == ""
        await pilot.press("escape")
        await until(pilot, lambda: calls.has_focus)
        await pilot.press("down", "escape")
        await until(pilot, lambda: screen not in screen.app.screen_stack)


async def test_escape_ends_the_filter_of_the_calls_first(
    session: tuple[Path, list[e.AnyEvent]],
) -> None:
    path, _ = session
    async with replayed(path) as (screen, pilot):
        calls = screen.query_one(Calls)
        await pilot.press("1", "f")
        assert "only failures" in str(calls.border_title)
        await pilot.press("escape")
        assert "only" not in str(calls.border_title)
        assert pilot.app.screen is screen


async def test_escape_puts_notices_away_first_and_then_leaves_for_the_screen_below(
    session: tuple[Path, list[e.AnyEvent]],
) -> None:
    async with replayed(session[0]) as (screen, pilot):
        app = pilot.app
        second = ReplayScreen(screen._summary, screen._store)
        await app.push_screen(second)
        await until(pilot, lambda: app.screen is second and second.is_settled)
        app.notify("A notice.", timeout=100)
        await until(pilot, lambda: shown_toasts(app))
        await pilot.press("escape")
        await until(pilot, lambda: not shown_toasts(app))
        assert app.screen is second
        await pilot.press("down", "escape")
        await until(pilot, lambda: app.screen is screen)


async def test_the_task_is_the_first_item_and_is_found(
    session: tuple[Path, list[e.AnyEvent]],
) -> None:
    task = f"a task of {STEPS} steps"
    async with replayed(session[0]) as (screen, pilot):
        calls, app = screen.query_one(Calls), pilot.app
        await pilot.press("1")
        assert task in calls.render_line(0).text
        await pilot.press("home")
        assert screen.why_unavailable("open_all", ()) == "all of it is shown"
        await pilot.press("slash", *"task of", "enter")
        await at(screen, pilot, 1)
        assert (calls.cursor, calls.block_count()) == (0, 1)
        found = ReplayScreen(screen._summary, screen._store, at=ReplayPosition(1, words="task of"))
        await app.push_screen(found)
        await until(pilot, lambda: found.is_settled and found.query_one(Calls).cursor == 0)
        assert task in found.query_one(Calls).render_line(0).text


@pytest.mark.parametrize("size", [(160, 45), (100, 30), (60, 20)], ids=str)
async def test_a_match_is_in_view_in_the_call_and_in_the_pager(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    output = "\n".join(f"line {n} of many" for n in range(1, 76))
    proposed = e.ToolCall(number=1, step=1, id="c", name="execute_bash", arguments="{}")
    ends = e.CallFinished(call=1, observation=output, ok=True, exit_code=0, duration=0.1)
    events = [started("r"), e.CallProposed(call=proposed), ends, e.Warned(text="the end")]
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        numbered = enumerate(events, 1)
        store.append("r", [msgspec.structs.replace(one, seq=n, t=n * 1.0) for n, one in numbered])
    async with replayed(tmp_path / "s.db", size) as (screen, pilot):
        calls, app = screen.query_one(Calls), pilot.app
        await pilot.press("slash", *"line 33", "enter")
        await at(screen, pilot, 3)
        assert "line 33 of many" in in_view(calls)
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, PagerScreen))
        text = app.screen.query_one("#pager-text", PreviewLines)
        await until(pilot, lambda: "line 33 of many" in in_view(text))
        assert text.plain[text.cursor] == "line 33 of many"
        assert not app.screen.why_unavailable("again", (1,))  # type: ignore[attr-defined]


def in_view(blocks: BlockList) -> str:
    """The rows of a list that are on the screen."""
    height = blocks.scrollable_content_region.height
    return "\n".join(blocks.render_line(y).text for y in range(height))


async def test_a_long_task_is_opened_in_full(tmp_path: Path) -> None:
    task = "\n".join(f"Line {n} of the task." for n in range(40))
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        ends = e.Warned(text="the end", seq=2, t=1.0)
        store.append("r", [started("r", task=task), ends])
    async with replayed(tmp_path / "s.db") as (screen, pilot):
        calls, app = screen.query_one(Calls), pilot.app
        await pilot.press("1", "home")
        assert calls.current is not None
        opened = calls._tops[1]
        await pilot.press("enter")
        assert calls._tops[1] < opened, "the task is open while there is nothing else"
        assert "Line 1 of the task. …" in calls.render_line(1).text
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, PagerScreen))


async def test_the_timeline_is_clicked_and_dragged(session: tuple[Path, list[e.AnyEvent]]) -> None:
    path, events = session
    async with replayed(path) as (screen, pilot):
        timeline = screen.query_one(Timeline)
        line = timeline.render_line(0).text
        assert line.count("✗") == len(of_kind(events, e.CallFinished, ok=False))
        assert "┼" in line
        length = timeline._length

        def playback(x: int) -> int:
            t = (x - 3) / length * events[-1].t
            return sum(1 for event in events if event.t <= t)

        await pilot.click(timeline, offset=(60, 0))
        await at(screen, pilot, playback(60))
        await pilot.mouse_down(timeline, offset=(30, 0))
        await at(screen, pilot, playback(30))
        await pilot.hover(timeline, offset=(90, 0))
        await at(screen, pilot, playback(90))
        # the slider follows the pointer outside the timeline
        await pilot.hover(screen.query_one(Calls), offset=(5, 5))
        await at(screen, pilot, playback(5))
        await pilot.mouse_up(timeline, offset=(5, 0))
        await pilot.hover(timeline, offset=(90, 0))
        await pilot.pause()
        assert screen.position == playback(5)
        panes_are(screen, events[: playback(5)])


async def test_earlier_items_appear_while_scrolling_up(
    session: tuple[Path, list[e.AnyEvent]],
) -> None:
    path, events = session
    async with replayed(path) as (screen, pilot):
        await pilot.press("1", "dollar_sign")
        await at(screen, pilot, len(events))
        calls = screen.query_one(Calls)
        assert calls.block_count() == WINDOW_ITEMS
        total = len(screen.state.items)
        assert f"↑ {total - WINDOW_ITEMS}" in str(calls.border_subtitle)
        await pilot.press("up", "up")
        while calls._first or calls.cursor:
            calls.action_cursor(-1)
        assert calls.block_count() == 1 + total, "with the task"
        assert calls.cursor == 0
        assert "↑" not in str(calls.border_subtitle)
        assert list(calls._shown) == [TASK, *range(total)]
        await pilot.press("end")
        await pilot.press("f")
        assert calls.block_count() == len(of_kind(events, e.CallFinished, ok=False))


async def test_played_fast_it_ends_where_the_session_does(
    session: tuple[Path, list[e.AnyEvent]], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, events = session
    monkeypatch.setattr(
        "sandbox_tui.tui.screens.cockpit.replay.replay_loop.RELOAD_EVERY_EVENTS", 300
    )
    async with replayed(path) as (screen, pilot):
        screen._replay.speed = 1e6
        await pilot.press("space")
        await until(pilot, lambda: screen.position == len(events))
        await until(pilot, lambda: not screen._replay.plays)
        await until(pilot, lambda: not screen.query_one(TerminalPane).view._pump.waiting)
        await until(pilot, lambda: screen.query_one(Calls)._known == len(screen.state.items))
        kept = screen.state.items
        assert len(kept._known) < len(kept)  # type: ignore[attr-defined]
        panes_are(screen, events, played=True)
        for key in ("plus", "minus", "minus", "plus"):
            screen._replay.speed = 0.25 if key == "minus" else 64.0
            await pilot.press(key)
        assert 0.25 <= screen._replay.speed <= 64


async def test_a_paused_replay_stays_and_resumes(session: tuple[Path, list[e.AnyEvent]]) -> None:
    path, _ = session
    async with replayed(path) as (screen, pilot):
        await pilot.press("space")
        await until(pilot, lambda: screen.position >= 5)
        await pilot.press("space")
        await pilot.pause()
        await until(pilot, lambda: not screen._replay.plays)
        held = screen.position
        for _ in range(5):
            await pilot.pause(0.02)
        assert screen.position == held
        assert "paused" in str(screen.query_one("#replay-bar").render())


async def test_an_older_session_gets_its_keyframes_and_keeps_its_events(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with contextlib.closing(Store(path)) as store:
        fill(store, "r", 60)
        before = store.rows("SELECT * FROM events ORDER BY seq")
        assert last_keyframe(store, "r") == 0
    async with replayed(path):
        pass
    with contextlib.closing(Store(path)) as store:
        assert last_keyframe(store, "r") > len(before) // 2
        assert store.rows("SELECT * FROM events ORDER BY seq") == before


async def test_a_file_that_cannot_be_written_is_replayed_too(
    session: tuple[Path, list[e.AnyEvent]], tmp_path: Path
) -> None:
    path, events = tmp_path / "s.db", session[1]
    path.write_bytes(session[0].read_bytes())
    store = Store._open_readonly(path, "mode=ro&immutable=1")
    app = SandboxTui(load({}), store, store.run("r"))
    async with app.run_test(size=(160, 45)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        await pilot.press("dollar_sign")
        await at(screen, pilot, len(events))
        await until(pilot, lambda: screen._index.is_complete)
        await pilot.press("N")
        await at(screen, pilot, of_kind(events, e.CallFinished, ok=False)[-1])
        panes_are(screen, events[: screen.position])
    store.close()


async def test_shells_files_and_diffs_are_those_of_the_moment(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with contextlib.closing(Store(path)) as store:
        old, new = (store.put_blob("r", text) for text in (b"old line\n", b"new line\n"))
        file = e.FileChange(path="/testbed/a.txt", change="modified", kind="file", size=9, blob=new)
        made = msgspec.structs.replace(file, change="created", blob=old)
        events: list[e.AnyEvent] = [
            started("r"),
            e.FilesListed(files=()),
            e.FilesChanged(step=1, changes=(made,)),
            e.TerminalOpened(terminal="shell", cols=40, rows=10),
            e.TerminalOutput(terminal="shell", data=b"in the shell"),
            e.FilesChanged(step=2, changes=(file,)),
            e.TerminalClosed(terminal="shell", exit_code=0),
            e.RunFinished(reason="submitted", error=None, totals=e.Totals()),
        ]
        events = [msgspec.structs.replace(x, seq=n, t=n * 0.1) for n, x in enumerate(events, 1)]
        store.append("r", events)
    async with replayed(path) as (screen, pilot):
        terminals, preview = screen.query_one(TerminalPane), screen.query_one(Preview)
        for seq, names, ended, text in (
            (8, ["model", "shell"], {"shell"}, "new line"),
            (5, ["model", "shell"], set[str](), "old line"),
            (3, ["model"], set[str](), "old line"),
            (6, ["model", "shell"], set[str](), "new line"),
        ):
            screen.seek(seq)
            await at(screen, pilot, seq)
            assert list(terminals.views) == names
            assert terminals.ended == ended
            await until(pilot, lambda text=text: text in shown(preview))
        preview.cycle_diff()
        await until(pilot, lambda: "old line" in shown(preview) and "new line" in shown(preview))
        screen.seek(1)
        await at(screen, pilot, 1)
        assert not screen.state.files
        await until(pilot, lambda: "The selected file" in shown(preview))


async def test_the_files_at_the_end_of_a_call_are_those_it_left(tmp_path: Path) -> None:
    """Its changes are recorded later, often after the next call has begun."""
    path = tmp_path / "s.db"
    with contextlib.closing(Store(path)) as store:
        old, new = (store.put_blob("r", text) for text in (b"old line\n", b"new line\n"))
        file = e.FileChange(path="/testbed/a.txt", change="modified", kind="file", size=9, blob=new)
        made = msgspec.structs.replace(file, change="created", blob=old)
        calls = [
            e.ToolCall(number=n, step=n, id=f"c{n}", name="execute_bash", arguments="{}")
            for n in (1, 2, 3)
        ]
        ends = [e.CallFinished(call=n, ok=True, observation="", duration=0.1) for n in (1, 2, 3)]
        events: list[e.AnyEvent] = [
            started("r"),
            e.FilesListed(files=()),
            e.CallProposed(call=calls[0]),
            ends[0],  # 4
            e.ModelAsked(step=2, attempt=1, messages=1, digest=""),
            e.CallProposed(call=calls[1]),
            e.FilesChanged(step=1, changes=(made,), call=1),
            ends[1],  # 8
            e.CallProposed(call=calls[2]),
            e.CallStarted(call=3),
            e.FilesChanged(step=2, changes=(file,), call=2),
            ends[2],
            e.RunFinished(reason="submitted", error=None, totals=e.Totals()),
        ]
        events = [msgspec.structs.replace(x, seq=n, t=n * 0.01) for n, x in enumerate(events, 1)]
        store.append("r", events)
    async with replayed(path) as (screen, pilot):
        preview = screen.query_one(Preview)
        assert not screen.state.files
        await pilot.press("right")
        await at(screen, pilot, 4)
        await until(pilot, lambda: "old line" in shown(preview))
        assert screen.state.t == 0.04
        await pilot.press("right")
        await at(screen, pilot, 8)
        await until(pilot, lambda: "new line" in shown(preview))
        assert screen.state.files["/testbed/a.txt"].step == 2
        await pilot.press("left")
        await at(screen, pilot, 4)
        await until(pilot, lambda: "old line" in shown(preview))
        await pilot.press("space")
        await until(pilot, lambda: screen.position == len(events))
        assert screen.state == fold(events)  # no change was applied twice


def shown(preview: Preview) -> str:
    lines = preview.body
    return "\n".join(lines.render_line(y).text for y in range(lines.size.height))


@pytest.mark.parametrize("size", [(160, 45), (100, 30), (60, 20)])
async def test_a_session_that_has_ended_shows_its_card_at_the_end(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    output = tmp_path / "results"
    output.mkdir()
    (output / "answer.txt").write_text("42")
    path = tmp_path / "s.db"
    with contextlib.closing(Store(tmp_path / "made.db")) as store:
        fill(store, "r", 3)
        *events, last = store.events("r")
    assert isinstance(last, e.RunFinished)
    with contextlib.closing(Store(path)) as store:
        store.append("r", [*events, msgspec.structs.replace(last, output=str(output))])
    async with replayed(path, size) as (screen, pilot):
        card = screen.query_one(EndCard)
        assert not card.display
        await pilot.press("dollar_sign")
        holds = "submitted" if size == (60, 20) else "answer.txt 2B"
        await until(pilot, lambda: card.display and holds in card.render().plain)
        await pilot.pause()
        words = card.render().plain
        assert size != (60, 20) or card.region.height == 2
        assert "✓ submitted  42" in words
        for key in ("F fork", "E export", "q leave"):
            assert key in words
        await pilot.press("left")
        await until(pilot, lambda: not card.display)


@pytest.mark.parametrize("way", ["click", "shift+right"])
async def test_a_session_deleted_by_another_program_is_said_so_at_the_timeline(
    tmp_path: Path, way: str
) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        fill(store, "r", 3)
    async with replayed(tmp_path / "s.db") as (screen, pilot):
        screen._store.delete("r")
        if way == "click":
            await pilot.mouse_down(Timeline, offset=(20, 0))
            await pilot.mouse_up(Timeline, offset=(20, 0))
        else:
            await pilot.press(way)
        await until(pilot, lambda: any("no session" in n.message for n in shown_toasts(screen.app)))
        assert screen.app.screen is screen


async def test_the_key_bar_names_the_arrows_as_the_guide_does(
    session: tuple[Path, list[e.AnyEvent]],
) -> None:
    async with replayed(session[0]) as (screen, pilot):
        await pilot.press("right")
        await until(pilot, lambda: screen.position > 0)
        assert screen.focused is screen.query_one(Calls)
        shown = screen.query_one(KeyBar).render_line(0).text
        assert "← previous call  → next call" in shown
    async with replayed(session[0], (60, 20)) as (screen, pilot):
        await pilot.press("right")
        await until(pilot, lambda: screen.position > 0)
        await pilot.pause()
        shown = screen.query_one(KeyBar).render_line(0).text
        assert shown.startswith("space play  → call  : to step  q leave  ")
        assert "? help  ^p palette" in shown


@pytest.mark.parametrize("end", ["removed", "expired"])
async def test_a_short_toast_leaves_the_timeline_visible_and_resizes_no_pane(
    session: tuple[Path, list[e.AnyEvent]], end: str
) -> None:
    async with replayed(session[0]) as (screen, pilot):
        timeline, pane = screen.query_one(Timeline), screen.query_one(TerminalPane)
        bar = screen.query_one(ReplayBar)
        before = pane.size
        assert bar.region.height == 1
        screen.app.notify("Copied.", timeout=3600 if end == "removed" else 0.5)
        await until(pilot, lambda: not bar.display and pane.size == before)
        assert timeline.display
        if end == "removed":
            [toast] = shown_toasts(screen.app)
            remove_toast(screen.app, toast)
        await until(pilot, lambda: bar.display and pane.size == before)


@pytest.mark.parametrize("size", [(160, 45), (100, 30), (60, 20)])
async def test_a_toast_stands_below_the_timeline(
    session: tuple[Path, list[e.AnyEvent]], size: tuple[int, int]
) -> None:
    async with replayed(session[0], size) as (screen, pilot):
        screen.app.notify("Copied.", timeout=3600)
        await until(pilot, lambda: has_toast_lines(screen))
        # The key bar has the last line, the toast the one above it.
        await until(pilot, lambda: screen.query_one(Timeline).region.bottom == size[1] - 2)
        assert screen.query_one(Timeline).region.height == 1


@pytest.mark.parametrize("pane", ["2", "3"])
async def test_a_narrow_screen_names_the_key_back_to_the_calls(
    session: tuple[Path, list[e.AnyEvent]], pane: str
) -> None:
    async with replayed(session[0], (60, 20)) as (screen, pilot):

        def shown() -> str:
            return screen.query_one(KeyBar).render_line(0).text

        assert "1 calls" not in shown()
        await pilot.press(pane)
        await until(pilot, lambda: shown().startswith("1 calls"))
        await pilot.press("1")
        await until(pilot, lambda: "1 calls" not in shown())


async def test_the_filter_says_how_many_failures_are_later(
    session: tuple[Path, list[e.AnyEvent]],
) -> None:
    path, events = session
    failures = [event.seq for event in events if isinstance(event, e.CallFinished) and not event.ok]
    async with replayed(path) as (screen, pilot):
        calls = screen.query_one(Calls)
        await pilot.press("f")
        assert calls.render_line(0).text.strip() == "No failures so far."
        assert calls.render_line(1).text.strip() == f"{len(failures)} later: n goes to the next."
        await pilot.press("n")
        await at(screen, pilot, failures[0])
        assert calls.block_count() == 1
        later = f" · {len(failures) - 1} later" if len(failures) > 1 else ""
        assert str(calls.border_subtitle) == f"1 failed{later}"


async def test_a_filter_finds_items_before_the_loaded_ones(
    session: tuple[Path, list[e.AnyEvent]],
) -> None:
    async with replayed(session[0]) as (screen, pilot):
        calls = screen.query_one(Calls)
        await pilot.press("dollar_sign")
        await until(pilot, lambda: screen.shows(screen._summary.last_seq))
        assert calls._first > 0
        await pilot.press("f")
        wanted = [item for item in screen.state.items if fits(item, "failed")]
        assert calls.block_count() == min(len(wanted), WINDOW_ITEMS)


async def test_the_end_of_a_search_changes_the_key_bar_at_once(
    session: tuple[Path, list[e.AnyEvent]],
) -> None:
    async with replayed(session[0]) as (screen, pilot):
        bar = screen.query_one(KeyBar)

        def n_now() -> list[str]:
            return [known.words for known in bar.keys_shown if known.key == "n"]

        await pilot.press("slash", *"step 7", "enter")
        await until(pilot, lambda: n_now() == ["next match"])
        drawn: list[str] = []
        subscribe_to_bindings(bar, lambda _: drawn.extend(n_now()))
        screen.action_back()
        await until(pilot, lambda: drawn == ["failure"])


async def test_n_is_named_as_it_works_now(session: tuple[Path, list[e.AnyEvent]]) -> None:
    path, _ = session
    async with replayed(path) as (screen, pilot):
        app = pilot.app

        def n_now() -> tuple[list[str], list[str]]:
            bar = [known.words for known in screen.query_one(KeyBar).keys_shown if known.key == "n"]
            return bar, [one.words for one in available_actions(screen) if "n" in one.keys]

        assert n_now() == (["failure"], ["Next failure"])
        await pilot.press("slash", *"step 7", "enter")
        await until(pilot, lambda: n_now() == (["next match"], ["Next match"]))
        put_toasts_away(app)  # escape would do that first
        await pilot.press("escape")
        await until(pilot, lambda: n_now() == (["failure"], ["Next failure"]))
        await pilot.press("dollar_sign")
        await until(pilot, lambda: screen.shows(screen._summary.last_seq))
        await pilot.press("n")
        await until(pilot, lambda: shown_toasts(app))
        assert shown_toasts(app)[-1].message == "Nothing failed after this."


async def test_a_move_takes_back_what_was_said_about_an_earlier_one(
    session: tuple[Path, list[e.AnyEvent]],
) -> None:
    path, _ = session
    async with replayed(path) as (screen, pilot):
        app = pilot.app
        await pilot.press("N")
        await until(pilot, lambda: shown_toasts(app))
        assert shown_toasts(app)[-1].message == "Nothing failed before this."
        await pilot.press("n")
        await until(pilot, lambda: screen.position > 0)
        assert not shown_toasts(app)
