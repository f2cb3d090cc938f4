"""Jump mode: shows a letter on every focusable widget and dims the rest."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Click, Key
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Label

from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.closes_when_on_top import ClosesWhenOnTop
from sandbox_tui.tui.widgets.key_bar import KeyBar

LETTERS = "asdfghjklqwertyuiopzxcvbnm"


class JumpScreen(ModalScreen[Widget | None], ClosesWhenOnTop[Widget | None]):
    """Dismisses with the widget whose letter was pressed, or None.

    Args:
        targets: the possible targets, in the order of their letters.
    """

    CSS = """
    JumpScreen { background: $background 60%; }
    JumpScreen Label {
        position: absolute; width: 3; height: 1; padding: 0 1;
        background: $accent; color: $background; text-style: bold;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("jump.close", "dismiss(None)"),
    ]

    def __init__(self, targets: list[Widget]) -> None:
        super().__init__()
        self._targets = dict(zip(LETTERS, targets, strict=False))

    def compose(self) -> ComposeResult:
        """Yield the letters, each at the corner of its widget."""
        for letter, target in self._targets.items():
            label = Label(letter, markup=False)
            label.styles.offset = (target.region.x, target.region.y)
            yield label
        yield KeyBar()

    def on_key(self, event: Key) -> None:
        """Jump to the widget of a letter; other keys are ignored."""
        if event.key in self._targets:
            event.stop()
            self.dismiss(self._targets[event.key])

    def on_click(self, event: Click) -> None:
        """Jump to the clicked widget, or close if there is none."""
        hit = [t for t in self._targets.values() if t.region.contains(*event.screen_offset)]
        self.dismiss(hit[-1] if hit else None)
