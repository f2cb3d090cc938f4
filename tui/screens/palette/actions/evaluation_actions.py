"""Actions on evaluations in the palette, on screens where they have no key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.screen import ModalScreen, Screen

from sandbox_tui.core.base.errors import SandboxTuiError, StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.tui.keys.synonyms import synonyms
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.palette.actions.home_actions import IN_DIALOG
from sandbox_tui.tui.screens.palette.entry import Entry
from sandbox_tui.tui.textual_support.copy_text import copy
from sandbox_tui.tui.textual_support.toasts import complain_here

if TYPE_CHECKING:
    from sandbox_tui.tui.screens.evals.evals_screen import EvalsScreen

MIN_SUITE_CHARACTERS = 3
"""Minimum length of the beginning of a suite's name that is no coincidence."""

_AGAIN = "eval.run_again"

_START = "Start a new evaluation"


def evaluation_of(below: Screen[Any]) -> EvalInfo | None:
    """Return the evaluation that a screen shows, or that is under its cursor; None if none is."""
    from sandbox_tui.tui.screens.evals.eval_screen import EvalScreen
    from sandbox_tui.tui.screens.evals.evals_screen import EvalsScreen

    if isinstance(below, EvalScreen):
        return below.info
    found = None
    if isinstance(below, EvalsScreen):
        found = below.current
    elif isinstance(below, HomeScreen):
        found = below.evaluation_here
    return None if found is None else found.info


class EvaluationActions:
    """What the palette offers about evaluations.

    Args:
        app: the program.
        evals: the evaluations of this program, and the store with all of them.
        settings: the current settings.
    """

    def __init__(self, app: App[int], evals: EvalRegistry, settings: LiveSettings) -> None:
        self._app = app
        self._evals = evals
        self._settings = settings

    def entries(self, below: Screen[object]) -> Sequence[Entry]:
        """Return the entries that a screen does not have itself: the form for a new evaluation,
        which opens over the list of all evaluations, the id of the evaluation that it shows, and
        the comparison of that with another."""
        from sandbox_tui.tui.screens.evals.eval_screen import EvalScreen
        from sandbox_tui.tui.screens.evals.evals_screen import EvalsScreen
        from sandbox_tui.tui.screens.evals.new_eval import NewEvalDialog

        off = IN_DIALOG if isinstance(below, ModalScreen) else ""
        entries: list[Entry] = []
        if not isinstance(below, EvalsScreen | NewEvalDialog):
            words, also = _START, synonyms("evals.new")
            entries.append(Entry("Actions", "evals.new", words, "", self._new, off, also))
        if (info := evaluation_of(below)) is not None:
            words, also = "Copy the evaluation's id", synonyms("home.copy_id")

            def copy_id() -> None:
                copy(self._app, info.id)

            entries.append(Entry("Actions", "evals.copy_id", words, info.id, copy_id, "", also))
        if isinstance(below, EvalScreen):
            entries.append(self._compare(below.info))
        return entries

    def for_typed(self, below: Screen[object], typed: str) -> Sequence[Entry]:
        """Return an entry for a new evaluation of each suite whose name a typed word begins."""
        words = [word for word in typed.lower().split() if len(word) >= MIN_SUITE_CHARACTERS]
        if not words or isinstance(below, ModalScreen):
            return ()
        found = (suite for suite in self._suites if suite.lower().startswith(tuple(words)))
        return [self._start_with(below, suite) for suite in found]

    @cached_property
    def _suites(self) -> Sequence[str]:
        from sandbox_tui.core.evals.suite_file import suite_names

        return suite_names()

    def _start_with(self, below: Screen[object], suite: str) -> Entry:
        from sandbox_tui.tui.screens.evals.evals_screen import EvalsScreen

        async def start() -> None:
            listed = below if isinstance(below, EvalsScreen) else await self._list()
            listed.start_with(suite)

        words, own = f"{_START} of {sanitize_line(suite)}", len(_START)
        also = f"{suite.lower()} suite {synonyms('evals.new')}"
        name = f"evals.new {suite}"
        return Entry("Actions", name, words, "", start, "", also, own)

    def _compare(self, info: EvalInfo) -> Entry:
        store, app = self._evals.runs.store, self._app

        async def compare() -> None:
            try:
                summary = ledger.summary(store, info.id)
            except SandboxTuiError as error:  # deleted in the meantime
                complain_here(app, str(error))
            else:
                await self._list(summary)

        try:
            is_only = len(ledger.summaries(store, 2)) < 2
        except StoreError:  # reading the list complains about it
            is_only = False
        off, also = "there is only one evaluation" if is_only else "", synonyms("evals.compare")
        words = "Compare the evaluation with another"
        return Entry("Actions", "evals.compare", words, "", compare, off, also)

    def opened_from_list(self, below: Screen[object], here: Sequence[Entry]) -> Sequence[Entry]:
        """Return the entries of a screen so that the evaluation that it shows can be run again: the
        form opens over the list of all evaluations where the screen itself has none.

        Args:
            below: the screen.
            here: its entries.
        """
        info = evaluation_of(below)
        if info is None:
            return here

        async def again() -> None:
            (await self._list()).run_again(info)

        return [
            replace(entry, choose=again, off="", detail="")
            if entry.name == _AGAIN and entry.off
            else entry
            for entry in here
        ]

    async def _new(self) -> None:
        (await self._list()).action_new()

    async def _list(self, marked: EvalSummary | None = None) -> EvalsScreen:
        from sandbox_tui.tui.screens.evals.open_eval import open_list

        return await open_list(self._app, self._evals, self._settings, marked)
