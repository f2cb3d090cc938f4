r"""Finds the final answer in a text: the content of the last `\boxed{}`."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\\f?boxed\s*\{|\\.|[{}]", re.DOTALL)


def last_boxed(text: str) -> str | None:
    r"""Return the content of the `\boxed{}` that starts last and has balanced braces; None if there
    is none.

    Braces that LaTeX escapes (`\{`) do not count. Takes one pass, so that a long text of opening
    braces costs no more than any other.
    """
    opened: list[tuple[bool, int, int]] = []  # whether it is a box, its start, start of its content
    found: tuple[int, str] | None = None
    for token in _TOKEN.finditer(text):
        if token[0].endswith("{") and token[0] != r"\{":
            opened.append((len(token[0]) > 1, token.start(), token.end()))
        elif token[0] == "}" and opened:
            is_box, start, inside = opened.pop()
            if is_box and (found is None or start > found[0]):
                found = (start, text[inside : token.start()])
    return found[1].strip() if found else None


def without_thinking(text: str) -> str:
    """Return the text after a model's `</think>`, if its server leaves that in the reply."""
    return text.rpartition("</think>")[2].strip()
