"""Actions after the end of a run: replay it, open the folder of its results."""

from __future__ import annotations

from pathlib import Path

from textual.screen import Screen

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.types import RunFinished
from sandbox_tui.sessions import Store
from sandbox_tui.tui.screens.show_folder import show_folder
from sandbox_tui.tui.textual_support.typed_app import app_of


def replay_session(screen: Screen[None], store: Store, run_id: str) -> None:
    """Replay a session from its start, on top of a screen."""
    from sandbox_tui.tui.screens.cockpit.replay.replay_screen import ReplayScreen

    try:
        replay = ReplayScreen(store.run(run_id), store)
    except StoreError as error:
        screen.notify(sanitize_line(str(error)), severity="error", markup=False)
        return
    app_of(screen).push_screen(replay)


def open_results(screen: Screen[None], finished: RunFinished | None) -> None:
    """Show the results in the desktop's file manager, or warn if it cannot be opened."""
    if finished is not None and finished.output:
        show_folder(screen, Path(finished.output).absolute())
