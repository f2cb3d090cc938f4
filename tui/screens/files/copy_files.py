"""The dialogs to copy files out of the sandbox and into it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Checkbox, Input, Label

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.typed_path import is_folder, is_there
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.path_input import PathInput

_Answer = TypeVar("_Answer")


class CopyDialog(Dialog[_Answer | None]):
    """A form with a few fields; ctrl+s, or enter in a field, continues, and escape cancels.

    Attributes:
        continues: what continuing does.
    """

    continues = "copy"

    CSS = """
    .dialog { width: 78; max-width: 96%; max-height: 96%; padding: 0 2 1 2; }
    Label { height: 1; margin-top: 1; }
    Checkbox { border: none; background: transparent; margin-top: 1; padding: 0; }
    Checkbox:focus { border: none; }
    Input.-wrong {
        border: round $error !important;
        border-subtitle-color: $error; border-subtitle-style: bold;
    }
    """  # Textual scopes it to each subclass, so it must not name this class

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("copy_files.go_on", "submit", priority=True),
        binding("copy_files.leave", "back", priority=True),
    ]

    @property
    def enter_words(self) -> str:
        """What enter does in a field."""
        return self.continues

    def words_for(self, action: str) -> str | None:
        """Return the key bar's words for an action; a field names enter instead of another key."""
        if action != "submit":
            return None
        return "" if isinstance(self.focused, Input) else self.continues

    def on_descendant_focus(self) -> None:
        """Name the keys that work at the focus."""
        key = "enter" if isinstance(self.focused, Input) else hint("copy_files.go_on")
        keys = f"{key} {self.continues} · {hint('copy_files.leave')} cancel"
        self.query_one(".dialog").border_subtitle = keys

    def action_submit(self) -> None:
        """Close with the answer, if it is complete."""
        raise NotImplementedError

    def action_back(self) -> None:
        """Close without an answer."""
        self.dismiss(None)

    def complain(self, field: Input, words: str) -> None:
        """Say at a field what to enter."""
        field.border_subtitle = Content(sanitize_line(words))
        field.add_class("-wrong")
        field.focus()

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        event.input.border_subtitle = ""
        event.input.remove_class("-wrong")

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_submit()


class CopyOutDialog(CopyDialog[Path]):
    """Asks where to copy a path of the sandbox; dismisses with the host folder.

    Args:
        path: the path to copy.
        folder: the default destination.
    """

    def __init__(self, path: str, folder: Path) -> None:
        super().__init__()
        self._path = path
        self._folder = folder

    def compose(self) -> ComposeResult:
        """Yield one field for the folder."""
        with VerticalScroll(classes="dialog form", can_focus=False) as box:
            name = sanitize_line(self._path.rpartition("/")[2])
            box.border_title = Content(f"copy out {name}")
            yield Label("to the folder on this machine (tab completes)")
            yield PathInput(str(self._folder), id="host")
        yield KeyBar()

    def on_mount(self) -> None:
        """Focus the folder, with the cursor at its end."""
        self.set_focus(self.query_one(PathInput))

    def action_submit(self) -> None:
        """Close with the folder."""
        field = self.query_one(PathInput)
        folder = field.path
        if folder is None:
            self.complain(field, "enter a folder")
        elif is_there(folder) and not is_folder(folder):
            self.complain(field, "this is a file: enter a folder")
        else:
            self.dismiss(folder)


@dataclass(frozen=True, slots=True)
class Push:
    """A copy into the sandbox.

    Attributes:
        source: host file or folder.
        folder: destination folder in the sandbox.
        tell: whether the model is told.
    """

    source: Path
    folder: str
    tell: bool


class CopyInDialog(CopyDialog[Push]):
    """Asks what to copy into the sandbox, and where; dismisses with a `Push`.

    Args:
        folder: the default destination in the sandbox, used if it can be displayed unescaped.
        base: the folder that relative destinations start from.
    """

    def __init__(self, folder: str, base: str) -> None:
        super().__init__()
        self._folder = folder if sanitize_line(folder) == folder else base
        self._base = base

    def compose(self) -> ComposeResult:
        """Yield two fields, and whether the model is told."""
        with VerticalScroll(classes="dialog form", can_focus=False) as box:
            box.border_title = "copy in a file or folder"
            yield Label("file or folder on this machine (tab completes)")
            yield PathInput(id="host", placeholder="such as ~/data/table.csv")
            yield Label("to the folder in the sandbox")
            yield Input(self._folder, id="folder", select_on_focus=False)
            yield Checkbox("tell the model", value=True, id="tell")
        yield KeyBar()

    def on_mount(self) -> None:
        """Focus the field for the source."""
        self.set_focus(self.query_one(PathInput))

    def action_submit(self) -> None:
        """Close with the answer, if it is complete."""
        field = self.query_one(PathInput)
        source = field.path
        if source is None:
            self.complain(field, "enter a file or folder")
            return
        if not is_there(source):
            self.complain(field, "this path does not exist")
            return
        folder = self.query_one("#folder", Input).value.strip() or self._base
        if not folder.startswith("/"):
            folder = f"{self._base}/{folder}"
        tell = self.query_one("#tell", Checkbox).value
        self.dismiss(Push(source.absolute(), folder.rstrip("/") or "/", tell))
