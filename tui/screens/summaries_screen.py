"""Base class of screens that list summaries and keep them up to date."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar, Generic, TypeVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.screen import Screen

from sandbox_tui.core.base.errors import SandboxTuiError, StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.sessions.summary_list import SummaryList
from sandbox_tui.tui.widgets.themed_text import ThemedText

Summary = TypeVar("Summary")

POLL_SECONDS = 1.0
"""Seconds between updates of the list."""

MAX_LISTED = 500


class SummariesScreen(ExplainsUnavailable, Screen[None], Generic[Summary]):
    """Lists summaries; a subclass reads them and provides their title and actions.

    Args:
        shown: the list widget, still empty.
    """

    DEFAULT_CSS = """
    SummariesScreen { background: $background; }
    SummariesScreen #summaries-title { height: 1; padding: 0 1; background: $panel; }
    SummariesScreen SummaryList { margin: 1 1 0 1; }
    """

    ABOUT: ClassVar[str]
    """A short description of the items for first-time users."""

    def __init__(self, shown: SummaryList[Summary]) -> None:
        super().__init__()
        self._list = shown
        self._is_reading = False

    def read_summaries(self) -> Sequence[Summary]:
        """Return the summaries, newest first, at most `MAX_LISTED`; called in a thread."""
        raise NotImplementedError

    def open_summary(self, found: Summary) -> None:
        """Open the screen of one item."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """Yield title line, list and keys."""
        yield ThemedText(self._title, id="summaries-title")
        yield self._list
        yield KeyBar()

    def on_mount(self) -> None:
        """Start the updates."""
        self.reload()
        self.set_interval(POLL_SECONDS, self.reload)

    @work(group="read")
    async def reload(self) -> None:
        """Read the summaries again."""
        if self._is_reading or not self.is_current:
            return
        self._is_reading = True
        try:
            found = await asyncio.to_thread(self.read_summaries)
        except StoreError as error:
            self.complain(error)
        else:
            self._list.show(found)
            self.refresh_bindings()
        finally:
            self._is_reading = False

    def complain(self, error: SandboxTuiError) -> None:
        """Show an error."""
        self.notify(sanitize_line(str(error)), severity="error", markup=False)

    @property
    def current(self) -> Summary | None:
        """The summary under the cursor."""
        return self._list.current if self.is_mounted else None

    @property
    def choice_words(self) -> str:
        """What enter does, for the key bar."""
        return "" if self.current is None else "open"

    @on(BlockList.Selected)
    def _chosen(self) -> None:
        if (found := self.current) is not None:
            self.open_summary(found)

    @on(BlockList.Highlighted)
    def _moved(self) -> None:
        self.refresh_bindings()

    def action_leave(self) -> None:
        """Leave the screen."""
        self.dismiss(None)

    def _title(self, palette: Palette) -> Text:
        line = Text(self._list.TITLE, style=palette.accent)
        return line.append(f"   {self.ABOUT}", style=palette.dim)
