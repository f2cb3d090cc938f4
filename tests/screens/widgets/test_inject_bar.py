"""The input line of a live run."""

from __future__ import annotations

from typing import Any

import pytest
from textual import events, on
from textual.app import App, ComposeResult
from textual.widgets import Input

from sandbox_tui.tui.theming.derived_roles import derived_roles
from sandbox_tui.tui.widgets.calls.inject_bar import InjectBar, Purpose


class Bar(App[None]):
    """Shows the bar and keeps what it sends."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[str] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return derived_roles(self.current_theme)

    def compose(self) -> ComposeResult:
        yield InjectBar()

    @on(InjectBar.Sent)
    def _keep(self, event: InjectBar.Sent) -> None:
        self.sent.append(event.text)


async def pasted(bar: InjectBar, pilot: Any, text: str) -> Input:
    line = bar.query_one(Input)
    line.post_message(events.Paste(text))
    await pilot.pause()
    return line


@pytest.mark.parametrize("purpose", ["message", "command", "reject", "answer"])
async def test_all_lines_of_a_pasted_text_are_sent(purpose: Purpose) -> None:
    app = Bar()
    async with app.run_test() as pilot:
        bar = app.query_one(InjectBar)
        bar.ask(purpose)
        await pilot.press(*"see ")
        line = await pasted(bar, pilot, "one\r\ntwo\n")
        assert line.value == "see one␊two"
        await pilot.press("!", "enter")
        await pilot.pause()
        assert app.sent == ["see one\ntwo!"]
        if purpose in ("message", "command"):
            bar.ask(purpose)
            await pilot.press("up", "enter")
            await pilot.pause()
            assert app.sent[1:] == app.sent[:1]


async def test_one_pasted_line_is_inserted_as_it_is() -> None:
    app = Bar()
    async with app.run_test() as pilot:
        bar = app.query_one(InjectBar)
        bar.ask("message")
        line = await pasted(bar, pilot, "a sign ␊ of my own\n")
        await pilot.press("enter")
        await pilot.pause()
        assert (app.sent, line.value) == (["a sign ␊ of my own"], "")


async def test_lines_pasted_into_a_queued_message_are_kept() -> None:
    app = Bar()
    async with app.run_test() as pilot:
        bar = app.query_one(InjectBar)
        bar.ask("reword", "first")
        await pasted(bar, pilot, "\nsecond\nthird")
        await pilot.press("enter")
        await pilot.pause()
        assert app.sent == ["firstsecond\nthird"]


@pytest.mark.parametrize("key", ["enter", "escape"])
async def test_a_draft_returns_when_a_queued_message_has_been_edited(key: str) -> None:
    app = Bar()
    async with app.run_test() as pilot:
        bar = app.query_one(InjectBar)
        bar.ask("message")
        await pilot.press(*"draft", "escape")
        bar.ask("reword", "queued")
        await pilot.press("!", key)
        await pilot.pause()
        assert app.sent == (["queued!"] if key == "enter" else [])
        bar.ask("message")
        assert bar.query_one(Input).value == "draft"
        await pilot.press("enter")
        await pilot.pause()
        assert app.sent[-1] == "draft"


@pytest.mark.parametrize("purpose", ["message", "reject", "answer"])
async def test_text_typed_for_one_purpose_is_never_sent_for_another(purpose: Purpose) -> None:
    app = Bar()
    async with app.run_test() as pilot:
        bar = app.query_one(InjectBar)
        bar.ask("command")
        await pilot.press(*"ls", "escape")
        bar.ask(purpose)
        assert bar.query_one(Input).value == ""
        await pilot.press(*"words", "escape")
        bar.ask("command")
        assert bar.query_one(Input).value == "ls"
        await pilot.press("enter")
        bar.ask(purpose)
        await pilot.press("enter")
        await pilot.pause()
        assert app.sent == ["ls", "words"]


async def test_the_border_says_what_leaving_does() -> None:
    app = Bar()
    async with app.run_test() as pilot:
        bar = app.query_one(InjectBar)
        leaving: dict[Purpose, str] = {"message": "esc close", "reject": "esc cancel"}
        for purpose, leave in leaving.items():
            bar.ask(purpose)
            await pilot.pause()
            assert leave in str(bar.border_subtitle)
