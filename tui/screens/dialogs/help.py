"""Every key that works where one is, by what it is for."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from sandbox_tui.tui.keys.actions_here import actions_here
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.theming.palette import palette_of


class HelpScreen(Dialog[None]):
    """Lists the bindings of a screen and of its focused widget."""

    CSS = """
    HelpScreen .dialog { width: 72; max-height: 90%; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("help.leave", "dismiss(None)"),
    ]

    def __init__(self, screen: Screen[Any]) -> None:
        super().__init__()
        self._shown = actions_here(screen)

    @property
    def keys_shown(self) -> list[tuple[str, str]]:
        """The keys of each action, and what it does."""
        return [(" ".join(action.keys), action.words) for action in self._shown]

    def compose(self) -> ComposeResult:
        """A table of keys."""
        with VerticalScroll(classes="dialog") as box:
            box.border_title = "keys"
            box.border_subtitle = f"{hint('help.leave')} closes"
            yield Static(id="help-keys")

    def on_mount(self) -> None:
        """Fill the table in the colours in force."""
        palette = palette_of(self)
        table = Table.grid(padding=(0, 3))
        table.add_column(justify="right", style=palette.accent, no_wrap=True)
        table.add_column(style=palette.text)
        group = ""
        for action, (keys, words) in zip(self._shown, self.keys_shown, strict=True):
            if action.group != group:
                if group:
                    table.add_row()
                group = action.group
                table.add_row("", Text(group, style=palette.strong))
            table.add_row(keys, words)
        self.query_one("#help-keys", Static).update(table)
