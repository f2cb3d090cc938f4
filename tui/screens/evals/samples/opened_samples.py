"""Opens the samples of an evaluation's list, and goes on to the next unsolved one from a replay."""

from __future__ import annotations

from textual.screen import Screen

from sandbox_tui.sessions import Store
from sandbox_tui.tui.screens.evals.samples.screen_of_sample import screen_of
from sandbox_tui.tui.screens.evals.source import EvalSource
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.evals.sample_list import SampleRows


class OpenedSamples:
    """The samples that are opened over a list; its cursor stays on the one that is shown.

    Args:
        screen: has the list.
        source: of the evaluation.
        store: has the sessions.
    """

    def __init__(self, screen: Screen[None], source: EvalSource, store: Store) -> None:
        self._screen = screen
        self._source = source
        self._store = store

    def open(self) -> None:
        """Show the sample under the cursor on top of the list."""
        opened = self._screen_of_current()
        if opened is not None:
            app_of(self._screen).push_screen(opened)

    def _to_unsolved(self, step: int) -> None:
        """Show the next wrong or failed sample (1) or the previous one (-1) instead of this one."""
        if not self._rows.to_unsolved(step):
            return
        opened = self._screen_of_current()
        if opened is not None:
            app_of(self._screen).switch_screen(opened)  # pyright: ignore[reportUnknownMemberType]

    def _screen_of_current(self) -> Screen[None] | None:
        sample = self._rows.current
        if sample is None:
            return None
        return screen_of(self._screen, sample, self._source, self._store, self._to_unsolved)

    @property
    def _rows(self) -> SampleRows:
        return self._screen.query_one(SampleRows)
