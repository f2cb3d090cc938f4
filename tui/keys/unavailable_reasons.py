"""Reasons why actions are not available now: the help shows them, the key bar omits the keys."""

from __future__ import annotations


def as_sentence(reason: str) -> str:
    """Return a reason as a notice shows it: as a sentence of its own, without the action's name,
    since that would read as if something had been ordered."""
    return f"{reason[:1].upper()}{reason[1:]}."


_NO_SESSION = ("this is an evaluation: ", "this is a training run: ")
"""How the reasons begin that actions on sessions have on other rows of the home screen."""


def needs_session_row(reason: str) -> bool:
    """Return whether an action is off because the row under the cursor is no session."""
    return reason.startswith(_NO_SESSION)


class ExplainsUnavailable:
    """Mixin for screens and widgets that explain why their actions are off. List it before the
    Textual base class: it derives Textual's `check_action` from `why_unavailable`."""

    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """Why an action is not available now, in a few words; empty if it is.

        Args:
            action: its name without place and parameters, such as `pause`.
            parameters: the action's parameters.
        """
        return ""

    def why_key_does_nothing(self, key: str) -> str:
        """Why a key that has no action here does nothing, in a sentence that names the action it
        has elsewhere; empty to say nothing."""
        return ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable an action that is off: Textual skips its keys, so that outer widgets may take
        them."""
        return not self.why_unavailable(action, parameters)
