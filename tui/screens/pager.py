"""A long text on a screen of its own, with search."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input

from ...core.text import clean_line
from ..palette import palette_of
from ..widgets.blocks import Blocks
from ..widgets.key_bar import KeyBar


class TextBlocks(Blocks):
    """Numbered lines of a text; those that hold what is searched for are marked."""

    def __init__(self, text: str, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._source = [clean_line(line.expandtabs(8)) for line in text.split("\n")]
        self._needle = ""
        self.following = False

    def block_count(self) -> int:
        """See `Blocks`."""
        return len(self._source)

    def block_height(self, index: int, width: int) -> int:
        """See `Blocks`."""
        return max(1, -(-len(self._source[index]) // max(1, width - 7)))

    def draw_block(self, index: int, width: int) -> list[Text]:
        """See `Blocks`."""
        palette = palette_of(self)
        line, room = self._source[index], max(1, width - 7)
        pieces = [line[at : at + room] for at in range(0, len(line), room)] or [""]
        result: list[Text] = []
        for number, piece in enumerate(pieces):
            shown = Text(f"{index + 1:>5}  " if number == 0 else " " * 7, style=palette.dim)
            body = Text(piece, style=palette.text)
            if self._needle:
                body.highlight_words(
                    [self._needle], palette.accent + Style(reverse=True), case_sensitive=False
                )
            shown.append_text(body)
            result.append(shown)
        return result

    def search(self, needle: str, direction: int = 1) -> bool:
        """Go to the next line that holds `needle`; False when there is none."""
        self._needle = needle
        self.reset()
        count = len(self._source)
        wanted = needle.lower()
        for step in range(1, count + 1):
            index = (self.cursor + direction * step) % count
            if wanted in self._source[index].lower():
                self.cursor = index
                self.show_block(index)
                return True
        return False


class Pager(ModalScreen[None]):
    """Shows a text; `/` searches, `n` and `N` go on, escape closes."""

    AUTO_FOCUS = "TextBlocks"

    CSS = """
    Pager { background: $background; }
    Pager TextBlocks { height: 1fr; border: round $accent; border-title-color: $accent; }
    Pager Input { height: 3; border: round $accent; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "close", id="pager.leave"),
        Binding("slash", "search", "search", key_display="/", id="pager.search"),
        Binding("n", "again(1)", "next", id="pager.next"),
        Binding("N", "again(-1)", "previous", id="pager.previous"),
    ]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._heading = title
        self._content = text
        self._wanted = ""

    def compose(self) -> ComposeResult:
        """The text, and a line to search in it."""
        blocks = TextBlocks(self._content, id="pager-text")
        blocks.border_title = Content(clean_line(self._heading))
        blocks.border_subtitle = f"{self._content.count(chr(10)) + 1} lines"
        yield blocks
        yield Input(placeholder="search, enter goes to the next hit")
        yield KeyBar()

    def on_mount(self) -> None:
        """Nothing is looked for yet."""
        self.query_one(Input).display = False

    def action_close(self) -> None:
        """Close the search line first, then the pager."""
        search = self.query_one(Input)
        if search.display:
            search.display = False
            self.query_one(TextBlocks).focus()
            return
        self.dismiss(None)

    def action_search(self) -> None:
        """Ask what to look for."""
        search = self.query_one(Input)
        search.display = True
        self.set_focus(search)

    def action_again(self, direction: int) -> None:
        """Go to the next or previous hit."""
        if self._wanted and not self.query_one(TextBlocks).search(self._wanted, direction):
            self.notify(f"Nothing here holds “{clean_line(self._wanted)}”.", markup=False)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        self._wanted = event.value
        self.query_one(Input).display = False
        self.query_one(TextBlocks).focus()
        self.action_again(1)
