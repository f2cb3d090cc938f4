# pyright: reportUnknownMemberType=false
"""The call that waits for a person: what it is, why it waits, and what can be done about it."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text
from textual.events import Click
from textual.widget import Widget

from ...core.headline import nickname, whole_line
from ...core.state import RunState
from ...core.text import clean_line
from ..keymap import hint
from ..palette import Palette, palette_of

CHOICES = (
    ("approve", "approve"),
    ("always", "approve_always"),
    ("edit", "edit"),
    ("reject", "reject"),
    ("answer", "answer"),
    ("skip", "skip"),
)
"""Word and action of each thing one can do about a waiting call; words are clicked too."""

_ACTION = "action"
"""Under this name a word's style holds what a click on it does."""


class ApprovalBar(Widget):
    """Seen while a call waits; `sync` after events were applied."""

    DEFAULT_CSS = """
    ApprovalBar {
        height: 2; padding: 0 1; display: none; background: $panel;
        border-left: outer $accent;
    }
    ApprovalBar.-asking { display: block; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._state: RunState | None = None
        self._shown: tuple[object, ...] = ()

    def sync(self, state: RunState) -> None:
        """Show what waits in this state."""
        pending = state.pending
        self.set_class(pending is not None, "-asking")
        shown = (pending.call, pending.held, state.mode) if pending is not None else ()
        if shown != self._shown or state is not self._state:
            self._state, self._shown = state, shown
            self.refresh()

    def render(self) -> Text:
        """What waits and what can be done about it, in this moment's colours."""
        return Text() if self._state is None else self._text(self._state, palette_of(self))

    def _text(self, state: RunState, palette: Palette) -> Text:
        pending = state.pending
        if pending is None:
            return Text()
        call, held = pending.call, pending.held
        width = max(20, self.content_size.width)
        first = Text(no_wrap=True)
        first.append(f"◆ call {call.number} ", style=palette.accent + Style(bold=True))
        first.append(f"{nickname(clean_line(call.name))} ", style=palette.tool)
        first.append(clean_line(whole_line(call.name, call.arguments)), style=palette.text)
        why = Text(no_wrap=True)
        if held is not None and held.rule:
            words = f"  {clean_line(held.reason)} ({clean_line(held.rule)})"
            why.append(words if held.reason else f"  {clean_line(held.rule)}", style=palette.dim)
        why.truncate(width // 2, overflow="ellipsis")
        first.truncate(width - why.cell_len, overflow="ellipsis")
        first.pad_right(width - why.cell_len - first.cell_len)
        return Text("\n").join([first + why, self._choices(state, width, palette)])

    def _choices(self, state: RunState, width: int, palette: Palette) -> Text:
        narrow = width < 70
        gap, mode = (" ", "mode") if narrow else ("   ", f"mode: {state.mode}")
        line = Text("" if narrow else "  ", no_wrap=True)
        for word, action in (*CHOICES, (mode, "cycle_mode")):
            key = hint(f"live.{'mode' if action == 'cycle_mode' else action}")
            click = Style(meta={_ACTION: action})
            line.append(f"{key} ", style=palette.accent + click)
            line.append(f"{word}", style=palette.text + click)
            line.append(gap)
        line.truncate(width, overflow="ellipsis")
        return line

    async def on_click(self, event: Click) -> None:
        """A click on a word does what it says."""
        action = event.style.meta.get(_ACTION)
        if action is not None:
            await self.screen.run_action(str(action))
