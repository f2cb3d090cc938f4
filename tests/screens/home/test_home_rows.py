"""The rows of the home screen and the details of the row under the cursor."""

from __future__ import annotations

import contextlib
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from textual.widgets import Static

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.run_labels import SAMPLE, SAMPLES
from sandbox_tui.core.run.run_request import RunRequest, requests_for
from sandbox_tui.sessions import RunSummary, RunWorker, Store
from sandbox_tui.sessions.relations.listing import SessionRow
from sandbox_tui.sessions.relations.session_detail import read_detail
from sandbox_tui.sessions.remote import client, recorded_run
from sandbox_tui.sessions.remote.sockets import listen
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables import trainings
from sandbox_tui.sessions.store.tables.annotations import add_note, add_tag
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.dialogs.delete_with_sessions import DeleteWithSessionsDialog
from sandbox_tui.tui.screens.evals.eval_screen import EvalScreen
from sandbox_tui.tui.screens.home import home as home_screen
from sandbox_tui.tui.screens.home import row_updates
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.home.rows.session_opener import opening_word
from sandbox_tui.tui.screens.training.training_screen import TrainingScreen
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.sessions import session_rows
from sandbox_tui.tui.widgets.sessions.home_banner import HomeBanner
from sandbox_tui.tui.widgets.sessions.session_detail_pane import SessionDetailPane
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from sandbox_tui.tui.widgets.sessions.whole_details import whole_details
from sandbox_tui.tui.widgets.status_bar import StatusBar
from tests.screens.cockpit.test_replay_screen import until
from tests.screens.home.test_find_sessions import at_home
from tests.snapshots.sample_eval import EVAL_ID, enter_eval
from tests.snapshots.sample_training import TRAINING_ID, enter_training
from tests.unit.event_streams import started
from tests.unit.sample_run import keep, sample


def detail(home: HomeScreen) -> str:
    pane = home.query_one(SessionDetailPane)
    return pane.render().plain if pane.content_size.width > 1 else ""


def test_samples_of_a_task_share_a_label_and_single_runs_have_none() -> None:
    request = RunRequest(task="a", settings=load({}), labels={"mine": "yes"})
    first, second, third, fourth = requests_for(request, ["a", "b"], 2)
    assert first.labels[SAMPLES] == second.labels[SAMPLES] != third.labels[SAMPLES]
    assert third.labels[SAMPLES] == fourth.labels[SAMPLES]
    assert [one.labels[SAMPLE] for one in (first, second, third, fourth)] == ["1", "2", "1", "2"]
    assert first.labels["mine"] == "yes"
    assert SAMPLES not in requests_for(request, ["a", "b"])[0].labels


async def test_the_cursor_goes_to_the_run_that_was_started(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("zebra"), run_id="before")
        async with at_home(store) as (home, pilot):
            sessions = home.query_one(SessionList)
            await until(pilot, lambda: sessions.current is not None)
            sessions.go_to("started")
            keep(store, *sample("yak"), run_id="started")
            home.action_reload()
            await until(pilot, lambda: sessions.block_count() == 2)
            assert sessions.current is not None
            assert sessions.current.id == "started"
            await pilot.press("down")
            home.action_reload()
            await until(pilot, lambda: bool(sessions.current and sessions.current.id == "before"))


async def test_a_running_session_that_another_program_deletes_leaves_the_list(
    tmp_path: Path,
) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("zebra"), run_id="whole")
        store.append("going", [started("going", task="count", started_at=9e9)])
        async with at_home(store) as (home, pilot):
            sessions = home.query_one(SessionList)
            await until(pilot, lambda: "going" in sessions.running)
            store.delete("going")
            await until(pilot, lambda: not sessions.running and sessions.block_count() == 1)


async def test_the_selected_row_has_details(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("zebra"), run_id="whole")
        add_note(store, "whole", 1, "a first look")
        add_tag(store, "whole", "striped")
        async with at_home(store) as (home, pilot):
            await until(pilot, lambda: "a first look" in detail(home))
            assert "last call" in detail(home)
            assert "#striped" in detail(home)
            assert "m · auto" in str(home.query_one(HomeBanner).render())


async def test_an_interrupted_last_call_did_not_fail(tmp_path: Path) -> None:
    call = e.ToolCall(number=1, step=1, id="a", name="execute_bash", arguments="{}")
    events = [
        started("stopped"),
        e.CallProposed(seq=2, t=1.0, call=call),
        e.CallFinished(
            seq=3, t=2.0, call=1, observation="", ok=False, interrupted=True, duration=0.89
        ),
    ]
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        store.append("stopped", events)
        async with at_home(store) as (home, pilot):
            await until(pilot, lambda: "✗ interrupted after 0.89s" in detail(home))
        shown = whole_details(read_detail(store, store.run("stopped")), [])
    assert "1, 0 failed, 1 interrupted" in shown


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("cancelled", "not run: the run was cancelled"),
        ("time_limit", "not run: the run ended first"),
        (None, "make"),
    ],
)
async def test_a_last_call_that_never_ran_says_so(
    tmp_path: Path, reason: e.FinishReason | None, words: str
) -> None:
    arguments = '{"command": "make"}'
    call = e.ToolCall(number=1, step=1, id="1", name="execute_bash", arguments=arguments)
    events: list[e.AnyEvent] = [started("r", started_at=9e9), e.CallProposed(call=call, seq=2)]
    if reason is not None:
        end = e.RunFinished(seq=3, t=1.0, reason=reason, error=None, totals=e.Totals())
        events.append(end)
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        store.append("r", events)
        async with at_home(store, (160, 45)) as (home, pilot):
            await until(pilot, lambda: "make" in detail(home))
            assert f"bash  {words}" in detail(home)


@pytest.mark.parametrize("size", [(160, 45), (60, 20)])
async def test_samples_open_and_fold_and_an_evaluation_opens(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        for number in range(3):
            first = started(f"r{number}", task="how many", started_at=9e9 + number)
            label = e.RunSettings(labels={SAMPLES: "s"})
            end = e.RunFinished(
                seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals(), answer="42"
            )
            store.append(f"r{number}", [msgspec.structs.replace(first, settings=label), end])
        enter_eval(store, 8e9)
        async with at_home(store, size, row=0) as (home, pilot):
            sessions = home.query_one(SessionList)
            assert sessions.current is None
            assert sessions.block_count() == 2
            await pilot.press("enter")
            await until(pilot, lambda: sessions.block_count() == 5)
            await pilot.press("down")
            assert sessions.current is not None
            assert sessions.current.answer == "42"
            await pilot.press("up", "enter")
            await until(pilot, lambda: sessions.block_count() == 2)
            await pilot.press("down")
            why = home.why_unavailable("delete", ())
            assert why == "an evaluation that is running cannot be deleted"
            why = home.why_unavailable("rename", ())
            assert why == "this is an evaluation: enter lists its sessions"
            assert not home.why_unavailable("export", ())
            assert home.words_for("export") == "report"
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(home.app.screen, EvalScreen))


@pytest.mark.parametrize("key", ["a", "s", "escape"])
@pytest.mark.parametrize("kind", ["evaluation", "training"])
async def test_an_evaluation_or_training_is_deleted_with_or_without_its_sessions(
    tmp_path: Path, kind: str, key: str
) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        if kind == "evaluation":
            enter_eval(store, 8e9)
            keep(store, *sample("zebra"), run_id="whole")
            ledger.claim(store, EVAL_ID, ledger.results(store, EVAL_ID)[-1].key, "whole")
            ledger.release(store, EVAL_ID)
        else:
            enter_training(store, 8e9)
            trainings.finish(store, TRAINING_ID, "finished")
        async with at_home(store, row=0) as (home, pilot):
            sessions = home.query_one(SessionList)
            assert sessions.block_count() == 1
            await pilot.press("x")
            await until(pilot, lambda: isinstance(home.app.screen, DeleteWithSessionsDialog))
            await pilot.press(key)
            await until(pilot, lambda: home.app.screen is home)
            if key == "escape":
                assert sessions.current_row is not None
                return

            def found() -> list[object]:
                return [*ledger.summaries(store), *trainings.summaries(store)]

            await until(pilot, lambda: not found())
            kept = kind == "evaluation" and key == "a"
            await until(pilot, lambda: len(store.runs()) == kept)
            await until(pilot, lambda: (sessions.current is not None) == kept)


@pytest.mark.parametrize("size", [(160, 45), (100, 30), (60, 20)])
async def test_a_training_is_a_row_that_follows_it_and_opens_it(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("zebra"), run_id="whole")
        async with at_home(store, size) as (home, pilot):
            assert home.words_for("trainings") == ""
            enter_training(store, time.time())
            await pilot.press("f5")
            sessions = home.query_one(SessionList)
            await until(pilot, lambda: sessions.has_trainings)
            assert home.words_for("trainings") is None
            assert sessions.border_title == "sessions 1 · 1 training"
            await pilot.press("home")
            await until(pilot, lambda: "training  values-in-sandbox" in row(sessions, 0))
            done = trainings.summary(store, TRAINING_ID).steps
            assert f"running · {done} steps" in row(sessions, 0)
            if size[1] >= 30:
                await until(pilot, lambda: f"{done} steps, " in detail(home))
            trainings.finish_step(store, TRAINING_ID, done + 1, {"loss": 0.1})
            await until(pilot, lambda: f"running · {done + 1} steps" in row(sessions, 0))
            if size[1] >= 30:
                await until(pilot, lambda: f"{done + 1} steps, " in detail(home))
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(home.app.screen, TrainingScreen))


async def test_while_an_evaluation_runs_its_figures_alone_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("zebra"), run_id="whole")
        enter_eval(store, 8e9, share=0.5)
        async with at_home(store, row=0) as (home, pilot):
            sessions = home.query_one(SessionList)
            await until(pilot, lambda: bool(sessions.running_batches))
            readings: list[int] = []
            read = home_screen.read_sessions
            monkeypatch.setattr(
                home_screen, "read_sessions", lambda *given: readings.append(1) or read(*given)
            )
            before = row(sessions, 0)
            assert "evaluation" in before
            pending = next(
                one
                for one in ledger.results(store, EVAL_ID)
                if one.status in ("pending", "running")
            )
            ledger.finish(store, EVAL_ID, msgspec.structs.replace(pending, status="scored"))
            await until(pilot, lambda: row(sessions, 0) != before)
            assert readings == []
            ledger.release(store, EVAL_ID)
            await until(pilot, lambda: not sessions.running_batches)
            assert readings


def row(sessions: SessionList, index: int) -> str:
    lines = sessions.draw_block(index, max(60, sessions.content_size.width))
    return "\n".join(line.plain for line in lines)


async def test_ages_are_kept_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_updates, "AGE_SECONDS", 0.01)
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("zebra"), run_id="whole")
        async with at_home(store) as (home, pilot):
            sessions = home.query_one(SessionList)
            began = sessions.current.run_started_at if sessions.current is not None else 0.0
            for minutes in (3, 7):
                now = SimpleNamespace(time=lambda then=began + minutes * 60: then)
                monkeypatch.setattr(session_rows, "time", now)
                await until(pilot, lambda m=minutes: f"{m} min ago" in text_of(sessions))


async def test_sessions_of_other_programs_appear_by_themselves_and_nothing_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_updates, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(row_updates, "REREAD_SECONDS", 0.0)
    path = tmp_path / "s.db"
    with contextlib.closing(Store(path)) as store, contextlib.closing(Store(path)) as other:
        for number in range(60):
            old_run = started(f"old{number:02}", task=f"task {number}", started_at=float(number))
            store.append(f"old{number:02}", [old_run, ENDED])
        async with at_home(store) as (home, pilot):
            sessions = home.query_one(SessionList)
            await until(pilot, lambda: sessions.block_count() == 60)
            other.append("new1", [started("new1", task="first", started_at=1e6), ENDED])
            await until(pilot, lambda: sessions.block_count() == 61)
            assert "first" in text_of(sessions)
            sessions.cursor = 50
            sessions.show_block(50)
            await pilot.press("up", "up")
            before = text_of(sessions)
            here = sessions.current
            other.append("new2", [started("new2", task="second", started_at=2e6), ENDED])
            await until(pilot, lambda: sessions.block_count() == 62)
            assert sessions.current is not None
            assert here is not None
            assert sessions.current.id == here.id
            assert text_of(sessions) == before


def text_of(sessions: SessionList) -> str:
    return "\n".join(sessions.render_line(y).text for y in range(sessions.size.height))


ENDED = e.RunFinished(seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals())


@pytest.mark.parametrize("size", [(160, 45)])
async def test_the_row_of_a_run_that_is_detached_meanwhile_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    monkeypatch.setenv("SANDBOX_TUI_HOME", str(tmp_path))
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        store.append("r", [started("r", task="how many", started_at=time.time())])
        async with at_home(store, size) as (home, pilot):
            sessions = home.query_one(SessionList)
            await until(pilot, lambda: " running " in row(sessions, 0))
            with listen("r"):
                sessions.redraw_first(1)
                await until(pilot, lambda: " detached " in row(sessions, 0))


async def test_the_key_that_deletes_ends_a_detached_run_after_asking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANDBOX_TUI_HOME", str(tmp_path))
    ended: list[str] = []

    async def end_run(run: RunSummary, store: Store) -> None:
        ended.append(run.id)

    monkeypatch.setattr(client, "end_run", end_run)
    with contextlib.closing(Store(tmp_path / "s.db")) as store, listen("r"):
        store.append("r", [started("r", task="how many", started_at=time.time())])
        async with at_home(store) as (home, pilot):
            bar = home.query_one(KeyBar)
            await until(pilot, lambda: "x end" in bar.render_line(0).text)
            await pilot.press("x")
            await until(pilot, lambda: isinstance(home.app.screen, ConfirmDialog))
            await pilot.press("n")
            await until(pilot, lambda: home.app.screen is home)
            assert not ended
            await pilot.press("x")
            await until(pilot, lambda: isinstance(home.app.screen, ConfirmDialog))
            await pilot.press("y")
            await until(pilot, lambda: ended == ["r"])
            await until(
                pilot,
                lambda: "Ended the run “how many”." in [n.message for n in shown_toasts(home.app)],
            )


async def test_the_key_that_deletes_ends_a_run_of_this_program_after_asking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANDBOX_TUI_HOME", str(tmp_path))
    stopped: list[str] = []
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        worker = RunWorker(RunRequest(task="how many", settings=load({})), store, "r")

        async def stop(because: str) -> None:
            stopped.append(because)
            store.append("r", [ENDED])
            worker.ended.set()

        monkeypatch.setattr(worker, "stop", stop)
        store.append("r", [started("r", task="how many", started_at=time.time())])
        async with at_home(store) as (home, pilot):
            home.app.runs.all["r"] = worker  # type: ignore[attr-defined]
            home.reload()
            bar = home.query_one(KeyBar)
            await until(pilot, lambda: "x end" in bar.render_line(0).text)
            await pilot.press("x")
            await until(pilot, lambda: isinstance(home.app.screen, ConfirmDialog))
            question = str(home.app.screen.query_one("#question", Static).render())
            assert question.startswith("End the run “how many”? Its results so far are kept.")
            await pilot.press("y")
            await until(pilot, lambda: stopped == ["You ended the run."])
            await until(pilot, lambda: "x delete" in bar.render_line(0).text)


async def test_a_run_of_a_program_that_does_not_answer_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded_run, "POLL_SECONDS", 0.05)
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        store.append("going", [started(run_id="going")])  # this program is its owner
        async with at_home(store) as (home, pilot):
            sessions = home.query_one(SessionList)
            await until(pilot, lambda: "going" in sessions.running)
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(pilot.app.screen, LiveScreen))
            live = pilot.app.screen
            assert isinstance(live, LiveScreen)
            await until(pilot, lambda: "watching" in str(live.query_one(StatusBar).render_line(0)))
            store.append("going", [e.ModelAsked(seq=2, t=1.0, step=1, digest="", messages=1)])
            await until(pilot, lambda: live.state.step == 1)


async def test_a_run_of_another_host_is_replayed_and_its_notice_goes_with_the_replay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("zebra"))
        away = replace(store.run("r"), outcome="running", elsewhere="node7")
        monkeypatch.setattr(store, "run", lambda *_, **__: away)
        async with at_home(store) as (home, pilot):
            await until(pilot, lambda: home.query_one(SessionList).current is not None)
            assert opening_word(SessionRow(run=away), ()) == "open"
            home._opener.open(away)
            await until(pilot, lambda: isinstance(pilot.app.screen, ReplayScreen))
            said = "This session still runs in a program on node7"
            shown = pilot.app._notifications
            await until(pilot, lambda: any(one.message.startswith(said) for one in shown))
            await pilot.press("q")
            await until(pilot, lambda: pilot.app.screen is home)
            await until(pilot, lambda: not list(shown))
