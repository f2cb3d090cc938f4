"""The list of all actions by name. It bears a key that comes before it is drawn, and a click on a
line that is not there any more."""

from __future__ import annotations

import contextlib

from textual.command import CommandPalette

from sandbox_tui.tui.textual_support.private_api import ignore_stale_option_clicks


class ActionPalette(CommandPalette):
    """Textual's; its list looks its lines up, which are there only once it has been laid out, and
    are others by the time that a click arrives."""

    def on_mount(self) -> None:
        """See above."""
        ignore_stale_option_clicks()

    def _action_command_list(self, action: str) -> None:
        with contextlib.suppress(KeyError):
            super()._action_command_list(action)
