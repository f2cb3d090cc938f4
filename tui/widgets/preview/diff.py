"""The diff of two versions of a file: side by side if it fits, otherwise unified."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.style import Style
from rich.text import Text
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.preview.document import Document
from sandbox_tui.tui.widgets.preview.word_diff import Span, changed_words

SPLIT_WIDTH = 100
"""Minimum width for showing the versions side by side."""

CONTEXT_LINES = 3
"""Unchanged lines shown around a change."""

MAX_LINES = 20_000
"""Longer texts are not compared."""

MAX_LINE_CHARS = 2_000
"""Longer lines are cut."""

_UNENDED = "\0"
"""Ends a last line without a newline, so that it differs; sanitized text does not contain it."""

CHANGED_WORDS = Style(reverse=True)
"""Style of the words that differ between two lines; visible in any theme."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A line of the old text paired with its line of the new one.

    Line numbers start at 1; 0 means no line. A `gap` stands for omitted lines; its numbers are
    those of the next lines. A `remark` is a sentence in `new` below the last line.
    """

    kind: Literal["same", "changed", "gap", "remark"]
    old: str = ""
    new: str = ""
    old_number: int = 0
    new_number: int = 0

    @property
    def words(self) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
        """The spans in which the old and the new line differ, if one replaced the other."""
        if self.kind != "changed" or not (self.old_number and self.new_number):
            return (), ()
        return changed_words(self.old, self.new)


class DiffDocument(Document):
    """A diff of two texts; a text that is new or deleted as a whole has one column at any width.

    A newline at the end of a text ends its last line and is not a further one.

    Args:
        before: the earlier text.
        after: the later text.
        between: names of the versions, for the border.
    """

    def __init__(self, before: str, after: str, between: str) -> None:
        old, new = _lines(before), _lines(after)
        self._too_long = max(len(old), len(new)) > MAX_LINES
        self._one_sided = not old or not new
        remark = _remark(before, after)
        if remark:
            (new if before.endswith("\n") else old)[-1] += _UNENDED
        self._pairs = [] if self._too_long else list(paired_lines(old, new))
        if remark and self._pairs:
            self._pairs.append(Pair("remark", new=remark))
        changed = [pair for pair in self._pairs if pair.kind == "changed"]
        added = sum(1 for pair in changed if pair.new_number)
        removed = sum(1 for pair in changed if pair.old_number)
        self.facts = f"{between} · +{added} -{removed}"

    @override
    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        if self._too_long:
            words = f"More than {MAX_LINES:,} lines: too many to compare."
            return [Text(words, style=palette.dim)]
        if not self._pairs:
            return [Text("No differences.", style=palette.dim)]
        if width >= SPLIT_WIDTH and not self._one_sided:
            return [_split(pair, width, palette) for pair in self._pairs]
        return list(_unified(self._pairs, palette))


def _lines(text: str) -> list[str]:
    return sanitize(text.expandtabs(4)).removesuffix("\n").split("\n") if text else []


def _remark(before: str, after: str) -> str:
    """Return a remark if only one of two texts ends with a newline; otherwise empty."""
    if not before or not after or before.endswith("\n") == after.endswith("\n"):
        return ""
    which = "old" if after.endswith("\n") else "new"
    return f"⋯ the {which} version has no newline at the end"


def paired_lines(
    old: list[str], new: list[str], context: int | None = CONTEXT_LINES
) -> Iterator[Pair]:
    """Pair the lines of two texts, with a gap for unchanged lines that are far from a change.

    Args:
        old, new: the lines.
        context: unchanged lines shown around a change; None for all.
    """
    matcher = difflib.SequenceMatcher(None, old, new)
    groups = [matcher.get_opcodes()] if context is None else matcher.get_grouped_opcodes(context)
    for group in groups:
        if not group:
            continue
        first = group[0]
        if first[1] or first[3]:
            yield Pair("gap", old_number=first[1] + 1, new_number=first[3] + 1)
        for tag, a, a_end, b, b_end in group:
            for offset in range(max(a_end - a, b_end - b)):
                i, j = a + offset, b + offset
                yield Pair(
                    "same" if tag == "equal" else "changed",
                    _cut(old[i]) if i < a_end else "",
                    _cut(new[j]) if j < b_end else "",
                    i + 1 if i < a_end else 0,
                    j + 1 if j < b_end else 0,
                )


def _cut(line: str) -> str:
    return line.removesuffix(_UNENDED)[:MAX_LINE_CHARS]


def _unified(pairs: list[Pair], palette: Palette) -> Iterator[Text]:
    added: list[Text] = []
    for pair in pairs:
        if pair.kind != "changed":
            yield from added
            added.clear()
        if pair.kind == "gap":
            yield Text(f"⋯ line {pair.new_number}", style=palette.faint, no_wrap=True)
        elif pair.kind == "remark":
            yield Text(pair.new, style=palette.faint, no_wrap=True)
        elif pair.kind == "same":
            yield Text(f"  {pair.new}", style=palette.dim, no_wrap=True)
        else:
            old_words, new_words = pair.words
            if pair.old_number:
                yield _signed("- ", pair.old, old_words, palette.bad)
            if pair.new_number:
                added.append(_signed("+ ", pair.new, new_words, palette.good))
    yield from added


def _signed(sign: str, text: str, words: tuple[Span, ...], style: Style) -> Text:
    line = Text(sign + text, style=style, no_wrap=True)
    for start, end in words:
        line.stylize(CHANGED_WORDS, len(sign) + start, len(sign) + end)
    return line


def _split(pair: Pair, width: int, palette: Palette) -> Text:
    half = (width - 3) // 2
    line = Text(no_wrap=True)
    if pair.kind == "gap":
        return line.append(f"{'⋯':>4}", style=palette.faint)
    if pair.kind == "remark":
        return line.append(f"   {pair.new}", style=palette.faint)
    changed = pair.kind == "changed"
    old_words, new_words = pair.words
    bad, good = (palette.bad, palette.good) if changed else (None, None)
    left = _half(pair.old_number, "-", pair.old, old_words, bad, half, palette)
    right = _half(pair.new_number, "+", pair.new, new_words, good, half, palette)
    line.append_text(left)
    line.append(" │ ", style=palette.faint)
    line.append_text(right)
    return line


def _half(
    number: int,
    sign: str,
    text: str,
    words: tuple[Span, ...],
    style: Style | None,
    width: int,
    palette: Palette,
) -> Text:
    half = Text(no_wrap=True)
    shown = f"{number:>4}" if number else "    "
    half.append(f"{shown} ", style=palette.faint)
    marked = style is not None and number
    half.append_text(_signed(f"{sign} " if marked else "  ", text, words, style or palette.dim))
    fit_line(half, width)
    half.pad_right(max(0, width - half.cell_len))
    return half
