"""The input line of a live run."""

from __future__ import annotations

from typing import Any

import pytest
from textual import events, on
from textual.app import App, ComposeResult
from textual.widgets import Input, Label

from sandbox_tui.tui.theming.derived_roles import derived_roles
from sandbox_tui.tui.widgets.calls import inject_bar
from sandbox_tui.tui.widgets.calls.inject_bar import InjectBar, Purpose
from sandbox_tui.tui.widgets.calls.message_text import MAX_ROWS, MessageText


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
        leaving: dict[Purpose, str] = {
            "command": "enter run · esc close",
            "message": "enter send · esc close",
            "reject": "enter send · esc cancel",
            "reword": "enter save · esc cancel",
        }
        for purpose, leave in leaving.items():
            bar.ask(purpose)
            await pilot.pause()
            assert leave in str(bar.border_subtitle)


async def test_where_one_types_it_shows_whether_the_model_is_told() -> None:
    app = Bar()
    async with app.run_test() as pilot:
        bar = app.query_one(InjectBar)
        bar.ask("command")
        await pilot.press(*"ls")
        assert str(bar.border_title) == "visible to model ◉"
        assert bar.words_for("toggle_visible_to_model") == "private"
        await pilot.press("ctrl+t")
        assert str(bar.border_title) == "private ○"
        assert str(bar.query_one(Label).render()) == "○"
        assert "private command" in bar.query_one(Input).placeholder
        bar.ask("message")
        assert str(bar.border_title) == "message to the model"


@pytest.mark.parametrize("key", ["ctrl+j", "shift+enter"])
async def test_a_message_grows_with_its_lines(key: str) -> None:
    app = Bar()
    async with app.run_test(size=(40, 20)) as pilot:
        bar = app.query_one(InjectBar)
        bar.ask("message")
        await pilot.press(*"one", key, *"two")
        await pilot.pause()
        assert bar.query_one(MessageText).text == "one\ntwo"
        assert bar.size.height == 2
        await pilot.press(*([key] * 10))
        await pilot.pause()
        assert bar.size.height == MAX_ROWS
        await pilot.press("escape")
        await pilot.pause()
        assert (bar.size.height, app.sent) == (1, [])
        bar.ask("message")
        await pilot.press("x", "enter")
        await pilot.pause()
        assert app.sent == ["one\ntwo" + "\n" * 10 + "x"]
        assert bar.size.height == 1
        bar.ask("message")
        await pilot.press(*"short", "enter")
        await pilot.pause()
        assert app.sent[1:] == ["short"]


async def test_pasted_lines_of_a_message_are_shown_as_lines() -> None:
    app = Bar()
    async with app.run_test(size=(40, 20)) as pilot:
        bar = app.query_one(InjectBar)
        bar.ask("message")
        await pasted(bar, pilot, "one\ntwo\x1b[31m\nthree")
        await pilot.pause()
        text = bar.query_one(MessageText)
        assert text.has_focus
        assert text.text.startswith("one\ntwo")
        assert "\x1b" not in text.text
        text.post_message(events.Paste("\r\nfour\x07"))
        await pilot.pause()
        assert text.text.splitlines()[-1].startswith("four")
        assert "\x07" not in text.text


async def test_a_queued_message_of_several_lines_is_edited_as_lines() -> None:
    app = Bar()
    async with app.run_test(size=(60, 20)) as pilot:
        bar = app.query_one(InjectBar)
        bar.ask("reword", "one\ntwo")
        await pilot.pause()
        assert (bar.query_one(MessageText).text, bar.size.height) == ("one\ntwo", 2)
        assert "enter save" in str(bar.border_subtitle)
        await pilot.press("enter")
        bar.ask("reword", "one\ntwo")
        await pilot.pause()
        await pilot.press("ctrl+j", *"three", "enter")
        await pilot.pause()
        assert app.sent == ["one\ntwo", "one\ntwo\nthree"]
        assert (bar.purpose, bar.size.height) == ("command", 1)


async def test_only_messages_have_several_lines() -> None:
    app = Bar()
    async with app.run_test() as pilot:
        bar = app.query_one(InjectBar)
        bar.ask("command")
        await pilot.press(*"ls", "ctrl+j", "enter")
        await pilot.pause()
        assert app.sent == ["ls"]


async def test_a_message_is_written_in_the_users_own_editor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def edit(_: object, text: str, suffix: str) -> str:
        return f"{text}, then\nmore {suffix}\n"

    monkeypatch.setattr(inject_bar, "edit_in_editor", edit)
    app = Bar()
    async with app.run_test() as pilot:
        bar = app.query_one(InjectBar)
        bar.ask("message")
        await pilot.press(*"first", "f4")
        await pilot.pause()
        assert app.sent == []
        await pilot.press("enter")
        await pilot.pause()
        assert app.sent == ["first, then\nmore .md"]


async def test_messages_of_several_lines_are_recalled_like_all_others() -> None:
    app = Bar()
    async with app.run_test(size=(40, 20)) as pilot:
        bar = app.query_one(InjectBar)
        for sent in (
            "first",
            "a long line that is wrapped in the narrow field\nb\nc",
            "d\ne",
            "last",
        ):
            bar.ask("message", sent)
            await pilot.pause()
            await pilot.press("enter")
        bar.ask("message", "not sent\nyet")
        await pilot.pause()
        field = bar.query_one(MessageText)
        await pilot.press("up")  # to the first line of what is not sent
        assert field.text == "not sent\nyet"
        seen: list[str] = []
        for key in ("up", "up", "up", "up", "up"):
            await pilot.press(key)
            await pilot.pause()
            seen.append(bar._typed.split("\n")[-1])
        assert seen == ["last", "e", "c", "first", "first"]
        seen.clear()
        for key in ("down", "down", "down", "down"):
            await pilot.press(key)
            await pilot.pause()
            seen.append(bar._typed.split("\n")[-1])
        assert seen == ["c", "e", "last", "yet"]
        assert bar.query_one(MessageText).has_focus
