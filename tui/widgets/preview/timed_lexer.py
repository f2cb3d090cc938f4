"""A lexer with a time limit.

On some texts a Pygments lexer takes minutes (20,000 empty lines as C): its regexes scan to the end
from every position. Text that is not highlighted in time stays plain.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name  # pyright: ignore[reportUnknownVariableType]
from pygments.token import Token
from pygments.util import ClassNotFound
from typing_extensions import override


class TimeBudget:
    """CPU seconds left for highlighting one text."""

    def __init__(self, seconds: float = 0.3) -> None:
        self.left = seconds


class TimedLexer(Lexer):
    """Yields the tokens of another lexer until the time is up, then the rest as one token."""

    def __init__(self, lexer: Lexer, allowance: TimeBudget) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self._lexer = lexer
        self._allowance = allowance

    @override
    def get_tokens(self, text: str, unfiltered: bool = False) -> Iterator[tuple[Any, str]]:
        position = 0
        until = time.thread_time() + self._allowance.left
        for kind, value in self._lexer.get_tokens(text, unfiltered):
            yield kind, value
            position += len(value)
            self._allowance.left = until - time.thread_time()
            if self._allowance.left <= 0:
                yield Token, text[position:]
                return


def timed_lexer(name: str, allowance: TimeBudget) -> Lexer | str:
    """Return the named lexer with a time limit; if there is none, the name, which highlights
    nothing."""
    try:
        lexer = get_lexer_by_name(name, stripnl=False, ensurenl=True, tabsize=4)
    except ClassNotFound:
        return name
    return TimedLexer(lexer, allowance)
