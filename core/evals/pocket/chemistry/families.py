"""Task families of chemistry."""

from __future__ import annotations

from sandbox_tui.core.evals.pocket.chemistry import amounts, solutions
from sandbox_tui.core.evals.pocket.problem import Family

FAMILIES: dict[str, Family] = {
    "mixture_mass": amounts.mixture_mass,
    "yields": amounts.yields,
    "titration": solutions.titration,
    "balance": amounts.balance,
    "acidity": solutions.acidity,
    "element_share": amounts.element_share,
    "kinetics": solutions.kinetics,
    "combustion": amounts.combustion,
    "cell": solutions.cell,
    "leftover": amounts.leftover,
    "isotopes": solutions.isotopes,
    "inventory": amounts.inventory,
}
