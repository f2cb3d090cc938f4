"""The list of all actions by name, which stands a key that comes before it is drawn."""

from __future__ import annotations

import contextlib

from textual.command import CommandPalette


class ActionPalette(CommandPalette):
    """Textual's; its list looks its lines up, which are there only once it has been laid out."""

    def _action_command_list(self, action: str) -> None:
        with contextlib.suppress(KeyError):
            super()._action_command_list(action)
