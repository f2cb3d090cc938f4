"""Where an imported session came from, in words."""

from __future__ import annotations

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunSummary


def imported_words(run: RunSummary) -> str:
    """Return that a session was imported, and from which file if that was recorded; empty if it
    was not imported."""
    if not run.imported:
        return ""
    name = sanitize_line(run.imported_from or "")
    return f"imported from {name}" if name else "imported"


def import_format(run: RunSummary) -> str:
    """Return the short name of the format that a session was imported from, or that it was
    imported; empty if it was not."""
    return sanitize_line(run.import_format or "imported") if run.imported else ""
