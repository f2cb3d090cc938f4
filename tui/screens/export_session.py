"""Exports the session that a screen shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from textual.screen import Screen

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.tui.textual_support.typed_app import app_of

if TYPE_CHECKING:  # imported when first shown
    from sandbox_tui.tui.screens.dialogs.export_session import ExportDialog

Result = TypeVar("Result")

TOAST_SECONDS = 15.0
"""Long enough to read a path."""


def export_recorded(screen: Screen[Result], store: Store, run_id: str) -> None:
    """Like `export_session`, for a session that may have been deleted in the meantime."""
    try:
        run = store.run(run_id)
    except StoreError as error:
        screen.notify(sanitize_line(str(error)), severity="error", markup=False)
    else:
        export_session(screen, run, store)


def export_session(screen: Screen[Result], run: RunSummary, store: Store) -> None:
    """Ask for a format and a destination, write the files, and show where they are."""
    from sandbox_tui.tui.screens.dialogs.export_session import ExportDialog

    show_export(screen, ExportDialog(run, store))


def show_export(screen: Screen[Result], dialog: ExportDialog) -> None:
    """Show a dialog that exports, then where its files are."""

    def written(words: str | None) -> None:
        if words:
            screen.notify(words, markup=False, timeout=TOAST_SECONDS)

    app_of(screen).push_screen(dialog, written)
