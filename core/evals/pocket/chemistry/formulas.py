"""Chemical formulas and standard atomic weights (IUPAC 2021, abridged; conventional values)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from sandbox_tui.core.evals.pocket.draw import Draw

WEIGHTS: dict[str, str] = {
    "H": "1.008",
    "Li": "6.94",
    "B": "10.81",
    "C": "12.011",
    "N": "14.007",
    "O": "15.999",
    "F": "18.998",
    "Na": "22.990",
    "Mg": "24.305",
    "Al": "26.982",
    "Si": "28.085",
    "P": "30.974",
    "S": "32.06",
    "Cl": "35.45",
    "K": "39.098",
    "Ca": "40.078",
    "Cr": "51.996",
    "Mn": "54.938",
    "Fe": "55.845",
    "Co": "58.933",
    "Ni": "58.693",
    "Cu": "63.546",
    "Zn": "65.38",
    "Br": "79.904",
    "Ag": "107.87",
    "Ba": "137.33",
    "Pb": "207.2",
}

_PART = re.compile(r"([A-Z][a-z]?)(\d*)|(\()|\)(\d*)")


def atoms(formula: str) -> Counter[str]:
    """Return the number of atoms of each element in a formula such as `Ca(OH)2` or `CuSO4·5H2O`."""
    total: Counter[str] = Counter()
    for part in formula.split("·"):
        times, rest = re.fullmatch(r"(\d*)(.*)", part).groups()  # type: ignore[union-attr]
        for element, count in _group(rest).items():
            total[element] += count * int(times or 1)
    return total


def _group(formula: str) -> Counter[str]:
    stack: list[Counter[str]] = [Counter()]
    for found in _PART.finditer(formula):
        element, count, opened, closing = found.groups()
        if element:
            stack[-1][element] += int(count or 1)
        elif opened:
            stack.append(Counter())
        else:
            inner = stack.pop()
            for name, number in inner.items():
                stack[-1][name] += number * int(closing or 1)
    return stack[0]


def molar_mass(formula: str) -> float:
    """Return the molar mass in g/mol."""
    return sum(float(WEIGHTS[element]) * count for element, count in atoms(formula).items())


def table(draw: Draw, formulas: Iterable[str], extra: int = 3) -> str:
    """Return the atomic weights of the elements in the formulas, and of a few others."""
    needed = {element for formula in formulas for element in atoms(formula)}
    others = draw.some(sorted(set(WEIGHTS) - needed), extra)
    listed = ", ".join(f"{e} {WEIGHTS[e]}" for e in draw.shuffled(sorted([*needed, *others])))
    return draw.one_of(
        (f"Atomic weights: {listed}.", f"Use these standard atomic weights: {listed}.")
    )


def hill(counts: Mapping[str, int]) -> str:
    """Return a formula in Hill order: C, then H, then the others alphabetically."""
    order = sorted(counts, key=lambda e: ({"C": 0, "H": 1}.get(e, 2) if "C" in counts else 2, e))
    return "".join(e + (str(counts[e]) if counts[e] > 1 else "") for e in order)


REACTIONS: tuple[tuple[dict[str, int], dict[str, int]], ...] = (
    ({"Al": 4, "O2": 3}, {"Al2O3": 2}),
    ({"Fe2O3": 1, "CO": 3}, {"Fe": 2, "CO2": 3}),
    ({"C3H8": 1, "O2": 5}, {"CO2": 3, "H2O": 4}),
    ({"NH3": 4, "O2": 5}, {"NO": 4, "H2O": 6}),
    ({"Na2CO3": 1, "HCl": 2}, {"NaCl": 2, "H2O": 1, "CO2": 1}),
    ({"Ca(OH)2": 3, "H3PO4": 2}, {"Ca3(PO4)2": 1, "H2O": 6}),
    ({"AgNO3": 2, "BaCl2": 1}, {"AgCl": 2, "Ba(NO3)2": 1}),
    ({"Mg3N2": 1, "H2O": 6}, {"Mg(OH)2": 3, "NH3": 2}),
    ({"FeS2": 4, "O2": 11}, {"Fe2O3": 2, "SO2": 8}),
    ({"C6H12O6": 1, "O2": 6}, {"CO2": 6, "H2O": 6}),
    ({"Pb(NO3)2": 1, "K2CrO4": 1}, {"PbCrO4": 1, "KNO3": 2}),
    ({"Al2(SO4)3": 1, "NaOH": 6}, {"Al(OH)3": 2, "Na2SO4": 3}),
    ({"KMnO4": 2, "HCl": 16}, {"KCl": 2, "MnCl2": 2, "H2O": 8, "Cl2": 5}),
    ({"Cu": 3, "HNO3": 8}, {"Cu(NO3)2": 3, "NO": 2, "H2O": 4}),
    ({"K2Cr2O7": 1, "HCl": 14}, {"KCl": 2, "CrCl3": 2, "H2O": 7, "Cl2": 3}),
    ({"P4": 1, "NaOH": 3, "H2O": 3}, {"NaH2PO2": 3, "PH3": 1}),
    ({"KMnO4": 2, "FeSO4": 10, "H2SO4": 8}, {"K2SO4": 1, "MnSO4": 2, "Fe2(SO4)3": 5, "H2O": 8}),
    (
        {"K2Cr2O7": 1, "FeSO4": 6, "H2SO4": 7},
        {"K2SO4": 1, "Cr2(SO4)3": 1, "Fe2(SO4)3": 3, "H2O": 7},
    ),
)
"""Balanced reactions: coefficients of reactants and products, in smallest integers."""

SUBSTANCES = (
    "CuSO4·5H2O",
    "Na2CO3·10H2O",
    "KAl(SO4)2·12H2O",
    "Fe(NO3)3·9H2O",
    "C8H10N4O2",
    "C12H22O11",
    "(NH4)2Cr2O7",
    "Ca10(PO4)6(OH)2",
    "Mg3Si4O10(OH)2",
    "Pb(C2H3O2)2·3H2O",
    "C21H30O5",
    "NiCl2·6H2O",
    "Al2Si2O5(OH)4",
    "(NH4)2Fe(SO4)2·6H2O",
    "KAl3Si3O10(OH)2",
    "C27H46O",
    "Zn(NO3)2·6H2O",
    "Co(NH3)6Cl3",
    "Na2S2O3·5H2O",
    "BaCl2·2H2O",
    "C16H18N2O4S",
    "MgSO4·7H2O",
    "C55H72MgN4O5",
)
