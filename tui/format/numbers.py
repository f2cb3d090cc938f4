"""Formats numbers for people to read on a narrow screen."""

from __future__ import annotations

from sandbox_tui.core.events.types import ContextLength


def size(value: int) -> str:
    """Format bytes: 31B, 2.1k, 18k, 3.4M."""
    if value < 1000:
        return f"{value}B"
    number = float(value)
    for unit in ("k", "M", "G"):
        number /= 1000
        if number < 1000:
            return f"{number:.1f}{unit}" if number < 10 else f"{number:.0f}{unit}"
    return f"{number:.0f}G"


def count(value: int) -> str:
    """Format a count: 950, 12.3k, 1.2M."""
    if value < 1000:
        return str(value)
    number = value / 1000
    if number < 1000:
        return f"{number:.1f}k" if number < 100 else f"{number:.0f}k"
    return f"{number / 1000:.1f}M"


def tokens(number: int, *, estimated: bool) -> str:
    """Format a token count: 12.3k; ≈12.3k if it is an estimate."""
    return f"{'≈' if estimated else ''}{count(number)}"


def token_words(number: int, *, estimated: bool = False) -> str:
    """Format a token count with its noun: 1 token, 12.3k tokens."""
    return f"{tokens(number, estimated=estimated)} {'token' if number == 1 else 'tokens'}"


def cost(value: float | None) -> str:
    """Format US dollars: $0.04; empty if the cost is unknown."""
    if value is None:
        return ""
    return f"${value:.4f}" if value < 0.01 else f"${value:.2f}"


def counted(number: int, noun: str) -> str:
    """Format a number with its noun: 1 step, 2 steps."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def context(length: ContextLength) -> str:
    """Format a context length in tokens: 16.4k; ≤128k if the model may be served with less."""
    return f"{'≤' if length.at_most else ''}{count(length.tokens)}"
