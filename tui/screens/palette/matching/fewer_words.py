"""What is meant by several words, not all of which occur in one entry of the palette."""

from __future__ import annotations

from collections.abc import Iterator

FILLERS = frozenset(
    (
        *("a", "add", "all", "an", "as", "change", "choose", "disable", "do", "enable", "for"),
        *("from", "get", "go", "in", "is", "it", "make", "me", "my", "now", "of", "off", "on"),
        *("open", "pick", "please", "select", "set", "show", "switch", "the", "this", "to"),
        *("toggle", "turn", "use", "view", "with"),
    )
)
"""Words for choosing something, which say nothing about what it is."""


def without_fillers(typed: str) -> str:
    """Return a text without the words that say nothing; empty if that changes nothing."""
    words = typed.split()
    kept = [word for word in words if word.lower() not in FILLERS]
    return " ".join(kept) if len(kept) < len(words) else ""


def without_a_word(typed: str) -> Iterator[str]:
    """Yield a text of several words without one of them: the last ones are left out first, since
    what one looks for is typed first."""
    words = typed.split()
    if len(words) > 1:
        for at in reversed(range(len(words))):
            yield " ".join([*words[:at], *words[at + 1 :]])
