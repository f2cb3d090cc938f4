# pyright: reportUnknownMemberType=false
"""Every key that works where one is."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.table import Table
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from ..keymap import hint
from ..palette import palette_of


class HelpScreen(ModalScreen[None]):
    """Lists the bindings of a screen and of its focused widget."""

    CSS = """
    HelpScreen { align: center middle; }
    HelpScreen VerticalScroll {
        width: 72; max-width: 95%; height: auto; max-height: 90%; padding: 1 2;
        border: round $accent; background: $surface;
        border-title-color: $accent; border-subtitle-color: $role-dim;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,f1,q", "dismiss(None)", "close", id="help.leave"),
    ]

    def __init__(self, screen: Screen[Any]) -> None:
        super().__init__()
        self._bindings_shown = list(_keys(screen))

    def compose(self) -> ComposeResult:
        """A table of keys."""
        with VerticalScroll() as box:
            box.border_title = "keys"
            box.border_subtitle = f"{hint('help.leave')} closes"
            yield Static(id="help-keys")

    def on_mount(self) -> None:
        """Fill the table in the colours in force."""
        palette = palette_of(self)
        table = Table.grid(padding=(0, 3))
        table.add_column(justify="right", style=palette.accent, no_wrap=True)
        table.add_column(style=palette.text)
        for key, what in self._bindings_shown:
            table.add_row(key, what)
        self.query_one("#help-keys", Static).update(table)


def _keys(screen: Screen[Any]) -> list[tuple[str, str]]:
    seen: dict[str, tuple[list[str], str]] = {}
    for active in screen.active_bindings.values():
        binding = active.binding
        if binding.system or not binding.description:
            continue
        shown = screen.app.get_key_display(binding)
        keys, _ = seen.setdefault(binding.action, ([], binding.description))
        if shown not in keys:
            keys.append(shown)
    return [(" ".join(keys), what) for keys, what in seen.values()]
