"""One line that holds one of a few values: left and right, or a click, take the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from ...core.text import clean_line
from ..palette import palette_of


class Choice(Widget, can_focus=True):
    """Shows the value between two arrows.

    Args:
        values: what can be chosen; at least one.
        value: what is chosen; the first where it is not among them.
    """

    DEFAULT_CSS = """
    Choice { height: 1; width: 1fr; padding: 0 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "turn(-1)", "Value before", show=False, id="choice.previous"),
        Binding("right,l,space,enter", "turn(1)", "Next value", show=False, id="choice.next"),
    ]

    value: reactive[str] = reactive("", init=False)

    class Changed(Message):
        """Another value was chosen."""

        def __init__(self, choice: Choice, value: str) -> None:
            super().__init__()
            self.choice = choice
            self.value = value

        @property
        def control(self) -> Choice:
            """The widget that sent it."""
            return self.choice

    def __init__(self, values: Sequence[str], value: str, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._values = list(values)
        self.set_reactive(Choice.value, value if value in self._values else self._values[0])

    def render(self) -> Text:
        """The value."""
        palette = palette_of(self)
        arrows = palette.accent + Style(bold=True) if self.has_focus else palette.faint
        line = Text("‹ ", style=arrows, no_wrap=True)
        line.append(
            clean_line(self.value), style=palette.strong if self.has_focus else palette.text
        )
        return line.append(" ›", style=arrows)

    def watch_value(self, value: str) -> None:
        """Say that it is another."""
        self.refresh()
        self.post_message(self.Changed(self, value))

    def action_turn(self, direction: int) -> None:
        """To another value, round and round."""
        index = self._values.index(self.value) + direction
        self.value = self._values[index % len(self._values)]

    def on_click(self, event: Click) -> None:
        """The arrow at the left goes back, everything else on."""
        place = event.get_content_offset(self)
        self.action_turn(-1 if place is not None and place.x < 2 else 1)
