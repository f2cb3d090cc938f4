"""Finds settings by words of their names, values and explanations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sandbox_tui.tui.format.setting_text import HINTS
from sandbox_tui.tui.screens.palette.matching.closest_words import closest_words
from sandbox_tui.tui.screens.palette.setting_words import setting_words
from sandbox_tui.tui.screens.setting_rows import Row

_WORD = re.compile(r"[\w.-]+")


class FoundSettings(NamedTuple):
    """What a search found.

    Attributes:
        rows: the rows, in their order.
        wanted: the words that all of them contain.
        is_typed: whether these are the typed words; otherwise, they are the closest ones.
    """

    rows: Sequence[Row]
    wanted: str
    is_typed: bool = True

    @property
    def words(self) -> str:
        """How many there are, and for which words if not for the typed ones."""
        found = f"{len(self.rows)} found"
        return found if self.is_typed else f"no match; {found} for {self.wanted}"

    @property
    def best(self) -> Row | None:
        """The first whose name has the words, otherwise the first."""
        named = (row for row in self.rows if _has(f"{row.name} {row.label}", self.wanted))
        return next(named, next(iter(self.rows), None))


def find_settings(rows: Mapping[Row, Sequence[str]], wanted: str) -> FoundSettings:
    """Find the settings that contain all words in their name, values, explanation or other words
    for them; if there are none, those with the closest words.

    Args:
        rows: all rows, each with its value and its possible values.
        wanted: the typed words.
    """
    texts = {row: _text_of(row, values) for row, values in rows.items()}
    if found := [row for row, text in texts.items() if _has(text, wanted)]:
        return FoundSettings(found, wanted)
    meant = closest_words(wanted, _WORD.findall(" ".join(texts.values())))
    found = [row for row, text in texts.items() if meant and _has(text, meant)]
    return FoundSettings(found, meant or wanted, is_typed=not found)


def _text_of(row: Row, values: Sequence[str]) -> str:
    parts = (row.label, *values, HINTS[row.name], setting_words(row))
    return " ".join(parts).casefold()


def _has(text: str, wanted: str) -> bool:
    return all(word in text.casefold() for word in wanted.casefold().split())
