"""The user's own keys: what can be configured, what is refused, and that they work."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from textual.binding import Binding

from sandbox_tui.core.config import settings as config
from sandbox_tui.sessions import Store
from sandbox_tui.tui import app as app_module
from sandbox_tui.tui import screens, widgets
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.cli.main import main
from sandbox_tui.tui.cli.settings.keys_command import _key_lines
from sandbox_tui.tui.keys.actions.places import PLACES
from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.keys.key_names import is_rare, key_name, writes
from sandbox_tui.tui.keys.key_scopes import ALSO_IN
from sandbox_tui.tui.keys.keymap import read_keymap
from sandbox_tui.tui.screens.cockpit.live.approving.whole_call import WholeCallScreen
from sandbox_tui.tui.screens.dialogs.pager import PagerScreen
from sandbox_tui.tui.screens.help.help_screen import HelpScreen
from sandbox_tui.tui.screens.home.home import HomeScreen


def write_keys(home: Path, text: str) -> config.Settings:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(f"[model]\nname = 'm'\n\n[keys]\n{text}\n")
    return config.load()


# --- the catalogue


def bindings() -> Iterator[Binding]:
    """Yield the bindings of all screens and widgets, as defined in their classes."""
    modules = [app_module]
    for package in (screens, widgets):
        found = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        modules += [importlib.import_module(module.name) for module in found]
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, type) and value.__module__ == module.__name__:
                yield from value.__dict__.get("BINDINGS", ())


def test_every_binding_is_in_the_table_and_vice_versa() -> None:
    every = list(bindings())
    assert {binding.id for binding in every} == set(ACTIONS)
    for binding in every:
        action = ACTIONS[str(binding.id)]
        assert (binding.key, binding.description) == (",".join(action.keys), action.words)


def test_only_decisions_work_in_the_full_text_of_a_waiting_call_too() -> None:
    both = {binding.id for binding in WholeCallScreen.BINDINGS if isinstance(binding, Binding)}
    assert both == set(ALSO_IN)
    in_pager = {
        ACTIONS[str(binding.id)].place
        for binding in PagerScreen.BINDINGS
        if isinstance(binding, Binding)
    }
    assert set(ALSO_IN.values()) == in_pager - {"app"}, "help is everywhere"
    assert read_keymap({"pager.next": "m"}).keys == {"pager.next": ("m",)}


def test_an_action_is_the_same_wherever_it_is_bound() -> None:
    by_name: dict[str | None, set[str]] = {}
    for binding in bindings():
        by_name.setdefault(binding.id, set()).add(binding.action)
    assert not {name: actions for name, actions in by_name.items() if len(actions) > 1}


def test_the_table_is_in_order() -> None:
    assert list(ACTIONS) == sorted(ACTIONS)
    assert all(re.fullmatch(r"[a-z_]+\.[a-z_]+", name) for name in ACTIONS)


def test_every_action_has_a_key_that_every_terminal_can_send() -> None:
    for action in ACTIONS.values():
        assert [key for key in action.keys if not is_rare(key)], action
        assert all(key_name(key) == key for key in action.keys), action


# --- names of keys


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("?", "question_mark"),
        ("Esc", "escape"),
        ("shift+a", "A"),
        ("ctrl+A", "ctrl+a"),
        ("shift+ctrl+up", "ctrl+shift+up"),
        ("+", "plus"),
        ("ctrl++", "ctrl+plus"),
        ("PgUp", "pageup"),
        ("slash", "slash"),
        ("ä", "ä"),
    ],
)
def test_keys_are_written_as_people_do(written: str, name: str) -> None:
    assert key_name(written) == name


@pytest.mark.parametrize("written", ["", "f99", "foo", "ctrl+foo", "hyp+a", "ctrl+i", "\x07", "++"])
def test_keys_that_cannot_exist_are_refused(written: str) -> None:
    with pytest.raises(ValueError, match="key|terminal"):
        key_name(written)


@given(st.text(max_size=20))
def test_any_text_is_a_key_or_refused(text: str) -> None:
    try:
        name = key_name(text)
    except ValueError:
        return
    assert not text.isascii() or key_name(name) == name
    assert isinstance(is_rare(name), bool)
    assert isinstance(writes(name), bool)


# --- the table


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"live.aprove": "y"}, "did you mean live.approve?"),
        ({"zzzzzz": "y"}, "sandbox-tui keys"),
        ({"live.approve": "ctrl+foo"}, "no key 'ctrl+foo'"),
        ({"live.approve": 3}, "keys are text"),
        ({"live.approve": [3]}, "keys are text"),
        ({"live.approve": "  "}, "at least one key"),
        ({"live.approve": "r"}, "r is live.reject"),
        ({"live.approve": "f"}, "f is calls.filter"),
        ({"home.evals": "q"}, "[keys] home.evals: q is home.quit at the same place"),
        ({"live.leave": "ctrl+q"}, "ctrl+q always quits"),
        ({"live.leave": "ctrl+c"}, "copies"),
        ({"find.leave": "x"}, "types a character"),
        ({"live": {"approve": "r"}}, "[keys] live.approve: r is live.reject"),
        ({"pager.next": "a"}, "[keys] pager.next: a is live.approve"),
        ({"pager.search": "S"}, "[keys] pager.search: S is live.skip"),
    ],
)
def test_an_entry_that_cannot_hold_is_one_sentence_and_the_rest_holds(
    table: dict[str, Any], words: str
) -> None:
    keymap = read_keymap({"live.shell": "f9", **table, "wall.order": "f8"})
    assert keymap.keys == {"live.shell": ("f9",), "wall.order": ("f8",)}
    (problem,) = keymap.problems
    assert words in problem
    assert problem.endswith("the default keys stay.")


def test_two_may_change_places() -> None:
    keymap = read_keymap({"live.approve": "r", "live": {"reject": "a"}})
    assert (keymap.problems, keymap.of("live.approve"), keymap.of("live.reject")) == (
        [],
        ("r",),
        ("a",),
    )


def test_a_bare_name_is_every_action_of_that_name() -> None:
    keymap = read_keymap({"approve": ["f7", "ctrl+y"]})
    approve = ("decide_all.approve", "live.approve", "wall.approve")
    assert keymap.keys == dict.fromkeys(approve, ("f7", "ctrl+y"))


def test_where_a_bare_name_clashes_is_named() -> None:
    keymap = read_keymap({"find": "a"})
    assert keymap.of("home.find") == ("a",)
    (problem,) = keymap.problems
    assert problem == (
        "[keys] find: a is wall.approve and live.approve at the same place already; "
        "the default keys stay for wall.find and calls.find."
    )
    assert read_keymap({"find": "a"}).of("wall.find") == ACTIONS["wall.find"].keys


def test_two_that_want_the_same_key_yield_one_after_the_other() -> None:
    keymap = read_keymap({"live.pause": "f9", "live.step": "f9"})
    assert keymap.keys == {"live.pause": ("f9",)}
    assert len(keymap.problems) == 1
    assert "live.step: f9 is live.pause" in keymap.problems[0]


def test_the_first_of_several_clashes_is_named_whatever_the_hash_seed() -> None:
    code = (
        "from sandbox_tui.tui.keys.keymap import read_keymap\n"
        "print(read_keymap({'help': ['f1', 'h']}).problems)"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "12345"
    }
    assert len(said) == 1, said
    assert "h is compare.hide" in said.pop()


def test_ctrl_q_cannot_be_taken_away() -> None:
    assert read_keymap({"app.quit": "f10"}).of("app.quit") == ("f10", "ctrl+q")
    assert read_keymap({"quit": "f10"}).of("app.quit") == ("f10", "ctrl+q")


def test_a_key_many_terminals_lack_never_stands_alone() -> None:
    keymap = read_keymap({"live.pause": "ctrl+enter"})
    assert keymap.of("live.pause") == ("ctrl+enter", "space")
    assert "many terminals cannot send ctrl+enter" in keymap.problems[0]


@given(
    st.dictionaries(
        st.sampled_from(sorted(ACTIONS)),
        st.sampled_from(
            ["a", "q", "escape", "ctrl+q", "f5", "enter", "r", "ctrl+p", "n,N", "bad+"]
        ),
        max_size=8,
    )
)
def test_no_keymap_takes_a_way_out_away_or_lets_two_share(table: dict[str, str]) -> None:
    keymap = read_keymap(table)
    assert "ctrl+q" in keymap.of("app.quit")
    for name in ACTIONS:
        keys = keymap.of(name)
        assert keys
        assert "ctrl+q" not in keys or name == "app.quit"
    live = {n: set(keymap.of(n)) for n in ACTIONS if n.startswith("live.")}
    # by design these have the key of another action, which is off while they work
    del live["live.put_away"], live["live.resume"], live["live.to_calls"]
    for one, keys in live.items():
        assert not [other for other in live if other != one and live[other] & keys]


def test_former_names_of_actions_still_work() -> None:
    keymap = read_keymap({"replay": {"picture": "f8"}, "home": {"help": "f7"}})
    assert keymap.problems == []
    assert keymap.of("replay.screenshot") == ("f8",)
    assert keymap.of("app.help") == ("f7",)


# --- on the screen


async def test_keys_work_and_problems_are_told_with_their_line(
    own_home: Path, store: Store
) -> None:
    settings = write_keys(own_home, '"home.help" = "f7"\n"home.hlep" = "f6"')
    app = SandboxTui(settings, store)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("question_mark")
        assert isinstance(app.screen, HomeScreen)
        await pilot.press("f7")
        assert isinstance(app.screen, HelpScreen)
        await pilot.pause()
        assert ("f7", "Keys of this screen") in app.screen.keys_shown
        notes = [note.message for note in app._notifications]
    assert [note for note in notes if "line 6: [keys] home.hlep" in note]


async def test_a_letter_writes_where_text_is_typed(own_home: Path, store: Store) -> None:
    """Even if the action has other keys that a text field ignores."""
    settings = write_keys(own_home, '"pager.leave" = ["x", "escape"]')
    app = SandboxTui(settings, store)
    async with app.run_test(size=(100, 30)) as pilot:
        app.push_screen(PagerScreen("t", "one\ntwo"))
        await pilot.pause()
        await pilot.press("slash", "x", "q")
        assert isinstance(app.screen, PagerScreen)
        assert app.screen.query_one("Input").value == "xq"  # type: ignore[attr-defined]
        await pilot.press("escape", "q")
        assert isinstance(app.screen, PagerScreen)
        await pilot.press("x")
        assert isinstance(app.screen, HomeScreen)


async def test_ctrl_q_quits_whatever_the_keymap_says(own_home: Path, store: Store) -> None:
    settings = write_keys(own_home, 'app.quit = "f10"\n"home.new" = "ctrl+q"')
    app = SandboxTui(settings, store)
    async with app.run_test() as pilot:
        await pilot.press("ctrl+q")
        await pilot.pause()
    assert app.return_code == 0


# --- on the command line


@pytest.mark.parametrize("place", ["home", "live", "list"])
def test_descriptions_of_keys_wrap_between_words(place: str) -> None:
    actions = [action for action in ACTIONS.values() if action.place == place]
    lines = list(_key_lines(read_keymap({}), actions, 60))
    assert all(len(line) <= 60 for line in lines)
    words = [word for line in lines for word in line.split()]
    assert all(word in words for action in actions for word in action.title.split())


def test_keys_are_listed_with_what_a_person_changed(own_home: Path) -> None:
    write_keys(own_home, '"live.approve" = "f7"\nnope = "y"')
    done = CliRunner().invoke(main, ["keys"])
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert len([line for line in lines if line.startswith("  ")]) == len(ACTIONS)
    assert next(line for line in lines if line.startswith("  live.approve")).split() == [
        "live.approve", "f7", "Approve", "the", "call", "(usually", "a)",
    ]  # fmt: skip
    assert "line 6: [keys] nope" in done.stderr
    rows = [
        json.loads(line)
        for line in CliRunner().invoke(main, ["keys", "--json"]).stdout.splitlines()
    ]
    words = {"words": "approve", "description": "Approve the call"}
    assert {"action": "live.approve", "keys": ["f7"], "usual": ["a"], **words} in rows


@pytest.mark.parametrize(
    ("word", "headings", "names"),
    [
        ("trainings", ["trainings", "home"], ["trainings.delete", "home.trainings"]),
        (
            "fork",
            ["fork", "home", "live", "replay", "failure"],
            ["fork.start", "home.fork", "replay.fork"],
        ),
        ("f7", ["live"], ["live.approve"]),
        ("Approve the call", ["live"], ["live.approve"]),
    ],
)
def test_keys_of_a_screen_on_a_key_or_with_a_word(
    own_home: Path, word: str, headings: list[str], names: list[str]
) -> None:
    write_keys(own_home, '"live.approve" = "f7"')
    done = CliRunner().invoke(main, ["keys", word])
    assert done.exit_code == 0
    lines = [line for line in done.stdout.splitlines() if line]
    above = [line for line in lines if not line.startswith(" ")]
    assert [line.partition(":")[0] for line in above] == headings
    assert set(names) <= {line.split()[0] for line in lines if line.startswith(" ")}
    rows = CliRunner().invoke(main, ["keys", word, "--json"]).stdout.splitlines()
    assert len(rows) == len(lines) - len(headings)


def test_keys_are_listed_below_the_names_and_titles_of_places() -> None:
    assert set(PLACES) == {action.place for action in ACTIONS.values()}
    listed = CliRunner().invoke(main, ["keys"]).stdout.splitlines()
    above = [line for line in listed if line and not line.startswith(" ")]
    assert above[:3] == ["app: everywhere", "home", "cockpit: a run, live or replayed"]
    assert "new_run: form of a new run" in above
    assert len(above) == len(PLACES)


def test_what_is_on_exactly_this_key_comes_first(own_home: Path) -> None:
    rows = [
        json.loads(line)
        for line in CliRunner().invoke(main, ["keys", "F", "--json"]).stdout.splitlines()
    ]
    on_key = [row["action"] for row in rows if "F" in row["keys"]]
    assert [row["action"] for row in rows[: len(on_key)]] == on_key
    assert {"home.fork", "live.fork", "replay.fork"} <= set(on_key)
    assert {key.casefold() for row in rows for key in row["keys"]} >= {"f"}
    assert all("f" in map(str.casefold, row["keys"]) for row in rows), "no words with this letter"


@pytest.mark.parametrize(
    ("typed", "meant"), [("lvie", "live"), ("setings", "settings"), ("live.aprove", "live.approve")]
)
def test_a_misspelt_name_gets_the_closest_one(typed: str, meant: str) -> None:
    done = CliRunner().invoke(main, ["keys", typed])
    assert done.exit_code == 2
    assert f"No action has '{typed}'. Did you mean '{meant}'" in done.output


def test_a_word_that_no_key_has_is_refused_in_one_line() -> None:
    done = CliRunner().invoke(main, ["keys", "zzz"])
    assert done.exit_code == 2
    words = "No action has 'zzz'. `sandbox-tui keys` lists all actions."
    assert done.output == f"sandbox-tui: {words}\n"
