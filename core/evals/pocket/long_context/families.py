"""Task families of long context."""

from __future__ import annotations

from sandbox_tui.core.evals.pocket.long_context import questions
from sandbox_tui.core.evals.pocket.problem import Family

FAMILIES: dict[str, Family] = {
    "total": questions.total,
    "best": questions.best,
    "days": questions.days,
    "towns": questions.towns,
    "busiest": questions.busiest,
    "difference": questions.difference,
    "heaviest": questions.heaviest,
}
