"""What works on the session under the cursor of the home screen, and the keys that say so."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from sandbox_tui.core.events import types as e
from sandbox_tui.core.sandboxes import left_behind
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.recording.run_registry import ENDED_BY_USER
from sandbox_tui.sessions.store.tables.annotations import add_note, notes_of, set_tags
from sandbox_tui.tui.format.compared.facts import Fact
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.compare.compare_screen import CompareScreen
from sandbox_tui.tui.screens.compare.comparison_rows import ComparisonRows
from sandbox_tui.tui.screens.dialogs.ask_one_line import PromptDialog
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.dialogs.describe_fork import ForkDialog
from sandbox_tui.tui.screens.dialogs.pager import PagerScreen, TextBlocks
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.home.rows import row_commands, run_ender, session_actions
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.sessions.session_detail_pane import SessionDetailPane
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from sandbox_tui.tui.widgets.sessions.session_rows import start_time
from tests.screens.home.test_find_sessions import at_home
from tests.screens.home.test_home_rows import detail
from tests.unit.event_streams import started
from tests.unit.sample_run import keep, sample
from tests.waiting import HANG_SECONDS, until


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A database with a session that can be forked, and an older one."""
    with contextlib.closing(Store(tmp_path / "s.db")) as made:
        keep(made, *sample("zebra"), run_id="whole")
        old = msgspec.structs.replace(started("old", task="older"), started_at=1.0)
        made.append("old", [old])
        made.give_up("old")
        yield made


def bar(home: HomeScreen) -> str:
    return home.query_one(KeyBar).render_line(0).text


async def test_a_session_is_forked_at_its_last_step(store: Store) -> None:
    async with at_home(store) as (home, pilot):
        assert "F fork" in bar(home)
        await pilot.press("F")
        await until(pilot, lambda: isinstance(pilot.app.screen, ForkDialog))
        form = pilot.app.screen
        where = form.query_one("#where", Static)
        await until(pilot, lambda: "of whole" in str(where.render()))
        assert form.query_one("#at", Input).value == str(store.run("whole").steps)


async def test_a_note_on_the_session_is_written_edited_and_shown(store: Store) -> None:
    async with at_home(store) as (home, pilot):
        await note(pilot, "worth a look")
        await until(pilot, lambda: "note        worth a look" in detail(home))
        await note(pilot, "again", before="worth a look")
        await until(pilot, lambda: "note        again" in detail(home))
        assert [(one.step, one.text) for one in notes_of(store, "whole")] == [(0, "again")]


async def test_all_details_have_the_note_that_is_still_being_written(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_written = threading.Event()

    def slowly(*args: Any) -> None:
        assert is_written.wait(HANG_SECONDS)
        add_note(*args)

    monkeypatch.setattr(session_actions, "add_note", slowly)
    async with at_home(store) as (home, pilot):
        await note(pilot, "late")
        await pilot.press("o")
        await until(pilot, lambda: any(one.group == "whole details" for one in home.workers))
        is_written.set()
        await until(pilot, lambda: isinstance(pilot.app.screen, PagerScreen))
        await until(pilot, lambda: len(pilot.app.screen.query(TextBlocks)) == 1)
        blocks = pilot.app.screen.query_one(TextBlocks)
        drawn = [blocks.draw_block(at, 90)[0].plain[7:] for at in range(blocks.block_count())]
        assert "  late" in drawn


async def test_details_take_lines_that_the_list_leaves_empty_and_count_the_others(
    store: Store,
) -> None:
    for step in range(3):
        add_note(store, "whole", step if step < 3 else 0, f"remark {step}")
    set_tags(store, "whole", ["kept"])
    async with at_home(store) as (home, pilot):
        await until(pilot, lambda: "tokens" in detail(home))
        assert "#kept" in detail(home)
        assert "more line" not in detail(home)
    for step in range(3, 20):
        add_note(store, "whole", step if step < 3 else 0, f"remark {step}")
    async with at_home(store, (100, 30)) as (home, pilot):
        await until(pilot, lambda: "more lines" in detail(home))
        pane = home.query_one(SessionDetailPane)
        await until(pilot, lambda: pane.outer_size.height == 15)
        lines = detail(home).split("\n")
        assert "note        remark 0" in lines, "notes come before what the run did"
        assert len(lines) == 13
        assert lines[-1].startswith("… ")
        await pilot.press("o")
        await until(pilot, lambda: isinstance(pilot.app.screen, PagerScreen))
        blocks = pilot.app.screen.query_one(TextBlocks)
        drawn = [blocks.draw_block(at, 90)[0].plain[7:] for at in range(blocks.block_count())]
        assert drawn[:2] == ["task", "  zebra"]
        assert "  remark 19" in drawn
        assert any(line.startswith("tokens") for line in drawn)


async def note(pilot: Pilot[int], text: str, before: str = "") -> None:
    """Write a note."""
    await pilot.press("N")
    await until(pilot, lambda: isinstance(pilot.app.screen, PromptDialog))
    line = pilot.app.screen.query_one(Input)
    assert line.value == before
    line.value = text
    await pilot.press("enter")


async def test_the_id_is_copied_and_a_folder_opened_if_there_is_one(store: Store) -> None:
    async with at_home(store) as (home, pilot):
        await pilot.press("y")
        assert pilot.app.clipboard == "whole"
        assert home.why_unavailable("folder", ()) == "this session left no files on this machine"


async def test_one_key_marks_the_first_session_and_compares_the_second(store: Store) -> None:
    async with at_home(store) as (home, pilot):
        assert "c compare" in bar(home)
        await pilot.press("c")
        assert home.why_unavailable("compare", ()) == "move to the other session"
        await pilot.press("down", "c")
        await until(pilot, lambda: isinstance(pilot.app.screen, CompareScreen))
        rows = pilot.app.screen.query_one(ComparisonRows)
        await until(pilot, lambda: bool(rows.rows))
        sides = next(row for row in rows.rows if isinstance(row, Fact) and row.name == "session")
        assert sides.left.startswith("whole"), "the one that was marked first, also if it is newer"
        assert sides.right.startswith("old")
        await pilot.press("q")
        await until(pilot, lambda: pilot.app.screen is home)
        assert home.query_one(SessionList).marked == [], "the mark was only for the comparison"


async def test_the_same_key_again_compares_a_fork_with_its_parent(store: Store) -> None:
    first = msgspec.structs.replace(started("fork"), parent="whole", parent_seq=1)
    forked = e.Forked(
        seq=2, parent="whole", parent_seq=1, step=0, snapshot=None, repeats=0, model="m"
    )
    store.append("fork", [first, forked])
    store.give_up("fork")
    async with at_home(store) as (home, pilot):
        sessions = home.query_one(SessionList)
        await until(pilot, lambda: sessions.index_of("fork") >= 0)
        sessions.go_to("fork")
        home.reload()
        await until(pilot, lambda: sessions.current is not None and sessions.current.id == "fork")
        await pilot.press("c")
        assert home.why_unavailable("compare", ()) == ""
        await pilot.press("c")
        await until(pilot, lambda: isinstance(pilot.app.screen, CompareScreen))
        rows = pilot.app.screen.query_one(ComparisonRows)
        await until(pilot, lambda: bool(rows.rows))
        sides = next(row for row in rows.rows if isinstance(row, Fact) and row.name == "session")
        assert (sides.left[:5], sides.right[:4]) == ("whole", "fork")


async def test_the_question_says_that_it_is_not_about_the_row_under_the_cursor(
    store: Store,
) -> None:
    async with at_home(store) as (_, pilot):
        await pilot.press("space", "down", "x")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmDialog))
        asked = " ".join(str(pilot.app.screen.query_one(Static).render()).split())
        assert asked.startswith("Delete the marked session “zebra” (whole), about ")


async def test_the_demo_is_not_started_by_one_key_that_was_typed_ahead(store: Store) -> None:
    async with at_home(store) as (home, pilot):
        await pilot.press("d")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmDialog))
        assert "Play the demo?" in str(pilot.app.screen.query_one(Static).render())
        await pilot.press("enter")
        await until(pilot, lambda: pilot.app.screen is home)
        assert not home.is_recording


async def test_the_other_key_of_open_replays(store: Store) -> None:
    async with at_home(store) as (_, pilot):
        await pilot.press("V")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReplayScreen))


@pytest.mark.parametrize("size", [(160, 45), (100, 30), (60, 20)])
async def test_the_bar_has_the_keys_of_the_row_first(store: Store, size: tuple[int, int]) -> None:
    async with at_home(store, size) as (home, pilot):
        first = bar(home).split()
        assert first[:5] == ["enter", "open", "n", "new", "run"]
        assert "r resume" not in bar(home)
        assert "q quit" in bar(home)
        assert "? help" in bar(home)
        if size[0] >= 100:
            for words in ("/ find", "F fork", "x delete", "^r run again"):
                assert words in bar(home)
        if size[0] >= 160:
            for words in ("E export", "c compare", "t tags", "e evaluations", ", settings"):
                assert words in bar(home)
        await pilot.press("down")
        await until(pilot, lambda: "r resume" in bar(home))
        assert "q quit" in bar(home)


async def test_the_notice_about_a_mark_goes_with_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_commands, "MAX_NOTICE_SECONDS", 1000.0)  # it ends by its mark alone
    async with at_home(store) as (home, pilot):
        for leaving in ("escape", "space"):
            await pilot.press("c")
            await until(pilot, lambda: said(home)[:1] == ["Marked"])
            await pilot.press(leaving)
            await until(pilot, lambda: not said(home))
            assert not home.query_one(SessionList).marked


async def test_escape_puts_notices_away_before_it_unmarks(store: Store) -> None:
    async with at_home(store) as (home, pilot):
        await pilot.press("space")
        home.notify("Saved in config.toml.", timeout=60)
        await until(pilot, lambda: said(home) == ["Saved in config.toml."])
        await pilot.press("escape")
        await until(pilot, lambda: not said(home))
        assert home.query_one(SessionList).marked
        await pilot.press("escape")
        assert not home.query_one(SessionList).marked


def said(home: HomeScreen) -> list[str]:
    """Return what the toasts say, each up to its first colon."""
    return [toast.message.partition(":")[0] for toast in home.app._notifications]


async def test_a_session_whose_sandbox_is_gone_is_not_resumed_but_forked(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_home(store) as (home, pilot):
        home.query_one(SessionList)._go_to_session("old")
        await until(pilot, lambda: "r resume" in bar(home))
    monkeypatch.setattr(left_behind, "is_gone", lambda *_: True)
    async with at_home(store) as (home, pilot):
        home.query_one(SessionList)._go_to_session("old")
        await until(pilot, lambda: "gone: F continues the run in a new one" in detail(home))
        assert "r resume" not in bar(home)
        assert home.why_unavailable("resume", ()) == "this session's sandbox is gone; F forks it"


async def test_an_interrupted_session_says_how_far_it_came_and_until_when_it_can_be_resumed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = time.time()
    recorded = e.RunSettings(sandbox={"grace": 600.0})
    first = msgspec.structs.replace(started("killed", started_at=began), settings=recorded)
    store.append("killed", [first, e.ModelAsked(seq=2, t=1.0, step=1, digest="", messages=2)])
    store.give_up("killed")
    async with at_home(store) as (home, pilot):
        home.query_one(SessionList)._go_to_session("killed")
        await until(pilot, lambda: "interrupted in step 1 · r resumes it" in detail(home))
        assert f"sandbox     kept until about {start_time(began + 601)}" in detail(home)
    monkeypatch.setattr(left_behind, "is_gone", lambda *_: True)
    async with at_home(store) as (home, pilot):
        home.query_one(SessionList)._go_to_session("killed")
        await until(pilot, lambda: "interrupted in step 1" in detail(home))
        assert "resumes" not in detail(home)
        assert "kept until" not in detail(home)


@pytest.mark.parametrize("error", [None, ENDED_BY_USER])
async def test_a_run_that_ends_just_before_the_key_that_ends_it_is_not_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: str | None
) -> None:
    monkeypatch.setattr(run_ender, "is_detached", lambda _: True)
    with contextlib.closing(Store(tmp_path / "s.db")) as made:
        begun = time.time() - 60
        made.append("r", [started("r", task="count", started_at=begun)])
        async with at_home(made) as (home, pilot):
            await until(pilot, lambda: "x end" in bar(home))
            finished = e.RunFinished(
                t=60.0, reason="submitted", error=error, totals=e.Totals(), answer="", output=None
            )
            made.append("r", [finished])
            home.reload()
            await until(pilot, lambda: "x delete" in bar(home))
            words = "The run “count” has just ended by itself; x again deletes it."
            if error is None:
                await pilot.press("x")
                await until(
                    pilot, lambda: words in [one.message for one in shown_toasts(pilot.app)]
                )
                assert pilot.app.screen is home
            await pilot.press("x")
            await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmDialog))
