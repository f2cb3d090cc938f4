"""Opens a folder in the desktop's file manager."""

from __future__ import annotations

from pathlib import Path

from textual.screen import Screen

from sandbox_tui.core.base.errors import FileRefused
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.terminal_io.open_external import open_folder
from sandbox_tui.tui.textual_support.toasts import note_here


def show_folder(screen: Screen[None], folder: Path) -> None:
    """Show a folder in the desktop's file manager, or warn if it cannot be opened."""
    try:
        open_folder(folder)
    except FileRefused as error:
        screen.notify(sanitize_line(str(error)), severity="warning", markup=False)
    else:
        note_here(screen, f"Opened {folder}.")
