"""The editor for a file of the sandbox."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import PurePosixPath
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import TextArea

from sandbox_tui.core.base.errors import FileRefused, SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.core.run.human.user_files import FileChangedMeanwhile
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.closes_when_on_top import ClosesWhenOnTop
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.terminal_io.external_editor import edit_in_editor
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.key_bar import KeyBar

Save = Callable[[bytes, bytes | None, bool], Awaitable[None]]
"""Writes content: (new content, content when opened or None to overwrite, tell the model)."""


class EditFileScreen(ModalScreen[bool], ClosesWhenOnTop[bool]):
    """An editor; ctrl+s (or f2) saves, ctrl+t toggles whether the model is told, escape leaves.

    Dismisses with whether something was saved.

    Args:
        path: path of the file.
        data: its current content.
        save: writes the edited content.

    Raises:
        FileRefused: it is not text that can be edited here.
    """

    CSS = """
    EditFileScreen { background: $background; }
    EditFileScreen TextArea {
        height: 1fr; border: round $accent; border-title-color: $accent;
        border-title-style: bold; border-subtitle-color: $accent;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("edit_file.save", "save", priority=True),
        binding("edit_file.told", "toggle_visible_to_model", priority=True),
        binding("edit_file.editor", "open_editor", priority=True),
        binding("app.help", "app.help", show=False),
        binding("edit_file.leave", "leave", priority=True),
    ]

    def __init__(self, path: str, data: bytes, save: Save) -> None:
        super().__init__()
        self._path = path
        self._opened = data
        self._form = TextForm(path, data)
        self._save = save
        self._is_visible_to_model = True

    def compose(self) -> ComposeResult:
        """Yield the editor."""
        area = TextArea(
            self._form.text, soft_wrap=False, tab_behavior="indent", show_line_numbers=True
        )
        area.border_title = Content(f"edit {sanitize_line(self._path)}")
        yield area
        yield KeyBar()

    def on_mount(self) -> None:
        """Focus the editor immediately, so that the next key goes there."""
        self.set_focus(self.query_one(TextArea))
        self._show()

    @property
    def dirty(self) -> bool:
        """Whether there are unsaved changes."""
        return self.query_one(TextArea).text != self._form.text

    def action_toggle_visible_to_model(self) -> None:
        """Toggle whether the model is told."""
        self._is_visible_to_model = not self._is_visible_to_model
        self._show()

    def action_leave(self) -> None:
        """Close; ask first if there are unsaved changes."""
        self._once_typed(self._leave)

    def action_save(self) -> None:
        """Save if anything has changed."""
        self._once_typed(self._save_changes)

    async def action_open_editor(self) -> None:
        """Edit the text in `$EDITOR`. Nothing is saved until the user saves it here."""
        area = self.query_one(TextArea)
        try:
            written = await edit_in_editor(
                app_of(self), area.text, PurePosixPath(self._path).suffix
            )
        except SandboxTuiError as error:
            self.notify(sanitize_line(str(error)), severity="error", markup=False)
            return
        area.replace(sanitize(written), (0, 0), area.document.end)

    def _once_typed(self, then: Callable[[], None]) -> None:
        """Call `then` after the editor, which has its own queue, has handled all earlier keys."""
        self.query_one(TextArea).call_later(then)

    def _leave(self) -> None:
        if not self.dirty:
            self.dismiss(False)
            return

        def left(sure: bool | None) -> None:
            if sure:
                self.dismiss(False)

        dialog = ConfirmDialog("Leave without saving your changes?", "leave", "stay")
        self.app.push_screen(dialog, left)  # pyright: ignore[reportUnknownMemberType]

    def _save_changes(self) -> None:
        if self.dirty:
            self._write(self._opened)
        else:
            self.dismiss(False)

    @work(exclusive=True, group="save")
    async def _write(self, opened: bytes | None) -> None:
        data = self._form.data(self.query_one(TextArea).text)
        try:
            await self._save(data, opened, self._is_visible_to_model)
        except FileChangedMeanwhile as meanwhile:
            self._ask_to_overwrite(str(meanwhile))
        except SandboxTuiError as error:
            self.notify(sanitize_line(str(error)), severity="error", markup=False)
        else:
            self.dismiss_when_on_top(True)

    def _ask_to_overwrite(self, why: str) -> None:
        def answered(sure: bool | None) -> None:
            if sure:
                self._write(None)

        words = f"{sanitize_line(why)} Overwrite it with your version?"
        dialog = ConfirmDialog(words, "overwrite", "back to the editor")
        self.app.push_screen(dialog, answered)  # pyright: ignore[reportUnknownMemberType]

    @on(TextArea.Changed)
    def _changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._show()

    def _show(self) -> None:
        told = "visible to model ◉" if self._is_visible_to_model else "private ○"
        state = "changed" if self.dirty else "unchanged"
        save, tell = hint("edit_file.save"), hint("edit_file.told")
        self.query_one(TextArea).border_subtitle = f"{state} · {save} save · {tell} {told}"


class TextForm:
    """A file's bytes as text for the editor and back; line ends, BOM and last newline are kept.

    Args:
        path: path of the file, for the error message.
        data: content of the file.

    Raises:
        FileRefused: it is not UTF-8, or contains characters that must not reach a terminal.
    """

    def __init__(self, path: str, data: bytes) -> None:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise FileRefused(f"{path} is not UTF-8 text: edit it in a shell.") from error
        self._mark = "\ufeff" if text.startswith("\ufeff") else ""
        text = text.removeprefix("\ufeff")
        self._crlf = "\r\n" in text and "\n" not in text.replace("\r\n", "")
        if self._crlf:
            text = text.replace("\r\n", "\n")
        if sanitize(text) != text:
            raise FileRefused(
                f"{path} contains control or invisible characters: edit it in a shell, where they "
                "stay what they are."
            )
        self.text = text

    def data(self, text: str) -> bytes:
        """Return the bytes of the file with another text."""
        if self._crlf:
            text = text.replace("\n", "\r\n")
        return (self._mark + text).encode("utf-8", "replace")
