"""The dialog that is shown while runs move to separate programs."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from textual.events import Key
from textual.pilot import Pilot
from textual.widgets import Static

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.core.run.run_request import RunRequest, requests_for
from sandbox_tui.sessions import RunWorker, Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live import detaching_runs
from sandbox_tui.tui.screens.cockpit.live.detaching_runs import DetachingRunsDialog, _waits_for
from sandbox_tui.tui.screens.home.demo_request import demo_request
from sandbox_tui.tui.screens.messages import DetachRequested
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.key_bar import KeyBar
from tests.integration.conftest import require
from tests.unit.event_streams import started
from tests.waiting import until


@asynccontextmanager
async def detaching(
    folder: Path, tasks: list[str]
) -> AsyncGenerator[tuple[SandboxTui, Pilot[int]]]:
    """The dialog over runs in which no reply ends while the test lasts."""
    require("bubblewrap")
    settings = load({"sandbox.kind": "bubblewrap", "agent.output": str(folder / "out")})
    requests = requests_for(demo_request(settings, speed=0.05), tasks)
    app = SandboxTui(settings, Store(folder / "s.db"), requests)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await until(pilot, lambda: all(w.state.reply for w in app.runs.all.values()))
        app.screen.post_message(DetachRequested((), lambda _: None))
        await until(pilot, lambda: isinstance(app.screen, DetachingRunsDialog))
        await until(pilot, lambda: app.screen.query(KeyBar))
        yield app, pilot
        await app.runs.stop("The test is over.")


@pytest.mark.parametrize(
    ("tasks", "stays", "means"),
    [
        (["one"], "esc keep it here", "resumes the run from its record"),
        (["one", "two"], "esc keep the rest here", "resumes each run from its record"),
    ],
)
async def test_the_rest_is_that_of_several_runs(
    tmp_path: Path, tasks: list[str], stays: str, means: str
) -> None:
    async with detaching(tmp_path, tasks) as (app, pilot):
        bar = app.screen.query_one(KeyBar)
        await until(pilot, lambda: stays in bar.render_line(0).text)
        assert str(app.screen.query_one(".dialog").border_subtitle).endswith(stays)
        words = [str(one.render()) for one in app.screen.query(Static)]
        assert any(means in one for one in words)
        await pilot.resize_terminal(60, 20)
        await until(pilot, lambda: "R ask again there" in bar.render_line(0).text)
        assert stays in bar.render_line(0).text


async def test_the_bar_has_all_keys_of_the_border_while_calls_and_replies_hold_up_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with detaching(tmp_path, ["one", "two"]) as (app, pilot):
        monkeypatch.setattr(detaching_runs, "_runs_call", lambda _: True)
        await pilot.resize_terminal(60, 20)
        bar, box = app.screen.query_one(KeyBar), app.screen.query_one(".dialog")
        keys = ["i interrupt", "R ask again", "esc keep the rest"]
        await until(pilot, lambda: str(box.border_subtitle) == " · ".join(keys))
        await until(pilot, lambda: "  ".join(keys) in bar.render_line(0).text)


def test_a_wait_before_the_next_try_is_not_called_a_reply() -> None:
    asked = e.ModelAsked(step=1, digest="", messages=1)
    failed = e.ModelFailed(step=1, attempt=1, error="503", retry_in=60.0)
    settings = load({"model.name": "m"})

    def worker(*events: e.AnyEvent) -> RunWorker:
        one = RunWorker(RunRequest(task="x", settings=settings), cast(Any, None))
        one.state = fold([started(), *events])
        return one

    awaits, retries = worker(asked), worker(asked, failed)
    assert _waits_for([awaits]) == "the reply"
    assert _waits_for([retries]) == "the next try"
    assert _waits_for([awaits, retries]) == "1 reply and 1 retry"
    assert _waits_for([awaits, retries, worker(asked, failed)]) == "1 reply and 2 retries"
    dialog = DetachingRunsDialog([retries], cast(Any, None), lambda: False)
    assert dialog.words_for("interrupt_reply") == "ask again there"
    dialog = DetachingRunsDialog([awaits, retries], cast(Any, None), lambda: False)
    assert dialog.words_for("interrupt_reply") == "ask again there"


async def test_a_key_of_the_run_says_why_it_does_nothing(tmp_path: Path) -> None:
    async with detaching(tmp_path, ["one"]) as (app, pilot):
        dialog = app.screen
        for place, typed in enumerate(["m", "t", "R", "i", "x", "enter"]):  # a message typed ahead
            key = Key(typed, typed if len(typed) == 1 else None)
            key.time = float(place) / 100
            app.post_message(key)
        why = "Message: not while the run moves.  esc  keep it here"
        await until(pilot, lambda: [one.message for one in shown_toasts(app)] == [why])
        await pilot.press("enter")
        assert app.screen is dialog, "it keeps nothing here"
        worker = next(iter(app.runs.all.values()))
        assert worker.state.reply is not None, "R has restarted nothing"
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is not dialog)
        assert not worker.left
