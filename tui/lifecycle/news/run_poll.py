"""The one timer that looks at the runs of this program, whichever screen is shown."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import App

POLL_SECONDS = 0.5
"""Seconds between two looks."""

NAME = "runs"
"""The name of the timer."""


def poll_runs(app: App[int], *looks: Callable[[], None]) -> None:
    """Call all of these twice a second, until the app ends."""

    def look() -> None:
        for one in looks:
            one()

    app.set_interval(POLL_SECONDS, look, name=NAME)
