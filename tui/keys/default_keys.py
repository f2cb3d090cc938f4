"""Every action with a key: its name, default keys and description. Only `actions` names keys.

An action's name is the `id` of its Textual `Binding`: the place, a dot, and what it does, such as
`live.approve`. Names must not change, since users' keymaps refer to them. The table is plain data,
so that `sandbox-tui keys` and every widget can read it without importing a screen.
"""

from __future__ import annotations

from operator import attrgetter

from sandbox_tui.tui.keys.actions.dialog_keys import DIALOG_ACTIONS
from sandbox_tui.tui.keys.actions.key_action import KeyAction
from sandbox_tui.tui.keys.actions.screen_keys import SCREEN_ACTIONS
from sandbox_tui.tui.keys.actions.session_keys import SESSION_ACTIONS

ACTIONS: dict[str, KeyAction] = {
    action.name: action
    for action in sorted(
        (*DIALOG_ACTIONS, *SCREEN_ACTIONS, *SESSION_ACTIONS), key=attrgetter("name")
    )
}
"""Actions by name, in alphabetical order."""
