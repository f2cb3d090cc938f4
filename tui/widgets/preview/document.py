"""Base classes of previews: a source of bytes becomes a document of lines."""

from __future__ import annotations

import codecs
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from rich.text import Text
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.preview.code import wrapped

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

HEAD_BYTES = 8000
"""Bytes at the beginning of a file that decide whether it is text."""

MAX_INVALID_RATIO = 0.2
"""Share of invalid UTF-8 above which a file is not text."""


@dataclass(frozen=True)
class Source:
    """Content to preview.

    Attributes:
        path: its name, as written by `core.base.path_codec`.
        data: the content, or the beginning of it.
        size: size of the whole content, in bytes.
    """

    path: str
    data: bytes
    size: int

    @property
    def suffix(self) -> str:
        """The file name's suffix in lower case with its dot; empty for none."""
        name = self.path.rpartition("/")[2]
        return f".{name.rpartition('.')[2].lower()}" if "." in name else ""

    @property
    def cut(self) -> bool:
        """Whether `data` is only the beginning of the content."""
        return len(self.data) < self.size

    @functools.cached_property
    def text(self) -> str | None:
        """The content as text, or None if it is not text."""
        return decode(self.data)


def decode(data: bytes) -> str | None:
    """Decode UTF-8, or UTF-16 with a byte order mark; None if the bytes are not text."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    head = data[:HEAD_BYTES]
    if b"\0" in head:
        return None
    if head.decode("utf-8", "replace").count("�") > MAX_INVALID_RATIO * max(20, len(head)):
        return None
    return data.decode("utf-8", "replace").replace("\r\n", "\n").removeprefix("\ufeff")


class PreviewError(Exception):
    """The content is not what its name promises; the message is for the user."""


class Document:
    """Content that is ready to draw.

    Attributes:
        facts: a few words about the content, for the border.
        numbers: width in columns of the line numbers on the left.
    """

    facts: str = ""
    numbers: int = 0

    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """Return the lines at this width; the view cuts or wraps longer ones."""
        raise NotImplementedError

    def described(self, palette: Palette) -> str:
        """Return a few words about the content, for the border of a pager."""
        return self.facts

    def toggle(self, line: int) -> bool:
        """Fold or unfold a line; False if it does not fold."""
        return False

    def picture(self) -> Picture | None:
        """Return the decoded picture, or None for other kinds. Slow: call it in a thread.

        Raises:
            PreviewError: the picture is broken.
        """
        return None


class Notice(Document):
    """Sentences shown instead of content."""

    def __init__(self, *sentences: str, facts: str = "") -> None:
        self._sentences = sentences
        self.facts = facts

    @override
    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        lines: list[Text] = []
        for sentence in self._sentences:
            lines += wrapped(sanitize_line(sentence), width, palette.dim)
        return lines


class LinesBelow(Sequence[Text]):
    """Lines below others without copying either; lower lines are created when they are drawn."""

    def __init__(self, above: Sequence[Text], below: Sequence[Text]) -> None:
        self._above = above
        self._below = below

    def __len__(self) -> int:
        return len(self._above) + len(self._below)

    @overload
    def __getitem__(self, index: int) -> Text: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Text]: ...
    def __getitem__(self, index: int | slice) -> Text | Sequence[Text]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        at = range(len(self))[index]
        past = at - len(self._above)
        return self._above[at] if past < 0 else self._below[past]


class WithNotice(Document):
    """A document with a sentence above it."""

    def __init__(self, sentence: str, inner: Document) -> None:
        self._sentence = sentence
        self._inner = inner
        self._above = 0
        self.facts = inner.facts

    @override
    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        above = wrapped(sanitize_line(self._sentence), width, palette.warn)
        self._above = len(above)
        below = self._inner.lines(width, palette)
        self.numbers = self._inner.numbers
        return LinesBelow(above, below)

    @override
    def toggle(self, line: int) -> bool:
        return line >= self._above and self._inner.toggle(line - self._above)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file with its own preview.

    Attributes:
        name: text for the user.
        matches: whether a source is of this kind.
        open: creates the document; raises `PreviewError` if the source is not of this kind.
    """

    name: str
    matches: Callable[[Source], bool]
    open: Callable[[Source], Document]


def count_of(number: int, word: str) -> str:
    """Format a count with its noun: `1 line`, `12 lines`."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
