"""The input for the filter of the file tree."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import Input

from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.textual_support.toasts import SHARE
from sandbox_tui.tui.widgets.files.file_tree import FileTree
from sandbox_tui.tui.widgets.line_input import OneLineInput


class FilterFilesDialog(Dialog[None]):
    """Filters the tree while the user types; enter keeps the filter, escape removes it."""

    CSS = """
    FilterFilesDialog { align: left top; background: transparent; }
    FilterFilesDialog .line { position: absolute; }
    """

    enter_words = "keep filter"

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("filter_files.leave", "back", priority=True),
        binding("filter_files.keep", "keep", show=False, priority=True),
    ]

    def __init__(self, files: FileTree) -> None:
        super().__init__()
        self._files = files

    def compose(self) -> ComposeResult:
        """Yield the input line, at the bottom of the tree."""
        line = OneLineInput(
            self._files.filter_words,
            placeholder="part of a name",
            select_on_focus=True,
            classes="line",
        )
        line.border_subtitle = f"enter keep filter · {hint('filter_files.leave')} show all"
        self._place(line)
        yield line

    def on_mount(self) -> None:
        """Follow the tree when it gets another place."""
        self._files.screen.screen_layout_refresh_signal.subscribe(  # pyright: ignore[reportUnknownMemberType]
            self, self._layout_changed
        )

    def _layout_changed(self, _: Screen[Any]) -> None:
        for line in self.query(OneLineInput):  # none while the dialog closes
            self._place(line)

    def _place(self, line: OneLineInput) -> None:
        """Put the line at the bottom of the tree, but above the lines that toasts may take."""
        region, height = self._files.region, self._files.screen.size.height
        lowest = height - 1 - height // SHARE
        line.styles.width = region.width
        line.styles.offset = (region.x, max(0, min(region.bottom, lowest) - 3))

    def action_back(self) -> None:
        """Show all files again."""
        self._files.filter_by("")
        self.dismiss(None)

    def action_keep(self) -> None:
        """Keep the filter."""
        self.dismiss(None)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._files.filter_by(event.value)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(None)
