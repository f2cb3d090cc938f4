"""A toast about a call that begins to wait while a dialog covers the keys that decide on it."""

from __future__ import annotations

from typing import Protocol, cast, runtime_checkable

from textual.screen import Screen

from sandbox_tui.core.events.types import Mode
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.screens.cockpit.live.approving.call_drafts import draft_saved
from sandbox_tui.tui.textual_support.toasts import DedupedToasts
from sandbox_tui.tui.textual_support.typed_app import app_of

TIMEOUT_SECONDS = 60
"""The toast is removed earlier, when the dialog is closed or the call is decided on."""


def still_waits(number: int, mode: Mode) -> str:
    """Return the notice that a call waits although the mode has changed to this one."""
    later = "; later calls run without asking" if mode == "auto" else ""
    return f"{_waits(number)}{later}."


def _waits(number: int) -> str:
    return f"Call {number} still waits for your decision"


def thawed_for(number: int, of_run: str = "") -> str:
    """Return the notice that a call which the user let run needed the frozen sandbox."""
    return f"The sandbox runs again for call {number}{of_run}; the run stays paused."


def say_steps_now(screen: Screen[None], before: Mode, *, was_frozen: bool) -> None:
    """Say what else the key has changed that runs one more call.

    Args:
        screen: shows the run.
        before: the mode of the run until then.
        was_frozen: whether its sandbox was frozen until then.
    """
    thawed = "The sandbox runs again." if was_frozen else ""
    mode = "Mode step: every call waits for you." if before != "step" else ""
    if words := " ".join(filter(None, (thawed, mode))):
        screen.notify(words)


def passes_in_step() -> str:
    """Return the notice that what was allowed no longer waits, although all other calls do."""
    keys = f"{hint('live.mode')} {hint('mode_menu.allowed')}"
    return f"Calls like it now run in mode step, too; {keys} lists and revokes them."


@runtime_checkable
class ShowsCall(Protocol):
    """A dialog about one call.

    Attributes:
        call_number: number of the call.
    """

    call_number: int


class WaitingToast:
    """Tells, over one screen's dialogs, that a call waits, unless one of them is about that call.

    Args:
        screen: shows the run.
    """

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen
        self._number: int | None = None
        self._shown = ""

    def sync(self, number: int | None) -> None:
        """Show the toast if a call has just begun to wait, unless the screen itself is visible.

        Args:
            number: of the waiting call, if any.
        """
        is_covered = app_of(self._screen).screen is not self._screen
        is_new, before, self._number = number != self._number, self._number, number
        if is_new and before is not None:
            self._remove_notices(before)
        if is_new or not is_covered:
            self._remove()
        if is_new and is_covered and number is not None and not self._is_open(number):
            self._shown = f"Call {number} waits for you."
            self._screen.notify(self._shown, severity="warning", timeout=TIMEOUT_SECONDS)

    def _is_open(self, number: int) -> bool:
        """Return whether a dialog is about the call: a quick key opens it before the first sync."""
        stack = app_of(self._screen).screen_stack
        return any(isinstance(one, ShowsCall) and one.call_number == number for one in stack)

    def _remove_notices(self, number: int) -> None:
        """Remove the notices about a call that no longer waits."""
        for words in (_waits(number), draft_saved()):
            self._app.remove_notices_with(words)

    @property
    def _app(self) -> DedupedToasts[int]:
        return cast("DedupedToasts[int]", app_of(self._screen))

    def _remove(self) -> None:
        if self._shown:
            self._app.remove_shown_toast(self._shown, "")
            self._shown = ""
