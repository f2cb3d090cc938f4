"""Asking to quit again answers the question, once there was time to read it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from textual.message import Message

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import RunWorker, Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.lifecycle.quit_question import quit_question
from sandbox_tui.tui.screens.dialogs.leave_run import DOUBLE_PRESS_SECONDS, QuitQuestion
from tests.screens.widgets.test_wall_tiles import tile, waiting
from tests.unit.event_streams import started
from tests.waiting import until


async def test_a_key_does_not_answer_a_question_that_was_not_drawn_yet(tmp_path: Path) -> None:
    app = SandboxTui(load(), Store(tmp_path / "s.db"))
    given: list[bool | None] = []
    async with app.run_test() as pilot:
        question = QuitQuestion("End the run and quit?", "quit", "stay")
        question.ask_again()  # however long ago the first key was pressed
        await app.push_screen(question, given.append)
        await until(pilot, lambda: question._drawn_at is not None)
        question._drawn_at = Message().time + 60
        question.ask_again()
        await pilot.pause()
        assert not given
        question._drawn_at = Message().time - DOUBLE_PRESS_SECONDS
        question.ask_again()
        await until(pilot, lambda: given == [True])


@pytest.mark.parametrize(
    ("what", "question"),
    [
        (["runs"], "1 run is still running. End it and quit?"),
        (["waits"], "1 run waits for you. End it and quit?"),
        (["waits", "waits"], "2 runs wait for you. End both and quit?"),
        (["waits", "runs"], "1 run waits for you, 1 is still running. End both and quit?"),
        (["waits", "is paused"], "1 run waits for you, 1 is paused. End both and quit?"),
        (["runs", "runs"], "2 runs are still running. End both and quit?"),
    ],
)
def test_the_question_says_what_runs_do(what: list[str], question: str) -> None:
    def run(does: str, number: int) -> RunWorker:
        one = (waiting(number, "make") if does == "waits" else tile(number, started())).worker
        if does == "is paused":
            one.state.apply(e.ModeChanged(mode="paused"))
        return cast(RunWorker, one)

    going = [run(does, number) for number, does in enumerate(what)]
    runs = cast(Any, SimpleNamespace(running=going))
    assert quit_question(runs, cast(Any, SimpleNamespace(running=[])), []) == question
