"""A key that was pressed before a waiting call was on the screen decides nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.events import Key

from sandbox_tui.tui.textual_support.private_api import shown_toasts
from tests.screens.cockpit.test_approving import BASH, controls, live, waiting
from tests.waiting import until


@pytest.mark.parametrize(("key", "verdict"), [("a", "approve"), ("S", "skip")])
async def test_a_call_is_decided_only_after_it_was_drawn(
    tmp_path: Path, key: str, verdict: str
) -> None:
    decisions: list[tuple[Any, ...]] = []
    run = controls(decisions)
    async with live(tmp_path, waiting(BASH, command="ls"), run) as (app, pilot, _):
        early = Key(key, key)
        early.time = 0.0
        app.post_message(early)
        words = "Call 1 was not shown yet when you pressed the key: nothing was decided."
        await until(pilot, lambda: [toast.message for toast in shown_toasts(app)] == [words])
        assert not decisions
        await pilot.press(key)
        await until(pilot, lambda: decisions == [(verdict, 1)])
