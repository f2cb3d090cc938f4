"""Search in all sessions on the home screen, as a user works with it."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.run.run_labels import SAMPLE, SAMPLES
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.search.query import Query, parse_query
from sandbox_tui.sessions.search.search_as_you_type import Finder, Found
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables.annotations import add_note, add_tag, tags_of
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.format.titles import numbered_title
from sandbox_tui.tui.keys.key_sequencer import LEFT_SECONDS
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.dialogs.ask_one_line import PromptDialog
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.sessions.search_results import SearchResults
from sandbox_tui.tui.widgets.sessions.session_detail_pane import SessionDetailPane
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from sandbox_tui.tui.widgets.sessions.session_search_bar import DEBOUNCE_SECONDS, SearchBar
from sandbox_tui.tui.widgets.themed_text import ThemedText
from tests.screens.cockpit.test_replay_screen import until
from tests.snapshots.sample_eval import EVAL_ID, enter_eval
from tests.unit.event_streams import started
from tests.unit.sample_run import keep, sample
from tests.waiting import HANG_SECONDS


@pytest.fixture
def store(tmp_path: Path) -> AsyncIterator[Store]:
    """Open a database with three sessions, of which the first is complete and can be replayed."""
    with contextlib.closing(Store(tmp_path / "s.db")) as made:
        keep(made, *sample("zebra"), run_id="whole")
        first = started("other", task="count the zebras", started_at=1_000.0)
        end = e.RunFinished(seq=2, t=1.0, reason="max_steps", error=None, totals=e.Totals())
        made.append("other", [msgspec.structs.replace(first, model="qwen3-coder"), end])
        made.append("third", [started("third", task="something else", started_at=2_000.0), end])
        yield made  # type: ignore[misc]


@asynccontextmanager
async def at_home(
    store: Store, size: tuple[int, int] = (160, 45), row: int | None = None
) -> AsyncIterator[tuple[HomeScreen, Pilot[int]]]:
    """Open the home screen with the cursor on a session, or on the given row."""
    app = SandboxTui(load({"model.name": "m", "model.local_ports": []}), store)
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        home = app.screen
        assert isinstance(home, HomeScreen)
        await until(pilot, lambda: home.query(SessionList))
        sessions = home.query_one(SessionList)
        await until(pilot, lambda: sessions.current_row is not None)
        assert (sessions.current is not None) if row is None else sessions.cursor == row
        yield home, pilot


async def look_for(home: HomeScreen, pilot: Pilot[int], words: str) -> SearchResults:
    """Search for `words` and wait until the results for them are shown."""
    await pilot.press("slash")
    bar, hits = home.query_one(SearchBar), home.query_one(SearchResults)
    bar.query_one(Input).value = words
    await until(pilot, lambda: home.is_finding and hits.query_shown == parse_query(words))
    return hits


def text_of(hits: SearchResults) -> str:
    width = hits.scrollable_content_region.width
    lines = [line for i in range(hits.block_count()) for line in hits.draw_block(i, width)]
    return "\n".join(line.plain.rstrip() for line in lines)


async def test_a_hit_says_what_its_running_session_does_now(store: Store) -> None:
    begun = started("held", task="count the okapis", started_at=3_000.0)
    store.append("held", [begun, e.ModeChanged(seq=2, t=1.0, mode="paused")])
    async with at_home(store) as (home, pilot):
        hits = await look_for(home, pilot, "okapis")
        assert "paused" in text_of(hits)


async def test_without_hits_the_bars_offer_no_key_for_one(store: Store) -> None:
    async with at_home(store) as (home, pilot):
        await look_for(home, pilot, "quaggas")

        def offered() -> set[str]:
            return {shown.key for shown in home.query_one(KeyBar).keys_shown}

        await until(pilot, lambda: "enter" not in offered())
        assert "↓" not in offered()
        assert "esc" in offered()
        bar = home.query_one(SearchBar)
        assert bar.border_subtitle == "esc close"
        bar.query_one(Input).value = "zebra"
        await until(pilot, lambda: {"enter", "↓"} <= offered())
        assert bar.border_subtitle == "enter open · esc close"


async def test_a_search_says_that_it_is_searching_until_its_hits_are_known(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_home(store) as (home, pilot):
        hits = await look_for(home, pilot, "quaggas")
        assert hits.border_title == "no matches"
        may_end, find = threading.Event(), Finder.find

        def slow(self: Finder, query: Query) -> Found:
            may_end.wait(HANG_SECONDS)
            return find(self, query)

        monkeypatch.setattr(Finder, "find", slow)
        home.query_one(SearchBar).query_one(Input).value = "zebra"
        await until(pilot, lambda: hits.border_title == "searching…")
        assert text_of(hits).strip() == "searching…"
        may_end.set()
        await until(pilot, lambda: "zebra" in text_of(hits))
        assert "found" in str(hits.border_title)


async def test_the_bar_names_the_filter_that_leaves_evaluations_out(store: Store) -> None:
    async with at_home(store) as (home, pilot):
        await pilot.press("slash")
        remark = home.query_one(SearchBar).query_one(ThemedText)
        await until(pilot, lambda: "is:own" in remark.render_line(0).text)
        hits = await look_for(home, pilot, "is:own")
        assert "zebra" in text_of(hits)


async def test_escape_puts_a_notice_away_and_keeps_the_query(store: Store) -> None:
    async with at_home(store) as (home, pilot):
        await look_for(home, pilot, "zebra")
        home.notify("Something was done.")
        await until(pilot, lambda: bool(shown_toasts(home.app)))
        await pilot.press("escape")
        await until(pilot, lambda: not shown_toasts(home.app))
        bar = home.query_one(SearchBar)
        assert home.is_finding
        assert bar.display
        assert bar.query_one(Input).value == "zebra"
        await pilot.press("escape")
        await until(pilot, lambda: not home.is_finding)
        assert not bar.display


@pytest.mark.parametrize("typed", ["z", "zebra", "zebra has:"])
async def test_a_search_closed_at_once_stays_closed(store: Store, typed: str) -> None:
    keys = [{" ": "space", ":": "colon"}.get(key, key) for key in typed]
    async with at_home(store) as (home, pilot):
        bar = home.query_one(SearchBar)
        for _ in range(3):
            await pilot.press("slash", *keys, "escape")
            await until(pilot, lambda: not bar.display)
            bar.post_message(SearchBar.QueryChanged(parse_query(typed)))  # it was under way
            await pilot.pause(DEBOUNCE_SECONDS * 2)
            assert not home.is_finding
            assert not home.has_class("-finding")
            assert home.query_one(SessionList).has_focus
            assert bar.query_one(Input).value == ""


async def test_hits_come_as_one_types_and_enter_opens_the_replay_there(store: Store) -> None:
    async with at_home(store) as (home, pilot):
        await pilot.press("slash", *"zebra")
        hits = home.query_one(SearchResults)
        await until(pilot, lambda: home.is_finding and hits.block_count() > 2)
        assert not home.query_one(SessionList).display
        await look_for(home, pilot, "zebra outcome:submitted")
        await until(pilot, lambda: "output" in text_of(hits))
        assert "1 session · 11 found" in str(hits.border_title)
        assert "6 more in this session" in text_of(hits)
        while hits.current is None or hits.current.kind != "observation":
            await pilot.press("down")
        wanted = hits.current
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReplayScreen))
        replay = pilot.app.screen
        assert isinstance(replay, ReplayScreen)
        await until(pilot, lambda: replay.position == wanted.seq and replay._found._hits)
        assert not replay._replay.plays
        assert "found" in str(replay.query_one(Calls).border_subtitle)
        await pilot.press("q")
        await until(pilot, lambda: pilot.app.screen is home)
        assert home.is_finding
        assert hits.current == wanted
        await pilot.press("escape")
        await until(pilot, lambda: not home.is_finding and home.query_one(SessionList).has_focus)


async def test_a_title_and_a_tag_are_found_and_open_the_session_as_its_row_does(
    store: Store,
) -> None:
    store.rename("whole", "renamed by the user")
    add_tag(store, "other", "renamed-too")
    async with at_home(store) as (home, pilot):
        hits = await look_for(home, pilot, "renamed")
        await until(pilot, lambda: all(word in text_of(hits) for word in ("title", "tag")))
        lines = text_of(hits).splitlines()
        (title,) = (line for line in lines if re.match(r" +title ", line))
        assert title.split() == ["title", "renamed", "by", "the", "user"]
        assert any(re.match(r" +tag +renamed-too", line) for line in lines)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReplayScreen))
        replay = pilot.app.screen
        assert isinstance(replay, ReplayScreen)
        assert (replay._summary.id, replay._begins_at) == ("whole", None)
        assert not replay._found.words


async def test_after_a_hit_the_bar_is_that_of_the_search_and_q_closes_it(store: Store) -> None:
    async with at_home(store) as (home, pilot):
        hits = await look_for(home, pilot, "zebra outcome:submitted")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReplayScreen))
        await pilot.press("q")
        await until(pilot, lambda: pilot.app.screen is home)
        await pilot.press("tab")
        await until(pilot, lambda: hits.has_focus)
        bar = home.query_one(KeyBar)
        await until(pilot, lambda: _words(bar)[:2] == ["enter open", "esc close"])
        assert "q quit" not in _words(bar)
        await pilot.pause(LEFT_SECONDS)  # a key sooner than that was meant for the replay
        await pilot.press("q")
        await until(pilot, lambda: not home.is_finding and home.query_one(SessionList).has_focus)
        assert pilot.app.is_running
        await until(pilot, lambda: "q quit" in _words(bar))


def _words(bar: KeyBar) -> list[str]:
    return [f"{known.key} {known.words}" for known in bar.keys_shown]


async def test_the_details_are_those_of_the_first_hit(store: Store) -> None:
    add_tag(store, "other", "good")
    async with at_home(store) as (home, pilot):
        pane = home.query_one(SessionDetailPane)
        await until(pilot, lambda: pane.border_title == "third")
        hits = await look_for(home, pilot, "tag:good")
        assert hits.current_run is not None
        assert hits.current_run.id == "other"
        await until(pilot, lambda: pane.border_title == "other")
        await look_for(home, pilot, "nothing-has-this")
        await until(pilot, lambda: pane.border_title == "")
        await pilot.press("escape")
        await until(pilot, lambda: pane.border_title == "third")


async def test_a_tag_is_found_the_way_it_is_shown(store: Store) -> None:
    add_tag(store, "other", "good")
    async with at_home(store) as (home, pilot):
        hits = await look_for(home, pilot, "#good")
        assert [hit.run.id for hit in hits._hits] == ["other"]
        hits = await look_for(home, pilot, "#include")
        assert "“include” is searched as a tag; in quotes" in text_of(hits)


@pytest.mark.parametrize("size", [(160, 45), (60, 20), (40, 10)])
@pytest.mark.parametrize(
    "query", ['"', "NOT x", "a OR", "(", "cost:x", "*", "\ud800", "-a", "x" * 3000]
)
async def test_no_search_input_breaks_anything(
    store: Store, size: tuple[int, int], query: str
) -> None:
    async with at_home(store, size) as (home, pilot):
        await pilot.press("slash")
        bar = home.query_one(SearchBar)
        bar.query_one(Input).value = query
        await pilot.pause(0.2)
        await pilot.press("enter")
        assert bar._problem == ""


async def test_filters_complete_themselves_and_an_unknown_one_is_reported(store: Store) -> None:
    add_tag(store, "other", "striped")
    async with at_home(store) as (home, pilot):
        hits = await look_for(home, pilot, "model:qwen")
        assert "1 session" in str(hits.border_title)
        await until(pilot, lambda: "count the zebras" in text_of(hits))
        assert "#striped" in text_of(hits)
        bar, line = home.query_one(SearchBar), home.query_one(SearchBar).query_one(Input)
        await until(pilot, lambda: bar._values)
        line.value = ""
        await pilot.press(*"ta")
        assert "tag:" in str(bar.query_one(ThemedText).render())
        await pilot.press("tab")
        assert line.value == "tag:"
        await pilot.press(*"st", "tab")
        assert line.value == "tag:striped "
        await until(
            pilot, lambda: "count the zebras" in text_of(hits) and bar.query_now.filters.tag
        )
        line.value = "colour:red "
        await pilot.pause()
        shown = str(bar.query_one(ThemedText).render())
        assert "There is no filter colour" in shown
        line.value = "modell:red "
        await pilot.pause()
        assert "did you mean model:red?" in str(bar.query_one(ThemedText).render())
        line.value = "outcome:failed zebras"
        await until(pilot, lambda: bar.query_now.filters.outcome == "failed")
        await until(pilot, lambda: [hit.run.id for hit in hits._hits] == ["other"])
        await pilot.press("tab")
        await until(pilot, lambda: hits.has_focus)


async def test_after_a_hit_that_was_opened_from_the_line_keys_are_typed_there(store: Store) -> None:
    async with at_home(store) as (home, pilot):
        await look_for(home, pilot, "zebra outcome:submitted")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReplayScreen))
        await pilot.press("q")
        await until(pilot, lambda: pilot.app.screen is home)
        line = home.query_one(SearchBar).query_one(Input)
        await until(pilot, lambda: line.has_focus)
        await pilot.press(*"xq")
        assert pilot.app.screen is home, "no session is deleted, and home stays"
        assert line.value.endswith("xq")


async def test_a_note_leads_to_its_step(store: Store) -> None:
    add_note(store, "whole", 2, "look at the stripes")
    async with at_home(store) as (home, pilot):
        hits = await look_for(home, pilot, "stripes")
        assert hits.current is not None
        assert hits.current.kind == "note"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReplayScreen))
        replay = pilot.app.screen
        assert isinstance(replay, ReplayScreen)
        await until(pilot, lambda: replay.state.step == 2)


async def test_a_session_is_named_and_tagged(store: Store) -> None:
    async with at_home(store) as (home, pilot):
        sessions = home.query_one(SessionList)
        here = sessions.current
        assert here is not None
        await pilot.press("R")
        await until(pilot, lambda: isinstance(pilot.app.screen, PromptDialog))
        await pilot.press(*"Stripes", "enter")
        await until(pilot, lambda: sessions.current and sessions.current.title == "Stripes")
        assert "Stripes" in sessions.draw_block(sessions.cursor, 100)[0].plain
        await pilot.press("t")
        await until(pilot, lambda: isinstance(pilot.app.screen, PromptDialog))
        await pilot.press(*"good,", "space", *"#Look", "enter")
        await until(pilot, lambda: tags_of(store, here.id) == ["good", "look"])
        await until(pilot, lambda: "#good #look" in sessions.draw_block(0, 100)[1].plain)
        await pilot.press("t")
        await until(pilot, lambda: isinstance(pilot.app.screen, PromptDialog))
        assert pilot.app.screen.query_one(Input).value == "good look"
        pilot.app.screen.query_one(Input).value = "look"
        await pilot.press("enter")
        await until(pilot, lambda: tags_of(store, here.id) == ["look"])
        await pilot.press("R")
        await until(pilot, lambda: isinstance(pilot.app.screen, PromptDialog))
        pilot.app.screen.query_one(Input).value = "a title that is thrown away"
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is home)
        await pilot.press("R")
        await until(pilot, lambda: isinstance(pilot.app.screen, PromptDialog))
        pilot.app.screen.query_one(Input).value = ""
        await pilot.press("enter")
        await until(pilot, lambda: sessions.current and sessions.current.title is None)


async def test_the_next_question_does_not_cancel_what_is_being_written(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow disk: the name is still being written when the tags are asked for and typed."""
    writing, written = threading.Event(), threading.Event()
    rename = store.rename

    def slow(run_id: str, title: str | None) -> None:
        writing.set()
        assert written.wait(60)
        rename(run_id, title)

    monkeypatch.setattr(store, "rename", slow)
    async with at_home(store) as (home, pilot):
        sessions = home.query_one(SessionList)
        here = sessions.current
        assert here is not None
        await pilot.press("R")
        await until(pilot, lambda: isinstance(pilot.app.screen, PromptDialog))
        await pilot.press(*"Stripes", "enter")
        await until(pilot, writing.is_set)
        await pilot.press("t", *"Good", "enter")
        await until(pilot, lambda: tags_of(store, here.id) == ["good"])
        written.set()
        await until(pilot, lambda: sessions.current and sessions.current.title == "Stripes")


async def test_deleting_asks_says_what_it_frees_and_takes_it_from_the_hits(store: Store) -> None:
    async with at_home(store) as (home, pilot):
        hits = await look_for(home, pilot, "zebras")
        assert hits.current is not None
        await pilot.press("tab")
        await until(pilot, lambda: hits.has_focus)
        while hits.current is None or hits.current.run.id != "other":
            await pilot.press("down")
        await pilot.press("x")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmDialog))
        assert "count the zebras" in pilot.app.screen._question  # type: ignore[attr-defined]
        assert "about " in pilot.app.screen._question  # type: ignore[attr-defined]
        await pilot.press("n")
        await until(pilot, lambda: pilot.app.screen is home)
        assert store.count() == 3
        await pilot.press("x")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmDialog))
        await pilot.press("y")
        await until(pilot, lambda: store.count() == 2)
        await until(pilot, lambda: "count the zebras" not in text_of(hits))
        await until(pilot, lambda: _said(pilot))
        assert re.search(r"Deleted\. (\d\S* freed|Its space is used again)", _said(pilot))


def _said(pilot: Pilot[int]) -> str:
    return "\n".join(note.message for note in pilot.app._notifications)


async def test_events_shared_with_the_parent_are_found_once(store: Store) -> None:
    events, contents = sample("giraffe")
    keep(store, events, contents, run_id="parent")
    first = events[0]
    assert isinstance(first, e.RunStarted)
    until_call = next(i for i, x in enumerate(events) if isinstance(x, e.CallFinished))
    shared = [
        msgspec.structs.replace(first, run_id="fork", parent="parent", parent_seq=until_call + 1),
        *events[1 : until_call + 1],
    ]
    own = e.HumanMessage(seq=until_call + 2, t=99.0, id=9, text="another giraffe")
    store.append("fork", [*shared, own])
    async with at_home(store) as (home, pilot):
        hits = await look_for(home, pilot, "giraffe")
        of_fork = [hit for hit in hits._hits if hit.run.id == "fork"]
        assert [(hit.kind, hit.seq) for hit in of_fork] == [("message", until_call + 2)]
        assert len([hit for hit in hits._hits if hit.run.id == "parent"]) == 5
        store.delete("parent")
        home.reload()
        await until(pilot, lambda: {hit.run.id for hit in hits._hits} == {"fork"})
        assert len(hits._hits) > 1


async def test_a_sample_of_an_evaluation_is_found_under_its_suite_and_task(store: Store) -> None:
    enter_eval(store, 5e8)
    waiting = ledger.results(store, EVAL_ID)[-1]
    ledger.claim(store, EVAL_ID, waiting.key, "whole")
    async with at_home(store, row=0) as (home, pilot):
        hits = await look_for(home, pilot, "zebra")
        at = next(at for at, hit in enumerate(hits._hits) if hit.run.id == "whole")
        title = hits.draw_block(at, 120)[0].plain
        assert title.startswith(f" ✓ sample of pocket {waiting.task} ({waiting.mode}) · ")


async def test_a_narrow_list_gives_its_room_to_titles_and_matches(store: Store) -> None:
    async with at_home(store, row=0) as (home, pilot):
        hits = await look_for(home, pilot, "zebra")
        wide, narrow = (hits.draw_block(0, width)[0].plain for width in (100, 58))
        assert " ago" in wide
        assert " ago" not in narrow
        for at, hit in enumerate(hits._hits):
            lines = [line.plain for line in hits.draw_block(at, 58)]
            assert hit.kind == "session" or "zebra" in " ".join(lines)


async def test_samples_of_one_task_are_told_apart(store: Store) -> None:
    for number, answer in ((1, "41"), (2, "42")):
        settings = e.RunSettings(labels={SAMPLES: "s", SAMPLE: str(number)})
        first = msgspec.structs.replace(
            started(f"s{number}", task="count the quaggas"), settings=settings
        )
        end = e.RunFinished(
            seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals(), answer=answer
        )
        store.append(f"s{number}", [first, end])
    async with at_home(store) as (home, pilot):
        hits = await look_for(home, pilot, "quaggas")
        titles = sorted(hits.draw_block(at, 140)[0].plain for at in range(2))
        for number, title in enumerate(titles, 1):
            assert title.startswith(f" ✓ sample {number} · count the quaggas  ")
            assert f" {40 + number}  m  s{number}  " in title
        narrow = sorted(hits.draw_block(at, 56)[0].plain for at in range(2))
        assert "sample 1 · count the quaggas" in narrow[0]
        assert " 41  " in narrow[0]
        assert all(len(line) <= 56 for line in narrow)


def test_a_fork_among_the_hits_is_told_from_its_parent(store: Store) -> None:
    for name, number, parent in (("a", 5, None), ("b", 5, "a"), ("c", 0, None), ("d", 0, "c")):
        labels = {SAMPLES: "s", SAMPLE: str(number)} if number else {}
        first = msgspec.structs.replace(
            started(name, task="count the quaggas"),
            settings=e.RunSettings(labels=labels),
            parent=parent,
            parent_seq=None if parent is None else 1,
        )
        store.append(name, [first])
        store.give_up(name)
    titles = {name: numbered_title(store.run(name)) for name in "abcd"}
    assert titles == {
        "a": "sample 5 · count the quaggas",
        "b": "fork of sample 5 · count the quaggas",
        "c": "count the quaggas",
        "d": "fork · count the quaggas",
    }


async def test_events_after_a_screen_was_left_are_ignored(store: Store) -> None:
    """A screen's panes are removed before the screen itself, while a playing replay still ticks."""
    async with at_home(store) as (home, pilot):
        replay = ReplayScreen(store.run("whole"), store)
        await pilot.app.push_screen(replay)
        await pilot.press("q")
        await until(pilot, lambda: pilot.app.screen is home and not replay.children)
        for event in store.events("whole"):
            await replay.apply(event)
        replay._flush()
        replay._tick()


async def test_a_screen_whose_panes_are_gone_shows_nothing_more(store: Store) -> None:
    """A screen that is removed without being left loses its panes first."""
    async with at_home(store) as (_, pilot):
        replay = ReplayScreen(store.run("whole"), store)
        await pilot.app.push_screen(replay)
        pilot.app.workers.cancel_node(replay)
        await replay.remove_children()
        assert replay.is_attached
        replay._flush()
        replay._tick()


async def test_a_session_that_was_deleted_in_the_meantime_is_reported_as_gone(store: Store) -> None:
    async with at_home(store) as (_, pilot):
        replay = ReplayScreen(store.run("whole"), store)
        await pilot.app.push_screen(replay)
        await until(pilot, lambda: replay._index.is_complete)
        store.delete("whole")
        replay.action_second(1)
        await pilot.pause()
        assert any("no session" in each.message for each in shown_toasts(pilot.app))
        for key in ("h", "l", "left_square_bracket", "right_square_bracket", "home", "end", "n"):
            await pilot.press(key)
        assert pilot.app.is_running


def searched(home: HomeScreen) -> list[str]:
    """Return a list of the texts whose search has ended, from now on."""
    texts: list[str] = []
    search = home._search._search

    async def recorded(*, query_changed: bool) -> None:
        await search(query_changed=query_changed)
        texts.append(home.query_one(SearchBar).query_one(Input).value)

    home._search._search = recorded  # type: ignore[method-assign]
    return texts


@pytest.mark.parametrize("typed", ["outcom", "outcome", "outcome:", "after:"])
async def test_a_filter_that_is_half_typed_leaves_the_list(store: Store, typed: str) -> None:
    async with at_home(store) as (home, pilot):
        texts = searched(home)
        await pilot.press("slash")
        home.query_one(SearchBar).query_one(Input).value = typed
        await until(pilot, lambda: typed in texts)
        assert not home._search.shows_hits
        assert home.query_one(SessionList).display


async def test_a_half_typed_filter_leaves_the_results_of_those_before_it(store: Store) -> None:
    async with at_home(store) as (home, pilot):
        texts = searched(home)
        hits = await look_for(home, pilot, "model:qwen")
        assert len(hits._hits) == 1
        home.query_one(SearchBar).query_one(Input).value = "model:qwen outcom"
        await until(pilot, lambda: "model:qwen outcom" in texts)
        assert len(hits._hits) == 1
        home.query_one(SearchBar).query_one(Input).value = "nothing outcom"
        await until(pilot, lambda: "nothing outcom" in texts)
        assert hits.query_shown == parse_query("nothing outcom")
        assert not hits._hits
