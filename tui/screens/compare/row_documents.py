"""What is opened from a row of a comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.aligned_calls import Pair
from sandbox_tui.sessions.relations.compare import Comparison, FilePair, contents_of
from sandbox_tui.sessions.relations.human_acts import Act, ActPair
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.compared.comparison import file_sizes, size_difference
from sandbox_tui.tui.format.compared.facts import Fact, answer_or_reason
from sandbox_tui.tui.format.compared.human_words import act_words
from sandbox_tui.tui.screens.compare.both_calls import BothCalls
from sandbox_tui.tui.screens.compare.diff_rows import changed_lines, diff_rows
from sandbox_tui.tui.screens.compare.row_kinds import Row
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.preview.document import (
    Document,
    Notice,
    PreviewError,
    Source,
    decode,
)
from sandbox_tui.tui.widgets.preview.kinds.registry import document_for

if TYPE_CHECKING:
    from PIL.Image import Image as Picture


@dataclass(frozen=True, slots=True)
class Opened:
    """The content of a row.

    Attributes:
        title: for the border.
        document: returns the content, whole or only what is around the differences.
        pictures: the decoded pictures, left and right; None if these are no pictures.
    """

    title: str
    document: Callable[[bool], Document]
    pictures: tuple[Picture | None, Picture | None] | None = None


class BothTexts(Document):
    """The diff of two texts.

    Args:
        left, right: the texts; empty if a side has none.
        facts: for the border.
        is_whole: whether all lines are shown, not only those around a difference.
    """

    def __init__(self, left: str, right: str, facts: str, *, is_whole: bool) -> None:
        self._sides = left, right
        self._is_whole = is_whole
        self.facts = facts

    @override
    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        left, right = self._sides
        if left == right or not left or not right:
            side = "both" if left == right else "left" if left else "right"
            only = f"{side} only" if left != right else side
            text = sanitize((left or right).expandtabs(4)).removesuffix("\n")
            bold = palette.accent + Style(bold=True)
            return [
                Text(only, style=bold),
                *(Text(line, style=palette.text) for line in text.split("\n")),
            ]
        rows = diff_rows(left, right, width, palette, is_whole=self._is_whole)
        return rows or [Text("They differ only in line ends.", style=palette.dim)]


def opened(row: Row | None, found: Comparison, store: Store) -> Opened | None:
    """Return what a row of a comparison opens; None if there is nothing more to see. Slow for
    files: call it in a thread.

    Raises:
        StoreError: a file cannot be read.
    """
    sides = found.left, found.right
    match row:
        case Pair():
            return Opened(_calls_title(row), lambda whole: BothCalls(row, is_whole=whole))
        case ActPair(left=left, right=right):
            return _texts(_act_title(left or right), _act_text(left), _act_text(right))
        case FilePair():
            return _file(row, store)
        case Fact(name="title"):
            return _texts("task", *(run.task for run in sides))
        case Fact(name="answer"):
            return _texts("answer", *(answer_or_reason(run) for run in sides))
        case Fact(name="expected"):
            return _texts(
                "expected", *("" if one is None else one.expected for one in found.verdicts)
            )
        case Fact(name="score", left=left, right=right):
            return _texts("score", left, right)
        case _:
            return None


def _calls_title(pair: Pair) -> str:
    numbered = [f"{call.number}" for call in (pair.left, pair.right) if call is not None]
    if len(numbered) == 2 and numbered[0] != numbered[1]:
        return f"calls {numbered[0]} and {numbered[1]}"
    return f"call {numbered[0]}" if len(numbered) == 1 else f"call {numbered[0]} of both"


def _act_title(act: Act | None) -> str:
    words = "" if act is None else act_words(act)[0]
    return "note" if words == "✎" else words


def _act_text(act: Act | None) -> str:
    if act is None:
        return ""
    return "\n".join(part for part in (act.text or act_words(act)[1], act.detail) if part)


def _texts(title: str, left: str, right: str, facts: str = "") -> Opened:
    return Opened(title, lambda whole: BothTexts(left, right, facts, is_whole=whole))


def _file(file: FilePair, store: Store) -> Opened:
    title = sanitize_line(file.path)
    by = size_difference(file)
    facts = " · ".join(part for part in (file.verdict, file_sizes(file), by) if part)
    left, right = contents_of(store, file)
    if left is None or right is None:
        missing = Notice(f"The content was not saved on both sides ({facts}).", facts=facts)
        return Opened(title, lambda whole: missing)
    pictures = _picture(file.path, left), _picture(file.path, right)
    if pictures != (None, None):
        shown = Notice(f"left {_picture_size(pictures[0], left)}, "
                       f"right {_picture_size(pictures[1], right)}", facts=facts)  # fmt: skip
        return Opened(title, lambda whole: shown, pictures)
    old, new = decode(left), decode(right)
    if old is None or new is None:
        binary = Notice(f"Not text, so it cannot be compared line by line: {facts}.", facts=facts)
        return Opened(title, lambda whole: binary)
    sizes = f"left {numbers.size(len(left))} → right {numbers.size(len(right))}"
    return _texts(title, old, new, f"{sizes} · {changed_lines(old, new)}")


def _picture(path: str, data: bytes) -> Picture | None:
    if not data:
        return None
    try:
        return document_for(Source(path, data, len(data))).picture()
    except PreviewError:
        return None


def _picture_size(picture: Picture | None, data: bytes) -> str:
    if picture is None:
        return numbers.size(len(data)) if data else "no picture"
    return f"{picture.size[0]} × {picture.size[1]} pixels, {numbers.size(len(data))}"
