"""A finished sample of an evaluation opens at its end, with its score and what was expected."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.cli.sessions.format_sessions import print_session
from sandbox_tui.tui.lifecycle.first_screen import WatchEval
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import NO_SAMPLE, ReplayScreen
from sandbox_tui.tui.screens.evals.eval_screen import EvalScreen
from sandbox_tui.tui.screens.evals.samples.screen_of_sample import screen_of
from sandbox_tui.tui.screens.evals.source import RecordedEval
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.widgets.calls.end_card import EndCard
from sandbox_tui.tui.widgets.evals.sample_list import SampleRows
from tests.unit.event_streams import started
from tests.waiting import until

WHY = "output/answer.txt was not written; submit said '17'."


def recorded(store: Store) -> SampleResult:
    """An evaluation of one task, whose sample has ended."""
    task = Task(id="t", problem="?", target="42")
    suite = Suite(name="sums", tasks=(task,), modes=("sandbox",))
    info = EvalInfo(id="eval", suite="sums", digest="", model="m", modes=("sandbox",))
    ledger.create(store, info, ledger.EvalPlan(suite=suite, settings=load({})))
    events: list[e.AnyEvent] = [
        started("r", task="?"),
        e.RunFinished(reason="submitted", error=None, totals=e.Totals(), t=30.0),
    ]
    store.append("r", [msgspec.structs.replace(x, seq=n) for n, x in enumerate(events, 1)])
    sample = SampleResult(
        task="t",
        mode="sandbox",
        number=1,
        status="scored",
        score=0.0,
        run_id="r",
        target="42",
        explanation=WHY,
    )
    ledger.finish(store, "eval", sample)
    ledger.release(store, "eval")
    return sample


@pytest.mark.parametrize("size", [(160, 45), (100, 30), (60, 20)], ids=str)
async def test_a_finished_sample_opens_at_its_end(store: Store, size: tuple[int, int]) -> None:
    sample = recorded(store)
    app: Any = SandboxTui(load({"model.local_ports": [1]}), store)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        source = RecordedEval(ledger.summary(store, "eval"), store)
        await app.push_screen(screen_of(app.screen, sample, source, store))
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and app.screen.is_settled)
        replay = app.screen
        assert replay.shows(2), "the end"
        assert not replay._replay.plays

        def card() -> str:
            return str(replay.query_one(EndCard).render())

        await until(pilot, lambda: "score" in card())
        assert card().startswith("✓ submitted  ")
        assert "0 · output/answer.txt was not" in card()
        assert "expected  42" in card() or size == (60, 20)


def test_sessions_show_has_the_score(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    recorded(store)
    print_session(store, store.run("r"))
    printed = capsys.readouterr().out
    assert f"score     0 · {WHY}\n" in printed
    assert "expected  42\n" in printed


def right_and_wrong(store: Store) -> None:
    """An evaluation of four tasks, `a` to `d`, of which `b` and `d` are wrong."""
    tasks = tuple(Task(id=name, problem="?", target="42") for name in "abcd")
    suite = Suite(name="sums", tasks=tasks, modes=("vanilla",))
    info = EvalInfo(id="eval", suite="sums", digest="", model="m", modes=("vanilla",))
    ledger.create(store, info, ledger.EvalPlan(suite=suite, settings=load({})))
    for at, one in enumerate(ledger.results(store, "eval")):
        run_id = f"run-{one.task}"
        events: list[e.AnyEvent] = [
            started(run_id, task="?"),
            e.RunFinished(reason="submitted", error=None, totals=e.Totals(), t=1.0),
        ]
        store.append(run_id, [msgspec.structs.replace(x, seq=n) for n, x in enumerate(events, 1)])
        score = float(one.task in "ac")
        fields = {"status": "scored", "score": score, "run_id": run_id, "answer": "42"}
        ended = msgspec.structs.replace(one, **fields, ended_at=10.0 - at)
        ledger.finish(store, "eval", ended)
    ledger.release(store, "eval")


async def test_the_samples_without_a_right_answer_are_walked_from_a_replay(store: Store) -> None:
    right_and_wrong(store)
    app: Any = SandboxTui(
        load({"model.local_ports": [1]}), store, WatchEval(ledger.summary(store, "eval"))
    )

    def shows(run_id: str) -> bool:
        screen = app.screen
        return (
            isinstance(screen, ReplayScreen) and screen.session[1] == run_id and screen.is_settled
        )

    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.screen.query(SampleRows))
        rows = app.screen.query_one(SampleRows)
        await until(pilot, lambda: rows.current is not None)
        await pilot.press("enter")
        await until(pilot, lambda: shows("run-a"))
        await pilot.press("J")
        await until(pilot, lambda: shows("run-b"))
        await pilot.press("J")
        await until(pilot, lambda: shows("run-d"))
        await pilot.press("J")
        words = "No wrong or failed sample below this one."
        await until(pilot, lambda: words in [one.message for one in app._notifications])
        await pilot.press("K")
        await until(pilot, lambda: shows("run-b"))
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, EvalScreen))
        assert rows.current is not None
        assert rows.current.task == "b", "the list is where the walk ended"


async def test_other_replays_have_no_next_sample(store: Store) -> None:
    recorded(store)
    app: Any = SandboxTui(load({"model.local_ports": [1]}), store)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await app.push_screen(ReplayScreen(store.run("r"), store, playing=False))
        await until(pilot, lambda: app.screen.is_settled)
        assert app.screen.why_unavailable("sample", (1,)) == NO_SAMPLE
