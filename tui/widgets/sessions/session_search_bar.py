"""The search bar for all sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.suggester import Suggester
from textual.timer import Timer
from textual.widgets import Input, Label
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions.search.number_filters import NUMBER_FILTERS
from sandbox_tui.sessions.search.query import Query, parse_query
from sandbox_tui.sessions.search.query_completion import (
    Values,
    completions,
    without_half_typed_filter,
)
from sandbox_tui.sessions.search.query_filters import FILTERS
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.line_input import LineInput
from sandbox_tui.tui.widgets.themed_text import ThemedText

DEBOUNCE_SECONDS = 0.12
"""Pause in typing after which the search starts."""

MAX_COMPLETIONS = 8
"""Maximum number of completions listed."""


class SearchBar(ExplainsUnavailable, Vertical):
    """A search bar, hidden until `open`; posts the query as it is typed, offers completions."""

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("search.leave", "leave"),
        binding("search.next", "move(1)"),
        binding("search.previous", "move(-1)"),
        binding("search.complete", "complete", show=False),
    ]

    DEFAULT_CSS = """
    SearchBar {
        height: auto; border: round $border-blurred; padding: 0 1; margin: 1 1 0 1;
        border-title-color: $role-dim; border-subtitle-color: $role-dim;
        &:focus-within { border: round $accent; border-title-color: $accent; }
        Horizontal { height: 1; }
        Label { width: 2; color: $accent; }
        ThemedText { height: auto; max-height: 4; }
    }
    """

    class QueryChanged(Message):
        """The query changed; it is empty if `query.has_terms` is False."""

        def __init__(self, query: Query) -> None:
            super().__init__()
            self.query = query

    class CursorMoved(Message):
        """Go to the next hit (1) or the previous one (-1)."""

        def __init__(self, direction: int) -> None:
            super().__init__()
            self.direction = direction

    class Submitted(Message):
        """The user opens the hit under the cursor."""

    class ResultsRequested(Message):
        """The user wants to move to the results."""

    class Closed(Message):
        """The search has ended."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._values: Values = {}
        self._pause: Timer | None = None
        self._query = Query()
        self._problem = ""
        self._has_rows = True

    def compose(self) -> ComposeResult:
        """Yield a sign, the input, and a remark below."""
        with Horizontal():
            yield Label("/")
            yield LineInput(
                placeholder="search all sessions",
                select_on_focus=True,
                suggester=_QuerySuggester(self),
            )
        yield ThemedText(self._remark)

    def on_mount(self) -> None:
        """Start hidden."""
        self.display = False
        self.border_title = "find"
        self._show_keys()

    def open(self) -> None:
        """Show the bar and focus it immediately, so that the next key goes here."""
        self.display = True
        self.screen.set_focus(self.query_one(Input))

    def set_has_rows(self, has_rows: bool) -> None:
        """Set whether there is a row to go to and to open."""
        self._has_rows = has_rows
        self._show_keys()

    def _show_keys(self) -> None:
        opens = f"enter {self.enter_words} · " if self.enter_words else ""
        self.border_subtitle = f"{opens}{hint('search.leave')} close"

    @property
    def enter_words(self) -> str:
        """What enter does; empty for nothing."""
        return "open" if self._has_rows else ""

    @override
    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        return "nothing was found" if action == "move" and not self._has_rows else ""

    def set_filter_values(self, values: Values) -> None:
        """Set the possible values of filters."""
        self._values = values

    def say(self, words: str) -> None:
        """Show a problem that is unrelated to the query; empty for none."""
        self._problem = words
        self.query_one(ThemedText).refresh(layout=True)

    def all_completions(self) -> Sequence[str]:
        """Return all completions of the typed text."""
        return completions(self.query_one(Input).value, self._values)

    @property
    def query_now(self) -> Query:
        """The query as typed."""
        return self._query

    @property
    def query_before_filter(self) -> Query | None:
        """The query without its last word, if that may become a filter and what remains has no
        words; otherwise None. A word that matches nothing says nothing while it is half typed."""
        text = self.query_one(Input).value
        shorter = without_half_typed_filter(text)
        query = parse_query(shorter)
        return None if shorter == text or query.has_words or query.excluded else query

    # --- keys

    def action_move(self, direction: int) -> None:
        """Go to another hit."""
        self.post_message(self.CursorMoved(direction))

    def action_complete(self) -> None:
        """Accept the first completion; without one, go to the results."""
        line, ways = self.query_one(Input), self.all_completions()
        if not ways or not line.value:
            self.post_message(self.ResultsRequested())
            return
        line.value = ways[0] if ways[0].endswith((":", ">")) else f"{ways[0]} "
        line.cursor_position = len(line.value)

    def action_leave(self) -> None:
        """End the search: the screen closes the bar, unless it puts a notice away first."""
        self.post_message(self.Closed())

    def close(self) -> None:
        """Clear and hide the bar."""
        if self._pause is not None:
            self._pause.stop()
            self._pause = None
        with self.prevent(Input.Changed):
            self.query_one(Input).value = ""
        self._query = Query()
        self.display = False

    # --- input

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._problem = ""
        self.query_one(ThemedText).refresh(layout=True)
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(DEBOUNCE_SECONDS, self._ask)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self._pause is not None:
            self._pause.stop()
            self._pause = None
        self._ask()
        self.post_message(self.Submitted())

    def _ask(self) -> None:
        self._pause = None
        query = parse_query(self.query_one(Input).value)
        if query != self._query:
            self._query = query
            self.post_message(self.QueryChanged(query))

    def _remark(self, palette: Palette) -> Text:
        """Return a problem, completions, parts that were not understood, or the syntax of
        queries."""
        text = self.query_one(Input).value
        remarks = parse_query(text).remarks
        line = Text()
        ways = self.all_completions()
        if self._problem:
            line.append(sanitize_line(self._problem), style=palette.bad)
        elif ways and not text.endswith(" "):
            line.append(f"{hint('search.complete')} ", style=palette.accent)
            named = [way[len(text) - len(_last(text)) :] for way in ways[:MAX_COMPLETIONS]]
            line.append(sanitize_line("  ".join(named)), style=palette.dim)
        elif remarks:
            line.append(sanitize_line(" ".join(remarks)), style=palette.warn)
        else:
            line.append('words  "a phrase"  -without  ', style=palette.dim)
            named = (f"{name}:" for name in FILTERS if name not in ("is", *NUMBER_FILTERS))
            numbers = (f"{name}>" for name in NUMBER_FILTERS)
            line.append("  ".join(("is:own", *named, *numbers)), style=palette.faint)
        if not (self._problem or remarks):
            fit_line(line, max(1, self.content_size.width))
        return line


class _QuerySuggester(Suggester):
    """Suggests the first completion of the typed text."""

    def __init__(self, bar: SearchBar) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._bar = bar

    @override
    async def get_suggestion(self, value: str) -> str | None:
        """Return the first completion that starts with the typed text."""
        return next((way for way in self._bar.all_completions() if way.startswith(value)), None)


def _last(text: str) -> str:
    """Return the word being typed."""
    return text.split(" ")[-1]
