"""Cuts a text that is too long to show."""

from __future__ import annotations


def cut_text(text: str, characters: int) -> str:
    """Return a text of at most this length, with an ellipsis if its end is missing."""
    return text if len(text) <= characters else f"{text[: characters - 1]}…"
