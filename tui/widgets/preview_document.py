"""What every kind of preview is made of: a source of bytes becomes a document of lines."""

from __future__ import annotations

import codecs
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from ...core.text import clean_line
from ..palette import Palette
from .code import wrapped

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

HEAD_BYTES = 8000
"""So much of a file is looked at to tell text from the rest."""

ODD_SHARE = 0.2
"""A file of which more is not valid UTF-8 is no text."""


@dataclass(frozen=True)
class Source:
    """A content to be shown.

    Attributes:
        path: its name, as `core.paths` writes it.
        data: the content, or its beginning.
        size: bytes of the whole.
    """

    path: str
    data: bytes
    size: int

    @property
    def suffix(self) -> str:
        """Of the name, in lower case with its dot; empty for none."""
        name = self.path.rpartition("/")[2]
        return f".{name.rpartition('.')[2].lower()}" if "." in name else ""

    @property
    def cut(self) -> bool:
        """Whether only the beginning is here."""
        return len(self.data) < self.size

    @functools.cached_property
    def text(self) -> str | None:
        """The content as text; None when it is none."""
        return decode(self.data)


def decode(data: bytes) -> str | None:
    """Bytes as text: UTF-8, or UTF-16 with its mark; None when they are no text."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    head = data[:HEAD_BYTES]
    if b"\0" in head:
        return None
    if head.decode("utf-8", "replace").count("�") > ODD_SHARE * max(20, len(head)):
        return None
    return data.decode("utf-8", "replace").replace("\r\n", "\n").removeprefix("\ufeff")


class Unshown(Exception):
    """A content that is not what its name promises; the message is a sentence for the reader."""


class Document:
    """A content, ready to be drawn.

    Attributes:
        facts: a few words on it, for the border.
        numbers: columns at the left that hold line numbers, which do not belong to the content.
    """

    facts: str = ""
    numbers: int = 0

    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """Its lines at this width; they may be longer, and are then cut or wrapped."""
        raise NotImplementedError

    def toggle(self, line: int) -> bool:
        """Open or close what stands on a line; False when nothing there opens."""
        return False

    def picture(self) -> Picture | None:
        """The picture it is, decoded (slow: call it in a thread), or None.

        Raises:
            Unshown: it is broken.
        """
        return None


class Words(Document):
    """Sentences in place of a content."""

    def __init__(self, *sentences: str, facts: str = "") -> None:
        self._sentences = sentences
        self.facts = facts

    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """See `Document`."""
        lines: list[Text] = []
        for sentence in self._sentences:
            lines += wrapped(clean_line(sentence), width, palette.dim)
        return lines


class Noted(Document):
    """Another document below a sentence."""

    def __init__(self, sentence: str, inner: Document) -> None:
        self._sentence = sentence
        self._inner = inner
        self._above = 0
        self.facts = inner.facts

    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """See `Document`."""
        above = wrapped(clean_line(self._sentence), width, palette.warn)
        self._above = len(above)
        below = self._inner.lines(width, palette)
        self.numbers = self._inner.numbers
        return [*above, *below]

    def toggle(self, line: int) -> bool:
        """See `Document`."""
        return line >= self._above and self._inner.toggle(line - self._above)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file that has a preview of its own.

    Attributes:
        name: for the reader.
        matches: whether a source is of this kind.
        open: makes the document; raises `Unshown` when the source is not what it looked like.
    """

    name: str
    matches: Callable[[Source], bool]
    open: Callable[[Source], Document]


def count_of(number: int, word: str) -> str:
    """`1 line`, `12 lines`."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
