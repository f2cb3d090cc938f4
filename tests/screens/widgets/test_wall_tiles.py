"""The tiles of the wall and the panel below them, without runs behind them."""

from __future__ import annotations

import json
from typing import Any, cast

import msgspec
import pytest
from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.widgets import Input, OptionList

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions import RunWorker
from sandbox_tui.tui.screens.wall.describe_tiles import describe_tiles, is_due
from sandbox_tui.tui.screens.wall.dialogs.decide_about_all import DecideAboutAllDialog, WaitingCall
from sandbox_tui.tui.screens.wall.key_words import take_words, words_of
from sandbox_tui.tui.screens.wall.key_words import why_key_of_run_does_nothing as words_about
from sandbox_tui.tui.screens.wall.steering.control_news import ControlNews
from sandbox_tui.tui.screens.wall.steering.controlled_runs import (
    all_of,
    next_of_another,
    why_not_here,
)
from sandbox_tui.tui.theming.derived_roles import derived_roles
from sandbox_tui.tui.widgets.wall.fitting.state_column import state_in_column
from sandbox_tui.tui.widgets.wall.run_order import chosen_by, next_order, passes, rank
from sandbox_tui.tui.widgets.wall.run_selection import chosen_first
from sandbox_tui.tui.widgets.wall.run_tile import RunTile
from sandbox_tui.tui.widgets.wall.tile_layout import TileGrid
from sandbox_tui.tui.widgets.wall.waiting_panel import WaitingPanel
from tests.unit.event_streams import started
from tests.waiting import until

HEIGHT = 9


def tile(number: int, *events: e.AnyEvent, model: str = "m", task: str = "x") -> RunTile:
    settings = load({"model.name": model})
    worker = RunWorker(RunRequest(task=task, settings=settings), cast(Any, None))
    worker.state = fold(events)
    return RunTile(worker, number)


def ended(number: int, answer: str, *, is_said: bool, task: str = "x") -> RunTile:
    """A run that gave an answer, in its file or only in the call of `submit`."""
    call = e.ToolCall(
        number=1, step=1, id="1", name="submit", arguments=json.dumps({"answer": answer})
    )
    finished = e.RunFinished(
        reason="submitted",
        error=None,
        totals=e.Totals(),
        answer="" if is_said else answer,
        output=None,
    )
    one = tile(number, started(), e.CallProposed(call=call), finished, task=task)
    cast(RunWorker, one.worker).request.labels["samples"] = "a"
    return one


def waiting(number: int, command: str, task: str = "x") -> RunTile:
    arguments = json.dumps({"command": command})
    call = e.ToolCall(number=1, step=1, id="1", name="execute_bash", arguments=arguments)
    events = (started(), e.CallProposed(call=call), e.CallHeld(call=1))
    return tile(number, *events, task=task)


class Wall(App[None]):
    """Tiles of one line each, above the panel."""

    CSS = "RunTile { height: 1; }"

    def __init__(self, *tiles: RunTile) -> None:
        super().__init__()
        self.tiles = tiles

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return derived_roles(self.current_theme)

    def compose(self) -> ComposeResult:
        yield from self.tiles
        yield WaitingPanel()

    def on_mount(self) -> None:
        describe_tiles(self.tiles, self.tiles, {})
        for one in self.tiles:
            one.sync(boxed=False)


async def test_states_have_one_width_so_that_what_follows_is_aligned() -> None:
    for width in (58, 40):
        app = Wall(waiting(1, "make"), tile(2, started()))
        async with app.run_test(size=(width, 20)) as pilot:
            await pilot.pause()
            first, second = (str(one.render()) for one in app.tiles)
            after = "00:00" if width == 58 else "bash"
            begins = second.index("00:00" if width == 58 else "x")
            assert first.index(after) == begins
            assert app.tiles[0].size == Size(width, 1)


def test_the_keys_of_the_wall_move_the_cursor_although_the_list_scrolls() -> None:
    taken = set(TileGrid()._bindings.key_to_bindings)
    assert taken == {"pageup", "pagedown"}, "the others are the wall's own"


def test_a_long_state_moves_nothing_on_a_narrow_screen() -> None:
    states = ("✗ model unavailable", "◆ waits for you", "● running", "‖ paused ◆ waits")
    for longest in (9, 19):
        shown = [state_in_column(words, longest, 58) for words in states]
        assert shown == ["✗ no model   ", "◆ waits      ", "● running    ", "‖ paused ◆ w…"]
    assert state_in_column(states[2], 19, 98) == "● running          "
    assert state_in_column(states[2], 9, 40) == "● running  "


async def test_a_strip_names_the_model_if_the_runs_have_several() -> None:
    for models in (("m1", "m2"), ("m1", "m1")):
        app = Wall(*(tile(n, model=model) for n, model in enumerate(models, 1)))
        async with app.run_test(size=(80, 20)):
            shown = [str(one.render()) for one in app.tiles]
            expected = len(set(models)) > 1
            assert [m in line for m, line in zip(models, shown, strict=True)] == [expected] * 2


async def test_a_strip_shows_the_task_and_the_call() -> None:
    tiles = waiting(1, "echo one", task="add"), waiting(2, "echo two", task="multiply")
    app = Wall(*tiles)
    async with app.run_test(size=(58, 20)) as pilot:
        await pilot.pause()
        first, second = (str(one.render()) for one in tiles)
        assert "add       bash echo one" in first
        assert "multiply  bash echo two" in second


async def test_the_list_of_waiting_calls_names_the_tasks() -> None:
    tasks = (("add", "multiply"), ("add", "add"))
    for names in tasks:
        tiles = [waiting(n, "make", task=name) for n, name in enumerate(names, 1)]
        items = [one.state.pending for one in tiles]
        calls = [
            WaitingCall(n, item, names=(name,))
            for n, (item, name) in enumerate(zip(items, names, strict=True), 1)
            if item is not None
        ]
        dialog = DecideAboutAllDialog(calls)
        app = Wall(*tiles)
        async with app.run_test(size=(60, 20)) as pilot:
            await app.push_screen(dialog)
            await pilot.pause()
            lines = dialog.query_one(OptionList).options
            shown = [str(line.prompt) for line in lines]
            title = str(dialog.query_one(".dialog").border_title)
            if len(set(names)) > 1:
                assert ["add" in shown[0], "multiply  bash" in shown[1]] == [True, True]
                assert title == "2 waiting calls"
            else:
                assert title == "2 waiting calls · add"
                assert not any("add" in line for line in shown)


async def test_the_panel_shows_the_chosen_run_and_which_other_waits_in_as_many_lines() -> None:
    low, high, quiet = waiting(1, "make"), waiting(2, "one\ntwo\nthree\nfour"), tile(3, started())
    app = Wall(low, high, quiet)
    async with app.run_test(size=(100, 30)) as pilot:
        panel = app.query_one(WaitingPanel)
        expected = ((low, "run 1 waits for you"), (high, "run 2 waits"), (quiet, "run 1 waits"))
        for chosen, head in expected:
            panel.show(app.tiles, chosen, HEIGHT)
            await pilot.pause()
            assert panel.size.height == HEIGHT
            lines = str(panel.render()).split("\n")
            assert head in lines[0]
            assert ("a approve" in lines[-1]) == (chosen is not quiet)
        lines = str(panel.render()).split("\n")
        assert "n go to it" in lines[0]
        await app.mount(field := Input())
        field.focus()
        await until(pilot, lambda: field.has_focus)
        assert "n go to it" not in str(panel.render()), "the field writes an n"
        await field.remove()
        assert "◔ run 3 preparing" in lines[2]
        panel.show([quiet], quiet, HEIGHT)
        assert str(panel.render()).startswith("◔ run 3 preparing"), "its room stays its own"


async def test_the_wall_begins_at_its_first_run_or_at_the_one_asked_for() -> None:
    tiles = [tile(1, started()), waiting(2, "make"), waiting(3, "make")]
    assert chosen_first(tiles).number == 1
    assert chosen_first(tiles, tiles[2].worker.run_id).number == 3
    assert chosen_first(tiles, "gone").number == 1


async def test_a_mode_that_all_runs_share_is_in_no_tile() -> None:
    pairs: tuple[tuple[e.Mode, e.Mode], ...] = (("ask", "ask"), ("ask", "step"))
    for modes in pairs:
        changed = (e.ModeChanged(mode=mode) for mode in modes)
        tiles = [tile(n, started(), change) for n, change in enumerate(changed, 1)]
        app = Wall(*tiles)
        async with app.run_test(size=(100, 30)):
            for one in tiles:
                one.sync()
            shown = [str(one.border_title) for one in tiles]
            differ = len(set(modes)) > 1
            expected = [f"mode {mode}" in title for mode, title in zip(modes, shown, strict=True)]
            assert expected == [differ] * 2, shown


async def test_what_holds_for_the_answers_of_all_runs_is_in_no_tile() -> None:
    for said in ((True, True), (True, False)):
        tiles = [ended(n, "42", is_said=one) for n, one in enumerate(said, 1)]
        app = Wall(*tiles)
        async with app.run_test(size=(100, 30)):
            shown = [str(one.render()) for one in tiles]
            assert all("42 · all 2 agree" in line for line in shown)
            marked = ["said in submit" in line for line in shown]
            assert marked == ([False, False] if all(said) else list(said))


async def test_where_answers_of_another_task_are_marks_none() -> None:
    said = [ended(1, "42", is_said=True), ended(2, "42", is_said=True)]
    written = ended(3, "7", is_said=False, task="another")
    app = Wall(*said, written)
    async with app.run_test(size=(100, 30)):
        assert not any("said in submit" in str(one.render()) for one in said)


async def test_an_answer_leaves_room_for_how_many_agree() -> None:
    tiles = [ended(n, "word " * 20, is_said=False) for n in (1, 2)]
    app = Wall(*tiles)
    async with app.run_test(size=(60, 20)):
        shown = [str(one.render()) for one in tiles]
        assert all(line.endswith("… · all 2 agree") for line in shown), shown


async def test_a_run_from_which_nothing_comes_is_called_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = tile(1, started())
    monkeypatch.setattr(RunTile, "now", property(lambda _: 61.0))
    assert one.status_words == "● silent 01:01"
    waits = waiting(0, "make")
    assert waits.status_words == "◆ waits for you"
    assert rank(one, "silence") < rank(waits, "silence")
    assert rank(waits, "state") < rank(one, "state")
    monkeypatch.setattr(RunTile, "now", property(lambda _: 1.0))
    assert one.status_words == "◔ preparing"


async def test_a_stuck_run_that_is_to_pause_is_called_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = e.ModelAsked(step=1, digest="", messages=1)
    one = tile(1, started(), asked, e.ModeChanged(mode="paused"))
    assert one.status_words == "‖ pausing"
    monkeypatch.setattr(RunTile, "now", property(lambda _: 61.0))
    assert one.status_words == "● silent 01:01"


def test_a_key_of_an_opened_run_says_where_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    running, over = tile(1, started()), ended(2, "42", is_said=False)
    assert words_about("z", running) == "Zoom: only in an opened run.  enter  open run 1"
    assert words_about("F", running) == "Fork: this run still runs.  enter  open run 1"
    assert words_about("F", over) == "Fork: only in an opened run.  enter  open run 2"
    assert words_about("i", over) == "Inject: this run has ended.  enter  open run 2"
    assert words_about("i", None) == "Inject: no run is chosen."
    assert words_about("L", running) == "Allowed: M l lists what you allowed in run 1."
    assert words_about("R", running).startswith("Ask again: only in an opened run.")
    assert why_not_here("pause_all", over, [over]) == "all runs have ended"
    assert not words_about("ö", over)
    monkeypatch.setattr(RunWorker, "can_be_steered", property(lambda _: False))
    assert words_about("i", running) == "Inject: this run can only be watched here."
    assert words_about("z", running) == "Zoom: only in an opened run.  enter  open run 1"


def test_without_waiting_calls_the_key_for_all_counts_none() -> None:
    running = tile(1, started())
    assert words_of("approve_all", running, None, 0, [running]) == "decide on all"
    assert words_of("approve_all", running, None, 3, [running]) == "decide on 3"
    assert words_of("approve_all", running, None, 40, [running], 60) == "all 40"


def test_of_many_tiles_a_part_is_drawn_again_at_a_time() -> None:
    tiles = [tile(n, started()) for n in range(1, 65)]
    due = [{one.number for one in tiles if is_due(one, turn, len(tiles))} for turn in range(4)]
    assert [len(some) for some in due] == [16] * 4
    assert set.union(*due) == {one.number for one in tiles}
    assert all(is_due(one, 1, 16) for one in tiles)


def test_filters_show_runs_that_retry_or_are_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    started_at = started()
    asked = e.ModelAsked(step=1, digest="", messages=1)
    failed = e.ModelFailed(step=1, attempt=1, error="503", retry_in=9.0)
    retries = tile(1, started_at, asked, failed)
    assert passes(retries, "retrying")
    assert not passes(retries, "silent")
    goes_on = tile(2, started_at)
    assert not passes(goes_on, "retrying")
    assert passes(retries, None)
    assert not passes(retries, "running")  # its state says that it is retrying
    assert passes(goes_on, None)
    assert passes(goes_on, "running")
    monkeypatch.setattr(RunTile, "now", property(lambda _: 61.0))
    assert passes(goes_on, "silent")
    assert not passes(goes_on, "running")  # as the header counts it


async def test_a_run_that_the_user_has_stopped_is_not_found_as_a_running_one() -> None:
    asked, pause = e.ModelAsked(step=1, digest="", messages=1), e.ModeChanged(mode="paused")
    pausing = tile(1, started(), asked, pause)
    paused = tile(2, started(), pause)
    goes_on = tile(3, started(), asked)
    stopped = (pausing, paused)
    assert [one.status_words for one in stopped] == ["‖ pausing", "‖ paused"]
    assert all(passes(one, "stopped") and not passes(one, "running") for one in stopped)
    assert passes(goes_on, "running")
    assert not passes(goes_on, "stopped")
    assert chosen_by("stopped", "", stopped) == "pausing or paused"
    assert chosen_by("stopped", "", [paused]) == "paused"
    assert chosen_by("stopped", "", []) == "paused"


def test_runs_of_one_state_are_together_when_sorted_by_state() -> None:
    pause, asked = e.ModeChanged(mode="paused"), e.ModelAsked(step=1, digest="", messages=1)
    failed = e.ModelFailed(step=1, attempt=1, error="503", retry_in=9.0)
    tiles = [
        tile(1, started(), pause),
        tile(2, started()),
        tile(3, started(), pause, e.SandboxFrozen(by="human")),
        tile(4, started(), asked, pause),
        tile(5, started(), pause),
        tile(6, started(), asked, failed),
        waiting(7, "make"),
        waiting(8, "make"),
        waiting(9, "make"),
    ]
    tiles[7].state.apply(pause)
    by_state = sorted(tiles, key=lambda one: rank(one, "state"))
    assert [one.number for one in by_state] == [7, 9, 8, 6, 1, 5, 3, 4, 2]


def test_control_is_taken_of_one_run_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    tiles = [tile(number, started()) for number in (1, 2, 3)]
    assert why_not_here("steer", tiles[0], tiles) == "you are in control"
    mine = {tiles[1].worker.run_id}
    monkeypatch.setattr(RunWorker, "steers", property(lambda run: run.run_id in mine))
    assert not why_not_here("steer", tiles[0], tiles)
    assert why_not_here("pause", tiles[0], tiles).endswith("; T takes control")
    assert next_of_another(tiles, tiles[0]) is tiles[2]
    assert next_of_another(tiles, tiles[2]) is tiles[0]
    assert not why_not_here("steer", tiles[1], tiles), "it goes to the next, and takes that"
    assert take_words(tiles[1], tiles[2]) == "control run 3"
    assert take_words(tiles[2], tiles[2]) is None
    assert all_of(1, tiles) == "all 1 run that you control"
    mine.update(one.worker.run_id for one in tiles)
    assert all_of(3, tiles) == "all 3 runs shown"
    assert why_not_here("steer", tiles[1], tiles) == "you are in control"


def test_a_run_that_another_terminal_controls_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    one = tile(1, started())
    assert one.names == []
    monkeypatch.setattr(RunWorker, "steers", property(lambda _: False))
    monkeypatch.setattr(RunWorker, "audience", property(lambda _: "watching"))
    assert one.names == ["watching"]
    one.worker.ended.set()
    assert one.names == []


def test_no_order_is_by_a_cost_that_no_run_has() -> None:
    runs = [tile(1, started()), tile(2, started())]
    assert next_order("tokens", runs) == "start"
    runs[0].state.totals = msgspec.structs.replace(runs[0].state.totals, cost=0.5)
    assert next_order("tokens", runs) == "cost"
    assert next_order("cost", runs) == "start"


async def test_control_is_taken_back_from_a_run_that_is_not_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tiles = [tile(number, started()) for number in (1, 2, 3, 4)]
    mine = {one.worker.run_id for one in tiles if one.number != 2}
    control_only(mine, monkeypatch)
    app = Wall(*tiles)
    async with app.run_test():
        answers = Answers()
        news = ControlNews(app.screen, cast(Any, answers))
        news.sync(tiles)
        assert news.to_take(tiles[0], tiles) is tiles[1]
        assert news.to_take(tiles[1], tiles) is tiles[1]
        mine.discard(tiles[3].worker.run_id)
        news.sync(tiles)
        assert answers.said.pop() == "Another terminal has taken control of run 4; T takes it back."
        assert news.to_take(tiles[0], tiles) is tiles[3], "the one that the notice is about"
        mine.add(tiles[3].worker.run_id)
        news.sync(tiles)
        tiles[3].display = False
        mine.discard(tiles[3].worker.run_id)
        news.sync(tiles)
        assert answers.said.pop() == "Another terminal has taken control of run 4."


def test_a_run_that_is_asked_for_leads_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    tiles = [tile(number, started()) for number in (1, 2)]
    monkeypatch.setattr(RunWorker, "steers", property(lambda _: False))
    news = ControlNews(cast(Any, None), cast(Any, Answers()))
    assert news.to_take(tiles[0], tiles) is tiles[0]
    news.take(tiles[0])
    assert news.to_take(tiles[0], tiles) is tiles[1]
    news.take(tiles[1])
    assert news.to_take(tiles[1], tiles) is tiles[1], "no other is left: it is asked for again"


async def test_that_a_run_was_resumed_gives_way_to_what_it_does() -> None:
    away = e.RunResumed(away=38.0, resumed_at=1e9, sandbox_info={})
    asked = e.ModelAsked(step=1, digest="", messages=1)
    replied = e.ModelDelta(step=1, channel="text", text="I go on.")
    for later, is_told in (((), True), ((asked, replied), False)):
        one = tile(1, started(), away, *later)
        app = Wall(one)
        async with app.run_test(size=(100, 30)):
            one.sync()
            assert ("resumed after" in str(one.render())) == is_told


async def test_it_is_said_who_has_taken_control(monkeypatch: pytest.MonkeyPatch) -> None:
    tiles = [tile(number, started()) for number in (1, 2, 3, 4)]
    mine = {one.worker.run_id for one in tiles}
    monkeypatch.setattr(RunWorker, "steers", property(lambda run: run.run_id in mine))
    monkeypatch.setattr(RunWorker, "audience", property(lambda _: "watching"))
    monkeypatch.setattr(RunWorker, "take_over", lambda run: mine.add(run.run_id))
    app = Wall(*tiles)
    async with app.run_test(notifications=True):
        answers = Answers()
        news = ControlNews(app.screen, cast(Any, answers))
        news.sync(tiles)
        mine.discard(tiles[0].worker.run_id)
        news.sync(tiles)
        mine.clear()
        news.sync(tiles)
        for one in tiles[:2], tiles[2:3], tiles[3:]:
            for taken in one:
                news.take(taken)
            news.sync(tiles)
            news.sync(tiles)
    assert answers.said == [
        "Another terminal has taken control of run 1; T takes it back.",
        "Another terminal has taken control of 4 runs (1-4); T takes them back.",
        "You control runs 1 2; T takes the next of 2, or all.",
        "You control run 3; T takes the last one.",
        "You control run 4.",
    ]


def control_only(mine: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Control the runs with these ids, also those that are added later, and watch the others."""
    monkeypatch.setattr(RunWorker, "steers", property(lambda run: run.run_id in mine))
    monkeypatch.setattr(RunWorker, "audience", property(lambda _: "watching"))


class Answers:
    """Notes what is said about control."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.put_away_after = 0

    def say(self, kind: str, words: str, **_: object) -> None:
        assert kind == "control"
        self.said.append(words)

    def put_away(self, kind: str) -> None:
        assert kind == "control"
        self.put_away_after = len(self.said)
