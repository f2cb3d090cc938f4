"""On a run that waits, the home screen answers the keys that it has once it is open."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox_tui.sessions import Store
from sandbox_tui.tui.keys.available_actions import why_key_is_disabled
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from tests.screens.home.test_find_sessions import at_home
from tests.screens.home.test_wall_from_home import keep_ended, keep_waiting
from tests.waiting import until


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A database with a session that has ended, and one that waits."""
    with contextlib.closing(Store(tmp_path / "s.db")) as made:
        keep_ended(made)
        keep_waiting(made)
        yield made


async def test_on_a_run_that_waits_the_keys_of_open_runs_say_how_to_open_it(store: Store) -> None:
    async with at_home(store) as (home, pilot):
        sessions = home.query_one(SessionList)
        await until(pilot, lambda: "waits" in sessions.waiting)
        words = {key: why_key_is_disabled(home, key) for key in "aASMmPn"}
        assert words == {
            "a": "Approve: enter opens the run; decide there.",
            "A": "Answer the call yourself: enter opens the run; decide there.",
            "S": "Skip the call: enter opens the run; decide there.",
            "M": "Mode: enter opens the run.",
            "m": "",  # it has an action here
            "P": "Pause all: w opens the wall.",
            "n": "",
        }
        await pilot.press("a")
        await until(pilot, lambda: bool(shown_toasts(pilot.app)))
        assert [one.message for one in shown_toasts(pilot.app)] == [words["a"]]


async def test_on_another_session_they_say_nothing(store: Store) -> None:
    async with at_home(store) as (home, pilot):
        sessions = home.query_one(SessionList)
        await until(pilot, lambda: "waits" in sessions.waiting)
        await pilot.press("end")
        await until(pilot, lambda: sessions.current is not None and sessions.current.id == "ended")
        assert not any(why_key_is_disabled(home, key) for key in "aAMP")
