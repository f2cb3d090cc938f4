"""A long text or document on a separate screen, with search."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.screens.dialogs.closes_when_on_top import ClosesWhenOnTop
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.theming.palette import palette_of
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.preview.code import rows_of
from sandbox_tui.tui.widgets.preview.document import Document
from sandbox_tui.tui.widgets.preview.lines import PreviewLines
from sandbox_tui.tui.widgets.search_line import SearchLine
from sandbox_tui.tui.widgets.word_search import first_row_with, has_capitals, has_words

NUMBER_CELLS = 7
"""Columns of the number of a line."""


class TextBlocks(BlockList):
    """Lines of a text, with search matches highlighted.

    Args:
        text: the text.
        is_numbered: whether each line has its number in front of it.
        opens: whether enter does something with a line.
    """

    def __init__(
        self,
        text: str,
        *,
        is_numbered: bool = True,
        opens: bool = False,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._margin = NUMBER_CELLS if is_numbered else 1
        self._is_numbered = is_numbered
        self._opens = opens
        self._source = [sanitize_line(line.expandtabs(8)) for line in _lines(text)]
        self._needle = ""
        self.following = False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing opens in most texts."""
        return action != "choose" or self._opens

    @override
    def block_count(self) -> int:
        return len(self._source)

    @override
    def block_height(self, index: int, width: int) -> int:
        return len(self._rows(index, width))

    def show_text(self, text: str) -> None:
        """Show another text."""
        self._source = [sanitize_line(line.expandtabs(8)) for line in _lines(text)]
        self.reset()

    def _rows(self, index: int, width: int) -> list[str]:
        """Split a line into rows, between words if there are any, without dropping anything."""
        line, room = self._source[index], max(1, width - self._margin)
        if line.isascii() and len(line) <= room:
            return [line]
        return [row.plain for row in rows_of(Text(line), room)]

    @override
    def draw_block(self, index: int, width: int) -> list[Text]:
        palette = palette_of(self)
        result: list[Text] = []
        for number, piece in enumerate(self._rows(index, width)):
            has_number = self._is_numbered and number == 0
            start = f"{index + 1:>5}" if has_number else ""
            shown = Text(f"{start:<{self._margin}}", style=palette.dim)
            body = Text(piece, style=palette.text)
            if self._needle:
                style = palette.accent + Style(reverse=True)
                cased = has_capitals(self._needle)
                body.highlight_words([self._needle], style, case_sensitive=cased)
            shown.append_text(body)
            result.append(shown)
        return result

    def search(self, needle: str, direction: int = 1) -> bool:
        """Go to the next line that contains `needle`; False if there is none."""
        self._needle = needle
        self.reset()
        count = len(self._source)
        for step in range(1, count + 1):
            index = (self.cursor + direction * step) % count
            if has_words(self._source[index], needle):
                self.cursor = index
                self.show_block(index)
                self.show_row(index, first_row_with(self._lines_of(index), needle))
                return True
        return False


class PagerScreen(ExplainsUnavailable, ModalScreen[None], ClosesWhenOnTop[None]):
    """Shows a text or a document; `/` searches, `n` and `N` move between matches, escape closes.

    Args:
        title: the title.
        content: a text or a document.
        words: what a search that goes on in it looks for; empty for none.
    """

    AUTO_FOCUS = "#pager-text"
    SCOPED_CSS = False  # subclasses are styled, too

    CSS = """
    PagerScreen { background: $background; }
    PagerScreen #pager-text { height: 1fr; border: round $accent; border-title-color: $accent; }
    """

    enter_words = "search"

    has_line_numbers: ClassVar[bool] = True
    """Whether the lines of a text have numbers; a table has none."""

    opens_lines: ClassVar[bool] = False
    """Whether enter does something with a line of a text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("app.help", "app.help", show=False),
        binding("pager.leave", "close"),
        binding("pager.search", "search"),
        binding("pager.next", "again(1)"),
        binding("pager.previous", "again(-1)"),
    ]

    def __init__(self, title: str, content: str | Document, words: str = "") -> None:
        super().__init__()
        self._heading = title
        self._content = content
        self._body = self._body_of(content)
        self._wanted = words
        self._is_at_match = not words

    def _body_of(self, content: str | Document) -> TextBlocks | PreviewLines:
        if isinstance(content, str):
            return TextBlocks(
                content,
                is_numbered=self.has_line_numbers,
                opens=self.opens_lines,
                id="pager-text",
            )
        return PreviewLines(wrap=True, id="pager-text")

    def compose(self) -> ComposeResult:
        """Yield the text and a search line."""
        self._body.border_title = Content(sanitize_line(self._heading))
        self._say_facts()
        yield self._body
        yield SearchLine(placeholder="search · enter next match")
        yield KeyBar()

    @property
    def facts(self) -> str:
        """A few words about the text, for the border."""
        content = self._content
        if isinstance(content, Document):
            return content.described(palette_of(self))
        return numbers.counted(len(_lines(content)), "line")

    def _say_facts(self) -> None:
        self._body.border_subtitle = Content(sanitize_line(self.facts))

    def show(self, document: Document) -> None:
        """Show a document instead of the one before, at the same place."""
        self._content = document
        if isinstance(self._body, PreviewLines):
            self._body.show(document, keep_place=True)
        self._say_facts()

    def show_text(self, text: str) -> None:
        """Show another text instead of the one before."""
        self._content = text
        if isinstance(self._body, TextBlocks):
            self._body.show_text(text)
        self._say_facts()

    def on_mount(self) -> None:
        """Draw a document, which needs the theme, and redraw it when the theme changes; go to the
        first match of a search that goes on."""
        body, content = self._body, self._content
        if isinstance(body, PreviewLines) and isinstance(content, Document):
            body.show(content, keep_place=True)
            self.watch(app_of(self), "theme", body.redraw, init=False)  # pyright: ignore[reportUnknownArgumentType]
        else:
            self.call_after_refresh(self._go_to_first_match)

    @on(PreviewLines.LaidOut)
    def _go_to_first_match(self) -> None:
        """Go to the first match once the text has its lines."""
        if not self._is_at_match and self._body.block_count():
            self._is_at_match = True
            self._body.search(self._wanted)

    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """Moving between matches needs a search."""
        return "" if action != "again" or self._wanted else "there is no search"

    def action_close(self) -> None:
        """Close the search line first, then the pager."""
        search = self.query_one(SearchLine)
        if search.display:
            search.close()
            self._body.focus()
            return
        self.dismiss(None)

    def action_search(self) -> None:
        """Open the search line."""
        self.query_one(SearchLine).open()

    def action_again(self, direction: int) -> None:
        """Go to the next match (1) or the previous one (-1)."""
        if self._wanted and not self._body.search(self._wanted, direction):
            self.notify(f"No match for “{sanitize_line(self._wanted)}”.", markup=False)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        self._wanted = event.value
        self.query_one(SearchLine).close()
        self._body.focus()
        self.action_again(1)
        self.refresh_bindings()


def _lines(text: str) -> list[str]:
    """Return the lines; a newline at the end is not a further one."""
    return text.removesuffix("\n").split("\n")
