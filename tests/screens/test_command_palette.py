"""The list of all actions."""

from __future__ import annotations

from pathlib import Path

from rich.style import Style
from textual.app import App
from textual.command import Command, CommandList, DiscoveryHit
from textual.events import Click

from sandbox_tui.core.config import settings as config
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui
from sandbox_tui.tui.screens.dialogs.command_palette import ActionPalette
from sandbox_tui.tui.screens.home.new_run import NewRunDialog


async def test_a_page_down_before_the_list_is_drawn_is_let_pass() -> None:
    app = App[None]()
    async with app.run_test():
        palette = ActionPalette()
        await app.push_screen(palette)
        actions = palette.query_one(CommandList)
        actions.clear_options()
        actions.add_options([Command("one", DiscoveryHit("one", lambda: None))])
        actions.highlighted = 0
        actions._index_to_line.clear()  # as it stands until there is a layout
        await app.run_action("command_list('page_down')", palette)
        assert app.is_running


async def test_a_click_on_a_line_that_is_gone_does_nothing() -> None:
    app = App[None]()
    async with app.run_test() as pilot:
        palette = ActionPalette()
        await app.push_screen(palette)
        actions = palette.query_one(CommandList)
        actions.clear_options()
        style = Style(meta={"option": 3})
        await actions._on_click(Click(actions, 1, 1, 0, 0, 1, False, False, False, style=style))
        await pilot.pause()
        assert app.screen is palette


async def test_it_opens_again_while_the_one_before_is_taken_down(store: Store) -> None:
    app = SandboxTui(config.load(), store)
    async with app.run_test() as pilot:
        await pilot.pause()
        app.action_command_palette()
        first = app.screen
        await pilot.pause()
        closing = first.dismiss(None)
        app.action_command_palette()
        await closing
        await pilot.pause()
        assert isinstance(app.screen, ActionPalette)
        assert app.screen is not first


async def test_an_action_of_a_screen_that_has_gone_is_let_be(store: Store, own_home: Path) -> None:
    app = SandboxTui(config.load(), store)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("n")
        form = app.screen
        assert isinstance(form, NewRunDialog)
        every = {command.title: command for command in app.get_system_commands(form)}
        await form.dismiss(None)
        await every["Start"].callback()
        assert app.is_running


async def test_the_list_of_themes_bears_as_much(store: Store) -> None:
    app = SandboxTui(config.load(), store)
    async with app.run_test() as pilot:
        await pilot.pause()
        app.search_themes()
        await pilot.pause()
        assert isinstance(app.screen, ActionPalette)
