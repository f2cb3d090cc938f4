"""A toast about a run that is in another sandbox than usual, because Docker lacks the image."""

from __future__ import annotations

import contextlib

from textual.app import App

from sandbox_tui.core.events.kinds.run import RunStarted
from sandbox_tui.sessions import RunRegistry
from sandbox_tui.tui.textual_support.toasts import warn_here

SAID = "said-other-sandbox"
"""Name of the file with the reason that was said last."""


class OtherSandboxToast:
    """Says why runs are in bubblewrap, and which command gets the image: once, since a file beside
    the sessions remembers it, and again if the reason changes.

    Args:
        app: shows the toast.
        runs: the runs of this program.
    """

    def __init__(self, app: App[int], runs: RunRegistry) -> None:
        self._app = app
        self._runs = runs
        self._has_said_it = False

    def look(self) -> None:
        """Look at the runs; show the toast if it is due."""
        if self._has_said_it:
            return
        started = (run.state.started for run in self._runs.all.values())
        because = next((found for each in started if each and (found := _why_other(each))), "")
        if not because:
            return
        self._has_said_it = True
        if self._is_new(because):
            those = "This run uses" if len(self._runs.all) == 1 else "These runs use"
            warn_here(self._app, f"{those} bubblewrap: {because}.", seconds=6)

    def _is_new(self, because: str) -> bool:
        """Return whether no program has said this before, and remember that it is said now; without
        a readable file, each program says it."""
        file = self._runs.store.path.with_name(SAID)
        with contextlib.suppress(OSError, ValueError):
            if file.read_text("utf-8") == because:
                return False
        with contextlib.suppress(OSError, ValueError):
            file.write_text(because, "utf-8")
        return True


def _why_other(started: RunStarted) -> str:
    """Return why a run is in another sandbox than usual; empty unless an image is missing."""
    from sandbox_tui.core.sandboxes.image_name import LACKS_IMAGE

    because = started.sandbox_info.get("chosen", "")
    return because if because.startswith(LACKS_IMAGE) else ""
