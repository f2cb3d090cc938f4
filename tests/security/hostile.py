"""Streams that try to act as commands: to the terminal, to widget markup, or to a parser of lines.

Each begins with a unique mark, which shows whether the stream was displayed at all.
"""

from __future__ import annotations

import random
import re

SEED = 20_251_121

TERMINAL = [
    "\x1b]52;c;b3duZWQ=\x07", "\x1b]52;c;?\x07", "\x1b]0;owned\x07", "\x1b]2;owned\x1b\\",
    "\x1b]8;;file:///etc/passwd\x1b\\link\x1b]8;;\x1b\\", "\x1b]9;owned\x07", "\x1b]777;notify;a;b\x07",
    "\x1b]99;i=1;owned\x1b\\", "\x1b]1337;File=name=eA==;inline=1:AAAA\x07", "\x1b]10;?\x07",
    "\x1b]4;1;red\x07", "\x1b]22;wait\x07", "\x9d0;owned\x9c", "\x9b31m", "\x9b2J", "\x9b6n",
    "\x90q#0;2;0;0;0#0~~\x9c", "\x9fGa=d\x9c", "\x98sos\x9c", "\x9epm\x9c", "\x85", "\x84", "\x8d",
    "\x1bP$q m\x1b\\", "\x1bPtmux;\x1b\x1b]0;owned\x07\x1b\\", "\x1b_Ga=T,f=24,s=1,v=1;AAAA\x1b\\",
    "\x1b^pm\x1b\\", "\x1bXsos\x1b\\", "\x07", "\x08\x08\x08", "\x7f", "\x00", "\x05", "\x0e", "\x0f",
    "\x1bc", "\x1b#8", "\x1b[2J\x1b[H", "\x1b[?1049l", "\x1b[?1049h", "\x1b[?1003h", "\x1b[?2026h",
    "\x1b[6n", "\x1b[c", "\x1b[>c", "\x1b[21t", "\x1b[8;1;1t", "\x1b[5i", "\x1b[031;05m", "\x1b[3;3r",
    "\x1b[01;01Howned", "\x1b[", "\x1b]", "\x1bP", "\x1b", "\x1b(0", "\x1b[20l", "\x1b[?25l", "\x1b[!p",
    "\x1bZ", "\x1b[=1u", "\x1b[>4;2m", "\x1b[0q", "\x1b]133;A\x07", "\x1b]7;file:///x\x07", "\x1b\x1b[A",
]  # fmt: skip
"""Control sequences of ECMA-48, xterm, kitty, iTerm2, tmux and sixel."""

UNSEEN = [
    "\u202eexe.txt", "\u2066x\u2069", "\u200b", "\u200e", "\u200f", "\ufeff", "\u00ad", "\u2060",
    "\U000e0041\U000e0042", "\u061c", "\u3164", "\u115f", "\ufffe", "\ufff9a\ufffab\ufffb",
    "\u034f", "\U0001d173", "\U0001bca0", "\u2062", "\U000e0100",
]  # fmt: skip
"""Characters that are invisible or reorder visible text (Unicode TR 9, 36 and 39)."""

MARKUP = [
    "[red]", "[/]", "[/nothing]", "[bold", "[@click=app.quit]q[/]", "[link=file:///x]l[/link]", "[b][i]",
    "[$accent]", "[on red]", "[[", "]]", "[]", "\\[x]", "{x}", "%s%n", "$(id)", "`id`", "<b>", "&#27;[31m",
    "\\u001b[31m", "\\x1b[31m", "%1b[31m", ":smile:", "](javascript:alert(1))", "</script>", "```", "|-|",
]  # fmt: skip
"""Text with a meaning to widgets or to a later reader."""

LINES = [
    "\r",
    "\n",
    "\r\n",
    "\x0b",
    "\x0c",
    "\u2028",
    "\u2029",
    "\n\n",
    "\t",
    "\x1bE",
    "\x1bM",
    "\x1c",
]
"""Characters that start a new line for some reader."""

WIDTHS = [
    "漢字",
    "👩\u200d💻",
    "é",
    "e\u0301\u0302\u0303",
    "🇩🇪",
    "\u0e33",
    "ａ",
    "\ufe0f",
    "\u20dd",
    "ﷺ",
]
"""Text whose width differs from its length."""

SURROGATES = ["\ud800", "\udfff", "\udc1b[31m", "\ud83d"]
"""Code points that UTF-8 cannot encode."""

MARK = re.compile(r"q[0-9a-z]{4}z")


def stream(number: int, chance: random.Random, *, surrogates: bool = False) -> str:
    """The stream with this number, about ten to eighty characters long."""
    families = [TERMINAL, TERMINAL, TERMINAL, UNSEEN, MARKUP, LINES, WIDTHS]
    families += [SURROGATES] if surrogates else []
    pieces = [mark(number)]
    for _ in range(chance.randint(1, 5)):
        pieces.append(chance.choice(chance.choice(families)))
        if chance.random() < 0.3:
            pieces.append(chance.choice(("a", " ", "owned", "0")))
        if chance.random() < 0.1:
            pieces.append(chr(chance.choice((chance.randrange(0xA0), chance.randrange(0xD800)))))
    return "".join(pieces)


def mark(number: int) -> str:
    """Six characters that occur nowhere else."""
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    text = ""
    for _ in range(4):
        number, rest = divmod(number, 36)
        text = digits[rest] + text
    return f"q{text}z"


class Streams:
    """An endless supply of streams.

    Attributes:
        taken: the number of streams taken so far.
    """

    def __init__(self, seed: int = SEED) -> None:
        self._chance = random.Random(seed)
        self.taken = 0

    def one(self, *, surrogates: bool = False) -> str:
        """The next stream."""
        self.taken += 1
        return stream(self.taken, self._chance, surrogates=surrogates)

    def many(self, count: int, *, surrogates: bool = False) -> list[str]:
        """The next `count` streams."""
        return [self.one(surrogates=surrogates) for _ in range(count)]

    def line(self, count: int = 1) -> str:
        """`count` streams on what is one line to those who only know newlines."""
        return " ".join(self.many(count)).replace("\n", "\x0b")

    def text(self, count: int) -> str:
        """`count` lines of one stream each."""
        return "\n".join(self.line() for _ in range(count))

    def name(self) -> str:
        """A file name: anything but a slash and NUL, at most 255 bytes."""
        return self.one().replace("/", "∕").replace("\0", "\x01")[:60]


def marks(text: str) -> set[str]:
    """The marks in a text."""
    return set(MARK.findall(text))
