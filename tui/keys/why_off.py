"""Actions that cannot be used now, and why: the help says it, the key bar leaves the key out."""

from __future__ import annotations


class SaysWhyOff:
    """A screen or widget that says of its actions why they are off. Stands before its Textual base:
    Textual's `check_action` follows from `why_off`."""

    def why_off(self, action: str, parameters: tuple[object, ...]) -> str:
        """Why an action cannot be used now, in a few words; empty where it can be used.

        Args:
            action: its name without place and parameters, such as `pause`.
            parameters: what it is called with.
        """
        return ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Textual skips the keys of an action that is off; widgets further out may take them."""
        return not self.why_off(action, parameters)
