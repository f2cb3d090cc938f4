"""Textual's private API behaves the way we rely on."""

from __future__ import annotations

import re

import pytest
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.theme import Theme
from textual.widgets import Input, Static

from sandbox_tui.tui.textual_support import private_api


class Small(App[int]):
    BINDINGS = [Binding("a", "first", id="t.first"), Binding("b", "second", id="t.second")]  # noqa: RUF012

    def compose(self) -> ComposeResult:
        yield Static("words", id="words")


@pytest.mark.parametrize(
    ("character", "key"), [("?", "question_mark"), ("a", "a"), ("A", "A"), (" ", "space")]
)
def test_characters_have_keys(character: str, key: str) -> None:
    assert private_api.character_to_key(character) == key


async def test_declared_bindings_keep_their_order_whatever_the_keymap() -> None:
    app = Small()
    async with app.run_test():
        app.set_keymap({"t.first": "f8"})
        _, active = private_api.binding_chain(app.screen)[-1]
        names = [b.action for several in active.key_to_bindings.values() for b in several]
        assert names.index("second") < names.index("first"), "a rebound key comes last"
        declared = [b.action for b in private_api.declared_bindings(app)]
        assert declared.index("first") < declared.index("second")


async def test_one_toast_is_removed_and_the_others_stay() -> None:
    app = Small()
    async with app.run_test(notifications=True) as pilot:
        app.notify("first")
        app.notify("second")
        await pilot.pause()
        first, second = private_api.shown_toasts(app)
        assert (first.message, second.message) == ("first", "second")
        private_api.remove_toast(app, first)
        assert private_api.shown_toasts(app) == [second]


async def test_a_theme_that_is_registered_again_is_drawn_again() -> None:
    app = Small()
    async with app.run_test() as pilot:
        app.register_theme(Theme("ours", primary="#112233", background="#000000"))
        app.theme = "ours"
        await pilot.pause()
        app.register_theme(Theme("ours", primary="#112233", background="#445566"))
        private_api.apply_theme_again(app)
        await pilot.pause()
        assert app.screen.styles.background.hex == "#445566"


async def test_a_sequence_reaches_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Small()
    async with app.run_test():
        written: list[str] = []
        monkeypatch.setattr(app._driver, "write", written.append)
        private_api.write_to_terminal(app, "\x1b]2;headless\x07")
        assert written == []
        monkeypatch.setattr(Small, "is_headless", False)
        private_api.write_to_terminal(app, "\x1b]2;title\x07")
        assert written == ["\x1b]2;title\x07"]


async def test_the_error_that_ends_the_app_is_known() -> None:
    app = Small()
    with pytest.raises(ZeroDivisionError):
        async with app.run_test() as pilot:
            assert private_api.unhandled_error(app) is None
            app.call_later(lambda: 1 / 0)
            await pilot.pause()
    assert isinstance(private_api.unhandled_error(app), ZeroDivisionError)


async def test_an_app_that_was_told_to_exit_is_exiting() -> None:
    app = Small()
    async with app.run_test():
        assert not private_api.is_exiting(app)
        app.exit()
        assert private_api.is_exiting(app)


async def test_a_removed_widget_is_closing() -> None:
    app = Small()
    async with app.run_test() as pilot:
        words = app.query_one("#words")
        assert not private_api.is_closing(words)
        words.remove()
        assert private_api.is_closing(words)
        await pilot.pause()
        await app.mount(Input())


async def test_a_screenshot_is_the_one_of_textual_and_only_drawn_on_request() -> None:
    app = Small()
    async with app.run_test(size=(30, 4)) as pilot:
        ids = re.compile(r"terminal-\d+")
        ours = private_api.screenshot(app, "title", "one")
        assert ids.sub("", ours) == ids.sub("", app.export_screenshot(title="title"))
        assert set(ids.findall(ours)).isdisjoint(
            ids.findall(private_api.screenshot(app, "title", "two"))
        )
        displayed: list[object] = []
        app._display = lambda screen, renderable: displayed.append(renderable)
        app.query_one(Static).update("others")
        await pilot.pause()
        assert displayed
        private_api.draw_on_request(app.screen)
        displayed.clear()
        app.query_one(Static).update("the last")
        await pilot.pause()
        assert not displayed
        assert "the&#160;last" in private_api.screenshot(app, "title", "one")
