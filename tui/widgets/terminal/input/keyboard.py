"""Keyboard input for the program inside a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.timer import Timer

from sandbox_tui.tui.widgets.terminal.input.input_bytes import RELEASE, bytes_of_key
from sandbox_tui.tui.widgets.terminal.input.paste_encoding import bytes_of_paste

if TYPE_CHECKING:
    from sandbox_tui.tui.widgets.terminal.view import TerminalView

RELEASE_TWICE_SECONDS = 0.4
"""Time within which a second release chord goes to the program instead."""

FOCUS_REPORTS = 1004
"""Mode in which a program is notified when it gains or loses the keyboard."""


class KeyboardInput:
    """Sends keys, pastes and focus reports of an attached view; handles the release chord."""

    def __init__(self, view: TerminalView) -> None:
        self._view = view
        self._release_timer: Timer | None = None
        self._focused = False

    def consumes(self, key: str) -> bool:
        """Return whether a key goes to the terminal before any binding, even one with priority.

        After one release chord only a second chord does; any other key goes to the cockpit again.
        """
        return self._view.attached and (self._release_timer is None or key == RELEASE)

    def press(self, event: events.Key) -> None:
        """Send a key; the release chord releases the keyboard unless it is pressed twice."""
        view = self._view
        if not view.attached:
            return
        if event.key == RELEASE and self._release_timer is None:
            self._release_timer = view.set_timer(RELEASE_TWICE_SECONDS, view.release)
        elif event.key != RELEASE and self._release_timer is not None:
            view.release()
            return  # the cockpit handles this key
        else:
            self.cancel_release()
            if not self._copied_selection(event.key):
                self._type(bytes_of_key(event, view.emulator.modes))
        event.stop()
        event.prevent_default()

    def paste(self, event: events.Paste) -> None:
        """Send pasted text, bracketed if the program requested that."""
        if self._view.attached:
            event.stop()
            event.prevent_default()
            self._type(bytes_of_paste(event.text, self._view.emulator.modes))

    def report_focus(self, *, focused: bool) -> None:
        """Tell a program that requested it (mode 1004) whether it has the keyboard."""
        focused = self._view.attached and focused
        changed, self._focused = focused != self._focused, focused
        if changed and FOCUS_REPORTS in self._view.emulator.modes:
            self._view.send(b"\x1b[I" if focused else b"\x1b[O")

    def cancel_release(self) -> None:
        """Forget a release chord that was pressed once."""
        if self._release_timer is not None:
            self._release_timer.stop()
            self._release_timer = None

    def _copied_selection(self, key: str) -> bool:
        """Return whether the key copied the selection; any key clears it."""
        view = self._view
        if view.text_selection is None:
            return False
        copies = key == "ctrl+c" and view.copy_selection()
        view.screen.clear_selection()
        return copies

    def _type(self, data: bytes) -> None:
        if data:
            self._view.following = True
            self._view.send(data)
