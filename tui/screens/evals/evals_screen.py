"""All evaluations: those of this program, of others, and those that are over."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.screens.evals.eval_actions import EvalActions
from sandbox_tui.tui.screens.evals.eval_screen import EvalScreen
from sandbox_tui.tui.screens.evals.source import EvalSource, LocalEval, RecordedEval
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.evals.eval_list import EvalList
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.themed_text import ThemedText

POLL_SECONDS = 1.0
"""Seconds between looks at the evaluations."""

MAX_LISTED = 500


class EvalsScreen(Screen[None]):
    """Lists evaluations, opens, resumes and deletes them.

    Args:
        evals: of this program; the store has the others.
        settings: those in force.
    """

    AUTO_FOCUS = "EvalList"

    CSS = """
    EvalsScreen { background: $background; }
    EvalsScreen #evals-title { height: 1; padding: 0 1; background: $panel; }
    EvalsScreen EvalList { margin: 1 1 0 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("evals.resume", "resume"),
        binding("evals.delete", "delete"),
        binding("evals.help", "help"),
        binding("evals.leave", "leave"),
    ]

    def __init__(self, evals: EvalRegistry, settings: LiveSettings) -> None:
        super().__init__()
        self._evals = evals
        self._settings = settings
        self._actions = EvalActions(self, evals, self._read)
        self._is_reading = False

    def compose(self) -> ComposeResult:
        """A line that says what this is, the evaluations, the keys."""
        yield ThemedText(_title, id="evals-title")
        yield EvalList()
        yield KeyBar()

    def on_mount(self) -> None:
        """Begin to look."""
        self._read()
        self.set_interval(POLL_SECONDS, self._read)

    @work(group="read")
    async def _read(self) -> None:
        if self._is_reading or not self.is_current:
            return
        self._is_reading = True
        try:
            found = await asyncio.to_thread(ledger.summaries, self._evals.runs.store, MAX_LISTED)
        except StoreError as error:
            self.notify(sanitize_line(str(error)), severity="error", markup=False)
        else:
            self.query_one(EvalList).show(found)
            self.refresh_bindings()
        finally:
            self._is_reading = False

    @on(BlockList.Selected, "#evals")
    def _chosen(self) -> None:
        """See the evaluation under the cursor whole."""
        found = self.query_one(EvalList).current
        if found is not None:
            runs = self._evals.runs
            app_of(self).push_screen(EvalScreen(self._source(found), runs))

    def _source(self, found: ledger.EvalSummary) -> EvalSource:
        runner = self._evals.all.get(found.info.id)
        if runner is not None:
            return LocalEval(runner, self._evals)
        return RecordedEval(found, self._evals.runs.store)

    @property
    def evaluation_here(self) -> ledger.EvalSummary | None:
        """The evaluation under the cursor."""
        return self.query_one(EvalList).current if self.is_mounted else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only an interrupted evaluation can be resumed, and only one that is not running be
        deleted."""
        found = self.evaluation_here
        if action == "resume":
            return found is not None and found.status == "interrupted"
        return found is not None and not found.running if action == "delete" else True

    @on(BlockList.Highlighted)
    def _moved(self) -> None:
        self.refresh_bindings()

    def action_resume(self) -> None:
        """Run what is left of the evaluation under the cursor."""
        found = self.evaluation_here
        if found is not None:
            resuming = self._actions.resume(found, self._settings.now)
            self.run_worker(resuming, exclusive=True, group="act")

    def action_delete(self) -> None:
        """Delete the evaluation under the cursor, after asking."""
        found = self.evaluation_here
        if found is not None:
            self.run_worker(self._actions.delete(found), exclusive=True, group="act")

    def action_help(self) -> None:
        """All keys of this screen."""
        from sandbox_tui.tui.screens.dialogs.help import HelpScreen

        app_of(self).push_screen(HelpScreen(self))

    def action_leave(self) -> None:
        """Back."""
        self.dismiss(None)


def _title(palette: Palette) -> Text:
    line = Text("evaluations", style=palette.accent)
    return line.append("   the same tasks with and without a computer", style=palette.dim)
