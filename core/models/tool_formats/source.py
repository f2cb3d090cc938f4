"""A reply's text as it arrives, for readers written as generators.

A reader is a generator that yields when it needs more text (`Step`). Its decisions depend only on
the text, never on where a piece ended, so the way a reply is split makes no difference. Text is
copied once: what has been taken is dropped from the window.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypeVar

T = TypeVar("T")
Step: TypeAlias = Generator[None, None, T]
"""A running reader: yields when it needs more text, returns its result."""

SPACE = re.compile(r"\s+")


@functools.lru_cache(maxsize=64)
def _words(words: tuple[str, ...]) -> tuple[int, re.Pattern[str]]:
    """Return the longest word's length, and a pattern that matches the longest word possible."""
    longest_first = sorted(words, key=len, reverse=True)
    return len(longest_first[0]), re.compile("|".join(map(re.escape, longest_first)))


@dataclass(slots=True)
class PartialCall:
    """A call that is being written, as pieces.

    Attributes:
        is_certain: it cannot turn out to be anything else.
        number: its index among the calls shown; -1 if not shown yet.
        shown_pieces: how many of its pieces were shown.
    """

    family: str
    tool: str = ""
    pieces: list[str] = field(default_factory=list[str])
    is_complete: bool = False
    is_certain: bool = False
    number: int = -1
    shown_pieces: int = 0


class Source:
    """The text that has arrived and has not been taken.

    Attributes:
        tools: names of the run's tools, and the JSON schema of each one's arguments.
        partial_calls: the calls of the reply so far.
        fence: language of the code fence being read; None outside fences.
    """

    def __init__(self, tools: Mapping[str, Mapping[str, Any]]) -> None:
        self.tools = tools
        self.partial_calls: list[PartialCall] = []
        self.fence: str | None = None
        self.ended = False
        self._window = ""
        self._at = 0
        self._taken: list[str] = []

    def add(self, piece: str) -> None:
        """Add more text."""
        self._window = self._window[self._at :] + piece
        self._at = 0

    def end(self) -> None:
        """Mark the text as complete."""
        self.ended = True

    def mark(self) -> None:
        """Start remembering what is taken."""
        self._taken = []

    def taken(self) -> str:
        """Return the text taken since `mark`."""
        return "".join(self._taken)

    def take(self, count: int) -> str:
        """Take characters that a peek has returned."""
        text = self._window[self._at : self._at + count]
        self._at += len(text)
        self._taken.append(text)
        return text

    def is_at_new_line(self) -> bool:
        """Return whether the text taken ends with a line break, or a line break and an indent."""
        for piece in reversed(self._taken):
            left = piece.rstrip(" \t")
            if left:
                return left.endswith("\n")
        return False

    def peek(self, count: int = 1) -> Step[str]:
        """Return the next characters, fewer only at the end."""
        while len(self._window) - self._at < count and not self.ended:
            yield
        return self._window[self._at : self._at + count]

    def take_run(
        self, run: re.Pattern[str], sink: Callable[[str], None] | None = None
    ) -> Step[str]:
        """Take characters as long as they match a pattern of single characters."""
        pieces: list[str] = []
        while True:
            found = run.match(self._window, self._at)
            if found is not None and found.end() > self._at:
                pieces.append(self.take(found.end() - self._at))
                if sink is not None:
                    sink(pieces[-1])
            if self._at < len(self._window) or self.ended:
                return "".join(pieces)
            yield

    def begins(self, words: Collection[str]) -> Step[str]:
        """Return the longest of these words that comes next, or an empty string. Takes nothing."""
        longest, pattern = _words(tuple(words))
        while True:
            if self.ended or len(self._window) - self._at >= longest:
                found = pattern.match(self._window, self._at)
                return found[0] if found is not None else ""
            ahead = self._window[self._at :]
            if not any(len(word) > len(ahead) and word.startswith(ahead) for word in words):
                found = pattern.match(ahead)
                return found[0] if found is not None else ""
            yield

    def take_word(self, *words: str) -> Step[str]:
        """Take the longest of these words, if one comes next in the text."""
        word = yield from self.begins(words)
        if word:
            self.take(len(word))
        return word

    def take_limited(self, run: re.Pattern[str], limit: int) -> Step[str]:
        """Take at most `limit` characters of a run."""
        pieces: list[str] = []
        left = limit
        while left > 0:
            found = run.match(self._window, self._at, self._at + left)
            if found is not None and found.end() > self._at:
                left -= found.end() - self._at
                pieces.append(self.take(found.end() - self._at))
            if self._at < len(self._window) or self.ended:
                break
            yield
        return "".join(pieces)

    # --- calls being written

    def begin_call(self, family: str, tool: str = "", *, is_certain: bool = True) -> PartialCall:
        """Start a call; `is_certain` means that it cannot turn out to be anything else."""
        partial = PartialCall(family, tool, is_certain=is_certain)
        self.partial_calls.append(partial)
        return partial


@dataclass(frozen=True, slots=True)
class Written:
    """A call as it was written.

    Attributes:
        arguments: values are `Verbatim` if the format leaves their type to the schema.
        key: the key of the arguments in a JSON object.
    """

    tool: str
    arguments: dict[str, Any]
    repairs: tuple[str, ...] = ()
    key: str = "arguments"


class Verbatim(str):
    """A value written as plain text, of any type."""

    __slots__ = ()


@dataclass(slots=True, kw_only=True)
class Block:
    """A section of a reply that contains calls.

    Attributes:
        fault: why these calls cannot be run, for the model.
        open_end: the reply ended before the block did.
        repaired_end: a closing bracket was added, so nothing else may follow.
        closed: its closing mark was present; otherwise its line must contain nothing else.
        marked: it starts with an unambiguous marker.
    """

    family: str
    calls: Sequence[Written] = ()
    fault: str = ""
    open_end: bool = False
    repaired_end: bool = False
    closed: bool = False
    marked: bool = True

    def joined(self, other: Block) -> Block:
        """Return this block joined with a following one."""
        fault = self.fault or other.fault
        if self.family != other.family:
            fault = fault or "it is followed by a call in another format"
        return Block(
            family=self.family,
            calls=[*self.calls, *other.calls],
            fault=fault,
            open_end=self.open_end or other.open_end,
            repaired_end=self.repaired_end or other.repaired_end,
            closed=other.closed,
            marked=self.marked and other.marked,
        )


@dataclass(frozen=True, slots=True)
class Passage:
    """A section of a reply that is not a call: text, reasoning or made up.

    Attributes:
        kind: where it belongs; `invented` is text, and calls after it do not count.
        until: the words that end it.
        left: those of them that start something new and must still be read.
    """

    kind: Literal["reasoning", "text", "invented"]
    until: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


Opener: TypeAlias = Callable[[Source, str], Step[Block | Passage | None]]
"""Reads what follows an opening word; returns None if it does not start a block after all."""
