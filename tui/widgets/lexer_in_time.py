"""A lexer that stops when its time is over.

For some texts a lexer of Pygments takes minutes (20,000 empty lines as C, say): it looks from each
place to the end. What is not coloured in time stays plain.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name  # pyright: ignore[reportUnknownVariableType]
from pygments.token import Token
from pygments.util import ClassNotFound


class Allowance:
    """Seconds of the processor that may still be spent on the colours of one text."""

    def __init__(self, seconds: float = 0.3) -> None:
        self.left = seconds


class LexerInTime(Lexer):
    """The tokens of another lexer, as long as there is time; then the rest as one token."""

    def __init__(self, lexer: Lexer, allowance: Allowance) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self._lexer = lexer
        self._allowance = allowance

    def get_tokens(self, text: str, unfiltered: bool = False) -> Iterator[tuple[Any, str]]:
        """See `Lexer.get_tokens`."""
        came = 0
        until = time.thread_time() + self._allowance.left
        for kind, value in self._lexer.get_tokens(text, unfiltered):
            yield kind, value
            came += len(value)
            self._allowance.left = until - time.thread_time()
            if self._allowance.left <= 0:
                yield Token, text[came:]
                return


def lexer_in_time(name: str, allowance: Allowance) -> Lexer | str:
    """The lexer of this name; the name itself, which colours nothing, where there is none."""
    try:
        lexer = get_lexer_by_name(name, stripnl=False, ensurenl=True, tabsize=4)
    except ClassNotFound:
        return name
    return LexerInTime(lexer, allowance)
