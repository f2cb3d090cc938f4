"""Other words by which the palette finds themes, settings and actions, and where others are."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from rich.style import Style
from textual.screen import Screen
from textual.widgets import Input

from sandbox_tui.core.config.settings import Settings, load
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.keys.available_actions import ActionHere
from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.keys.synonyms import synonyms
from sandbox_tui.tui.screens.help.help_screen import HelpScreen
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.new_run.new_run import NewRunDialog
from sandbox_tui.tui.screens.palette import sources
from sandbox_tui.tui.screens.palette.entry import Entry, Match, grouped
from sandbox_tui.tui.screens.palette.entry_list import EntryList
from sandbox_tui.tui.screens.palette.matching.closest_words import closest_words
from sandbox_tui.tui.screens.palette.matching.fuzzy import fit
from sandbox_tui.tui.screens.palette.palette_screen import PaletteScreen
from sandbox_tui.tui.screens.palette.sources import (
    action_entries,
    setting_entries,
    theme_entries,
)
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from tests.screens.palette.test_evaluations import first_of
from tests.snapshots.sample_eval import EVAL_ID, enter_eval
from tests.unit.event_streams import started
from tests.unit.sample_run import keep, sample
from tests.waiting import until

SETTINGS = setting_entries(Settings(), lambda name: None)

DARK = {"ansi": True, "contrast": True, "daylight": False, "lamplight": True}


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("dark", {"ansi", "contrast", "lamplight"}),
        ("dark mode", {"ansi", "contrast", "lamplight"}),
        ("dark theme", {"ansi", "contrast", "lamplight"}),
        ("light mode", {"daylight"}),
        ("high contrast", {"contrast"}),
        ("color", {*DARK}),
    ],
)
def test_themes_are_found_by_whether_they_are_dark(typed: str, names: set[str]) -> None:
    themes = theme_entries(DARK, "lamplight", lambda name: None)
    found = dict(grouped([*themes, *SETTINGS], typed, ()))
    assert {match.entry.words for match in found["Themes"]} == names
    assert next(iter(found)) == "Themes"


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("bubblewrap", "sandbox.kind"),
        ("sixel", "ui.images"),
        ("deny", "policy.default"),
        ("json_schema", "model.tool_calls"),
        ("bridge", "sandbox.network"),
        ("bell", "ui.notify"),
    ],
)
def test_a_setting_is_found_by_a_value_that_it_can_have(typed: str, name: str) -> None:
    found = grouped(SETTINGS, typed, ())
    assert f"setting {name}" in [match.entry.name for _, some in found for match in some]


def test_the_values_yes_and_no_find_no_setting() -> None:
    assert "Settings" not in dict(grouped(SETTINGS, "yes", ()))


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("rename", "Not on this screen: Rename the session (home: R)"),
        ("delete session", "Not on this screen: Delete the session, or all marked (home: x)"),
        ("fork", "Not on this screen: Fork, also with another model (home: F)"),
        ("approve", "Not on this screen: Approve the call (live run: a)"),
    ],
)
def test_an_action_of_another_screen_is_named_with_its_place(typed: str, words: str) -> None:
    entries = [Entry("Actions", "x", "Go to the end", "", lambda: None)]
    assert [heading for heading, _ in grouped(entries, typed, ())] == [words]


@pytest.fixture
def app(store: Store, own_home: Path) -> SandboxTui:
    keep(store, *sample("zebra"))
    return SandboxTui(load({"model.name": "m", "model.local_ports": [1]}), store)


async def test_enter_on_an_action_of_another_screen_says_where_it_is(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen) and app.screen.session_here)
        await first_of(app, pilot, "new run")
        app.screen.query_one(Input).value = "freeze"
        await pilot.pause()
        assert app.screen.query_one(EntryList).first is None
        await pilot.press("enter")
        said = [toast.message for toast in app._notifications]
        assert said == ["Not on this screen: Freeze or resume the sandbox (live run: Z)."]
        listed = app.screen.query_one(EntryList)
        (heading,) = listed.draw_block(0, 90)
        assert Style.parse(str(heading.style)).reverse
        app.screen.query_one(Input).value = "freez"
        await pilot.pause()
        (heading,) = listed.draw_block(0, 90)
        assert not Style.parse(str(heading.style)).reverse


async def test_history_finds_the_sessions_on_the_screen_that_lists_them(app: SandboxTui) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen) and app.screen.session_here)
        entries = action_entries(app, app.screen)
        [(kind, matches)] = grouped(entries, "history", ())
        assert kind == "Actions"
        assert {"Find in all sessions", "Replay the session"} <= {
            match.entry.words for match in matches
        }


@pytest.mark.parametrize(
    ("typed", "heading"),
    [
        ("approve", "Not on this screen: Approve the call (live run: a)"),
        ("command", "Not on this screen: Run a command in the sandbox (live run: i)"),
    ],
)
def test_an_action_of_another_screen_is_named_above_settings_of_that_name(
    typed: str, heading: str
) -> None:
    groups = grouped(SETTINGS, typed, ())
    assert [name for name, _ in groups] == [heading, "Settings"]


@pytest.mark.parametrize(
    ("typed", "heading"),
    [
        ("leave the run", "Not on this screen: Leave the run (live run: q)"),
        ("next error", "Not on this screen: Next failure (replay: n)"),
        ("save image", "Not on this screen: Save a screenshot (replay: C)"),
    ],
)
def test_several_words_mean_an_action_of_another_screen(typed: str, heading: str) -> None:
    assert [name for name, _ in grouped(SETTINGS, typed, ())][:1] == [heading]


def test_they_mean_no_action_elsewhere_if_one_like_it_is_here() -> None:
    also = synonyms("wall.leave")
    here = Entry("Actions", "wall.leave", "Back", "esc", lambda: None, also=also)
    ((_, matches), *_) = grouped([here, *SETTINGS], "leave the run", ())
    assert matches[0].entry == here


def test_the_word_mode_does_not_stand_for_all_models() -> None:
    model = Entry("Models", "model x", "qwen3-coder", "", lambda: None)
    assert "Models" not in dict(grouped([*SETTINGS, model], "mode", ()))
    assert "Models" in dict(grouped([*SETTINGS, model], "model", ()))


@pytest.mark.parametrize("typed", ["about", "list", "attach", "sandbox"])
def test_a_word_that_means_no_action_names_none(typed: str) -> None:
    assert all(not name.startswith("Not on") for name, _ in grouped(SETTINGS, typed, ()))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        *(("repaly", "replay"), ("setings", "settings"), ("tempreature", "temperature")),
        *(("evalution", "evaluation"), ("errors", "error"), ("intrrupt", "interrupt")),
        *(("thinking", ""), ("count", ""), ("link", ""), ("reward", "")),
    ],
)
def test_a_word_is_replaced_only_by_one_that_it_may_be_meant_for(typed: str, meant: str) -> None:
    known = "replay settings temperature evaluation error interrupt training cut like read"
    assert closest_words(typed, known.split()) == meant


@pytest.mark.parametrize("typed", ["yolo", "fast", "path"])
def test_letters_that_are_far_apart_are_no_match(typed: str) -> None:
    words = (
        "Reply time – model of new runs",
        "Fork, also with another model",
        "Replay the session",
    )
    assert [fit(typed, one) for one in words] == [None] * 3


def test_our_own_themes_come_first() -> None:
    dark = {"ansi": True, "lamplight": True, "nord": True}
    themes = theme_entries(dark, "nord", lambda name: None, own=["lamplight"])
    found = dict(grouped(themes, "dark theme", ()))
    assert [match.entry.words for match in found["Themes"]] == ["lamplight", "nord", "ansi"]


def test_themes_with_the_colours_of_the_terminal_come_last() -> None:
    dark = {"lamplight": True, "ansi-dark": True, "textual-dark": True, "nord": True}
    themes = theme_entries(dark, "nord", lambda name: None, own=["lamplight"])
    found = dict(grouped(themes, "dark", ()))
    names = [match.entry.words for match in found["Themes"]]
    assert names == ["textual-dark", "lamplight", "nord", "ansi-dark"]


@pytest.mark.parametrize("typed", ["dark", "dark theme", "theme dark", "dark themes"])
def test_a_theme_whose_name_is_typed_comes_first(typed: str) -> None:
    dark = {"ansi": True, "lamplight": True, "textual-dark": True, "daylight": False}
    themes = theme_entries(dark, "ansi", lambda name: None, own=["lamplight"])
    found = dict(grouped(themes, typed, ()))
    assert [m.entry.words for m in found["Themes"]] == ["textual-dark", "lamplight", "ansi"]


def action(name: str) -> Entry:
    words = ACTIONS[name].title
    return Entry("Actions", name, words, "", lambda: None, also=synonyms(name, words))


@pytest.mark.parametrize(
    ("typed", "rows"),
    [
        ("change model", ["Actions", "Choose a model"]),
        ("switch the model", ["Actions", "Choose a model"]),
        ("model quickly", ["No match for all words; some for: model", "Actions", "Choose a model"]),
        ("play faster", ["Not on this screen: Play faster (replay: +)"]),
        ("step 3", ["Not on this screen: Go to a step (replay: :)"]),
        ("rewind", ["Actions", "To the start", "Previous call"]),
        ("stop", ["Actions", "End the run", "Pause", "Freeze or resume the sandbox"]),
    ],
)
def test_what_is_meant_comes_first(typed: str, rows: list[str]) -> None:
    names = ("home.model", "replay.start", "replay.step_back", "live.pause", "live.freeze")
    found = grouped([*map(action, names), action("live.end")], typed, ())
    assert [one for name, some in found for one in (name, *(m.entry.words for m in some))] == rows


@pytest.mark.parametrize("typed", ["delete", "delte", "dlete"])
def test_a_title_that_begins_with_the_word_comes_first(typed: str) -> None:
    found = grouped([action("home.mark"), action("home.delete")], typed, ())
    assert next(m.entry.name for _, some in found for m in some) == "home.delete"


@pytest.mark.parametrize(
    ("here", "typed", "heading"),
    [
        ("evals.leave", "stop", "Stop the evaluation (evaluation: x)"),
        ("evals.leave", "pause", "Start no more samples (evaluation: p)"),
        ("eval.leave", "compare", "Compare two evaluations (evaluations: c)"),
        ("eval.leave", "two evaluations", "Compare two evaluations (evaluations: c)"),
        ("eval.leave", "approve", "Approve the call (live run: a)"),
        ("home.quit", "stop", "End the run (live run: x)"),
        ("home.quit", "compare", "Compare two sessions (home: c)"),
    ],
)
def test_what_is_near_is_named_before_other_screens(here: str, typed: str, heading: str) -> None:
    entries = [action(here), action("evals.new"), action("eval.report")]
    assert [name for name, _ in grouped(entries, typed, ())] == [f"Not on this screen: {heading}"]


@pytest.mark.parametrize("size", [(160, 45), (60, 20)])
@pytest.mark.parametrize(("typed", "field"), [("docker", "kind"), ("max steps", "steps")])
async def test_a_field_of_a_form_comes_before_the_setting(
    store: Store, own_home: Path, typed: str, field: str, size: tuple[int, int]
) -> None:
    app = SandboxTui(load({"model.name": "m", "model.local_ports": [1]}), store)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewRunDialog) and app.screen.is_filled)
        form = app.screen
        entry = await first_of(app, pilot, typed)
        assert entry.words.endswith(" – field of this form")
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is form and app.focused is not None)
        await until(pilot, lambda: form.query_one(f"#{field}").has_focus)


async def test_a_hidden_field_of_a_form_is_shown(store: Store, own_home: Path) -> None:
    app = SandboxTui(load({"model.name": "m", "model.local_ports": [1]}), store)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewRunDialog) and app.screen.is_filled)
        form = app.screen
        entry = await first_of(app, pilot, "temperature")
        assert entry.words == "Temperature – field of this form"
        await pilot.press("enter")
        await until(pilot, lambda: form.query_one("#temperature").has_focus)
        assert form.query_one("#temperature").region.area


def test_an_action_is_found_by_its_key() -> None:
    again = replace(action("home.run_again"), detail="ctrl+r")
    found = grouped([again, action("home.model")], "Ctrl+R", ())
    assert found == [("Actions", [Match(again, (), 36.0)])]


def test_a_key_that_ends_a_running_session_deletes_it_only_later(
    monkeypatch: pytest.MonkeyPatch, store: Store
) -> None:
    app = SandboxTui(load({}), store)
    screen = Screen[None]()
    here = ActionHere("home.delete", "End the run", ("x",), "delete", screen, "Sessions")
    monkeypatch.setattr(sources, "available_actions", lambda screen: [here])
    entries = action_entries(app, screen)
    assert [(one.name, one.words, one.off) for one in entries] == [
        ("home.end", "End the run", ""),
        ("home.delete", "Delete the session", "running: end it first"),
    ]
    rows = [(name, *(m.entry.words for m in some)) for name, some in grouped(entries, "delete", ())]
    assert rows == [("Actions", "Delete the session")]


def test_an_action_that_is_off_comes_first_if_it_is_named() -> None:
    off = replace(action("evals.compare"), off="there is only one evaluation")
    report = replace(action("evals.report"), also="compare export")
    groups = grouped([report, off], "compare", ())
    assert [match.entry for _, some in groups for match in some] == [off, report]
    groups = grouped([report, off], "two", ())
    assert [match.entry for _, some in groups for match in some] == [off]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("compare", "There is only one evaluation."),
        ("compare it quickly", "No match for all words"),
    ],
)
async def test_enter_runs_nothing_that_may_not_be_meant(
    store: Store, own_home: Path, typed: str, said: str
) -> None:
    app = SandboxTui(load({"model.name": "m", "model.local_ports": [1]}), store)
    off = replace(action("evals.compare"), off="there is only one evaluation")
    report = replace(action("evals.report"), also="compare export")
    known = [report, off] if said.startswith("There") else [report]
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        screen = PaletteScreen(known, nothing_more, (), lambda typed: (), lambda: ())
        await app.push_screen(screen)
        screen.query_one(Input).value = typed
        await pilot.pause()
        assert screen.query_one(EntryList).current is None
        await pilot.press("enter")
        assert app.screen is screen
        await until(pilot, lambda: any(said in one.message for one in shown_toasts(app)))
        await pilot.press(*["down"] * len(known))
        assert screen.query_one(EntryList).current == report


async def nothing_more() -> AsyncIterator[Sequence[Entry]]:
    """Yield no entries."""
    return
    yield


async def test_a_sample_is_found_by_its_id(store: Store, own_home: Path) -> None:
    app = SandboxTui(load({"model.name": "m", "model.local_ports": [1]}), store)
    run = enter_eval(store, time.time()).info.id + "-sample"
    store.append(run, [started(run, task="a sample")])
    with store.transaction() as connection:
        connection.execute("INSERT INTO eval_runs VALUES (?, ?)", [run, EVAL_ID])
    assert store.standalone_runs(10) == []
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert (await first_of(app, pilot, run)).id == run


async def test_the_help_finds_the_closest_word(store: Store, own_home: Path) -> None:
    app = SandboxTui(load({"model.name": "m", "model.local_ports": [1]}), store)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await pilot.press("question_mark", *"setings")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen) and app.screen.meant)
        screen = app.screen
        assert isinstance(screen, HelpScreen)
        assert screen.meant == "settings"
        assert "Settings" in [words for _, words in screen.keys_shown]
        await pilot.press(*"zzz")
        await until(pilot, lambda: screen.keys_shown == [])


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("delet", "Not on this screen: Delete the session, or all marked (home: x)"),
        ("renmae", "Not on this screen: Rename the session (home: R)"),
        ("seed", "Not on this screen: New run (home: n)"),
    ],
)
def test_an_action_of_another_screen_is_found_by_its_beginning_and_with_mistakes(
    typed: str, words: str
) -> None:
    entries = [Entry("Actions", "x", "Copy selected text", "", lambda: None)]
    assert [heading for heading, _ in grouped(entries, typed, ())] == [words]


def test_letters_that_match_by_coincidence_are_said_to() -> None:
    entries = [Entry("Actions", "x", "Go on", "", lambda: None)]
    found = grouped(entries, "gn", ())
    assert [heading for heading, _ in found] == ["No match; some letters are in:", "Actions"]


def test_an_action_that_is_called_what_is_typed_comes_before_one_that_is_off() -> None:
    off = Entry("Actions", "live.resume", "Ask the model again", "r", lambda: None, "it runs")
    resumes = Entry("Actions", "live.pause", "Resume", "space", lambda: None)
    [(_, matches)] = grouped([off, resumes], "resume", ())
    assert [match.entry for match in matches] == [resumes, off]
    assert not any(match.exact for match in matches if match.entry.off)


def test_a_corrected_word_comes_before_one_of_which_letters_are_left_out() -> None:
    ends = Entry("Actions", "x", "End the search or the filter, or leave", "esc", lambda: None)
    finds = Entry("Actions", "y", "Find in the calls", "/", lambda: None, also="search")
    (heading, _), (_, matches) = grouped([ends, finds], "sarch", ())
    assert heading == "No match; the closest: search"
    assert [match.entry for match in matches] == [finds, ends]
