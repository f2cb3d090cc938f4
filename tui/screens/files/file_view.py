"""A whole file on a separate screen: as the preview of its kind, as source, or as a diff."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen
from textual.widgets import Input

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import FileState
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.screens.dialogs.closes_when_on_top import ClosesWhenOnTop
from sandbox_tui.tui.screens.files.choose_version import ChooseVersionDialog
from sandbox_tui.tui.widgets.files.file_versions import Version, earlier
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.preview.preview import Against, Preview
from sandbox_tui.tui.widgets.search_line import SearchLine

Fetch = Callable[[Preview, str, int], None]
"""Fetches content that was not kept and passes it to the preview; see `Preview.fetched`."""


class FileViewScreen(ExplainsUnavailable, ModalScreen[None], ClosesWhenOnTop[None]):
    """Shows a file; `/` searches, `n` and `N` move between matches, `d` compares, escape closes.

    Args:
        path: path of the file.
        file: the file in the displayed state.
        get_blob: returns content by digest.
        fetch: fetches contents that were not kept.
        against: the version it is compared with at first.
    """

    CSS = """
    FileViewScreen { background: $background; }
    FileViewScreen Preview {
        height: 1fr; border: round $accent; background: $background;
        border-title-color: $accent; border-title-style: bold; border-subtitle-color: $accent;
    }
    """

    enter_words = "search"

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("app.help", "app.help", show=False),
        binding("file_view.leave", "close"),
        binding("file_view.search", "search"),
        binding("file_view.next", "again(1)"),
        binding("file_view.previous", "again(-1)"),
        binding("file_view.source", "toggle_source"),
    ]

    def __init__(
        self,
        path: str,
        file: FileState,
        get_blob: Callable[[str], bytes | None],
        fetch: Fetch,
        against: Against = None,
    ) -> None:
        super().__init__()
        self._path = path
        self._file = file
        self._preview = Preview(get_blob, whole=True)
        self._preview.against = against
        self._preview.path = path
        self._fetch = fetch
        self._wanted = ""

    def compose(self) -> ComposeResult:
        """Yield the file and a search line."""
        yield self._preview
        yield SearchLine(placeholder="search · enter next match")
        yield KeyBar()

    def on_mount(self) -> None:
        """Show the file and focus it immediately, so that the next key goes there."""
        self._preview.show(self._path, self._file)
        self.set_focus(self._preview.body)

    def on_preview_content_requested(self, event: Preview.ContentRequested) -> None:
        """Forward the request."""
        event.stop()
        self._fetch(event.preview, event.path, event.max_bytes)

    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """Files are copied and edited in the cockpit only."""
        if action == "open_file":
            return "this is the whole file"
        if action in ("pull_file", "push_file", "edit_file", "open_outside"):
            return f"close the file first: {hint('file_view.leave')}"
        return "" if action != "again" or self._wanted else "there is no search"

    def action_close(self) -> None:
        """Close the search line first, then the file."""
        search = self.query_one(SearchLine)
        if search.display:
            search.close()
            self._preview.body.focus()
            return
        self.dismiss(None)

    def action_search(self) -> None:
        """Open the search line."""
        self.query_one(SearchLine).open()

    def action_again(self, direction: int) -> None:
        """Go to the next match (1) or the previous one (-1)."""
        if self._wanted and not self._preview.body.search(self._wanted, direction):
            self.notify(f"No match for “{sanitize_line(self._wanted)}”.", markup=False)

    def action_cycle_diff(self) -> None:
        """Switch between content, last change and all changes."""
        self._preview.cycle_diff()

    def action_toggle_source(self) -> None:
        """Switch between the preview of the file's kind and the source."""
        self._preview.toggle_source()

    def action_choose_version(self) -> None:
        """Compare with the version of a chosen step."""
        choose_version(self._preview)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._wanted = event.value
        self.query_one(SearchLine).close()
        self._preview.body.focus()
        self.action_again(1)
        self.refresh_bindings()


def choose_version(preview: Preview) -> None:
    """Ask for a version to compare with, and show the diff."""
    file = preview.file
    choices = earlier(file) if file is not None else []
    if not choices:
        preview.app.notify("No earlier version of this file was saved.", timeout=3)  # pyright: ignore[reportUnknownMemberType]
        return

    def chosen(version: Version | None) -> None:
        if version is not None:
            preview.compare_with(version)

    preview.app.push_screen(ChooseVersionDialog(preview.path, choices), chosen)  # pyright: ignore[reportUnknownMemberType]
