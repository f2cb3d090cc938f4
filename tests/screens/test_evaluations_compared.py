"""Two evaluations compared on the screen: its tables fit the width, and its tasks open."""

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
from sandbox_tui.sessions.evals.report.recorded_comparison import recorded_comparison
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.format.compared.facts import Fact
from sandbox_tui.tui.screens.compare.compare_screen import CompareScreen
from sandbox_tui.tui.screens.compare.difference_pager import DifferencePager
from sandbox_tui.tui.screens.evals.comparison_pager import (
    ELSEWHERE,
    NO_SAMPLES,
    PAGER_CELLS,
    ComparisonPager,
)
from sandbox_tui.tui.screens.evals.evals_screen import EvalsScreen
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.widgets.key_bar import KeyBar
from tests.unit.event_streams import started
from tests.waiting import until

TASKS = 45
"""More than the command line lists."""

LAST = f"t{TASKS}"


def session(store: Store, run_id: str) -> str:
    events: list[e.AnyEvent] = [
        started(run_id, task="What is 1 + 1?"),
        e.RunFinished(reason="submitted", error=None, answer="2", totals=e.Totals()),
    ]
    store.append(run_id, [msgspec.structs.replace(x, seq=n) for n, x in enumerate(events, 1)])
    return run_id


def evaluation(store: Store, name: str, score: float) -> EvalInfo:
    """An evaluation with this score for each task; only the last has sessions."""
    tasks = tuple(Task(id=f"t{at:02}", problem="?", target="4") for at in range(1, TASKS + 1))
    suite = Suite(name="sums", tasks=tasks, modes=("vanilla",))
    info = EvalInfo(id=name, suite="sums", digest="", model=name, modes=("vanilla",))
    ledger.create(store, info, ledger.EvalPlan(suite=suite, settings=load({})))
    for task in tasks:
        is_kept = task.id == LAST
        run_id = session(store, f"{name}-run") if is_kept else f"deleted-{name}"
        sample = SampleResult(
            task=task.id,
            mode="vanilla",
            number=1,
            status="scored",
            score=score,
            run_id=run_id,
            target=task.target,
            explanation=f"{name} says {score:g}.",
        )
        ledger.finish(store, name, sample)
    ledger.release(store, name)
    return info


def said(app: Any) -> list[str]:
    return [one.message for one in app._notifications]


async def test_enter_says_why_nothing_opens(store: Store) -> None:
    found = recorded_comparison(
        store, evaluation(store, "left", 1.0), evaluation(store, "right", 1.0)
    )
    app: Any = SandboxTui(load({"model.local_ports": [1]}), store)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await app.push_screen(ComparisonPager(found, store, 100))
        await pilot.press("enter")
        await until(pilot, lambda: NO_SAMPLES in said(app))


@pytest.mark.parametrize("sizes", [((160, 45), (60, 20)), ((60, 20), (100, 30))], ids=str)
async def test_a_task_opens_its_two_samples_at_any_width(
    store: Store, sizes: tuple[tuple[int, int], tuple[int, int]]
) -> None:
    first, second = sizes
    found = recorded_comparison(
        store, evaluation(store, "left", 0.0), evaluation(store, "right", 1.0)
    )
    app: Any = SandboxTui(load({"model.local_ports": [1]}), store)
    async with app.run_test(size=first) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await app.push_screen(ComparisonPager(found, store, first[0]))
        pager: Any = app.screen
        text = pager.query_one("#pager-text")
        assert "enter on a task compares its two samples" in str(text.border_subtitle)
        bar = pager.query_one(KeyBar)
        assert ("enter", "compare samples") in [(one.key, one.words) for one in bar.keys_shown]
        title = text.draw_block(0, 100)[0].plain
        assert title.strip().startswith("sums"), "a table has no line numbers"
        await pilot.press("enter")  # the title is no task
        assert app.screen is pager
        assert "t01" in text._source[text.cursor], "the first task"
        await until(pilot, lambda: ELSEWHERE in said(app))
        await pilot.press("end", "up", "enter")
        await until(pilot, lambda: any("deleted-left" in words for words in said(app)))
        assert app.screen is pager, "its session was deleted"
        await pilot.press("down")
        wide = list(text._source)
        await pilot.resize_terminal(*second)
        await until(pilot, lambda: text._source != wide)
        assert LAST in text._source[text.cursor]
        assert max(map(len, text._source)) <= max(40, second[0] - PAGER_CELLS)
        assert text.is_visible(text.cursor)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen))
        rows = app.screen.query_one("#comparison")
        await until(pilot, lambda: bool(rows.rows))
        figures = {row.name: row for row in rows.rows if isinstance(row, Fact)}
        assert figures["expected"][1:3] == ("4", "4")
        assert figures["score"][1:4] == ("0 · left says 0.", "1 · right says 1.", "+1")
        rows.go_to(rows.rows.index(figures["score"]))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, DifferencePager))


async def test_what_was_said_about_a_mark_goes_with_the_mark(store: Store) -> None:
    evaluation(store, "left", 0.0)
    app: Any = SandboxTui(load({"model.local_ports": [1]}), store)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, EvalsScreen))
        evaluation(store, "right", 1.0)
        app.screen.reload()
        await until(pilot, lambda: app.screen._evals_list.block_count() == 2)
        await pilot.press("c")
        await until(pilot, lambda: any("Marked" in words for words in said(app)))
        await pilot.press("c")
        assert not any("Marked" in words for words in said(app))
