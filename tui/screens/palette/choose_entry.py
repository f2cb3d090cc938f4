"""A dialog with a list of entries that typed text filters."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Input

from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import as_sentence
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.screens.palette.entry import Entry, Group
from sandbox_tui.tui.screens.palette.entry_list import EntryList
from sandbox_tui.tui.widgets.line_input import LineInput


class ChooseEntryDialog(Dialog[Entry | None]):
    """Lists entries while the user types; dismisses with the chosen one."""

    CSS = """
    ChooseEntryDialog { background: $background 60%; align: center top; }
    ChooseEntryDialog .dialog {
        width: 100; max-width: 96%; height: 80%; max-height: 34; margin-top: 2; padding: 0 1;
    }
    ChooseEntryDialog LineInput { margin: 0 1; }
    ChooseEntryDialog EntryList { margin-top: 1; }
    """

    heading: ClassVar[str]
    """Title of the dialog."""

    placeholder: ClassVar[str]
    """What can be typed."""

    enter_words = "choose"

    _shown_for = ""
    """The text for which entries are shown."""

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("palette.leave", "dismiss(None)", priority=True),
        binding("list.up", "cursor(-1)", show=False),
        binding("list.down", "cursor(1)", show=False),
        binding("list.page_up", "page(-1)", show=False),
        binding("list.page_down", "page(1)", show=False),
    ]

    @abstractmethod
    def groups(self, typed: str) -> Sequence[Group]:
        """Return the entries to list for a typed text."""

    def compose(self) -> ComposeResult:
        """Yield an input line and the matches."""
        with Vertical(classes="dialog") as box:
            box.border_title = self.heading
            box.border_subtitle = self._keys_words
            yield LineInput(placeholder=self.placeholder)
            yield EntryList()

    def on_mount(self) -> None:
        """Show the entries."""
        self.show_entries()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.show_entries()

    def show_entries(self) -> None:
        """Show the entries that match now; the cursor stays on its entry while nothing is typed,
        and goes to the first one when the line is emptied."""
        typed = self.query_one(Input).value
        was_empty, self._shown_for = not self._shown_for, typed
        here = self._list.current
        self._list.show(self.groups(typed))
        if here is not None and was_empty and not typed:
            self._list.go_back_to(here)
        self.query_one(".dialog").border_subtitle = self._keys_words

    def show_again(self) -> None:
        """Show the entries that match now; the cursor stays on its entry."""
        here = self._list.current
        self.show_entries()
        if here is not None:
            self._list.go_back_to(here)

    @property
    def _keys_words(self) -> str:
        moves = "↓ to a match" if self._is_unsure else "↑ ↓"
        return f"{moves} · enter {self.enter_words} · {hint('palette.leave')} close"

    @property
    def _is_unsure(self) -> bool:
        """Whether the cursor is on no entry although some can be chosen: perhaps none is meant."""
        lists = self.query(EntryList)
        return bool(lists) and lists.first().is_unsure

    @property
    def _list(self) -> EntryList:
        return self.query_one(EntryList)

    def action_cursor(self, step: int) -> None:
        """Move the cursor to another entry."""
        self._list.action_cursor(step)
        self.query_one(".dialog").border_subtitle = self._keys_words

    def action_page(self, direction: int) -> None:
        """Move the cursor by a page."""
        self._list.action_page(direction)

    @on(Input.Submitted)
    @on(EntryList.Selected)
    def _chosen(self, event: Input.Submitted | EntryList.Selected) -> None:
        event.stop()
        entry, first = self._list.current, self._list.first
        if entry is None and first is not None and first.off:  # the cursor is on none that is off
            entry = first
        if entry is None and self._is_unsure:
            self._list.point_at_heading()
            no_match = self._list.rows[0].partition(";")[0]
            words = f"{no_match}: ↓ goes to one of these, enter chooses it."
            self.notify(words, markup=False, timeout=3)
            return
        if entry is None:
            if heading := next(iter(self._list.rows), ""):  # it says where to find what is meant
                self._list.point_at_heading()
                self.notify(as_sentence(heading), markup=False, timeout=3)
            return
        if entry.off:
            self.notify(as_sentence(entry.off), markup=False, timeout=3)
        else:
            self.dismiss(entry)
