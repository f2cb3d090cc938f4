"""What the wall says about keys that act on several runs, and about control of them."""

from __future__ import annotations

from typing import Any, cast

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import RunWorker
from sandbox_tui.sessions.recording.run_worker import ProgramExited
from sandbox_tui.tui.screens.dialogs.leave_run import LeaveDialog
from sandbox_tui.tui.screens.wall.key_words import deciding_first, words_of
from sandbox_tui.tui.screens.wall.steering.control_news import ControlNews
from sandbox_tui.tui.screens.wall.steering.controlled_runs import all_of, why_not_here
from sandbox_tui.tui.screens.wall.steering.mode_of_runs import pauses_later, pausing_words
from sandbox_tui.tui.terminal_io.counted_runs import going_words
from sandbox_tui.tui.theming.palette import _palette
from sandbox_tui.tui.widgets.wall.run_selection import next_waiting
from sandbox_tui.tui.widgets.wall.wall_header import WallHeader
from tests.screens.widgets.test_wall_tiles import Answers, Wall, control_only, ended, tile, waiting
from tests.unit.event_streams import started


def test_calls_that_wait_for_another_terminal_are_not_said_to_be_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tiles = [waiting(1, "make"), waiting(2, "make"), tile(3, started())]
    mine: set[str] = set()
    monkeypatch.setattr(RunWorker, "steers", property(lambda run: run.run_id in mine))
    monkeypatch.setattr(RunWorker, "run", property(lambda _: None), raising=False)
    control = "another terminal is in control of "
    takes = "; T takes control"
    assert why_not_here("approve_all", tiles[0], tiles) == f"{control}the 2 runs that wait{takes}"
    assert why_not_here("approve_all", tiles[0], tiles[1:]) == f"{control}the run that waits{takes}"
    assert why_not_here("approve_all", tiles[2], tiles[2:]) == "no call waits for you"
    mine.add(tiles[0].worker.run_id)
    words = f"{control}the other run that waits{takes}"
    assert why_not_here("approve_all", tiles[0], tiles) == words


def test_no_other_run_waits_only_if_the_chosen_one_does() -> None:
    tiles = [waiting(1, "make"), tile(2, started())]
    assert why_not_here("waiting", tiles[0], tiles) == "no other run waits for you"
    assert why_not_here("waiting", tiles[1], tiles[1:]) == "no run waits for you"
    assert not why_not_here("waiting", tiles[1], tiles)


def test_the_next_that_waits_is_first_one_to_decide_about_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tiles = [waiting(number, "make") for number in (1, 2, 3, 4)]
    mine = {tiles[2].worker.run_id}
    monkeypatch.setattr(RunWorker, "steers", property(lambda run: run.run_id in mine))
    assert next_waiting(tiles, tiles[0]) is tiles[2]
    assert next_waiting(tiles, tiles[3]) is tiles[2]
    assert next_waiting(tiles, tiles[2]) is tiles[3]
    header = WallHeader()
    header._runs = [(one.number, one.worker) for one in tiles]
    counts = header._states(_palette(*["white"] * 12, highlight="native")).plain
    assert "◆ 1 waits for you (3)  ◆ 3 wait elsewhere (1 2 4)" in counts


def test_resuming_names_no_runs_where_none_can_be_resumed() -> None:
    tiles = [waiting(1, "make"), tile(2, started())]
    assert words_of("resume", tiles[0], None, 0, tiles) is None


def test_runs_that_have_ended_are_not_meant_by_all(monkeypatch: pytest.MonkeyPatch) -> None:
    going = [tile(number, started()) for number in (1, 2, 3)]
    over = ended(4, "42", is_said=False)
    monkeypatch.setattr(RunWorker, "steers", property(lambda _: True))
    assert all_of(3, [*going, over]) == "all 3 that still run"
    assert all_of(2, [*going[1:], over]) == "both that still run"
    assert all_of(2, going[1:]) == "both runs shown"
    assert all_of(3, going) == "all 3 runs shown"


def test_runs_with_a_call_in_progress_are_pausing() -> None:
    asked = e.ModelAsked(step=1, digest="", messages=1)
    assert pauses_later(tile(1, started(), asked).state)
    assert not pauses_later(waiting(1, "make").state)
    keys = "; enter, then esc interrupts a command."
    assert pausing_words(6, 0) == "Paused 6 runs."
    assert pausing_words(5, 0, 1) == "Paused 5 runs: all 6 are paused now."
    assert pausing_words(1, 0, 1) == "Paused 1 run: both are paused now."
    yours = "Paused 2 runs: all 3 that you control are paused now."
    assert pausing_words(2, 0, 1, some_elsewhere=True) == yours
    more = "Paused 2 more: 3 of 6 runs are paused now; the rest pause after their current call"
    assert pausing_words(5, 3, 1) == f"{more}{keys}"
    one = "Pausing 1 more run: it pauses after its current call; the others are paused"
    assert pausing_words(1, 1, 2) == f"{one}{keys}"
    each = "Pausing 2 more runs: each pauses after its current call; the other one is paused"
    assert pausing_words(2, 2, 1) == f"{each}{keys}"
    assert pausing_words(6, 6) == f"Pausing 6 runs: each pauses after its current call{keys}"
    some = "Paused 4 of 6 runs; the rest pause after their current call"
    assert pausing_words(6, 2) == f"{some}{keys}"
    assert pausing_words(1, 1) == f"Pausing 1 run: it pauses after its current call{keys}"


async def test_lost_control_that_is_back_is_no_longer_said(monkeypatch: pytest.MonkeyPatch) -> None:
    tiles = [tile(number, started()) for number in (1, 2, 3)]
    mine = {one.worker.run_id for one in tiles}
    control_only(mine, monkeypatch)
    app = Wall(*tiles)
    async with app.run_test():
        answers = Answers()
        news = ControlNews(app.screen, cast(Any, answers))
        news.sync(tiles)
        mine -= {one.worker.run_id for one in tiles[:2]}
        news.sync(tiles)
        assert len(answers.said) == 1
        mine.add(tiles[0].worker.run_id)
        news.sync(tiles)
        assert answers.said[1:] == ["Another terminal has taken control of run 2; T takes it back."]
        mine.add(tiles[1].worker.run_id)
        news.sync(tiles)
        assert answers.put_away_after == len(answers.said) == 2


async def test_a_run_that_another_program_resumes_was_not_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, again = tile(1, started()), tile(1, started()).worker
    monkeypatch.setattr(RunWorker, "steers", property(lambda run: run is not again))
    monkeypatch.setattr(RunWorker, "audience", property(lambda _: "watching"))
    app = Wall(one)
    async with app.run_test():
        answers = Answers()
        news = ControlNews(app.screen, cast(Any, answers))
        news.sync([one])
        one.follow(again)
        news.sync([one])
        assert not answers.said


async def test_that_a_program_is_gone_is_no_longer_said_once_its_run_is_opened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tiles = [tile(number, started()) for number in (1, 2)]
    monkeypatch.setattr(RunWorker, "steers", property(lambda run: run.failure is None))
    app = Wall(*tiles)
    async with app.run_test():
        answers = Answers()
        news = ControlNews(app.screen, cast(Any, answers))
        news.sync(tiles)
        tiles[1].worker.failure = ProgramExited("gone")
        news.sync(tiles)
        assert answers.said == ["Run 2's program is gone: go to it, then r resumes it."]
        news.opened(tiles[0])
        assert not answers.put_away_after
        news.opened(tiles[1])
        assert answers.put_away_after == 1
        tiles[0].worker.failure = ProgramExited("gone")
        news.sync(tiles)
        words = "The programs of runs 1 and 2 are gone: go to one, then r resumes it, or both."
        assert answers.said[1:] == [words]


def test_a_bar_of_some_length_keeps_what_steers_the_chosen_run() -> None:
    deciding = ("open", "approve", "reject", "approve_all")
    assert deciding_first(0, 100) == ()
    useful = ("end", "pause_all", "filter", "find", "message", "mode", "pause")
    assert deciding_first(1, 60) == (*deciding, *useful)
    assert deciding_first(0, 60) == ("open", *useful), "rather than the palette"
    assert deciding_first(1, 85) == deciding
    assert deciding_first(1, 100) == (*deciding, "message", "mode", "pause", "end")


@pytest.mark.parametrize(
    ("waits", "paused", "words"),
    [
        (0, 0, "3 runs are still running"),
        (1, 0, "1 run waits for you, 2 are still running"),
        (2, 0, "2 runs wait for you, 1 is still running"),
        (3, 0, "3 runs wait for you"),
        (1, 1, "1 run waits for you, 1 is paused, 1 is still running"),
        (0, 3, "3 runs are paused"),
    ],
)
def test_both_questions_before_leaving_say_what_runs_do(
    waits: int, paused: int, words: str
) -> None:
    states = [waiting(number, "make").state for number in range(waits)]
    states += [tile(number, started()).state for number in range(3 - waits)]
    for state in states[waits : waits + paused]:
        state.apply(e.ModeChanged(mode="paused"))
    assert going_words(states) == words


def test_the_question_before_leaving_says_what_a_single_run_does() -> None:
    one = tile(1, started()).state
    assert LeaveDialog([one]).title_words == "the run is still running"
    one.apply(e.ModeChanged(mode="paused"))
    assert LeaveDialog([one]).title_words == "the run is paused"
    assert LeaveDialog([waiting(1, "make").state]).title_words == "the run waits for you"
