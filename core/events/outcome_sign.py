"""The sign of a session's outcome, which is the same in lists, on tiles and in exports."""

from __future__ import annotations

from typing import Literal, NamedTuple


class OutcomeSign(NamedTuple):
    """How an outcome is shown.

    Attributes:
        sign: one column.
        role: the palette's colour.
    """

    sign: str
    role: Literal["good", "warn", "bad", "dim"]


def outcome_sign(outcome: str) -> OutcomeSign:
    """Return the sign of why a run ended, or of `running` or `interrupted`: a run that was cut off
    through no fault of its own is not shown as failed."""
    return _SIGNS.get(outcome, OutcomeSign("✗", "bad"))


_CUT_OFF = OutcomeSign("◌", "warn")

_SIGNS = {
    "submitted": OutcomeSign("✓", "good"),
    "running": OutcomeSign("●", "good"),
    "interrupted": _CUT_OFF,
    "disconnected": _CUT_OFF,
    "imported": OutcomeSign("○", "dim"),
}
