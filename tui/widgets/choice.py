"""A one-line selector: left, right or a click chooses another value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import BindingType
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.theming.palette import palette_of


class Choice(Widget, can_focus=True):
    """A selector that shows the current value between two arrows.

    Args:
        values: the choices; at least one.
        value: the initial choice; falls back to the first one if it is not in `values`.
    """

    DEFAULT_CSS = """
    Choice { height: 1; width: 1fr; padding: 0 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("choice.previous", "turn(-1)", show=False),
        binding("choice.next", "turn(1)", show=False),
    ]

    value: reactive[str] = reactive("", init=False)

    class Changed(Message):
        """Another value was chosen."""

        def __init__(self, choice: Choice, value: str) -> None:
            super().__init__()
            self.choice = choice
            self.value = value

        @property
        @override
        def control(self) -> Choice:
            return self.choice

    def __init__(self, values: Sequence[str], value: str, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._values = list(values)
        self.set_reactive(Choice.value, value if value in self._values else self._values[0])

    def offer(self, values: Sequence[str]) -> None:
        """Offer these values from now on; the current one must be among them."""
        self._values = list(values)

    @override
    def render(self) -> Text:
        palette = palette_of(self)
        arrows = palette.accent + Style(bold=True) if self.has_focus else palette.faint
        line = Text("‹ ", style=arrows, no_wrap=True)
        line.append(
            sanitize_line(self.value), style=palette.strong if self.has_focus else palette.text
        )
        return line.append(" ›", style=arrows)

    def watch_value(self, value: str) -> None:
        """Announce the new value."""
        self.refresh()
        self.post_message(self.Changed(self, value))

    def action_turn(self, direction: int) -> None:
        """Choose the next value (1) or the previous one (-1), wrapping at the ends."""
        index = self._values.index(self.value) + direction
        self.value = self._values[index % len(self._values)]

    def on_click(self, event: Click) -> None:
        """The left arrow chooses the previous value, everything else the next."""
        place = event.get_content_offset(self)
        self.action_turn(-1 if place is not None and place.x < 2 else 1)
