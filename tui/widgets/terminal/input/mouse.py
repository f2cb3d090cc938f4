"""Mouse events for the program inside a terminal (xterm ctlseqs, "Mouse Tracking")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from textual import events
from textual.geometry import Offset

from sandbox_tui.tui.widgets.terminal.input.input_bytes import bytes_of_key, bytes_of_mouse

if TYPE_CHECKING:
    from sandbox_tui.tui.widgets.terminal.view import TerminalView

CLICKS, DRAGS, ALL_MOTION = 1000, 1002, 1003
"""Modes in which a program requests mouse events."""

ALTERNATE_SCROLL = 1007
"""Mode in which the wheel sends arrow keys on the alternate screen."""

_MOTION, _NO_BUTTON = 32, 3
_WHEEL = {"up": 64, "down": 65}
_ARROWS_PER_NOTCH = 3


class MouseReporter:
    """Converts the mouse events of a view to reports; tracks the pressed button."""

    def __init__(self, view: TerminalView) -> None:
        self._view = view
        self._button_down: int | None = None
        self._last_place: Offset | None = None

    def reset(self) -> None:
        """Forget the pressed button."""
        self._button_down = None

    @property
    def active(self) -> bool:
        """Whether the program receives mouse events."""
        view = self._view
        return view.attached and not view.emulator.modes.isdisjoint((CLICKS, DRAGS, ALL_MOTION))

    def press(self, event: events.MouseDown) -> None:
        """Report a pressed button."""
        self._button_down = max(0, event.button - 1)
        self._report(event, self._button_down)

    def release(self, event: events.MouseUp) -> None:
        """Report a released button."""
        self._report(event, max(0, event.button - 1), released=True)
        self._button_down = None

    def move(self, event: events.MouseMove) -> None:
        """Report movement: while a button is down (1002), or always (1003)."""
        down, modes = self._button_down, self._view.emulator.modes
        if event.screen_offset != self._last_place and (
            ALL_MOTION in modes or (DRAGS in modes and down is not None)
        ):
            self._report(event, _MOTION + (_NO_BUTTON if down is None else down))
        self._last_place = event.screen_offset

    def wheel(self, event: events.MouseEvent, direction: Literal["up", "down"]) -> None:
        """Report a wheel notch, or send arrow keys if the program requested them."""
        view = self._view
        if self.active:
            self._report(event, _WHEEL[direction])
        elif (
            view.attached and view.emulator.in_alternate and ALTERNATE_SCROLL in view.emulator.modes
        ):
            event.stop()
            event.prevent_default()
            arrow = bytes_of_key(events.Key(direction, None), view.emulator.modes)
            view.send(arrow * _ARROWS_PER_NOTCH)

    def _report(self, event: events.MouseEvent, button: int, *, released: bool = False) -> None:
        if not self.active:
            return
        event.stop()
        event.prevent_default()
        place = event.get_content_offset(self._view)
        if place is None:
            return
        emulator = self._view.emulator
        x, y = place + self._view.scroll_offset
        y -= emulator.history_size
        if x < emulator.columns and 0 <= y < emulator.lines:
            self._view.send(
                bytes_of_mouse(event, button, (x, y), emulator.modes, released=released)
            )
