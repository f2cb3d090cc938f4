"""The field for a pattern that will be allowed: it says what the pattern lets through."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.events import Click
from textual.widgets import Input, Label

from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.core.policy.session_rules import OpenPart
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.cockpit.live.approving.pattern_words import pattern_in_words
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.line_input import OneLineInput
from sandbox_tui.tui.widgets.themed_text import ThemedText


class PatternLine(OneLineInput):
    """The line of a `PatternField`; the arrow keys go through the proposals."""

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("allow_always.broader", "choose(1)"),
        binding("allow_always.narrower", "choose(-1)"),
    ]

    def action_choose(self, step: int) -> None:
        """Take the next broader (1) or narrower (-1) proposal."""
        if isinstance(self.parent, PatternField):
            self.parent.choose(step)


class PatternField(Vertical):
    """A pattern for one part of a call, the proposals for it, and whether it matches.

    Args:
        part: the part.
        is_named: whether its text stands above the field, because there are several.
    """

    DEFAULT_CSS = """
    PatternField { height: auto; margin-top: 1; }
    PatternField .verdict { height: 1; }
    """

    def __init__(self, part: OpenPart, *, is_named: bool) -> None:
        super().__init__()
        self.part = part
        self._is_named = is_named
        self._shown = [sanitize(one, newlines=False) for one in part.proposals]

    def compose(self) -> ComposeResult:
        """Yield the field, whether it matches, and the proposals."""
        if self._is_named:
            yield Label(sanitize_line(self.part.text), markup=False)
        yield PatternLine(self._shown[0], select_on_focus=False)
        yield ThemedText(self._verdict, id="verdict")
        if len(self._shown) > 1:
            yield ThemedText(self._proposals, id="proposals")

    @property
    def pattern(self) -> str:
        """The pattern as it stands in the field; empty to go on asking about this part."""
        place = self._place
        return self._value if place is None else self.part.proposals[place]

    @property
    def matches(self) -> bool:
        """Whether the pattern matches this part of the call."""
        return self.part.is_matched_by(self.pattern)

    @property
    def _value(self) -> str:
        return self.query_one(Input).value.strip()

    @property
    def _place(self) -> int | None:
        """The proposal that stands in the field; None for a pattern of the user's own."""
        return self._shown.index(self._value) if self._value in self._shown else None

    def choose(self, step: int) -> None:
        """Put the next broader (1) or narrower (-1) proposal into the field."""
        place = self._place
        last = len(self._shown) - 1
        self._put(0 if place is None else min(max(place + step, 0), last))

    def _put(self, place: int) -> None:
        line = self.query_one(Input)
        line.value = self._shown[place]
        line.cursor_position = len(line.value)

    @on(Input.Changed)
    def _changed(self) -> None:
        for text in self.query(ThemedText):
            text.refresh(layout=True)

    def on_click(self, event: Click) -> None:
        """Choose the clicked proposal."""
        if isinstance(event.widget, ThemedText) and event.widget.id == "proposals":
            event.stop()
            self._put(min(event.y, len(self._shown) - 1))

    def _verdict(self, palette: Palette) -> Text:
        if not self.pattern:
            return Text("  empty: you will be asked about this again", style=palette.dim)
        if not self.matches:
            return Text("✗ does not match this call", style=palette.bad)
        verdict = Text("✓ matches this call", style=palette.good)
        if self._place is None or len(self._shown) == 1:
            words = pattern_in_words(self.part.tool, self.pattern)
            verdict.append(f" · {sanitize_line(words)}", style=palette.text)
        return verdict

    def _proposals(self, palette: Palette) -> Text:
        lines: list[Text] = []
        for place, pattern in enumerate(self.part.proposals):
            is_chosen = place == self._place
            line = Text("● " if is_chosen else "  ", style=palette.accent)
            words = sanitize_line(pattern_in_words(self.part.tool, pattern))
            lines.append(line.append(words, style=palette.text if is_chosen else palette.dim))
        return Text("\n").join(lines)
