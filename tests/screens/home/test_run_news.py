"""The toast on the home screen about runs that end, or wait for the user, in the background."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.run_labels import SAMPLE, SAMPLES
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunWorker, Store
from sandbox_tui.tui.lifecycle.news import run_news_toast
from sandbox_tui.tui.lifecycle.news.run_poll import NAME
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.help.help_screen import HelpScreen
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.palette.entry import WAITING
from sandbox_tui.tui.screens.palette.entry_list import EntryList
from sandbox_tui.tui.screens.palette.palette_screen import PaletteScreen
from sandbox_tui.tui.screens.settings import SettingsScreen
from sandbox_tui.tui.screens.wall.wall_screen import WallScreen
from sandbox_tui.tui.textual_support.private_api import remove_toast, shown_toasts
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from sandbox_tui.tui.widgets.status_bar import StatusBar
from tests.screens.home.test_find_sessions import at_home
from tests.snapshots.sample_run import sample_run
from tests.snapshots.watched_run import WatchedRun
from tests.unit.event_streams import started
from tests.unit.sample_run import keep, sample
from tests.waiting import until


@pytest.fixture(autouse=True)
def unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow machine shows no toast for so long that it counts as read."""
    monkeypatch.setattr(run_news_toast, "READING_SECONDS", 1000.0)


def enter_run(pilot: Pilot[int], store: Store, run_id: str, task: str) -> RunWorker:
    """Enter a run of this program that is running, and that the list shows."""
    worker = RunWorker(RunRequest(task=task, settings=load({})), store)
    worker.run_id = run_id
    first = started(run_id, task=task)
    worker.state.apply(first)
    pilot.app.runs.all[run_id] = worker  # type: ignore[attr-defined]
    return worker


def end(worker: RunWorker, reason: Any = "submitted") -> None:
    worker.state.apply(e.RunFinished(reason=reason, error=None, totals=e.Totals()))


def wait_for_user(worker: RunWorker) -> None:
    call = e.ToolCall(number=1, step=1, id="c", name="execute_bash", arguments="{}")
    worker.state.apply(e.CallProposed(call=call))
    worker.state.apply(e.CallHeld(call=1))


def decide(worker: RunWorker) -> None:
    worker.state.apply(e.CallDecided(call=1, verdict="approve", by="human"))


def look(pilot: Pilot[int]) -> list[str]:
    """Look at the runs now; return the toasts."""
    (poll,) = [timer for timer in pilot.app._timers if timer.name == NAME]
    assert poll._callback is not None
    poll._callback()
    return [toast.message for toast in shown_toasts(pilot.app)]


async def going(home: HomeScreen, pilot: Pilot[int], store: Store, *tasks: str) -> list[RunWorker]:
    """Start runs, the first of which is the row under the cursor."""
    for task in tasks:
        store.append(task, [started(task, task=task, started_at=9e9)])
    sessions = home.query_one(SessionList)
    sessions.go_to(tasks[0])
    home.reload()
    await until(pilot, lambda: sessions.current is not None and sessions.current.id == tasks[0])
    workers = [enter_run(pilot, store, task, task) for task in tasks]
    assert look(pilot) == []
    return workers


async def test_a_run_that_ends_is_told_and_enter_opens_it_while_the_cursor_is_there(
    tmp_path: Path,
) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("zebra"), run_id="before")
        async with at_home(store) as (home, pilot):
            (run,) = await going(home, pilot, store, "fold the list")
            end(run)
            await until(pilot, lambda: look(pilot) == ["fold the list: submitted · enter opens it"])
            (toast,) = shown_toasts(pilot.app)
            assert toast.severity == "information"
            await pilot.press("down")
            await until(pilot, lambda: look(pilot) == ["fold the list: submitted"])
            await pilot.press("up")
            await until(pilot, lambda: look(pilot) == ["fold the list: submitted · enter opens it"])
            await pilot.press("comma")
            await until(pilot, lambda: isinstance(pilot.app.screen, SettingsScreen))
            await until(pilot, lambda: look(pilot) == ["fold the list: submitted"])
            pilot.app.runs.all.clear()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("width", "told"),
    [
        (80, "the 1000th prime: submitted 7919 · enter opens it"),
        (44, "the 1000th p…: submitted · enter opens it"),
    ],
)
async def test_news_of_an_end_has_the_answer_where_there_is_room(
    tmp_path: Path, width: int, told: str
) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("zebra"), run_id="before")
        async with at_home(store) as (home, pilot):
            await pilot.resize_terminal(width, 30)
            (run,) = await going(home, pilot, store, "the 1000th prime")
            end = e.RunFinished(reason="submitted", error=None, totals=e.Totals(), answer="7919")
            run.state.apply(end)
            await until(pilot, lambda: look(pilot) == [told])
            pilot.app.runs.all.clear()  # type: ignore[attr-defined]


async def test_a_run_whose_session_was_deleted_is_no_news(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("zebra"), run_id="before")
        async with at_home(store) as (home, pilot):
            (run,) = await going(home, pilot, store, "fold the list")
            end(run)
            run.ended.set()
            await until(pilot, lambda: look(pilot) == ["fold the list: submitted · enter opens it"])
            await home._ender.forget(run.run_id)
            assert not pilot.app.runs.all  # type: ignore[attr-defined]
            await until(pilot, lambda: look(pilot) == [])


async def test_a_run_that_begins_to_wait_is_told_under_the_name_that_the_user_gave_it(
    tmp_path: Path,
) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("zebra"), run_id="before")
        async with at_home(store) as (home, pilot):
            _, other = await going(home, pilot, store, "one", "two")
            store.rename("two", "the second")
            home.reload()
            await until(pilot, lambda: home.listed_title(other) == "the second")
            wait_for_user(other)
            await until(pilot, lambda: look(pilot) == ["the second: a call waits for you"])
            decide(other)
            await until(pilot, lambda: look(pilot) == [])
            pilot.app.runs.all.clear()  # type: ignore[attr-defined]


async def test_several_at_once_are_one_line(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("zebra"), run_id="before")
        async with at_home(store) as (home, pilot):
            one, two, three, four = await going(home, pilot, store, "one", "two", "three", "four")
            for run in (one, two, three):
                end(run)
            await until(pilot, lambda: look(pilot) == ["3 runs have ended"])
            end(enter_run(pilot, store, "five", "five"))
            wait_for_user(four)
            await until(pilot, lambda: look(pilot) == ["4 runs have ended · 1 run waits for you"])
            pilot.app.runs.all.clear()  # type: ignore[attr-defined]


async def test_a_sum_counts_no_end_twice_and_names_the_task_of_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_news_toast, "READING_SECONDS", 0.0)
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("zebra"), run_id="before")
        async with at_home(store) as (home, pilot):
            runs = await going(home, pilot, store, *"abcde")
            for run in runs:
                run.request = replace(run.request, task="count primes", labels={SAMPLES: "1"})
            end(runs[0])
            end(runs[1])
            await until(pilot, lambda: look(pilot) == ["2 of “count primes” have ended"])
            for run in runs[2:]:
                end(run)
            await until(pilot, lambda: look(pilot) == ["3 more of “count primes” have ended"])
            pilot.app.runs.all.clear()  # type: ignore[attr-defined]


async def test_the_key_of_the_notice_lists_first_what_waits(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("zebra"), run_id="before")
        async with at_home(store) as (home, pilot):
            one, two = await going(home, pilot, store, "one", "two")
            await pilot.app.push_screen(LiveScreen(WatchedRun(sample_run()), store))
            wait_for_user(one)
            wait_for_user(two)
            told = "2 runs wait for you · ctrl+p finds them"
            await until(pilot, lambda: look(pilot) == [told])
            await pilot.press("ctrl+p")
            await until(pilot, lambda: isinstance(pilot.app.screen, PaletteScreen))
            palette = pilot.app.screen
            assert isinstance(palette, PaletteScreen)
            listed = palette.query_one(EntryList)
            await until(pilot, lambda: bool(listed.rows))
            assert listed.rows[:3] == [WAITING, "one", "two"]
            await until(pilot, lambda: palette.is_read)
            assert listed.rows[:3] == [WAITING, "one", "two"]
            await pilot.press(*"wait")
            await until(pilot, lambda: listed.rows[:3] == ["Sessions", "one", "two"])
            pilot.app.runs.all.clear()  # type: ignore[attr-defined]


async def test_what_the_screen_of_a_run_has_shown_is_no_news(tmp_path: Path) -> None:
    """A dialog is no other screen; nor are samples and detached runs told of."""
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("zebra"), run_id="before")
        async with at_home(store) as (home, pilot):
            one, _, three, four = await going(home, pilot, store, "one", "two", "three", "four")
            watched = LiveScreen(one, store)
            await pilot.app.push_screen(watched)
            wait_for_user(one)
            assert look(pilot) == []
            decide(one)
            end(one)
            watched.dismiss(None)
            await until(pilot, lambda: pilot.app.screen is home)
            assert look(pilot) == []
            runs = pilot.app.runs  # type: ignore[attr-defined]
            runs.samples.add("four")
            end(four)
            assert look(pilot) == []
            await pilot.press("question_mark")
            await until(pilot, lambda: isinstance(pilot.app.screen, HelpScreen))
            end(three, "max_steps")
            await until(pilot, lambda: look(pilot) == ["three: max steps"])
            runs.all.clear()


async def test_it_is_said_which_sample_waits_while_another_is_open(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("zebra"), run_id="before")
        async with at_home(store) as (home, pilot):
            one, two = await going(home, pilot, store, "one", "two")
            for number, run in enumerate((one, two), start=1):
                labels: Any = run.request.labels
                labels.update({SAMPLES: "s", SAMPLE: str(number)})
            await pilot.app.push_screen(LiveScreen(WatchedRun(sample_run()), store))
            wait_for_user(two)
            told = "sample 2 of two: a call waits for you · ctrl+p finds it"
            await until(pilot, lambda: look(pilot) == [told])
            runs = pilot.app.runs.all  # type: ignore[attr-defined]
            runs.clear()


async def test_another_screen_tells_of_the_other_runs_and_home_tells_it_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("zebra"), run_id="before")
        async with at_home(store) as (home, pilot):
            one, two, three = await going(home, pilot, store, "one", "two", "three")
            watched = LiveScreen(WatchedRun(sample_run()), store)
            await pilot.app.push_screen(watched)
            wait_for_user(two)
            told = "two: a call waits for you · ctrl+p finds it"
            await until(pilot, lambda: look(pilot) == [told])
            end(three)
            both = "1 run has ended · 1 run waits for you · ctrl+p finds them"
            await until(pilot, lambda: look(pilot) == [both])
            monkeypatch.setattr(run_news_toast, "ADDING_SECONDS", 0.0)  # it is on the screen
            for toast in shown_toasts(pilot.app):
                remove_toast(pilot.app, toast)
            decide(two)
            end(one)
            await until(pilot, lambda: look(pilot) == ["one: submitted · ctrl+p finds it"])
            watched.dismiss(None)
            await until(pilot, lambda: pilot.app.screen is home)
            await until(pilot, lambda: look(pilot) == ["2 runs have ended"])
            pilot.app.runs.all.clear()  # type: ignore[attr-defined]


async def test_the_header_of_a_run_counts_the_others_that_wait(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("zebra"), run_id="before")
        async with at_home(store) as (home, pilot):
            one, two, three = await going(home, pilot, store, "one", "two", "three")
            watched = LiveScreen(one, store)
            await pilot.app.push_screen(watched)
            bar = watched.query_one(StatusBar)

            def counts(words: str) -> bool:
                look(pilot)
                line = "".join(segment.text for segment in bar.render_line(0))
                return words in line if words else "other" not in line

            wait_for_user(one)
            await until(pilot, lambda: counts(""))
            wait_for_user(two)
            await until(pilot, lambda: counts("◆ 1 other waits"))
            wait_for_user(three)
            await until(pilot, lambda: counts("◆ 2 others wait"))
            await pilot.resize_terminal(60, 20)
            await until(pilot, lambda: counts("◆ 2 others ") and not counts("others wait"))
            decide(two)
            decide(three)
            await until(pilot, lambda: counts(""))
            pilot.app.runs.all.clear()  # type: ignore[attr-defined]


async def test_a_wall_shows_its_runs_itself(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("zebra"), run_id="before")
        async with at_home(store) as (home, pilot):
            one, _ = await going(home, pilot, store, "one", "two")
            runs = pilot.app.runs  # type: ignore[attr-defined]
            await pilot.app.push_screen(WallScreen(runs))
            wait_for_user(one)
            assert look(pilot) == []
            runs.all.clear()
