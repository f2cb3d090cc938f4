"""The toast about a run in another sandbox than usual, and the poll that it shares."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec
from textual.screen import Screen

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.core.sandboxes.image_name import LACKS_IMAGE
from sandbox_tui.sessions import RunWorker, Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.lifecycle.news.run_poll import NAME
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from tests.screens.cockpit.test_replay_screen import until
from tests.snapshots.sample_run import sample_run


def enter_run(app: SandboxTui, store: Store, run_id: str, because: str) -> None:
    worker = RunWorker(RunRequest(task="a task", settings=load({})), store)
    worker.run_id = run_id
    first = sample_run()[0]
    assert isinstance(first, e.RunStarted)
    worker.state = fold([msgspec.structs.replace(first, sandbox_info={"chosen": because})])
    app.runs.all[run_id] = worker


async def test_it_is_shown_once_and_one_timer_looks_at_the_runs(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        app = SandboxTui(load({"model.name": "m"}), store)
        async with app.run_test(size=(100, 30), notifications=True) as pilot:
            polls = [timer for timer in app._timers if timer.name == NAME]
            assert len(polls) == 1
            look = polls[0]._callback
            assert look is not None
            look()
            assert not shown_toasts(app)
            enter_run(app, store, "a", f"{LACKS_IMAGE} 'image:1'")
            await until(pilot, lambda: shown_toasts(app))
            enter_run(app, store, "b", f"{LACKS_IMAGE} 'image:2'")
            look()
            await pilot.pause()
            words = [toast.message for toast in shown_toasts(app)]
            assert words == [f"This run uses bubblewrap: {LACKS_IMAGE} 'image:1'."]
            app.runs.all.clear()


async def test_it_is_about_all_runs_of_several(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        app = SandboxTui(load({"model.name": "m"}), store)
        async with app.run_test(size=(100, 30), notifications=True) as pilot:
            await until(pilot, lambda: isinstance(app.screen, HomeScreen))
            enter_run(app, store, "a", f"{LACKS_IMAGE} 'image:1'")
            enter_run(app, store, "b", f"{LACKS_IMAGE} 'image:1'")
            await until(pilot, lambda: shown_toasts(app))
            words = [toast.message for toast in shown_toasts(app)]
            assert words == [f"These runs use bubblewrap: {LACKS_IMAGE} 'image:1'."]
            app.runs.all.clear()


async def test_it_is_put_away_with_its_screen(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        app = SandboxTui(load({"model.name": "m"}), store)
        async with app.run_test(size=(100, 30), notifications=True) as pilot:
            await until(pilot, lambda: isinstance(app.screen, HomeScreen))
            await app.push_screen(Screen[None]())
            enter_run(app, store, "a", f"{LACKS_IMAGE} 'image:1'")
            await until(pilot, lambda: shown_toasts(app))
            await app.pop_screen()
            await until(pilot, lambda: not shown_toasts(app))
            app.runs.all.clear()


async def test_the_next_program_does_not_repeat_it(tmp_path: Path) -> None:
    said: list[list[str]] = []
    for image in ("image:1", "image:1", "image:2"):
        with contextlib.closing(Store(tmp_path / "s.db")) as store:
            app = SandboxTui(load({"model.name": "m"}), store)
            async with app.run_test(size=(100, 30), notifications=True) as pilot:
                enter_run(app, store, "a", f"{LACKS_IMAGE} '{image}'")
                (poll,) = [timer for timer in app._timers if timer.name == NAME]
                assert poll._callback is not None
                poll._callback()
                await pilot.pause()
                said.append([toast.message for toast in shown_toasts(app)])
                app.runs.all.clear()
    first = f"This run uses bubblewrap: {LACKS_IMAGE} 'image:1'."
    assert said == [[first], [], [first.replace("image:1", "image:2")]]
