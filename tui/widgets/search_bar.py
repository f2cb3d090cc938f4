"""The line in which a person types what to look for in all sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.suggester import Suggester
from textual.timer import Timer
from textual.widgets import Input, Label

from ...core.text import clean_line
from ...sessions.search_completion import Values, completions
from ...sessions.search_query import FILTERS, Query, parse_query
from ..keymap import hint
from ..palette import Palette
from .painted import Painted

PAUSE = 0.12
"""Seconds without a key after which is looked for what was typed."""

SHOWN = 8
"""Ways to go on that are named."""


class SearchBar(Vertical):
    """Not seen until `open`; says what is typed as it is typed, and how it can go on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "End the search", show=False, id="search.leave"),
        Binding("down,ctrl+n", "move(1)", "Next hit", show=False, id="search.next"),
        Binding("up", "move(-1)", "Hit before", show=False, id="search.previous"),
        Binding("tab", "complete", "Complete, or to the hits", show=False, id="search.complete"),
    ]

    DEFAULT_CSS = """
    SearchBar {
        height: auto; border: round $border-blurred; padding: 0 1; margin: 1 1 0 1;
        border-title-color: $role-dim; border-subtitle-color: $role-dim;
        &:focus-within { border: round $accent; border-title-color: $accent; }
        Horizontal { height: 1; }
        Label { width: 2; color: $accent; }
        Input { border: none; height: 1; padding: 0; background: transparent; width: 1fr; }
        Input:focus { border: none; }
        Painted { height: auto; max-height: 2; }
    }
    """

    class Asked(Message):
        """Something else is looked for; nothing, where `query.asks` is False."""

        def __init__(self, query: Query) -> None:
            super().__init__()
            self.query = query

    class Moved(Message):
        """To the next hit, or the one before (-1)."""

        def __init__(self, direction: int) -> None:
            super().__init__()
            self.direction = direction

    class Chosen(Message):
        """The hit under the cursor is wanted."""

    class ToHits(Message):
        """The keyboard goes to the hits."""

    class Left(Message):
        """The search is over."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._values: Values = {}
        self._pause: Timer | None = None
        self._query = Query()
        self._problem = ""

    def compose(self) -> ComposeResult:
        """A sign, an input, and a line about it."""
        with Horizontal():
            yield Label("/")
            yield Input(
                placeholder="look for in all sessions",
                select_on_focus=True,
                suggester=_Completing(self),
            )
        yield Painted(self._remark)

    def on_mount(self) -> None:
        """Not seen yet."""
        self.display = False
        self.border_title = "find"
        self.border_subtitle = f"enter opens · {hint('search.leave')} ends"

    def open(self) -> None:
        """Take the keyboard, at once: the next key already belongs here."""
        self.display = True
        self.screen.set_focus(self.query_one(Input))

    def know(self, values: Values) -> None:
        """These are the values that filters can have."""
        self._values = values

    def say(self, words: str) -> None:
        """A problem that is not in what was typed; empty when there is none."""
        self._problem = words
        self.query_one(Painted).refresh(layout=True)

    def ways_on(self) -> Sequence[str]:
        """All that what is typed may become."""
        return completions(self.query_one(Input).value, self._values)

    @property
    def query_now(self) -> Query:
        """What is looked for."""
        return self._query

    # --- keys

    def action_move(self, direction: int) -> None:
        """To another hit."""
        self.post_message(self.Moved(direction))

    def action_complete(self) -> None:
        """Take the likeliest way on; where there is none, go to the hits."""
        line, ways = self.query_one(Input), self.ways_on()
        if not ways or not line.value:
            self.post_message(self.ToHits())
            return
        line.value = ways[0] if ways[0].endswith(":") else f"{ways[0]} "
        line.cursor_position = len(line.value)

    def action_leave(self) -> None:
        """End the search."""
        self.close()
        self.post_message(self.Left())

    def close(self) -> None:
        """Forget what was typed."""
        with self.prevent(Input.Changed):
            self.query_one(Input).value = ""
        self._query = Query()
        self.display = False

    # --- what is typed

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._problem = ""
        self.query_one(Painted).refresh(layout=True)
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(PAUSE, self._ask)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self._pause is not None:
            self._pause.stop()
            self._pause = None
        self._ask()
        self.post_message(self.Chosen())

    def _ask(self) -> None:
        self._pause = None
        query = parse_query(self.query_one(Input).value)
        if query != self._query:
            self._query = query
            self.post_message(self.Asked(query))

    def _remark(self, palette: Palette) -> Text:
        """What was not understood; else how it can go on; else what can be typed at all."""
        text = self.query_one(Input).value
        remarks = parse_query(text).remarks
        line = Text()
        ways = self.ways_on()
        if self._problem:
            line.append(clean_line(self._problem), style=palette.bad)
        elif ways and not text.endswith(" "):
            line.append(f"{hint('search.complete')} ", style=palette.accent)
            named = [way[len(text) - len(_last(text)) :] for way in ways[:SHOWN]]
            line.append(clean_line("  ".join(named)), style=palette.dim)
        elif remarks:
            line.append(clean_line(remarks[0]), style=palette.warn)
        else:
            line.append('words  "a phrase"  -without  ', style=palette.dim)
            line.append("  ".join(f"{name}:" for name in FILTERS if name != "cost"), palette.faint)
            line.append("  cost>0.5", style=palette.faint)
        if not (self._problem or remarks):
            line.truncate(max(1, self.content_size.width), overflow="ellipsis")
        return line


class _Completing(Suggester):
    """Shows the likeliest way on behind what is typed."""

    def __init__(self, bar: SearchBar) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._bar = bar

    async def get_suggestion(self, value: str) -> str | None:
        """The first that goes on exactly so."""
        return next((way for way in self._bar.ways_on() if way.startswith(value)), None)


def _last(text: str) -> str:
    """The word that is being typed."""
    return text.split(" ")[-1]
