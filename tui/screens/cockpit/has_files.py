"""The keys of the files pane and its preview, for the screens of a run."""

from __future__ import annotations

from textual import on

from sandbox_tui.tui.screens.cockpit.file_actions import FileActions
from sandbox_tui.tui.screens.cockpit.panes import HasPanes
from sandbox_tui.tui.screens.files.file_view import choose_version
from sandbox_tui.tui.widgets.files.file_tree import FileTree
from sandbox_tui.tui.widgets.preview.preview import Preview


class HasFiles(HasPanes):
    """A screen with a files pane; a subclass sets `_file_actions`."""

    _file_actions: FileActions

    @on(FileTree.Opened)
    def _file_opened(self, event: FileTree.Opened) -> None:
        event.stop()
        self._file_actions.open_whole()

    @on(FileTree.FilterRequested)
    def _filter_requested(self, event: FileTree.FilterRequested) -> None:
        event.stop()
        self._file_actions.ask_filter()

    @on(Preview.ContentRequested)
    def _content_requested(self, event: Preview.ContentRequested) -> None:
        event.stop()
        self._file_actions.fetch(event.preview, event.path, event.max_bytes)

    def action_open_file(self) -> None:
        """Open the whole file on a separate screen."""
        self._file_actions.open_whole()

    def action_pull_file(self) -> None:
        """Copy the chosen file or folder out."""
        self._file_actions.ask_copy_out()

    def action_push_file(self) -> None:
        """Copy a host file or folder into the sandbox."""
        self._file_actions.ask_copy_in()

    def action_edit_file(self) -> None:
        """Edit the chosen file."""
        self._file_actions.edit()

    def action_open_outside(self) -> None:
        """Open the chosen file in a desktop program."""
        self._file_actions.open_outside()

    def action_cycle_diff(self) -> None:
        """Switch between content, last change and all changes."""
        self.query_one(Preview).cycle_diff()

    def action_choose_version(self) -> None:
        """Compare with the version of a chosen step."""
        choose_version(self.query_one(Preview))

    def action_toggle_source(self) -> None:
        """Switch between the preview of the file's kind and the source."""
        self.query_one(Preview).toggle_source()
