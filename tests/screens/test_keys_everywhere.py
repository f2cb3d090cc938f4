"""In every state of every screen, the key bar shows the keys that work, and the help all keys."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.keys.available_actions import (
    COPY,
    NO_SEARCH,
    available_actions,
    is_passed_on,
    why_key_is_disabled,
)
from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.help.help_screen import HelpScreen
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.textual_support.private_api import (
    binding_chain,
    declared_bindings,
    parse_action,
    shown_toasts,
)
from sandbox_tui.tui.theming.palette import palette_of
from sandbox_tui.tui.widgets.key_bar import EXIT_ACTIONS, KeyBar
from tests.screens.toast_place import check_toasts, say_something
from tests.snapshots import test_looks as looks
from tests.snapshots.looks import digest_of, lines_of, text_of
from tests.snapshots.sample_run import sample_run
from tests.snapshots.watched_run import WatchedRun
from tests.waiting import until

store = looks.store

SIZES = [(160, 45), (100, 30), (80, 24), (60, 20)]

STEERING = {
    *("approve", "edit", "reject", "pause", "step", "mode", "inject", "message", "take_over"),
    *("screen.push_file", "screen.edit_file"),
}


def watched(
    *keys: str, ends: bool = False, steers: bool = True, mode: e.Mode = "auto"
) -> looks.Act:
    """Watch a run in the middle of a reply, at its end, or from a second screen."""

    async def act(app: SandboxTui, pilot: Pilot[int], store: Store) -> None:
        events = looks.ended("20260101-100000-first", "submitted", 60, "Find it")
        if not ends:
            asked = next(ev for ev in reversed(sample_run()) if isinstance(ev, e.ModelAsked))
            events = sample_run()[: asked.seq]
            events.append(e.ModeChanged(seq=asked.seq + 1, t=asked.t, mode=mode))
        run = WatchedRun(events)
        run.steers = steers
        screen = LiveScreen(run, store)
        await app.push_screen(screen)
        while screen.state.seq < len(events):
            await pilot.pause()
        await pilot.press(*keys)

    return act


STATES: dict[str, tuple[str | None, looks.Act]] = {
    **looks.SCREENS,
    "running": (None, watched()),
    "running-files": (None, watched("3")),
    "paused": (None, watched(mode="paused")),
    "ended": (None, watched(ends=True)),
    "ended-files": (None, watched("3", ends=True)),
    "watching": (None, watched(steers=False)),
    "watching-files": (None, watched("3", steers=False)),
    "replay-start": ("20260101-120000-sampl", looks.replayed("0")),
    "replay-terminal": ("20260101-120000-sampl", looks.replayed("2")),
}


@asynccontextmanager
async def state(
    store: Store, name: str, *, has_toasts: bool = False
) -> AsyncGenerator[tuple[SandboxTui, Pilot[int]]]:
    begin, act = STATES[name]
    async with looks.shown(store, SIZES[0], begin, has_toasts=has_toasts) as (app, pilot):
        await act(app, pilot, store)
        await looks.until(pilot, lambda: all(map(looks.is_read, app.screen_stack[1:])))
        await pilot.pause()
        yield app, pilot


def is_off(node: object, action: str) -> str:
    target, name, parameters = parse_action(node, action)  # type: ignore[arg-type]
    return (
        target.why_unavailable(name, parameters) if isinstance(target, ExplainsUnavailable) else ""
    )


@pytest.mark.parametrize("name", STATES)
async def test_the_bar_and_the_help_fit_the_moment_and_a_toast_covers_nothing(
    store: Store, name: str
) -> None:
    async with state(store, name, has_toasts=True) as (app, pilot):
        check_help(app.screen)
        for size in SIZES:
            await resize(app, pilot, size)
            check_bar(app.screen, size[0])
        say_something(app)
        for size in SIZES:
            await resize(app, pilot, size)
            check_bar(app.screen, size[0])
            check_toasts(app.screen)


@pytest.mark.parametrize("name", STATES)
async def test_a_dialog_and_its_bar_name_the_same_keys(store: Store, name: str) -> None:
    async with state(store, name) as (app, _):
        box = app.screen.query(".dialog")
        if not box:
            return
        bar = {f"{known.key} {known.words}" for known in app.screen.query_one(KeyBar).keys_shown}
        border = str(box.first().border_subtitle or "").replace("ctrl+", "^")
        border = re.sub("n/esc/enter(/q)?", "n", border)  # the bar names an action's first key
        moves = ("↑ ↓", "type to filter")  # these have no action of their own
        assert {
            words for words in border.split(" · ") if words and not words.startswith(moves)
        } <= bar


async def resize(app: SandboxTui, pilot: Pilot[int], size: tuple[int, int]) -> None:
    await pilot.resize_terminal(*size)
    for _ in range(3):  # the screen, what it shows for this width, and its bar
        await pilot.pause()


def check_bar(screen: Screen[object], width: int) -> None:
    bars = screen.query(KeyBar)
    assert len(bars) == 1, "each screen has a bar of its own, dialogs too"
    bar = bars.first()
    shown = bar.keys_shown
    assert len(bar.render_line(0).text) <= width
    actions = [known.action for known in shown]
    assert not [action for action, many in Counter(actions).items() if many > 1]
    assert {action.removeprefix("app.") for action in actions} & set(EXIT_ACTIONS), "no way out"
    for known in shown:
        assert not is_off(known.node, known.action), known


OF_FIELDS = {"enter", "choice.next", "choice.previous"}
"""Keys of lists and choices, which help names before they have the focus."""


def check_help(screen: Screen[object]) -> None:
    listed = available_actions(screen)
    names = [action.name for action in listed]
    assert max(Counter(names).values()) == 1
    assert set(names) - {COPY} - OF_FIELDS == reachable(screen) - OF_FIELDS
    assert all(action.words[0].isupper() for action in listed if action.words[0].isalpha())
    on = [action.off for action in listed]
    assert all(off == off.rstrip(".") and off[:1] == off[:1].lower() for off in on)


def reachable(screen: Screen[object]) -> set[str]:
    """Return our actions on the screen that have a key not overridden closer to the focus."""
    active = screen.active_bindings
    found: set[str] = set()
    for node, bindings in binding_chain(screen):
        for key, binding in bindings:
            if binding.id in ACTIONS:
                here = key in active and (active[key].node is node or is_passed_on(active[key]))
                off = is_off(node, binding.action)
                if here or (off and not (key in active and off == NO_SEARCH)):
                    found.add(binding.id)
    return found | of_the_program(screen)


def of_the_program(screen: Screen[object]) -> set[str]:
    """Return the actions whose keys work on every screen, dialogs too; not the one that opened
    this dialog."""
    keys = {binding.id or "" for binding in declared_bindings(screen.app) if binding.priority}
    return keys & ACTIONS.keys() - {getattr(screen, "opened_by", "")}


async def test_no_key_steers_a_run_that_has_ended_or_that_another_screen_steers(
    store: Store,
) -> None:
    for name in ("ended", "ended-files", "watching", "watching-files", "replay"):
        async with state(store, name) as (app, pilot):
            bar = app.screen.query_one(KeyBar)

            def shown(bar: KeyBar = bar) -> set[str]:
                return {known.action for known in bar.keys_shown}

            await until(pilot, lambda shown=shown: not shown() & STEERING)
            off = {action.name: action.off for action in available_actions(app.screen)}
            if name.startswith("ended"):
                assert off["live.pause"] == "this run has ended"
            elif name.startswith("watching"):
                assert off["live.pause"] == "another terminal is in control; T takes control"
                assert "steer" in shown()


async def test_an_unavailable_action_says_why(store: Store) -> None:
    async with state(store, "running") as (app, _):
        off = {action.name: action.off for action in available_actions(app.screen)}
        assert off["live.approve"] == "no call is waiting"
        assert why_key_is_disabled(app.screen, "r") == "No call is waiting."
        assert not off["live.replay"], "it shows the recording so far"
        assert not off["live.export"], "it writes the recording so far"
        assert not off["live.pause"]
    async with state(store, "replay-start") as (app, _):
        off = {action.name: action.off for action in available_actions(app.screen)}
        assert off["replay.step_back"] == "this is the start"
        assert not off["replay.step"]


async def test_a_key_that_is_off_says_why(store: Store) -> None:
    async with state(store, "running") as (app, pilot):
        for key, words in {"a": "No call is waiting.", "n": "There is no search."}.items():
            await pilot.press(key)
            await pilot.pause()
            assert [toast.message for toast in shown_toasts(app)] == [words]


async def test_a_line_that_is_typed_has_the_bar_to_itself(store: Store) -> None:
    for name, words in {
        "live-command": "run",
        "find": "keep matches",
        "home-find": "open",
    }.items():
        async with state(store, name) as (app, _):
            shown = app.screen.query_one(KeyBar).keys_shown
            assert (shown[0].key, shown[0].words) == ("enter", words)
            assert "esc" in [known.key for known in shown]
            assert not {known.action for known in shown} & {"mode", "speed(1)"}


async def test_an_empty_home_offers_nothing_on_a_session(tmp_path: Path, store: Store) -> None:
    app = SandboxTui(looks.load({"model.name": "m"}), Store(tmp_path / "empty.db"))
    async with app.run_test(size=SIZES[0]) as pilot:
        await looks.until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await app.workers.wait_for_complete()  # pyright: ignore[reportUnknownMemberType]
        await pilot.pause()
        check_help(app.screen)
        for width, height in SIZES:
            await pilot.resize_terminal(width, height)
            await pilot.pause()
            check_bar(app.screen, width)
        keys = {known.action for known in app.screen.query_one(KeyBar).keys_shown}
        assert not keys & {"delete", "compare", "export", "resume", "wall"}
        assert "new" in keys


def look_of(app: SandboxTui) -> str:
    """Return the text and styles on the screen; styles matter because they show the cursor."""
    lines = lines_of(app)
    return text_of(lines) + digest_of(lines)


PRESSED = ("home", "replay", "replay-start", "compare", "pager", "file-view")
"""States in which every key of the bar is pressed."""


@pytest.mark.parametrize("name", PRESSED)
async def test_each_key_of_the_bar_does_something(store: Store, name: str) -> None:
    async with state(store, name) as (app, _):
        keys = [known.name for known in app.screen.query_one(KeyBar).keys_shown if known.name]
    for key in keys:
        async with state(store, name) as (app, pilot):
            before, stack = look_of(app), list(app.screen_stack)
            await pilot.press(key)
            await pilot.pause()
            if app.is_running and app.screen_stack == stack:
                await looks.settled(app, pilot)
                assert look_of(app) != before, f"{key} changes nothing"


async def test_the_help_of_an_ended_run_says_once_for_all_why_it_cannot_be_steered(
    store: Store,
) -> None:
    async with state(store, "ended") as (app, pilot):
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        text = app.screen._list(palette_of(app.screen)).plain
        assert "The run – this run has ended" in text
        assert "The waiting call – this run has ended" in text
        assert "Pause" not in text, "only its key"
        assert text.index("Replay the session") < text.index("The run –")
        app.screen.query_one(Input).value = "take it back"
        await until(pilot, lambda: len(app.screen.keys_shown) == 1)
        text = app.screen._list(palette_of(app.screen)).plain
        own_reason = "What you allowed in this run, to take it back – nothing was allowed"
        assert own_reason in " ".join(text.split())


async def test_what_is_on_exactly_the_typed_key_is_first_in_the_help(store: Store) -> None:
    async with state(store, "replay") as (app, pilot):
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        shown = app.screen
        assert isinstance(shown, HelpScreen)
        everything = shown.keys_shown
        for key, words in (("F", "Fork here, also with another model"), ("n", "Next failure")):
            shown.query_one(Input).value = key
            await until(pilot, lambda key=key, words=words: shown.keys_shown[0] == (key, words))
            lines = shown._list(palette_of(shown)).plain.split("\n")
            assert words in lines[1], "below the heading of its group"
        shown.query_one(Input).value = ""
        await until(pilot, lambda: shown.keys_shown == everything)


async def test_the_help_names_enter_only_while_one_match_is_left(store: Store) -> None:
    async with state(store, "running") as (app, pilot):
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        shown = app.screen

        def named() -> tuple[bool, bool]:
            bar = [known.key for known in shown.query_one(KeyBar).keys_shown]
            return "enter" in bar, "enter run" in str(
                shown.query(".dialog").first().border_subtitle
            )

        assert named() == (False, False)
        for typed, is_named in (
            ("fi", False),
            ("freeze", True),
            ("no such key", False),
            ("Z", True),
        ):
            shown.query_one(Input).value = typed
            await until(pilot, lambda wanted=is_named: named() == (wanted, wanted))


async def test_ctrl_c_says_how_to_quit(store: Store) -> None:
    app = SandboxTui(looks.load({"model.name": "m"}), store)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("ctrl+c")
        await until(pilot, lambda: "ctrl+q&#160;quits" in app.export_screenshot())
