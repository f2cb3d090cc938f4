"""The samples of one task on the home screen: their rows, their details, and what acts on them."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.run_labels import SAMPLE, SAMPLES
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables.annotations import add_tag, tags_of
from sandbox_tui.tui.screens.dialogs.ask_one_line import PromptDialog
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.home.rows.delete_question import delete_question
from sandbox_tui.tui.screens.home.rows.export_marked import ExportMarkedDialog
from sandbox_tui.tui.widgets.path_input import PathInput
from sandbox_tui.tui.widgets.sessions.session_detail_pane import SessionDetailPane
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from sandbox_tui.tui.widgets.sessions.session_rows import start_time
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
        lines = [row(sessions, number) for number in (1, 2, 3)]
        assert lines[0].startswith(" ├─ ✓ sample 1  ")
        assert lines[1].startswith(" ├─ ✓ sample 2  ")
        assert lines[2].startswith(" └─ ✓ sample 3  ")
        assert ["391" in line for line in lines] == [True, False, False]
        assert " 392 " in lines[2]
        narrow = sessions.draw_block(1, 80)[0].plain
        assert narrow.startswith(" ├─ ✓ sample 1 · answer: 391 ")


def fork_sample(store: Store, *, open_: bool = False) -> None:
    """Fork sample 1, later than all other sessions."""
    first = msgspec.structs.replace(begun("fork", 1, 3e9), parent="a", parent_seq=1)
    forked = e.Forked(
        seq=2, t=0.0, parent="a", parent_seq=1, step=0, snapshot=None, repeats=0, model="m"
    )
    end = msgspec.structs.replace(ended("777"), seq=3)
    store.append("fork", [first, forked, *([] if open_ else [end])])


async def test_a_forked_sample_stays_in_its_group_with_the_fork_below_it(store: Store) -> None:
    fork_sample(store)
    async with at_home(store, row=0) as (home, pilot):
        sessions = home.query_one(SessionList)
        group = [line.plain for line in sessions.draw_block(0, 154)]
        assert "▸ 3 samples · 1 fork  squares" in group[0]
        assert "3 submitted" in group[1]
        assert "answers: 391 (1), 392 (1)" in group[1]
        assert sessions.block_count() == 2
        await pilot.press("space")
        assert [run.id for run in sessions.marked] == ["a", "b", "c"], "delete leaves the fork"
        assert "◉ 3 samples" in row(sessions, 0)
        await pilot.press("space", "enter", "down", "down")
        await until(pilot, lambda: "fork of     a, " in detail(home))
        shown = [row(sessions, index) for index in range(1, 5)]
        assert shown[0].startswith(" ├─ ✓ sample 1  ")
        assert shown[1].startswith(" │  └─ ✓ fork of sample 1  ")
        assert shown[2].startswith(" ├─ ✓ sample 2  ")
        assert sessions.current is not None
        assert sessions.current.id == "fork"
        await pilot.press("space", "up", "up", "enter")
        assert "1 ◉ 3 samples · 1 fork" in row(sessions, 0), "the mark is in the folded group"
        assert home.query_one(SessionDetailPane).border_title == "3 samples · 1 fork"


async def test_a_folded_group_says_that_a_fork_is_running(store: Store) -> None:
    fork_sample(store, open_=True)
    async with at_home(store, row=0) as (home, pilot):
        sessions = home.query_one(SessionList)
        await until(
            pilot,
            lambda: "3 submitted · 1 fork running" in sessions.draw_block(0, 154)[1].plain,
        )


async def test_a_row_shows_the_answer_or_why_there_is_none(store: Store) -> None:
    last = msgspec.structs.replace(ended("x"), reason="model_error")
    failed = msgspec.structs.replace(last, error="The server refused.", answer=None)
    store.append("failed", [started("failed", task="ask it", started_at=3e9), failed])
    told = msgspec.structs.replace(ended("17 ways"), answer="17\nways, in all " + "and more " * 9)
    store.append("told", [started("told", task="count the ways", started_at=4e9), told])
    async with at_home(store) as (home, _):
        sessions = home.query_one(SessionList)
        assert "count the ways" in row(sessions, 0)
        assert " 17 ways, in all" in row(sessions, 0)
        assert " The server refused. " in row(sessions, 1)
        two = [line.plain for line in sessions.draw_block(0, 56)]
        assert "submitted · 17 ways, in all" in two[1]
        assert all(len(line) <= 56 for line in two)


async def test_a_waiting_session_is_first_and_says_what_waits(store: Store) -> None:
    held = [e.CallProposed(seq=2, t=0.1, call=HELD), e.CallHeld(seq=3, t=0.1, call=1)]
    store.append("asks", [started("asks", task="old", started_at=1.0), *held])
    async with at_home(store) as (home, pilot):
        sessions = home.query_one(SessionList)
        assert sessions.border_title == "sessions 5 · 1 waits for you"
        assert row(sessions, 0).startswith(" ◆ old ")
        assert "bash ls  " in row(sessions, 0)
        assert "waits for you" in row(sessions, 0)
        two = [line.plain for line in sessions.draw_block(0, 56)]
        assert two[1].strip().startswith("waits for you: bash ls")
        waits = f"state       waits for you since {start_time(1.1)} · enter shows the call"
        await until(pilot, lambda: waits in detail(home))


async def test_long_titles_use_the_width_and_rows_show_the_start_time(store: Store) -> None:
    title = "a title of more than eighty characters is shown in full if the screen is wide enough"
    store.append("long", [started("long", task=title, started_at=3e9), ended("1")])
    async with at_home(store) as (home, _):
        sessions = home.query_one(SessionList)
        assert title in row(sessions, 0)
        assert " 01-24 05:20 " in row(sessions, 0)


async def test_a_sample_is_renamed_and_the_group_keeps_the_title_of_the_task(store: Store) -> None:
    async with opened(store) as (home, sessions, pilot):
        store.rename("a", "No answer")
        home.reload()
        await until(pilot, lambda: "sample 1 · No answer  " in row(sessions, 1))
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


async def question(pilot: Pilot[int]) -> str:
    """Wait for the question, and return its words."""
    await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmDialog))
    dialog = pilot.app.screen
    assert isinstance(dialog, ConfirmDialog)
    return str(dialog.query_one(Static).render())


def in_store(store: Store) -> set[str]:
    return {run.id for run in store.runs()}


async def test_the_samples_of_a_group_are_exported_together(store: Store, tmp_path: Path) -> None:
    async with at_home(store, row=0) as (home, pilot):
        await pilot.press("E")
        await until(pilot, lambda: isinstance(pilot.app.screen, ExportMarkedDialog))
        dialog = pilot.app.screen
        assert "3 sessions" in str(dialog.query_one("#what", Static).content)
        dialog.query_one(PathInput).value = str(tmp_path / "out")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: pilot.app.screen is home)
        names = {file.name for file in (tmp_path / "out").iterdir()}
        assert names == {"a.html", "b.html", "c.html"}


async def test_one_question_deletes_all_samples_of_a_group(store: Store) -> None:
    async with at_home(store, row=0) as (home, pilot):
        assert home.why_unavailable("rename", ()) == "open the group first (enter)"
        assert home.why_unavailable("delete", ()) == ""
        await pilot.press("x")
        asked = await question(pilot)
        assert "Delete 3 sessions, about " in asked
        assert "3 × “squares”" in asked
        assert "This cannot be undone." in asked
        dialog = pilot.app.screen
        assert "y delete · n/esc/enter keep" in str(dialog.query_one(".dialog").border_subtitle)
        await pilot.press("enter")
        await until(pilot, lambda: pilot.app.screen is home)
        assert in_store(store) == {"a", "b", "c", "alone"}, "enter loses nothing"
        await pilot.press("x")
        await question(pilot)
        await pilot.press("y")
        await until(pilot, lambda: in_store(store) == {"alone"})
        await until(pilot, lambda: "3 sessions deleted." in said(pilot))
        assert "Its space" not in said(pilot)


def said(pilot: Pilot[int]) -> str:
    return "\n".join(note.message for note in pilot.app._notifications)


async def test_marked_sessions_are_deleted_and_escape_unmarks_first(store: Store) -> None:
    async with opened(store) as (home, sessions, pilot):
        await pilot.press("space")
        assert [run.id for run in sessions.marked] == ["a", "b", "c"]
        assert "3 marked · esc unmark" in str(sessions.border_subtitle)
        assert "◉ 3 samples" in row(sessions, 0)
        await pilot.press("escape")
        assert sessions.marked == []
        assert home.why_unavailable("back", ()) == "no session is marked"
        await pilot.press("down", "space", "down", "down", "space", "down")
        assert sessions.current is not None
        assert sessions.current.id == "alone"
        assert "2 ◉ 3 samples" in row(sessions, 0)
        await pilot.press("x")
        assert "Delete the 2 marked sessions" in await question(pilot)
        await pilot.press("y")
        await until(pilot, lambda: in_store(store) == {"alone", "b"})


async def test_the_row_of_samples_names_their_tags(store: Store) -> None:
    for name in ("a", "b", "c"):
        add_tag(store, name, "paper")
    add_tag(store, "b", "todo")
    async with opened(store) as (_, sessions, _pilot):
        assert "#paper #todo (1)" in row(sessions, 0)


async def test_the_question_says_which_sample_is_deleted(store: Store) -> None:
    store.append("one", [started("one", task="count", started_at=3e9), ended("1")])
    run = dataclasses.replace(store.run("one"), sample=3)
    assert "Delete “sample 3 · count” (one), about " in delete_question(store, [run])


async def test_the_question_names_the_session_and_the_folder_that_stays(
    store: Store, tmp_path: Path
) -> None:
    folder = tmp_path / "output"
    folder.mkdir()
    first = started("kept", task="with files", started_at=3e9)
    store.append("kept", [first, msgspec.structs.replace(ended("1"), output=str(folder))])
    async with at_home(store) as (_, pilot):
        await pilot.press("x")
        asked = " ".join((await question(pilot)).split())
        assert "Delete “with files” (kept), about " in asked
        assert f"Its files in {folder} are kept. This cannot be undone." in asked


async def test_running_samples_are_not_deleted(store: Store) -> None:
    store.append("d", [begun("d", 4, 2e9 + 3)])
    async with at_home(store, row=0) as (home, pilot):
        await pilot.press("x")
        asked = await question(pilot)
        assert "Delete 3 sessions" in asked
        assert "1 more is running and kept." in asked
        await pilot.press("y")
        await until(pilot, lambda: in_store(store) == {"alone", "d"})
        assert home.why_unavailable("tags", ()) == ""


async def test_tags_of_a_group_are_the_common_ones(store: Store) -> None:
    add_tag(store, "a", "odd")
    for name in "abc":
        add_tag(store, name, "old")
    async with at_home(store, row=0) as (_, pilot):
        await pilot.press("t")
        await until(pilot, lambda: isinstance(pilot.app.screen, PromptDialog))
        line = pilot.app.screen.query_one(Input)
        assert line.value == "old"
        assert line.border_title == "tags of all 3 sessions · kept on some: #odd"
        assert line.placeholder == "leave empty to remove #old from all 3"
        line.value = "new"
        await pilot.press("enter")
        await until(pilot, lambda: tags_of(store, "c") == ["new"])
        assert tags_of(store, "a") == ["new", "odd"]
        assert tags_of(store, "alone") == []


async def test_files_of_a_run_that_has_ended_are_recorded(store: Store) -> None:
    change = e.FileChange(path="/testbed/a.py", change="created", kind="file", size=3)
    files = e.FilesChanged(seq=2, t=0.5, step=1, changes=(change,))
    last = msgspec.structs.replace(ended("1"), seq=3)
    store.append("ended", [started("ended", started_at=3e9), files, last])
    store.append("going", [started("going", started_at=4e9), files])
    async with at_home(store) as (home, pilot):
        await until(pilot, lambda: "/testbed/a.py 3B  in the sandbox" in detail(home))
        await pilot.press("down")
        await until(pilot, lambda: "/testbed/a.py 3B  recorded in the session" in detail(home))


async def test_a_fork_shows_its_reason_and_its_own_part(store: Store) -> None:
    reply = e.ModelReplied(
        seq=2,
        t=100.0,
        step=1,
        message={"role": "assistant", "content": "x"},
        text="x",
        reasoning="",
        usage=e.Usage(input_tokens=900, output_tokens=90),
        finish_reason="stop",
        latency=1.0,
        cost=None,
    )
    store.append("parent", [started("parent", started_at=5e9), reply])
    first = msgspec.structs.replace(started("fork", started_at=5e9), parent="parent", parent_seq=2)
    forked = e.Forked(
        seq=3, t=100.0, parent="parent", parent_seq=2, step=1, snapshot=None, repeats=0, model="m"
    )
    told = e.HumanMessage(seq=4, t=100.0, id=1, text="try the other way")
    again = msgspec.structs.replace(
        reply, seq=5, t=102.0, step=2, usage=e.Usage(input_tokens=40, output_tokens=4)
    )
    end = msgspec.structs.replace(ended("1"), seq=6, t=102.0)
    store.append("fork", [first, reply, forked, told, again, end])
    async with at_home(store) as (home, pilot):
        sessions = home.query_one(SessionList)
        await until(pilot, lambda: sessions.index_of("fork") == 1)
        assert " 1+1 steps " in row(sessions, 1)
        assert " +44 tok " in row(sessions, 1), "like its steps, those of its own part"
        assert " +00:02 " in row(sessions, 1)
        await pilot.press("down")
        await until(pilot, lambda: "fork of     parent, after step 1 · own part" in detail(home))
        assert "message     try the other way" in detail(home)
        assert "own part 1 step, 00:02, tokens 40 in, 4 out" in detail(home)
        store.give_up("parent")
        store.delete("parent")
        home.reload()
        await until(pilot, lambda: sessions.index_of("fork") == 0)
        told_apart = "a task  fork of a deleted session · “try the other way” "
        assert told_apart in row(sessions, 0)


async def test_a_session_whose_server_is_away_keeps_its_clock_and_says_so(store: Store) -> None:
    failed = e.ModelFailed(seq=5, t=0.4, step=1, error="refused", attempt=2, retry_in=60.0)
    asked = [
        e.ModelAsked(seq=2, t=0.1, step=1, digest="", messages=2, attempt=1),
        e.ModelFailed(seq=3, t=0.2, step=1, error="refused", attempt=1, retry_in=0.1),
        e.ModelAsked(seq=4, t=0.3, step=1, digest="", messages=2, attempt=2),
    ]
    began = time.time() - 100
    store.append("away", [started("away", task="wait", started_at=began), *asked, failed])
    async with at_home(store, row=0) as (home, pilot):
        sessions = home.query_one(SessionList)
        here = next(i for i in range(sessions.block_count()) if " wait " in row(sessions, i))

        def clock() -> str:
            return re.findall(r" (\d+:\d\d) ", row(sessions, here))[0]

        assert "retrying, try 3" in row(sessions, here)
        assert clock() >= "01:40"
        before = clock()
        await until(pilot, lambda: clock() > before)  # although no event is recorded
        narrow = sessions.draw_block(here, 56)[1].plain
        assert narrow.strip().startswith("running · retrying")


async def test_the_details_follow_a_running_session_and_samples_count_those_without_server(
    store: Store,
) -> None:
    asked = e.ModelAsked(seq=2, t=0.1, step=1, digest="", messages=2, attempt=1)
    refused = e.ModelFailed(seq=3, t=0.2, step=1, error="no", attempt=1, retry_in=60.0)
    for number, events in ((4, [asked, refused]), (5, [asked])):
        store.append(f"now{number}", [begun(f"now{number}", number, 2e9 + 5 + number), *events])
    async with at_home(store, row=0) as (home, pilot):
        sessions = home.query_one(SessionList)
        await pilot.press("enter")
        lines = sessions.draw_block(0, 154)[1].plain
        assert "1 running · 1 retrying" in lines
        await pilot.press(*["down"] * 4)
        assert sessions.current is not None
        assert sessions.current.id == "now4"
        await until(pilot, lambda: "retrying, try 2" in detail(home))
        assert "ended" not in detail(home)
        again = e.ModelAsked(seq=4, t=0.3, step=1, digest="", messages=2, attempt=2)
        failed = e.ModelFailed(seq=5, t=0.4, step=1, error="no", attempt=2, retry_in=60.0)
        store.append("now4", [again, failed])
        await until(pilot, lambda: "retrying, try 3" in detail(home))
