"""The dialog to choose the version of a file to compare with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import OptionList

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.widgets.files.file_versions import Version
from sandbox_tui.tui.widgets.key_bar import KeyBar


class ChooseVersionDialog(Dialog[Version | None]):
    """Lists the kept versions, newest first; dismisses with the chosen one."""

    choice_words = "choose"

    CSS = """
    ChooseVersionDialog { background: $background 60%; }
    ChooseVersionDialog .dialog { width: 44; max-height: 80%; padding: 0 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [binding("choose_version.leave", "dismiss(None)")]

    def __init__(self, path: str, choices: Sequence[Version]) -> None:
        super().__init__()
        self._path = path
        self._choices = list(reversed(choices))

    def compose(self) -> ComposeResult:
        """Yield the list."""
        options = OptionList(*(Text(version.name) for version in self._choices), classes="dialog")
        name = sanitize_line(self._path.rpartition("/")[2])
        options.border_title = Content(f"compare {name} with")
        options.border_subtitle = f"enter choose · {hint('choose_version.leave')} cancel"
        yield options
        yield KeyBar()

    def on_mount(self) -> None:
        """Highlight the newest version, which is the most likely choice."""
        options = self.query_one(OptionList)
        options.highlighted = 0
        self.set_focus(options)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._choices[event.option_index])
