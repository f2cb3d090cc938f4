"""The palette: everything by name, each item once, and the effect of choosing one."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as replace_struct
from textual.pilot import Pilot
from textual.widgets import Input, Static

from sandbox_tui.core.config import settings as config
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.listing import EvalRow
from sandbox_tui.sessions.store.tables.annotations import add_tag
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.format.titles import task_title
from sandbox_tui.tui.keys.synonyms import synonyms
from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen
from sandbox_tui.tui.screens.compare.compare_screen import CompareScreen
from sandbox_tui.tui.screens.evals.eval_screen import EvalScreen
from sandbox_tui.tui.screens.evals.new_eval import NewEvalDialog
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.home.import_sessions import ImportDialog
from sandbox_tui.tui.screens.new_run.new_run import NewRunDialog
from sandbox_tui.tui.screens.palette.entry import KINDS, RECENT, Entry, Match, grouped
from sandbox_tui.tui.screens.palette.entry_list import EntryList
from sandbox_tui.tui.screens.palette.matching.fuzzy import fit
from sandbox_tui.tui.screens.palette.palette_screen import PaletteScreen
from sandbox_tui.tui.screens.palette.setting_words import SYNONYMS
from sandbox_tui.tui.screens.palette.sources import (
    action_entries,
    session_entry,
    setting_entries,
)
from sandbox_tui.tui.screens.setting_rows import ROWS
from sandbox_tui.tui.screens.settings import SettingsScreen
from sandbox_tui.tui.widgets.path_input import PathInput
from sandbox_tui.tui.widgets.sessions.session_list import SessionList
from tests.perf.made_sessions import fill
from tests.screens.cockpit.test_replay_screen import until
from tests.scripted_server import ScriptedServer, say
from tests.snapshots.sample_eval import EVAL_ID, enter_eval
from tests.unit.event_streams import started
from tests.unit.sessions.interchange.test_imports import MINI


def entry(words: str, kind: str = "Actions", off: str = "") -> Entry:
    return Entry(kind, words, words, "", lambda: None, off)


def words_of(typed: str, *entries: Entry, recent: tuple[str, ...] = ()) -> dict[str, list[str]]:
    found = grouped(entries, typed, recent)
    return {kind: [match.entry.words for match in matches] for kind, matches in found}


def test_recent_choices_come_first_and_once() -> None:
    entries = entry("Approve"), entry("Fork"), entry("ansi", "Themes")
    listed = words_of("", *entries, recent=("ansi", "gone", "Fork"))
    assert listed == {RECENT: ["ansi", "Fork"], "Actions": ["Approve"]}


def test_letters_in_order_find_an_entry_and_the_best_kind_is_first() -> None:
    entries = entry("Save a screenshot"), entry("Open the folder"), entry("a pear", "Sessions")
    assert words_of("opfo", *entries) == {"Actions": ["Open the folder"]}
    assert list(words_of("a pea", *entries)) == ["Sessions"]
    assert words_of("xyz", *entries) == {}


def test_an_action_comes_before_a_setting_that_matches_hardly_better() -> None:
    entries = entry("Go to a step"), entry("Steps – limits of new runs", "Settings")
    assert list(words_of("step", *entries)) == ["Actions", "Settings"]
    assert list(words_of("steps", *entries)) == ["Settings"]


def test_an_action_here_comes_before_sessions_that_do_what_it_is_called() -> None:
    paused = replace(entry("long task", "Sessions"), now="paused")
    assert list(words_of("pause", paused, entry("Pause"))) == ["Actions", "Sessions"]
    assert list(words_of("paused", paused, entry("Pause"))) == ["Sessions"]
    off = entry("Pause", off="the run has ended")
    assert list(words_of("pause", paused, off)) == ["Sessions", "Actions"]


def test_the_name_of_an_action_comes_before_titles_with_it() -> None:
    step, note = entry("Run to the next call"), entry("Write a note on this step")
    assert words_of("step", replace(step, name="live.step"), note) == {
        "Actions": [step.words, note.words]
    }


@pytest.mark.parametrize(
    ("name", "words", "typed", "found"),
    [
        ("live.pause", "Pause", "stop", True),
        ("live.pause", "Resume", "stop", False),
        ("live.pause", "Resume", "continue", True),
        ("cockpit.shell", "Shell in the sandbox", "take over", True),
        ("live.steer", "Take control of the run", "take over", True),
        ("cockpit.terminal", "Terminal", "search", False),
        ("home.quit", "Quit the program", "kill", False),
        ("cockpit.whole", "Open the full text", "pager", True),
        ("cockpit.zoom", "Zoom the pane, or back", "maximize", True),
        ("live.leave", "Leave the run", "home", True),
        ("live.message", "Write to the model", "chat", True),
        ("eval.score_again", "Score the recorded answers again", "rescore", True),
    ],
)
def test_other_words_find_an_action_for_what_it_does_now(
    name: str, words: str, typed: str, found: bool
) -> None:
    known = replace(entry(words), name=name, also=synonyms(name, words))
    assert ("Actions" in words_of(typed, known)) is found


@pytest.mark.parametrize("typed", ["stop", "kill"])
def test_words_for_an_end_mean_that_of_the_run(typed: str) -> None:
    (heading,) = words_of(typed, entry("Settings"))
    assert heading.startswith("Not on this screen: End the run (live run: ")


def test_what_escape_ends_comes_after_what_begins_it() -> None:
    ends, begins = entry("End the search, or leave"), entry("Find in the calls")
    entries = replace(ends, detail="esc"), replace(begins, also="search", detail="/")
    assert words_of("search", *entries) == {"Actions": [begins.words, ends.words]}
    assert words_of("end search", *entries) == {"Actions": [ends.words]}


def test_parts_are_found_in_any_order_and_beginnings_of_words_count() -> None:
    entries = entry("Cost – limits of new runs"), entry("Close the file")
    assert words_of("limits cost", *entries) == {"Actions": ["Cost – limits of new runs"]}
    assert words_of("file", *entries, entry("Profile")) == {
        "Actions": ["Close the file", "Profile"]
    }
    found = fit("clfi", "Close the file")
    assert found is not None
    assert "".join("Close the file"[place] for place in found.places) == "Clfi"


def test_whole_words_come_first_and_coincidences_only_without_them() -> None:
    entries = (
        *(entry("Send a message"), entry("To the end"), entry("End the run"), entry("Endless")),
        *(entry("Open the nearest dialog"), entry("Memory – sandbox of new runs", "Settings")),
    )
    assert words_of("end", *entries) == {"Actions": ["End the run", "To the end", "Endless"]}
    assert words_of("files", entry("Files"), entry("File")) == {"Actions": ["Files"]}
    assert words_of("file", entry("A file"), entry("Files")) == {"Actions": ["Files", "A file"]}
    found = words_of("comnand", *entries, entry("A command"))
    assert found == {"No match; the closest: command": [], "Actions": ["A command"]}
    assert words_of("cmnd", *entries, entry("A command")) == {"Actions": ["A command"]}


def test_the_heading_of_settings_finds_them_only_by_the_name_of_their_table() -> None:
    assert found_settings("cost")[0] == "setting limits.cost_limit"
    assert len(found_settings("limits")) == len(ROWS["limits of new runs"])
    every = (*setting_entries(Settings(), lambda name: None), entry("New run"))
    assert words_of("new", *every) == {"Actions": ["New run"]}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("dayligth", "daylight"),
        ("daylite", "daylight"),
        ("modle", "model"),
        ("theme dayligth", "theme daylight"),
    ],
)
def test_a_typing_mistake_lists_the_closest_names(typed: str, meant: str) -> None:
    known = [
        entry("daylight", "Themes"),
        entry("Choose a model"),
        entry("Change the mode"),
        entry("Delete the many items of tag", "Sessions"),
    ]
    assert words_of("tany", *known) == {}, "it begins with another letter"
    (heading, none), *found = words_of(typed, *known).items()
    assert heading == f"No match; the closest: {meant}"
    assert none == []
    assert [words for _, words in found] == [["Choose a model" if meant == "model" else "daylight"]]
    assert words_of("quagga", *known) == {}


def test_the_kind_of_an_entry_is_matched_too() -> None:
    themes = [entry(f"{name}night", "Themes") for name in "abcdefghijklmnopq"]
    entries = *themes, entry("daylight", "Themes"), entry("Theme – look", "Settings")
    assert words_of("theme day", *entries) == {"Themes": ["daylight"]}
    assert words_of("day theme", *entries) == {"Themes": ["daylight"]}
    listed = words_of("theme", *entries)
    assert len(listed["Themes"]) == len(themes) + 1, "all of them"
    assert listed["Settings"] == ["Theme – look"]
    assert "Themes" not in words_of("the", *entries), "too short to mean the kind"
    assert words_of("models lit", entry("little", "Models")) == {"Models": ["little"]}


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("fork", "Fork, also with another model (home: F)"),
        ("rename", "Rename the session (home: R)"),
    ],
)
def test_an_action_of_another_screen_is_not_taken_for_a_mistake(typed: str, title: str) -> None:
    entries = entry("Go to the run that waits for you"), entry("Name"), entry("Work", "Settings")
    assert words_of(typed, *entries) == {f"Not on this screen: {title}": []}
    allowed = entry("What you allowed in this run")
    beside = "Not on this screen: Runs side by side (home: w)"
    assert words_of("wall", allowed) == {beside: []}
    assert words_of("nane", *entries) == {"No match; the closest: name": [], "Actions": ["Name"]}


def test_letters_here_and_there_in_a_long_title_are_no_match() -> None:
    """Neither those within words, nor the beginnings of words far from each other."""
    words = "Please design a promotional poster for one of the conferences that will be shown"
    assert words_of("gpt", entry(words, "Sessions")) == {}
    assert words_of("pcs", entry(words, "Sessions")) == {}
    assert words_of("dpp", entry(words, "Sessions")) == {"Sessions": [words]}


def test_a_long_title_of_the_same_letters_takes_no_time() -> None:
    assert fit("ab" * 12 + "c", "ab" * 100) is None
    assert fit("a" * 30 + "b" * 20, "a b " * 50) is not None


def test_unavailable_actions_are_found_by_name_after_the_others() -> None:
    entries = entry("Pause", off="this run has ended"), entry("Pause the wall")
    assert words_of("", *entries) == {"Actions": ["Pause the wall"]}
    assert words_of("pause", *entries) == {"Actions": ["Pause the wall", "Pause"]}


def found_settings(typed: str) -> list[str]:
    entries = setting_entries(Settings(), lambda name: None)
    return [match.entry.name for _, matches in grouped(entries, typed, ()) for match in matches]


def test_each_setting_is_found_by_its_name_in_the_config_file() -> None:
    names = [row.name for rows in ROWS.values() for row in rows]
    for name in names:
        own = name.partition(".")[2]
        for typed in (name, own, own.replace("_", " ")):
            assert f"setting {name}" in found_settings(typed), typed
    assert set(SYNONYMS) <= set(names)


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("max steps", "limits.max_steps"),
        ("max_steps", "limits.max_steps"),
        ("limits.max", "limits.max_steps"),
        ("budget", "limits.cost_limit"),
        ("ram", "sandbox.memory"),
        ("internet", "sandbox.network"),
        ("endpoint", "model.base_url"),
        ("colours", "ui.theme"),
    ],
)
def test_a_setting_is_found_by_other_words(typed: str, name: str) -> None:
    assert f"setting {name}" in found_settings(typed)


@pytest.mark.parametrize("typed", ["gpt", "gpt-oss", "openai"])
def test_a_session_is_found_by_its_model(store: Store, typed: str) -> None:
    fill(store, "r", 1)
    run = session_entry(replace(store.run("r"), model="openai/gpt-oss-20b"), lambda run: None)
    assert words_of(typed, run, entry("other", "Sessions")) == {"Sessions": [run.words]}


def test_samples_of_one_task_are_told_apart(store: Store) -> None:
    for number in (1, 2):
        fill(store, f"r{number}", 1)
    runs = [replace(store.run(f"r{n}"), samples="g", sample=n) for n in (1, 2)]
    entries = [session_entry(run, lambda run: None) for run in runs]
    assert [one.detail.partition(" · ")[0] for one in entries] == ["sample 1", "sample 2"]
    for typed in ("sample 2", f"{entries[1].words.split()[0]} 2"):
        found = dict(grouped(entries, typed, ()))["Sessions"]
        assert [match.entry for match in found] == [entries[1]]


async def test_a_fork_is_told_from_its_parent(app: SandboxTui, store: Store) -> None:
    child = "20260101-000000-beef"
    first = replace_struct(started(child), parent="r", parent_seq=1)
    forked = e.Forked(
        **{"seq": 2, "t": 1.0, "parent": "r", "parent_seq": 1, "step": 2},
        **{"snapshot": None, "repeats": 0, "model": "m"},
    )
    end = e.RunFinished(seq=3, t=2.0, reason="submitted", error=None, totals=e.Totals())
    store.append(child, [first, forked, end])
    async with app.run_test(size=(100, 60)) as pilot:
        entries = await opened(app, pilot)
        details = [
            row.entry.detail
            for row in entries._rows
            if isinstance(row, Match) and row.entry.kind == "Sessions"
        ]
        assert "fork of r, after step 2 · submitted · 20260101-000000-beef" in details
        assert "submitted · r" in details


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A server with one model."""
    with ScriptedServer([say("hello")]) as server:
        server.models = ["little-model"]
        yield server


@pytest.fixture
def app(store: Store, own_home: Path, server: ScriptedServer) -> SandboxTui:
    fill(store, "r", 3)
    store.rename("r", "a tale of two columns")
    given = {"model.name": "other", "model.local_ports": [server.port]}
    return SandboxTui(config.load(given), store)


async def opened(app: SandboxTui, pilot: Pilot[int]) -> EntryList:
    await pilot.press("ctrl+p")
    await until(pilot, lambda: isinstance(app.screen, PaletteScreen) and app.screen.is_read)
    return app.screen.query_one(EntryList)


async def test_each_kind_is_listed_with_one_line_an_entry(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 60)) as pilot:
        listed = (await opened(app, pilot)).rows
        words = [row for row in listed if row not in KINDS]
        assert len(words) == len(set(words))
        assert {"Actions", "Sessions", "Models", "Themes", "Settings"} <= set(listed)
        assert {"New run", "a tale of two columns", "little-model", "daylight"} <= set(listed)
        assert "Model – model of new runs" in listed
        await pilot.press("ctrl+p")
        assert [type(screen) for screen in app.screen_stack].count(PaletteScreen) == 1
        await pilot.press("escape")
        assert isinstance(app.screen, HomeScreen)


async def test_a_paused_session_is_called_paused(app: SandboxTui, store: Store) -> None:
    begun = replace_struct(started("held", started_at=2_000.0), task="count the zebras")
    store.append("held", [begun, e.ModeChanged(seq=2, t=1.0, mode="paused")])
    async with app.run_test(size=(100, 30)) as pilot:
        await opened(app, pilot)
        screen = app.screen
        assert isinstance(screen, PaletteScreen)
        await until(pilot, lambda: screen.is_read)
        [held] = [one for one in screen._entries if one.name == "held"]
        assert " paused" in f" {held.detail}"
        assert "running" not in held.detail


async def test_a_session_that_begins_meanwhile_is_found(app: SandboxTui, store: Store) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        listed = await opened(app, pilot)
        await pilot.press("down", "down")
        assert (here := listed.current) is not None
        fill(store, "later", 1)
        title = task_title(store.run("later"))
        await until(pilot, lambda: title in listed.rows)
        assert listed.current is not None
        assert listed.current.name == here.name


async def test_a_session_is_found_by_its_tags(app: SandboxTui, store: Store) -> None:
    run = store.runs(limit=1)[0]
    add_tag(store, run.id, "Blue-ish")
    async with app.run_test(size=(100, 30)) as pilot:
        listed = await opened(app, pilot)
        for typed in ("blue", "#blue-ish"):
            field = app.screen.query_one(Input)
            field.value = typed
            await until(pilot, lambda: listed.current and listed.current.name == run.id)
            assert listed.current is not None
            assert "#blue-ish" in listed.current.detail


async def test_a_session_opens_by_its_title(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await opened(app, pilot)
        await pilot.press(*"tale", "enter")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and app.screen.is_settled)


@pytest.mark.parametrize("typed", ["pocket", "evalu", "qwen3"])
async def test_an_evaluation_opens_by_its_suite_from_any_screen(
    app: SandboxTui, store: Store, typed: str
) -> None:
    enter_eval(store, time.time())
    async with app.run_test(size=(100, 30)) as pilot:
        await opened(app, pilot)
        await pilot.press(*"tale", "enter")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and app.screen.is_settled)
        listed = await opened(app, pilot)
        app.screen.query_one(Input).value = typed
        await until(pilot, lambda: "Recent" not in listed.rows and len(listed.rows) > 1)
        assert "pocket · qwen3-coder" in listed.rows
        while listed.current is None or listed.current.name != EVAL_ID:
            await pilot.press("down")
        assert "of 168 samples" in listed.current.detail
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, EvalScreen))


@pytest.mark.parametrize("typed", ["97rgy", "4u3", "133611-4U3", "20261127-133611-4u3x9", "7rg"])
@pytest.mark.parametrize("kind", ["Sessions", "Evaluations"])
def test_any_part_of_an_id_finds_a_session_and_an_evaluation(kind: str, typed: str) -> None:
    run_id = "20261127-133611-4u3x9" if "4u3" in typed.lower() else "20261127-133611-97rgy"
    wanted = Entry(kind, run_id, "pocket · qwen3", "", lambda: None, id=run_id)
    other = Entry(kind, "x", "a tale", "", lambda: None, id="20261126-090000-zzzzz")
    assert words_of(typed, entry("another"), other, wanted) == {kind: ["pocket · qwen3"]}


def test_an_id_counts_less_than_words() -> None:
    named = Entry("Sessions", "a", "plan a trip", "", lambda: None, id="20261126-090000-zzzzz")
    by_id = Entry("Sessions", "b", "a tale", "", lambda: None, id="20261126-090000-plan1")
    assert words_of("plan", by_id, named) == {"Sessions": ["plan a trip", "a tale"]}
    assert words_of("tale plan1", by_id, named) == {"Sessions": ["a tale"]}


async def test_the_end_of_an_id_finds_it_in_the_palette(app: SandboxTui, store: Store) -> None:
    enter_eval(store, time.time())
    store.append("20260101-000000-beef9", [started("20260101-000000-beef9")])
    async with app.run_test(size=(100, 30)) as pilot:
        listed = await opened(app, pilot)
        for typed, wanted in ((EVAL_ID[4:15], EVAL_ID), ("beef9", "20260101-000000-beef9")):
            app.screen.query_one(Input).value = typed
            await pilot.pause()
            assert listed.current is not None
            assert listed.current.name == wanted


async def test_actions_on_an_evaluation_are_called_so(app: SandboxTui, store: Store) -> None:
    enter_eval(store, time.time())
    async with app.run_test(size=(100, 30)) as pilot:
        sessions = app.screen.query_one(SessionList)
        await until(pilot, lambda: isinstance(sessions.current_row, EvalRow))
        named = {one.name: one for one in action_entries(app, app.screen)}
        assert named["home.delete"].words == "Delete the evaluation, with or without its sessions"
        compare = named["home.compare"]
        assert compare.words == "Compare the evaluation with another"
        assert compare.off == "there is only one evaluation"
        await pilot.press("down")
        await until(pilot, lambda: sessions.current is not None)
        named = {one.name: one for one in action_entries(app, app.screen)}
        assert named["home.delete"].words == "Delete the session, or all marked"
        assert named["home.compare"].words == "Compare two sessions"


async def test_a_model_and_a_theme_are_taken_and_stay(
    app: SandboxTui, server: ScriptedServer
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await opened(app, pilot)
        await pilot.press(*"little", "enter")
        await until(pilot, lambda: app.settings.now.model.name == "little-model")
        await opened(app, pilot)
        await pilot.press(*"daylight", "enter")
        await until(pilot, lambda: app.theme == "daylight")
        assert config.load().ui.theme == "daylight"
        said = [toast.message for toast in app._notifications]
        assert f"Theme set to daylight (saved in {config.config_file()})." in said
        assert config.load().model.base_url == server.url
        rows = (await opened(app, pilot)).rows
        assert rows[:3] == [RECENT, "daylight", "little-model"]


async def test_the_models_of_the_settings_server_are_found(store: Store, own_home: Path) -> None:
    with ScriptedServer([say("hello")]) as server:
        server.models = ["gpt-oss-20b"]
        app = SandboxTui(
            config.load({"model.base_url": server.url, "model.local_ports": []}), store
        )
        async with app.run_test(size=(100, 30)) as pilot:
            entries = await opened(app, pilot)
            app.screen.query_one(Input).value = "oss"
            await until(pilot, lambda: bool(entries.current and entries.current.kind == "Models"))
            assert entries.current is not None
            assert entries.current.words == "gpt-oss-20b"


async def test_a_setting_opens_at_its_field(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await opened(app, pilot)
        await pilot.press(*"cost lim", "enter")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
        await until(
            pilot, lambda: app.focused is not None and app.focused.id == "limits-cost-limit"
        )


async def test_an_action_is_done_on_the_screen_below(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await opened(app, pilot)
        await pilot.press(*"new run", "enter")
        await until(pilot, lambda: isinstance(app.screen, NewRunDialog))


async def test_an_unavailable_action_says_why_and_does_nothing(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen) and app.screen.session_here)
        listed = await opened(app, pilot)
        await pilot.press(*"resume the sess")
        assert listed.current is None
        await pilot.press("down", "enter")
        assert isinstance(app.screen, PaletteScreen)
        toasts = [toast.message for toast in app._notifications]
        assert toasts == ["This session was not interrupted; ctrl+r runs it again."]
        assert app.screen.query_one(Input).value


async def test_actions_of_the_home_screen_are_found_in_a_replay(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await opened(app, pilot)
        await pilot.press(*"tale", "enter")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and app.screen.is_settled)
        listed = await opened(app, pilot)
        assert {"New run", "Open the evaluations"} & set(listed.rows)
        await pilot.press(*"compare")
        found = [row.entry for row in listed._rows if isinstance(row, Match)]
        off = {entry.words: entry.off for entry in found}
        assert off["Compare the fork with its parent"] == (
            "this session is not a fork; c on the home screen compares any two"
        )
        app.screen.query_one(Input).value = "new run"
        await until(pilot, lambda: listed.current is not None)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, NewRunDialog))


async def test_a_new_evaluation_is_started_from_any_screen(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        listed = await opened(app, pilot)
        await pilot.press(*"new eval")
        await until(pilot, lambda: listed.current is not None)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, NewEvalDialog))


async def test_a_replayed_fork_is_compared_with_its_parent(app: SandboxTui, store: Store) -> None:
    first = replace_struct(started("fork", task="forked"), parent="r", parent_seq=1)
    store.append("fork", [first])
    store.give_up("fork")
    async with app.run_test(size=(100, 30)) as pilot:
        await opened(app, pilot)
        await pilot.press(*"forked", "enter")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and app.screen.is_settled)
        await opened(app, pilot)
        await pilot.press(*"compare fork", "enter")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen))


async def test_an_action_of_a_screen_that_has_gone_is_let_be(app: SandboxTui) -> None:
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("n")
        form = app.screen
        assert isinstance(form, NewRunDialog)
        every = {entry.name: entry for entry in action_entries(app, form)}
        await form.dismiss(None)
        await every["new_run.start"].choose()  # type: ignore[misc]
        assert app.is_running


async def test_sessions_are_imported_from_a_file(app: SandboxTui, tmp_path: Path) -> None:
    (tmp_path / "a.traj.json").write_text(json.dumps(MINI))
    (tmp_path / "broken.cast").write_text("nothing")
    async with app.run_test(size=(100, 80), notifications=True) as pilot:
        home = app.screen
        sessions = home.query_one(SessionList)
        await until(pilot, lambda: sessions.block_count() == 1 and sessions.current)
        await opened(app, pilot)
        await pilot.press(*"import", "enter")
        await until(pilot, lambda: isinstance(app.screen, ImportDialog))
        await pilot.press("enter")
        assert isinstance(app.screen, ImportDialog), "it needs a path"
        field, why = app.screen.query_one(PathInput), app.screen.query_one("#why", Static)
        assert str(field.border_subtitle) == "enter a file"
        field.value = str(tmp_path / "none")
        await pilot.press("enter")
        await until(pilot, lambda: str(field.border_subtitle) == "this file does not exist")
        assert field.has_class("-wrong")
        assert not app._notifications
        field.value = "no such"
        await pilot.press("tab", "tab", "x")  # nothing to complete: what is typed still goes here
        await until(pilot, lambda: "x" in field.value)
        field.value = ""
        await pilot.press(*f"{tmp_path}/brok", "tab")
        await until(pilot, lambda: field.value == str(tmp_path / "broken.cast"))
        field.value = str(tmp_path / "broken.cast")
        await pilot.press("enter")
        await until(pilot, lambda: "broken.cast is not a recording" in str(why.content))
        assert "trajectory.json" in str(why.content)
        assert field.value == str(tmp_path / "broken.cast")
        field.value = str(tmp_path / "a.traj.json")
        await until(pilot, lambda: not str(why.content))
        await pilot.press("enter")
        await until(
            pilot,
            lambda: any(
                "Imported " in toast.message and " · mini-swe-agent" in toast.message
                for toast in app._notifications
            ),
        )
        assert app.screen is home
        await until(pilot, lambda: sessions.block_count() == 2)


async def test_what_a_session_allows_is_found_by_the_words_one_types(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await until(
            pilot,
            lambda: (
                isinstance(app.screen, HomeScreen)
                and app.screen.query_one(SessionList).current is not None
            ),
        )
        entries = action_entries(app, app.screen)
        for typed, first in (
            *(
                ("fork", "Fork, also with another model"),
                ("branch", "Fork, also with another model"),
            ),
            *(("replay", "Replay the session"), ("play", "Replay the session")),
            *(("resume", "Resume the session"), ("continue", "Fork, also with another model")),
            *(
                ("export", "Export the session, or all marked"),
                ("share", "Export the session, or all marked"),
            ),
            *(("compare", "Compare two sessions"), ("rename", "Rename the session")),
            *(("tag", "Tag the session, or all marked"), ("note", "Write a note on the session")),
            *(("copy id", "Copy the session's id"), ("open fol", "Open the results folder")),
            *(("rm", "Delete the session, or all marked"), ("search", "Find in all sessions")),
            *(
                ("config", "Settings"),
                ("exit", "Quit the program"),
                ("help", "Keys of this screen"),
            ),
        ):
            assert words_of(typed, *entries)["Actions"][0] == first, typed
