"""Marks a field of a form that is wrong."""

from __future__ import annotations

from textual.widgets import Input


def mark_mistake(field: Input, mistake: str) -> None:
    """Show at a field what is wrong with it, or that nothing is."""
    field.set_class(bool(mistake), "-wrong")
    field.border_subtitle = mistake
