"""The field for the suite."""

from __future__ import annotations

from textual import on
from textual.events import Focus

from sandbox_tui.tui.widgets.path_input import PathInput


class SuiteInput(PathInput):
    """An input for a suite: typing right after it gets the focus replaces the suite that is
    offered."""

    _offered = ""

    def begin(self, offered: str) -> None:
        """Take the focus, with the whole text selected, whatever it is.

        Args:
            offered: the text that the form put in.
        """
        self._offered = offered
        self.focus()
        self.action_select_all()

    def focus_again(self) -> None:
        """Take the focus after the form put in another text."""
        self.focus()
        self._select_offered()

    @on(Focus)
    def _select_offered(self) -> None:
        if self.value == self._offered:
            self.action_select_all()
