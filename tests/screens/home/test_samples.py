"""The samples of one task on the home screen: their rows, their details, and what acts on them."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from textual.pilot import Pilot

from sandbox_tui.core.base.run_labels import SAMPLE, SAMPLES
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from tests.screens.cockpit.test_replay_screen import until
from tests.screens.home.test_find_sessions import at_home
from tests.screens.home.test_home_rows import detail, row
from tests.unit.event_streams import started

HELD = e.ToolCall(number=1, step=1, id="c", name="execute_bash", arguments='{"command": "ls"}')


def begun(name: str, number: int, at: float) -> e.RunStarted:
    labels = {SAMPLES: "s", SAMPLE: str(number)}
    first = started(name, task="squares", started_at=at)
    return msgspec.structs.replace(
        first, settings=e.RunSettings(labels=labels), model="/models/small.gguf"
    )


def ended(answer: str | None) -> e.RunFinished:
    return e.RunFinished(
        seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals(), answer=answer
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A database with a session and three samples of a task; the second one began first."""
    with contextlib.closing(Store(tmp_path / "s.db")) as made:
        made.append("alone", [started("alone", task="something else", started_at=1e9), ended("no")])
        for name, number, at, answer in (
            ("a", 1, 2e9 + 2, "391"),
            ("b", 2, 2e9, None),
            ("c", 3, 2e9 + 1, "392"),
        ):
            made.append(name, [begun(name, number, at), ended(answer)])
        yield made


@asynccontextmanager
async def opened(store: Store) -> AsyncIterator[tuple[HomeScreen, SessionList, Pilot[int]]]:
    """Open the home screen with the cursor on the open group."""
    async with at_home(store, row=0) as (home, pilot):
        sessions = home.query_one(SessionList)
        await pilot.press("enter")
        await until(pilot, lambda: sessions.block_count() == 5)
        yield home, sessions, pilot


async def test_samples_are_listed_by_number_with_their_answers(store: Store) -> None:
    async with opened(store) as (_, sessions, _pilot):
        assert row(sessions, 1).startswith(" ├─ ✓ sample 1 · answer: 391 ")
        assert row(sessions, 2).startswith(" ├─ ✓ sample 2  ")
        assert row(sessions, 3).startswith(" └─ ✓ sample 3 · answer: 392 ")


async def test_a_sample_is_renamed_and_the_group_keeps_the_title_of_the_task(store: Store) -> None:
    async with opened(store) as (home, sessions, pilot):
        store.rename("a", "No answer")
        home.reload()
        await until(pilot, lambda: "sample 1 · No answer · answer: 391" in row(sessions, 1))
        assert "3 samples  squares" in row(sessions, 0)


async def test_a_group_counts_each_sample_in_one_state(store: Store) -> None:
    held = [
        e.CallProposed(seq=2, t=0.1, call=HELD),
        e.CallHeld(seq=3, t=0.1, call=1),
    ]
    store.append("d", [begun("d", 4, 2e9 + 3), *held])
    async with at_home(store, row=0) as (home, pilot):
        sessions = home.query_one(SessionList)
        await until(pilot, lambda: "1 waits for you · 3 submitted" in row(sessions, 0))
        assert "running" not in row(sessions, 0)
        assert "small.gguf" in row(sessions, 0)
        assert "/models" not in row(sessions, 0)
        await until(pilot, lambda: "state       1 waits for you, 3 submitted" in detail(home))
        assert "model       small.gguf" in detail(home)
