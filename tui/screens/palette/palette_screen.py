"""The screen of the palette: typed text is matched with actions, sessions, models and settings."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Input

from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import as_sentence
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.screens.palette.entry import Entry, grouped
from sandbox_tui.tui.screens.palette.entry_list import EntryList
from sandbox_tui.tui.widgets.line_input import LineInput

Later = Callable[[], AsyncIterator[Sequence[Entry]]]
"""Yields entries that take time to load, as they become available."""


class PaletteScreen(Dialog[Entry | None]):
    """Lists entries while the user types; dismisses with the chosen one.

    Args:
        entries: the entries available immediately.
        later: loads the others.
        recent: names of chosen entries, the latest first.

    Attributes:
        is_read: whether all entries are loaded.
    """

    CSS = """
    PaletteScreen { background: $background 60%; align: center top; }
    PaletteScreen .dialog {
        width: 100; max-width: 96%; height: 80%; max-height: 34; margin-top: 2; padding: 0 1;
    }
    PaletteScreen LineInput { margin: 0 1; }
    PaletteScreen EntryList { margin-top: 1; }
    """

    enter_words = "choose"

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("palette.leave", "dismiss(None)", priority=True),
        binding("list.up", "cursor(-1)", show=False),
        binding("list.down", "cursor(1)", show=False),
        binding("list.page_up", "page(-1)", show=False),
        binding("list.page_down", "page(1)", show=False),
    ]

    def __init__(self, entries: Sequence[Entry], later: Later, recent: Sequence[str]) -> None:
        super().__init__()
        self._entries = list(entries)
        self._later = later
        self._recent = tuple(recent)
        self.is_read = False

    def compose(self) -> ComposeResult:
        """Yield an input line and the matches."""
        with Vertical(classes="dialog") as box:
            box.border_title = "palette"
            box.border_subtitle = f"↑ ↓ · enter choose · {hint('palette.leave')} close"
            yield LineInput(placeholder="actions, sessions, models, themes, settings")
            yield EntryList()

    def on_mount(self) -> None:
        """Show the available entries, and load the rest."""
        self._show()
        self._read_later()

    @work(exclusive=True, group="later")
    async def _read_later(self) -> None:
        async for more in self._later():
            self._entries += more
            self._show()
        self.is_read = True

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._show()

    def _show(self) -> None:
        typed = self.query_one(Input).value
        here = self._list.current
        self._list.show(grouped(self._entries, typed, self._recent))
        if here is not None and not typed:
            self._list.go_back_to(here)

    @property
    def _list(self) -> EntryList:
        return self.query_one(EntryList)

    def action_cursor(self, step: int) -> None:
        """Move the cursor to another entry."""
        self._list.action_cursor(step)

    def action_page(self, direction: int) -> None:
        """Move the cursor by a page."""
        self._list.action_page(direction)

    @on(Input.Submitted)
    @on(EntryList.Selected)
    def _chosen(self, event: Input.Submitted | EntryList.Selected) -> None:
        event.stop()
        entry = self._list.current
        if entry is None:
            return
        if entry.off:
            self.notify(as_sentence(entry.off), markup=False, timeout=3)
        else:
            self.dismiss(entry)
