"""Deciding on a waiting call: the dialog that allows calls like it, the full text, the edit form."""

from __future__ import annotations

import json
import stat
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static, TextArea

from sandbox_tui.core.agent.approval_gate import Gate
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_phase import Phase
from sandbox_tui.core.policy.rules import Policy
from sandbox_tui.core.policy.session_rules import open_parts
from sandbox_tui.core.run.human.run_controls import Controls
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.cockpit.live.approving.allowed_rules import AllowedRulesDialog
from sandbox_tui.tui.screens.cockpit.live.approving.approve_always import ApproveAlwaysDialog
from sandbox_tui.tui.screens.cockpit.live.approving.call_drafts import DraftOrOriginalDialog
from sandbox_tui.tui.screens.cockpit.live.approving.exact_call import ExactCall
from sandbox_tui.tui.screens.cockpit.live.approving.pattern_words import pattern_in_words
from sandbox_tui.tui.screens.cockpit.live.approving.whole_call import WholeCallScreen
from sandbox_tui.tui.screens.cockpit.live.choose_mode import ModeDialog
from sandbox_tui.tui.screens.cockpit.live.live_screen import LiveScreen
from sandbox_tui.tui.screens.dialogs.edit_call import EditCallDialog
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.widgets.calls.approval_bar import ApprovalBar
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.calls.inject_bar import InjectBar
from sandbox_tui.tui.widgets.calls.queue_list import QueueList
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.themed_text import ThemedText
from tests.snapshots.sample_run import sample_run
from tests.snapshots.watched_run import WatchedRun
from tests.waiting import until


class NoFiles:
    """The files of a run whose sandbox has one file."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    async def exists(self, path: str) -> bool:
        return path == "/testbed/a.py"

    async def read(self, path: str, *, max_bytes: int) -> bytes:
        return self.content


def controls(decisions: list[tuple[Any, ...]], content: bytes = b"") -> Controls:
    """Controls of a run that notes every decision."""

    def note(name: str) -> Any:
        return lambda *given: decisions.append((name, *given)) or True

    names = ("approve", "approve_always", "edit", "reject", "answer", "skip", "revoke_rule")
    gate = Gate(lambda event: event, Policy())
    return cast(
        Controls,
        SimpleNamespace(
            **{name: note(name) for name in names},
            keep_waiting=note("keep_waiting"),
            gate=gate,
            files=NoFiles(content),
            phase=Phase.RUNNING,
            steerable=True,
            over=False,
            left_behind=(),
        ),
    )


def waiting(tool: str, **arguments: Any) -> Sequence[e.AnyEvent]:
    """A run whose first call waits."""
    call = e.ToolCall(number=1, step=1, id="c", name=tool, arguments=json.dumps(arguments))
    return [sample_run()[0], e.CallProposed(call=call), e.CallHeld(call=1)]


@asynccontextmanager
async def live(
    tmp_path: Path, events: Sequence[e.AnyEvent], run: Controls, size: tuple[int, int] = (160, 45)
) -> AsyncGenerator[tuple[SandboxTui, Pilot[int], LiveScreen]]:
    store = Store(tmp_path / "s.db")
    app = SandboxTui(load(), store)
    watched = WatchedRun(events)
    watched.run = run
    async with app.run_test(size=size, notifications=True) as pilot:
        screen = LiveScreen(watched, store)
        await app.push_screen(screen)
        await until(pilot, lambda: screen.state.pending is not None or screen.state.granted)
        await until(
            pilot,
            lambda: screen._drawn_call.shows(screen.state.pending) or not screen.state.pending,
        )
        yield app, pilot, screen


BASH = "execute_bash"


async def test_the_pattern_says_whether_it_matches_and_enter_refuses_one_that_does_not(
    tmp_path: Path,
) -> None:
    app = SandboxTui(load(), Store(tmp_path / "s.db"))
    call = e.ToolCall(number=1, step=1, id="c", name=BASH, arguments='{"command": "git push -f"}')
    given: list[tuple[str, ...] | None] = []
    async with app.run_test(size=(100, 30)) as pilot:
        dialog = ApproveAlwaysDialog(call, open_parts(Policy(), BASH, call.arguments))
        await app.push_screen(dialog, given.append)
        await pilot.pause()
        line = dialog.query_one(Input)

        def said() -> str:
            return "\n".join(str(text.render()) for text in dialog.query(ThemedText))

        assert line.value == "git push -f"
        assert said() == "\n".join(
            (
                "✓ matches this call",
                "● only this exact command",
                "  git push with any arguments",
                "  git with any arguments",
            )
        )
        await pilot.press("down", "down", "down", "up")
        assert line.value == "git push *"
        await pilot.press("backspace", "x", "enter")
        assert "✗ does not match this call" in said()
        assert "does not match the call" in str(dialog.query_one(".dialog").border_subtitle)
        assert not given
        await pilot.press("backspace", "*", "enter")
        assert given == [("git push *",)]


EXACT = tuple(f"make part{number} [*]" for number in range(12))


@pytest.mark.parametrize(
    ("keys", "patterns"),
    [
        (["enter"], EXACT),
        (["down", "enter"], EXACT),
        (["down", "down", "enter"], ("make *", *EXACT[1:])),
    ],
)
async def test_a_call_of_many_parts_is_first_offered_as_a_whole(
    keys: list[str], patterns: tuple[str, ...], tmp_path: Path
) -> None:
    app = SandboxTui(load(), Store(tmp_path / "s.db"))
    command = " && ".join(f"make part{number} *" for number in range(12))
    arguments = json.dumps({"command": command})
    call = e.ToolCall(number=1, step=1, id="c", name=BASH, arguments=arguments)
    given: list[tuple[str, ...] | None] = []
    async with app.run_test(size=(100, 30)) as pilot:
        dialog = ApproveAlwaysDialog(call, open_parts(Policy(), BASH, arguments))
        await app.push_screen(dialog, given.append)
        choice = dialog.query_one(ExactCall)
        box = dialog.query_one(".dialog")
        await until(pilot, lambda: dialog.focused is choice)
        assert "each of its 12 parts as written" in str(choice.render())
        assert str(box.border_subtitle) == "enter allow · ↓ split · esc cancel"
        assert box.outer_size.height < 15
        for key in keys:
            await pilot.press(key)
            if key == "down":
                await until(pilot, lambda: isinstance(dialog.focused, Input))
                assert not choice.display
        await until(pilot, lambda: bool(given))
    assert given == [patterns]


def test_patterns_are_told_in_words() -> None:
    for pattern, words in {
        "make all": "only this exact command",
        "rm [*].o": "only this exact command",
        "*": "every command, whatever it does",
        "python3 *": "python3 with any arguments: any code",
        "python3 -m pytest *": "python3 -m pytest with any arguments",
        "echo a*": "every command that begins with “echo a”",
        "rm *.o": "every command of this form, where * is any text",
        "> /tmp/*": "writing any file below /tmp",
        "> out.txt": "writing only out.txt",
    }.items():
        assert pattern_in_words(BASH, pattern) == words
    for pattern, words in {
        "create /testbed/a.py": "creating only /testbed/a.py",
        "* /testbed/*": "viewing and changing any file below /testbed",
        "view": "viewing any file",
        "insert /*": "inserting into any file below /",
    }.items():
        assert pattern_in_words("str_replace_editor", pattern) == words
    assert pattern_in_words("browser", "browser") == "every call of browser"


async def test_the_list_of_what_was_allowed_takes_one_back(tmp_path: Path) -> None:
    decisions: list[tuple[Any, ...]] = []
    events = [
        *waiting(BASH, command="make all"),
        e.RuleGranted(tool=BASH, pattern="make *", call=1),
        e.RuleGranted(tool=BASH, pattern="ls"),
    ]
    async with live(tmp_path, events, controls(decisions)) as (app, pilot, screen):
        await until(pilot, lambda: len(screen.state.granted) == 2)
        await pilot.press("L")
        await until(pilot, lambda: isinstance(app.screen, AllowedRulesDialog))
        listed = app.screen.query_one(OptionList)
        first = str(listed.get_option_at_index(0).prompt)
        assert first.splitlines() == [
            "bash make *",
            "  make with any arguments · step 1, call 1, 00:00",
        ]
        await pilot.press("d")
        assert decisions == [("revoke_rule", BASH, "make *")]
        screen.state.apply(e.RuleRevoked(tool=BASH, pattern="make *"))
        await until(pilot, lambda: listed.option_count == 1)
        await pilot.press("escape", "M")
        await until(pilot, lambda: isinstance(app.screen, ModeDialog))
        modes = app.screen.query_one(OptionList)
        step = str(modes.get_option_at_index(2).prompt)
        assert step.endswith("all wait, except what you allowed")
        await pilot.press("l")
        await until(pilot, lambda: isinstance(app.screen, AllowedRulesDialog))


async def test_the_full_text_takes_the_decision(tmp_path: Path) -> None:
    decisions: list[tuple[Any, ...]] = []
    run = controls(decisions)
    async with live(tmp_path, waiting(BASH, command="make all"), run) as (app, pilot, screen):
        await pilot.press("W")
        await until(pilot, lambda: isinstance(app.screen, WholeCallScreen))
        whole = app.screen
        assert str(whole.query_one("#pager-text").border_subtitle) == "1 line"
        keys = [known.words for known in whole.query_one(KeyBar).keys_shown]
        assert keys[:6] == ["approve", "always", "edit", "reject", "answer", "skip"]
        await pilot.press("r")
        await until(pilot, lambda: app.screen is not whole)
        await pilot.press("n", "o", "escape")
        await until(pilot, lambda: app.screen is whole)
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        await pilot.press("escape", "a")
        await until(pilot, lambda: app.screen is screen)
        assert decisions == [("approve", 1)]


async def test_a_waiting_edit_is_shown_in_the_file_as_it_is_now(tmp_path: Path) -> None:
    arguments = {"command": "str_replace", "path": "/testbed/a.py", "old_str": "b", "new_str": "B"}
    events = waiting("str_replace_editor", **arguments)
    run = controls([], b"a\nb\nc\n")
    async with live(tmp_path, events, run) as (_, pilot, screen):
        calls = screen.query_one(Calls)

        def shown() -> list[str]:
            return [calls.render_line(y).text.strip() for y in range(12)]

        await until(pilot, lambda: "2 + B" in shown())
        assert [line for line in shown() if line[:1].isdigit()][-4:] == [
            "1   a",
            "2 - b",
            "2 + B",
            "3   c",
        ]
        cast(NoFiles, run.files).content = b"b\nb\n"
        screen.state.apply(e.TerminalInput(terminal="shell", data=b"x", seq=screen.state.seq + 1))

        def is_warned() -> bool:
            screen.sync_bars()  # the clock of this run stands still
            in_bar = "a approve (would fail)" in screen.query_one(ApprovalBar).render().plain
            return in_bar and any("This call would fail" in line for line in shown())

        await until(pilot, is_warned)


async def test_the_editor_warns_while_the_edited_call_would_fail(tmp_path: Path) -> None:
    arguments = {"command": "str_replace", "path": "/testbed/a.py", "old_str": "b", "new_str": "B"}
    events = waiting("str_replace_editor", **arguments)
    run = controls([], b"a\nb\nc\n")
    async with live(tmp_path, events, run) as (app, pilot, screen):
        calls = screen.query_one(Calls)
        await until(pilot, lambda: calls.edited_files.read)
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        box = app.screen.query_one(".dialog")
        old = list(app.screen.query("TextArea.field").results(TextArea))[2]
        old.text = "no such text"
        await until(pilot, lambda: "This call would fail" in str(box.border_subtitle))
        old.text = "b"
        await until(pilot, lambda: "would fail" not in str(box.border_subtitle))


@pytest.mark.parametrize("size", [(160, 45), (60, 20)])
async def test_a_value_of_another_type_is_refused_in_the_editor(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    decisions: list[tuple[Any, ...]] = []
    run = controls(decisions)
    async with live(tmp_path, waiting(BASH, command="ls"), run) as (app, pilot, _):
        await pilot.resize_terminal(*size)
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        await pilot.press("f3")
        text = app.screen.query_one("TextArea.json", TextArea)
        box = app.screen.query_one(".dialog")
        text.text = '{"command": 5}'
        await pilot.press("ctrl+s")
        await until(pilot, lambda: str(box.border_subtitle) == "command must be text, not 5.")
        assert box.has_class("-wrong")
        assert not decisions
        text.text = '{"command": "5"}'
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(decisions))


async def test_escape_with_nothing_to_interrupt_says_nothing(tmp_path: Path) -> None:
    run = controls([])
    async with live(tmp_path, waiting(BASH, command="x"), run) as (app, pilot, _):
        await pilot.press("escape")
        await pilot.pause()
        assert not list(shown_toasts(app))


async def test_a_field_keeps_its_label_on_a_small_screen(tmp_path: Path) -> None:
    app = SandboxTui(load(), Store(tmp_path / "s.db"))
    fields = {"command": "create", "path": "/testbed/a.py", "file_text": "line\n" * 60}
    call = e.ToolCall(
        number=1, step=1, id="c", name="str_replace_editor", arguments=json.dumps(fields)
    )
    async with app.run_test(size=(60, 20)) as pilot:
        dialog = EditCallDialog(call)
        await app.push_screen(dialog)
        text = list(dialog.query("TextArea.field").results(TextArea))[-1]
        box = dialog.query_one(".dialog")
        await until(pilot, lambda: box.content_region.contains_region(text.region))
        assert text.has_focus
        assert str(text.border_title) == "content of the file"
        await pilot.press("shift+tab")
        await until(pilot, lambda: not text.has_focus)


async def test_an_edit_that_was_left_is_a_draft_of_that_call(tmp_path: Path) -> None:
    decisions: list[tuple[Any, ...]] = []
    run = controls(decisions)
    async with live(tmp_path, waiting(BASH, command="make"), run) as (app, pilot, screen):

        async def opened() -> EditCallDialog:
            await pilot.press("e")
            await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
            assert isinstance(app.screen, EditCallDialog)
            return app.screen

        def command() -> str:
            return app.screen.query_one("TextArea.field", TextArea).text

        await opened()
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        assert not list(shown_toasts(app)), "nothing was typed"
        await opened()
        dialog = app.screen
        assert _key_words(dialog, "cancel") == "cancel"
        await pilot.press(*" all")
        await until(pilot, lambda: _key_words(dialog, "cancel") == "keep draft")
        assert str(dialog.query_one(".dialog").border_subtitle).endswith("esc keep draft")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        assert any("Draft saved" in toast.message for toast in shown_toasts(app))
        assert "e edited draft" in screen.query_one(ApprovalBar).render().plain
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, DraftOrOriginalDialog))
        assert decisions == [("keep_waiting", 1)], "nothing is approved without a word about it"
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        assert command() == "make all"
        await pilot.press("f5")
        assert command() == "make"
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        assert "edited draft" not in screen.query_one(ApprovalBar).render().plain
        await opened()
        assert command() == "make"
        await pilot.press(*" it", "ctrl+s")
        await until(pilot, lambda: bool(decisions))
        assert json.loads(decisions[-1][2])["command"] == "make it"


async def test_a_draft_waits_for_whoever_shows_the_run_next(tmp_path: Path, own_home: Path) -> None:
    """A run that is detached and attached again is shown by another program."""
    events = waiting(BASH, command="make")
    async with live(tmp_path, events, controls([])) as (app, pilot, screen):
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        await pilot.press(*" all", "escape")
        await until(pilot, lambda: app.screen is screen)
    (kept,) = (own_home / "call-drafts").iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    decisions: list[tuple[Any, ...]] = []
    async with live(tmp_path, events, controls(decisions)) as (app, pilot, screen):
        bar = screen.query_one(ApprovalBar)
        await until(pilot, lambda: "e edited draft" in bar.render().plain)
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, DraftOrOriginalDialog))
        assert not decisions
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        assert app.screen.query_one("TextArea.field", TextArea).text == "make all"
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(decisions))
        assert not kept.exists(), "the call is decided"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"call": 1, "texts": ["a", "b"]}', "\ud800"])
async def test_a_damaged_draft_is_no_draft(tmp_path: Path, own_home: Path, text: str) -> None:
    events = waiting(BASH, command="make")
    folder = own_home / "call-drafts"
    folder.mkdir(parents=True)
    kept = folder / f"{WatchedRun(events).run_id}.json"
    kept.write_bytes(text.encode("utf-8", "surrogatepass"))
    async with live(tmp_path, events, controls([])) as (app, pilot, screen):
        bar = screen.query_one(ApprovalBar)
        await until(pilot, lambda: "e edit " in bar.render().plain)
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        assert app.screen.query_one("TextArea.field", TextArea).text == "make"


async def test_the_original_is_approved_once_it_is_clear_that_the_draft_is_not(
    tmp_path: Path,
) -> None:
    decisions: list[tuple[Any, ...]] = []
    run = controls(decisions)
    async with live(tmp_path, waiting(BASH, command="make"), run) as (app, pilot, screen):
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        await pilot.press(*" all", "escape")
        await until(pilot, lambda: app.screen is screen)
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, DraftOrOriginalDialog))
        await pilot.press("n")
        await until(pilot, lambda: app.screen is screen)
        assert decisions == [("keep_waiting", 1)]
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, DraftOrOriginalDialog))
        await pilot.press("y")
        await until(pilot, lambda: decisions[1:] == [("approve", 1)])


@pytest.mark.parametrize("size", [(160, 45), (60, 20)])
async def test_the_question_about_a_draft_shows_all_its_answers(
    size: tuple[int, int], tmp_path: Path
) -> None:
    app = SandboxTui(load(), Store(tmp_path / "s.db"))
    async with app.run_test(size=size) as pilot:
        dialog = DraftOrOriginalDialog(1)
        await app.push_screen(dialog)
        answers = dialog.query_one("#answers", Static)
        await until(pilot, lambda: answers.region.height == 4)
        lines = str(answers.render()).split("\n")
        assert lines == [
            "",
            "e open the draft",
            "y approve the original",
            "n/esc/enter keep waiting",
        ]


async def test_the_bar_names_a_file_that_is_read_and_does_not_exist(tmp_path: Path) -> None:
    events = waiting(BASH, command="python3 calc.py > out.txt")
    async with live(tmp_path, events, controls([])) as (_, pilot, screen):
        bar = screen.query_one(ApprovalBar)
        names = "files it names: out.txt new · calc.py (does not exist)"
        await until(pilot, lambda: names in bar.render().plain)


async def test_a_decision_whose_key_the_queue_takes_says_how_to_get_there(tmp_path: Path) -> None:
    events = [*waiting(BASH, command="make"), e.HumanMessage(id=1, text="words")]
    async with live(tmp_path, events, controls([])) as (_, pilot, screen):
        bar = screen.query_one(ApprovalBar)
        await until(pilot, lambda: screen.state.queue)
        await until(pilot, lambda: "e edit" in bar.render().plain)
        await pilot.press("u")
        await until(pilot, lambda: isinstance(screen.focused, QueueList))
        await until(pilot, lambda: "esc, then e edit" in bar.render().plain)
        assert "r reject" in bar.render().plain


@pytest.mark.parametrize(("key", "is_said"), [("a", True), ("S", False)])
async def test_a_call_that_is_let_run_in_a_frozen_sandbox_says_that_it_runs_again(
    tmp_path: Path, key: str, is_said: bool
) -> None:
    events = [*waiting(BASH, command="make"), e.ModeChanged(mode="paused"), e.SandboxFrozen()]
    decisions: list[tuple[Any, ...]] = []
    async with live(tmp_path, events, controls(decisions)) as (app, pilot, screen):
        await until(pilot, lambda: screen.state.frozen)
        await pilot.press(key)
        await until(pilot, lambda: bool(decisions))
        await pilot.pause()
        said = [toast.message for toast in app._notifications]
        words = "The sandbox runs again for call 1; the run stays paused."
        assert (words in said) == is_said


@pytest.mark.parametrize("by_answer", [True, False])
async def test_a_reason_that_was_not_sent_belongs_to_its_call(
    tmp_path: Path, by_answer: bool
) -> None:
    decisions: list[tuple[Any, ...]] = []
    async with live(tmp_path, waiting(BASH, command="make"), controls(decisions)) as (
        _,
        pilot,
        screen,
    ):
        bar = screen.query_one(InjectBar)
        line = bar.query_one(Input)
        await pilot.press("r", *"too slow")
        assert "reject call 1" in str(bar.border_title)
        await pilot.press("escape", "r")
        assert line.value == "too slow", "its own call keeps it"
        await pilot.press("escape")
        second = e.ToolCall(number=2, step=2, id="d", name=BASH, arguments='{"command": "ls"}')
        done = e.CallFinished(call=1, observation="", ok=True)
        for event in (done, e.CallProposed(call=second), e.CallHeld(call=2)):
            await screen.apply(event)
        await until(pilot, lambda: screen.query_one(Calls).waiting == 2)
        if by_answer:
            await pilot.press("A", "escape")
        await pilot.press("r")
        assert line.value == ""
        assert "reject call 2" in str(bar.border_title)


def _key_words(screen: Screen[Any], action: str) -> str | None:
    """The words of the key bar for an action; None if its key is not shown."""
    shown = screen.query_one(KeyBar).keys_shown
    return next((known.words for known in shown if known.action == action), None)


async def test_a_notice_about_a_draft_goes_with_its_call(tmp_path: Path) -> None:
    decisions: list[tuple[Any, ...]] = []
    run = controls(decisions)
    async with live(tmp_path, waiting(BASH, command="make"), run) as (app, pilot, screen):
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        await pilot.press("x", "escape")
        await until(pilot, lambda: app.screen is screen)
        assert any("Draft saved" in toast.message for toast in shown_toasts(app))
        await pilot.press("S")
        await until(pilot, lambda: bool(decisions))
        screen.sync_bars()
        assert not any("Draft saved" in toast.message for toast in shown_toasts(app))


async def test_a_small_screen_keeps_the_key_of_the_editor(tmp_path: Path) -> None:
    app = SandboxTui(load(), Store(tmp_path / "s.db"))
    call = e.ToolCall(number=1, step=1, id="c", name=BASH, arguments='{"command": "make"}')
    async with app.run_test(size=(60, 20)) as pilot:
        dialog = EditCallDialog(call)
        await app.push_screen(dialog)
        await pilot.press("x")
        await until(pilot, lambda: _key_words(dialog, "cancel") == "keep draft")
        assert _key_words(dialog, "open_editor") == "$EDITOR"
        assert _key_words(dialog, "run") == "run edited"


async def test_only_a_call_that_needs_a_decision_is_said_to_wait_after_a_resume(
    tmp_path: Path,
) -> None:
    run = controls([])
    cast(Any, run).pause, cast(Any, run).resume = (lambda: None), (lambda: None)
    async with live(tmp_path, waiting(BASH, command="make"), run) as (app, pilot, screen):
        await screen.apply(e.ModeChanged(mode="paused"))
        await screen.apply(e.CallHeld(call=1, until_resumed=True))
        bar = screen.query_one(ApprovalBar)
        await until(pilot, lambda: "runs once you resume" in str(bar.render()))
        await pilot.press("space")
        await pilot.pause()
        assert not shown_toasts(app)
        await pilot.press("M")
        options = app.screen.query_one("#modes")
        assert "keeps waiting" not in str(options.border_subtitle)
        await pilot.press("escape")
        await screen.apply(e.CallHeld(call=1))
        await until(pilot, lambda: "runs once you resume" not in str(bar.render()))
        await pilot.press("space")
        await until(pilot, lambda: shown_toasts(app))


async def test_a_call_whose_edit_was_left_as_a_draft_waits_after_the_pause_too(
    tmp_path: Path,
) -> None:
    decisions: list[tuple[Any, ...]] = []
    call = waiting(BASH, command="make")
    async with live(tmp_path, call, controls(decisions)) as (app, pilot, screen):
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        assert not decisions
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, EditCallDialog))
        await pilot.press("X", "escape")
        await until(pilot, lambda: app.screen is screen)
        assert decisions == [("keep_waiting", 1)]


async def test_in_mode_step_it_is_said_that_what_was_allowed_runs_anyway(tmp_path: Path) -> None:
    decisions: list[tuple[Any, ...]] = []
    run = controls(decisions)
    gate = Gate(lambda event: event, Policy())
    gate.set_mode("step")
    cast(Any, run).gate = gate
    parts = open_parts(Policy(), BASH, '{"command": "make"}')
    gate.open_parts = lambda: parts  # type: ignore[method-assign]
    events = [*waiting(BASH, command="make"), e.ModeChanged(mode="step")]
    async with live(tmp_path, events, run) as (app, pilot, screen):
        bar = screen.query_one(ApprovalBar)
        await until(pilot, lambda: "Y always, in step too" in bar.render().plain)
        await pilot.press("Y")
        await until(pilot, lambda: isinstance(app.screen, ApproveAlwaysDialog))
        await pilot.press("enter")
        words = "run in mode step, too; M l lists"
        await until(pilot, lambda: any(words in one.message for one in shown_toasts(app)))
        assert decisions
