"""The keys that work now, as many as fit."""

from __future__ import annotations

from typing import Any

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.binding import ActiveBinding
from textual.events import Click
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from sandbox_tui.tui.textual_support.typed_app import (
    app_of,
    subscribe_to_bindings,
    unsubscribe_from_bindings,
)
from sandbox_tui.tui.theming.palette import palette_of

RIGHT_ACTIONS = ("help", "command_palette")
"""Actions whose keys are at the right and never left out: they lead to all the others."""

EXIT_ACTIONS = ("leave", "quit", "dismiss(None)")
"""Actions whose keys are the last of the others to be left out."""

Shown = tuple[str, str, str, Any]
"""Key, words, action and node."""


class KeyBar(Widget):
    """One line: keys of the focused widget and of the screen, the most used first.

    A key that does not fit is left out whole; `?` and the palette list them all.
    """

    DEFAULT_CSS = """
    KeyBar { height: 1; dock: bottom; padding: 0 1; background: $panel; }
    """

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__()
        self._places: list[tuple[int, int, str, Any]] = []

    def on_mount(self) -> None:
        """Follow the keys."""
        subscribe_to_bindings(self, self._keys_changed)

    def on_unmount(self) -> None:
        """Stop following the keys."""
        unsubscribe_from_bindings(self)

    def _keys_changed(self, screen: Screen[Any]) -> None:
        if self.is_attached and screen is app_of(self).screen:
            self.refresh()

    @override
    def render_line(self, y: int) -> Strip:
        width = self.content_size.width
        first, last = self._keys()
        tail = [self._words(key, what) for key, what, *_ in last]
        room = width + 2 - sum(words.cell_len + 2 for words in tail)
        line = Text(no_wrap=True)
        self._places = []
        for key, what, action, node in self._that_fit(first, room):
            self._put(line, self._words(key, what), action, node)
        line.pad_right(max(0, room - line.cell_len))
        for words, (_, _, action, node) in zip(tail, last, strict=True):
            self._put(line, words, action, node)
        base = self.rich_style
        segments = [Segment(s.text, base + s.style) for s in line.render(app_of(self).console)]
        return Strip(segments).crop_extend(0, width, base)

    async def on_click(self, event: Click) -> None:
        """A click on a key runs its action."""
        x = event.x - self.content_region.x + self.region.x
        for start, end, action, node in self._places:
            if start <= x < end:
                await app_of(self).run_action(action, node)
                return

    def _that_fit(self, keys: list[Shown], room: int) -> list[Shown]:
        """The first keys, and those of `EXIT_ACTIONS`."""
        kept = list(keys)
        while kept and sum(self._words(*key[:2]).cell_len + 2 for key in kept) > room:
            others = (n for n in reversed(range(len(kept))) if _action(kept[n]) not in EXIT_ACTIONS)
            del kept[next(others, -1)]
        return kept

    def _put(self, line: Text, words: Text, action: str, node: Any) -> None:
        start = line.cell_len
        line.append_text(words)
        self._places.append((start, line.cell_len, action, node))
        line.append("  ")

    def _words(self, key: str, what: str) -> Text:
        palette = palette_of(self)
        words = Text(no_wrap=True)
        words.append(key, style=palette.accent + Style(bold=True))
        return words.append(f" {what}", style=palette.dim)

    def _keys(self) -> tuple[list[Shown], list[Shown]]:
        """Keys for the left and for the right."""
        first: dict[str, Shown] = {}
        last: dict[str, Shown] = {}
        for active in self.screen.active_bindings.values():
            binding = active.binding
            name = binding.action.rpartition(".")[2]
            if not active.enabled or not (binding.show or name in RIGHT_ACTIONS):
                continue
            words = "palette" if name == "command_palette" else _words_of(active)
            if not words:
                continue
            side = last if name in RIGHT_ACTIONS else first
            key = app_of(self).get_key_display(binding)
            side.setdefault(binding.action, (key, words, binding.action, active.node))
        ordered = sorted(first.values(), key=lambda known: not isinstance(known[3], Screen))
        return ordered, list(last.values())


def _words_of(active: ActiveBinding) -> str:
    """What a key does now, as its screen or widget says; empty to leave the key out.

    Without an answer from there, the description of the binding.
    """
    words_for = getattr(active.node, "words_for", None)
    words: str | None = words_for(active.binding.action) if words_for is not None else None
    return active.binding.description if words is None else words


def _action(shown: Shown) -> str:
    """The action without its namespace: `app.quit` is quit."""
    return shown[2].removeprefix("app.")
