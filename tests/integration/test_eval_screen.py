"""The evaluation screen on real parts: sandboxes, a server on loopback, a database."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from sandbox_tui.core.agent import request_with_retries
from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events.kinds.values import STOPPED_EARLY
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.evals.delete import delete_with_sessions
from sandbox_tui.sessions.evals.evaluation import begin_evaluation, resume_evaluation
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.lifecycle.first_screen import Begin, Evaluating, WatchEval
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.dialogs.delete_with_sessions import DeleteWithSessionsDialog
from sandbox_tui.tui.screens.evals.eval_screen import EvalScreen
from sandbox_tui.tui.screens.evals.evals_screen import EvalsScreen
from sandbox_tui.tui.screens.evals.leave_eval import LeaveEvalDialog
from sandbox_tui.tui.screens.home.demo_request import demo_request
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.wall.wall_screen import WallScreen
from sandbox_tui.tui.widgets.evals.eval_list import EvalList
from sandbox_tui.tui.widgets.evals.sample_list import SampleRows
from sandbox_tui.tui.widgets.wall.run_tile import RunTile
from tests import scripted_server as s
from tests.arithmetic_model import reply
from tests.integration.conftest import require
from tests.integration.test_evals import settings, suite
from tests.waiting import HANG_SECONDS, until

Start = Callable[..., s.ScriptedServer]


class HeldModel:
    """Answers as `arithmetic_model` does, but holds runs with a computer until `go` is set."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def __call__(self, request: dict[str, Any]) -> s.Scripted:
        if request.get("tools"):
            assert self.go.wait(HANG_SECONDS)
        return reply(request)


@pytest.fixture
def model() -> Any:
    held = HeldModel()
    yield held
    held.go.set()


@asynccontextmanager
async def shown(
    store: Store, first: Begin | None, config: Any, size: tuple[int, int] = (100, 30)
) -> AsyncIterator[tuple[SandboxTui, Pilot[int]]]:
    app = SandboxTui(config, store, first)
    async with app.run_test(size=size) as pilot:
        yield app, pilot


def on_top(app: SandboxTui, kind: type[Screen[Any]]) -> Callable[[], bool]:
    return lambda: isinstance(app.screen, kind)


def words(app: SandboxTui) -> str:
    """The lines above the table; empty until the screen has been composed."""
    found = app.screen.query("#eval-title, #eval-progress, #eval-reason")
    return " ".join(str(line.render()) for line in found)


def listed(app: SandboxTui) -> list[str]:
    return [
        rows.draw_block(index, 100)[0].plain
        for rows in app.screen.query(SampleRows)
        for index in range(rows.block_count())
    ]


def count(app: SandboxTui, status: str) -> int:
    signs = {"running": "●", "right": "✓", "wrong": "✗"}
    return sum(line.startswith(signs[status]) for line in listed(app))


def both_held(app: SandboxTui) -> bool:
    """Whether two samples are running and both wait for the model."""
    lines = [line for line in listed(app) if line.startswith("●")]
    return len(lines) == 2 and not any("vanilla" in line for line in lines)


@asynccontextmanager
async def two_running(
    start: Start, store: Store, model: HeldModel
) -> AsyncIterator[tuple[SandboxTui, Pilot[int]]]:
    """Show an evaluation whose two samples wait for the model."""
    require("bubblewrap")
    config = settings(start(model))
    evaluation = begin_evaluation(store, suite(2), config, concurrency=2)
    async with shown(store, Evaluating(evaluation), config) as (app, pilot):
        await until(pilot, on_top(app, EvalScreen))
        await until(pilot, lambda: both_held(app))
        yield app, pilot


async def test_an_evaluation_is_watched_paused_opened_and_finished(
    scripted_server: Start, store: Store, model: HeldModel
) -> None:
    require("bubblewrap")
    config = settings(scripted_server(model))
    evaluation = begin_evaluation(store, suite(), config, concurrency=2)
    async with shown(store, Evaluating(evaluation), config) as (app, pilot):
        await until(pilot, on_top(app, EvalScreen))
        await until(pilot, lambda: both_held(app))
        await until(pilot, lambda: sum("waits for the model" in line for line in listed(app)) == 2)
        await pilot.press("p")
        await until(pilot, lambda: "‖ paused" in words(app) and "You paused it." in words(app))

        alone = app.runs.begin(demo_request(config, speed=0))
        await until(pilot, alone.ended.is_set)
        await pilot.press("w")  # only its samples
        await until(pilot, on_top(app, WallScreen))
        await until(pilot, lambda: len(app.screen.query(RunTile)) == 2)
        tiles = list(app.screen.query(RunTile))
        await until(pilot, lambda: all("· sandbox" in str(t.border_title) for t in tiles))
        await until(pilot, lambda: all("waits for the model" in str(t.render()) for t in tiles))
        await pilot.press("q")  # escape would put the news of the demo away first
        await until(pilot, on_top(app, EvalScreen))

        await pilot.press("enter")
        await until(pilot, on_top(app, LiveScreen))
        live = app.screen
        assert isinstance(live, LiveScreen)
        await pilot.press("q")  # no question is asked: the evaluation continues
        await until(pilot, on_top(app, EvalScreen))

        model.go.set()
        await until(pilot, lambda: count(app, "running") == 0)
        before = len(listed(app))
        assert before < 8
        await pilot.press("p")
        await until(pilot, lambda: "✓ finished" in words(app))
        assert "8 of 8" in words(app)
        assert (count(app, "right"), count(app, "wrong")) == (6, 2)
        evaluation_screen = app.screen
        assert isinstance(evaluation_screen, EvalScreen)
        await until(
            pilot,
            lambda: evaluation_screen.why_unavailable("wall", ()) == "all samples have ended",
        )

        await pilot.press("f")
        assert (count(app, "right"), count(app, "wrong")) == (0, 2)
        await pilot.press("enter")
        await until(pilot, on_top(app, ReplayScreen))
        await pilot.press("q")
        await until(pilot, on_top(app, EvalScreen))
        assert (count(app, "right"), count(app, "wrong")) == (0, 2), "as one left it"
        await pilot.press("escape")
        assert len(listed(app)) == 8
        await pilot.press("q")
        await until(pilot, lambda: app.return_code is not None)
        assert app.return_code == 0


async def test_an_evaluation_is_stopped_and_resumed(
    scripted_server: Start, store: Store, model: HeldModel
) -> None:
    require("bubblewrap")
    config = settings(scripted_server(model))
    evaluation = begin_evaluation(store, suite(), config, concurrency=2)
    async with shown(store, Evaluating(evaluation), config, (80, 24)) as (app, pilot):
        await until(pilot, on_top(app, EvalScreen))
        await until(pilot, lambda: both_held(app))
        await pilot.press("x")
        await until(pilot, on_top(app, ConfirmDialog))
        await pilot.press("y")
        await until(pilot, lambda: "◌ interrupted" in words(app))
        assert "You stopped it." in words(app)
        assert count(app, "running") == 0
        cancelled = [line for line in listed(app) if line.startswith("◌")]
        assert len(cancelled) == 2
        assert all(line.rstrip().endswith("cancelled") for line in cancelled)
        await pilot.press("enter")
        await until(pilot, on_top(app, ReplayScreen))
        await pilot.press("q")
        await until(pilot, on_top(app, EvalScreen))
        await pilot.press("q")
        await until(pilot, lambda: app.return_code is not None)
        assert app.return_code == STOPPED_EARLY
    found = ledger.summary(store)
    assert (found.status, found.stopped_because) == ("interrupted", "You stopped it.")
    assert not any(one.status == "running" for one in ledger.results(store, found.info.id))
    async with shown(store, WatchEval(found), config) as (app, pilot):
        await until(pilot, on_top(app, EvalScreen))
        await until(pilot, lambda: "◌ interrupted" in words(app))
        assert sum(line.rstrip().endswith("cancelled") for line in listed(app)) == 2
    model.go.set()
    taken = resume_evaluation(store, "last", config, None)
    async with shown(store, Evaluating(taken), config, (60, 20)) as (app, pilot):
        await until(pilot, on_top(app, EvalScreen))
        await until(pilot, lambda: "✓ finished" in words(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.return_code is not None)
        assert app.return_code == 0


async def test_one_is_resumed_and_deleted_from_the_list(
    scripted_server: Start, store: Store, model: HeldModel
) -> None:
    require("bubblewrap")
    config = settings(scripted_server(model))
    evaluation = begin_evaluation(store, suite(2), config, concurrency=2)
    other = begin_evaluation(
        store, suite(1, modes=("vanilla",)), config, concurrency=1
    )  # the newest evaluation
    async with shown(store, Evaluating(evaluation), config) as (app, pilot):
        await until(pilot, on_top(app, EvalScreen))
        await until(pilot, lambda: both_held(app))
        await pilot.press("q")
        await until(pilot, on_top(app, LeaveEvalDialog))
        assert "x stop" in str(app.screen.query_one(".dialog").border_subtitle)
        await pilot.press("x")
        await until(pilot, lambda: app.return_code is not None)
    ledger.release(store, other.info.id, "Its budget is used up.")
    async with shown(store, None, config) as (app, pilot):
        await until(pilot, on_top(app, HomeScreen))
        await pilot.press("e")
        await until(pilot, on_top(app, EvalsScreen))
        await until(pilot, lambda: app.screen.query_one(EvalList).current is not None)
        listing = app.screen
        await pilot.press("r")  # resumes the newest evaluation
        await until(pilot, on_top(app, EvalScreen))
        await until(pilot, lambda: "✓ finished" in words(app) and "1 of 1" in words(app))
        await pilot.press("q")
        await until(pilot, on_top(app, EvalsScreen))
        await until(
            pilot,  # the list may still show it as running, or even as resumable
            lambda: listing.check_action("delete", ()) and not listing.check_action("resume", ()),
        )
        await pilot.press("x")
        await until(pilot, on_top(app, DeleteWithSessionsDialog))
        await pilot.press("escape")
        await until(pilot, on_top(app, EvalsScreen))
        assert len(ledger.summaries(store)) == 2
        await pilot.press("x")
        await until(pilot, on_top(app, DeleteWithSessionsDialog))
        await pilot.press("a")
        await until(pilot, lambda: len(ledger.summaries(store)) == 1)
        await until(pilot, lambda: bool(listing.check_action("resume", ())))
        assert store.count() == 5  # 1 of the deleted evaluation, 2 vanilla, 2 requeued
        await pilot.press("r")
        await until(pilot, on_top(app, EvalScreen))
        await until(pilot, lambda: both_held(app))
        assert "● running in its own program" in words(app)
        await until(pilot, lambda: all("waits for the model" in line for line in listed(app)[:2]))
        await pilot.press("q")  # no question: it does not need this program
        await until(pilot, on_top(app, EvalsScreen))
        await until(pilot, lambda: not listing.check_action("delete", ()))  # it is running
        with pytest.raises(ConfigError, match="still running"):
            delete_with_sessions(store, evaluation.info.id)
        model.go.set()
        await until(pilot, lambda: ledger.summary(store).status == "finished")
        await until(pilot, lambda: bool(listing.check_action("delete", ())))
        await pilot.press("x")
        await until(pilot, on_top(app, DeleteWithSessionsDialog))
        await pilot.press("s")
        await until(pilot, lambda: not ledger.summaries(store))
        assert store.count() == 1


async def test_one_that_was_stopped_is_resumed_on_its_screen(
    scripted_server: Start, store: Store, model: HeldModel
) -> None:
    """It is this program's, so it runs here again, and leaving it asks again."""
    async with two_running(scripted_server, store, model) as (app, pilot):
        await pilot.press("x", "y")
        await until(pilot, lambda: "r runs what is left" in words(app))
        before = app.screen
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, EvalScreen) and app.screen is not before)
        assert before not in app.screen_stack
        await until(pilot, lambda: both_held(app))
        assert "● running in this program" in words(app)
        await pilot.press("q")
        await until(pilot, on_top(app, LeaveEvalDialog))
        await pilot.press("escape")
        model.go.set()
        await until(pilot, lambda: "✓ finished" in words(app))
        await pilot.press("q")
        await until(pilot, lambda: app.return_code is not None)


async def test_an_evaluation_continues_in_the_background(
    scripted_server: Start, store: Store, model: HeldModel
) -> None:
    async with two_running(scripted_server, store, model) as (app, pilot):
        await pilot.press("q")
        await until(pilot, on_top(app, LeaveEvalDialog))
        assert app.screen.query_one(".dialog").outer_size.width == 64
        await pilot.press("escape")
        await until(pilot, on_top(app, EvalScreen))
        await pilot.press("q")
        await until(pilot, on_top(app, LeaveEvalDialog))
        await pilot.press("b")
        await until(pilot, on_top(app, HomeScreen))
        await pilot.press("e")
        await until(pilot, on_top(app, EvalsScreen))
        await until(pilot, lambda: app.screen.query_one(EvalList).current is not None)
        await pilot.press("enter")
        await until(pilot, on_top(app, EvalScreen))
        await until(pilot, lambda: both_held(app))
        await pilot.press("q")  # it is in the background already
        await until(pilot, on_top(app, EvalsScreen))
        await pilot.press("enter")
        await until(pilot, on_top(app, EvalScreen))
        await until(pilot, lambda: both_held(app))
        await pilot.press("ctrl+q")
        await until(pilot, on_top(app, ConfirmDialog))
        await pilot.press("y")
        await until(pilot, lambda: app.return_code is not None)
        assert app.return_code == STOPPED_EARLY
    assert ledger.summary(store).stopped_because == "The program was ended."
    assert not any(
        one.status == "running" for one in ledger.results(store, ledger.summary(store).info.id)
    )


async def test_an_evaluation_of_another_program_is_followed_in_the_database(
    scripted_server: Start, store: Store
) -> None:
    """As recorded there, sample by sample; it can be neither paused nor stopped."""
    config = settings(scripted_server(reply))
    one: Suite = suite(3, modes=("vanilla",))
    evaluation = begin_evaluation(store, one, config, concurrency=1)
    async with shown(store, WatchEval(ledger.summary(store)), config) as (app, pilot):
        await until(pilot, on_top(app, EvalScreen))
        await until(pilot, lambda: "0 of 3" in words(app))
        assert not app.screen.check_action("pause", ())
        assert not app.screen.check_action("stop", ())
        from sandbox_tui.sessions import RunRegistry
        from sandbox_tui.sessions.evals.runner import EvalRunner

        await EvalRunner(evaluation, RunRegistry(store)).run()
        await until(pilot, lambda: "3 of 3" in words(app) and "✓ finished" in words(app))
        await pilot.press("enter")
        await until(pilot, on_top(app, ReplayScreen))


async def test_the_header_says_that_the_server_is_loading_its_model(
    scripted_server: Start, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_with_retries, "LOADING_RETRY_SECONDS", 0.05)
    has_loaded = threading.Event()
    server = scripted_server(lambda _: s.say("4") if has_loaded.is_set() else s.loading())
    task = Task(id="sum", problem="2 + 2?", target="4")
    sums = Suite(name="s", tasks=(task,), scorers={"": "exact"}, modes=("vanilla",))
    config = settings(server)
    evaluation = begin_evaluation(store, sums, config, concurrency=1)
    async with shown(store, Evaluating(evaluation), config, (80, 24)) as (app, pilot):
        await until(pilot, lambda: "The server is loading its model" in words(app))
        assert app.screen.query_one("#eval-reason").display
        assert any("the server loads its model" in line for line in listed(app))
        has_loaded.set()
        await until(pilot, lambda: "✓ finished" in words(app))
        assert "loading" not in words(app)
        assert not app.screen.query_one("#eval-reason").display
