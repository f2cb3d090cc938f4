"""Where an imported session came from, in words."""

from __future__ import annotations

from collections.abc import Sequence

from sandbox_tui.core.base.errors import AlreadyImported, NoRecording, SandboxTuiError
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


def refused_words(refused: Sequence[SandboxTuiError]) -> str:
    """Return why files were not imported: one in full, several by reason, counted."""
    if len(refused) == 1:
        return sanitize_line(str(refused[0]))
    here = sum(isinstance(error, AlreadyImported) for error in refused)
    others = sum(isinstance(error, NoRecording) for error in refused)
    failed = [e for e in refused if not isinstance(e, AlreadyImported | NoRecording)]
    parts = [f"{here} already here"] if here else []
    if others:
        parts.append(f"{others} {'is no recording' if others == 1 else 'are no recordings'}")
    if failed:
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        parts.append(f"{sanitize_line(str(failed[0])).rstrip('.')}{more}")
    return f"{', '.join(parts)}."
