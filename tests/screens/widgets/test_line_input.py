"""One-line inputs keep all of a pasted text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Input

from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.widgets.line_input import LineInput, OneLineInput
from tests.screens.widgets.test_calls import OneList, a_run
from tests.waiting import until

TUI = Path(__file__).parents[3] / "tui"


class Lines(App[None]):
    def compose(self) -> ComposeResult:
        yield OneLineInput("see ")
        yield LineInput("see ")


async def test_several_pasted_lines_become_one_without_a_loss() -> None:
    app = Lines()
    async with app.run_test() as pilot:
        for line in app.query(Input):
            line.focus()
            line.cursor_position = 4
            line.post_message(events.Paste("  one\r\n\ntwo \x1b[31m three\n"))
            await pilot.pause()
            assert line.value.startswith("see one two")
            assert line.value.endswith("three")
            assert "\x1b" not in line.value


async def test_without_the_focus_the_beginning_is_shown() -> None:
    app = Lines()
    async with app.run_test(size=(20, 10)) as pilot:
        field = app.query_one(OneLineInput)
        field.focus()
        field.value = "http://127.0.0.1:18413/v1"
        field.cursor_position = len(field.value)
        await until(pilot, lambda: field.scroll_x > 0)
        app.query_one(LineInput).focus()
        await until(pilot, lambda: field.scroll_x == 0)


class Asking(Dialog[None]):
    """A dialog with one line."""

    def compose(self) -> ComposeResult:
        yield LineInput()


async def test_what_is_typed_before_a_dialog_has_the_focus_is_not_lost() -> None:
    app, dialog = OneList(a_run()), Asking()
    async with app.run_test() as pilot:
        app.push_screen(dialog)
        for letter in "abc":
            app.post_message(events.Key(letter, letter))
        await until(pilot, lambda: app.focused is not None)
        await pilot.press("d")
        await until(pilot, lambda: dialog.query_one(Input).value == "abcd")


def test_text_fields_use_the_one_line_input() -> None:
    """Textual's own input keeps only the first line of a paste, which suits numbers and paths."""
    plain: Sequence[str] = sorted(
        str(file.relative_to(TUI))
        for file in TUI.rglob("*.py")
        if any(re.search(r"(?<!case) Input\(", line) for line in file.read_text().splitlines())
    )
    assert plain == [
        "screens/cockpit/replay/go_to_step.py",
        "screens/files/copy_files.py",
    ]
