"""Tasks about molar masses and stoichiometry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import reduce
from math import gcd

from sandbox_tui.core.evals.pocket.chemistry.formulas import (
    REACTIONS,
    SUBSTANCES,
    WEIGHTS,
    atoms,
    hill,
    molar_mass,
    table,
)
from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.problem import (
    Problem,
    at_level,
    exact_problem,
    number_problem,
)
from sandbox_tui.core.evals.pocket.quantities import plain, tell

_ASIDES = (
    "The balance was serviced 3 weeks ago.",
    "The bottle was opened on the 14th of May.",
    "The flask holds 250 mL and has a red cap.",
    "The laboratory is at 22 °C.",
    "Two assistants do the work in 40 minutes.",
)


def mixture_mass(draw: Draw, level: int) -> Problem:
    """The mass of a mixture of substances. Size: atoms in the formulas."""
    chosen = sorted(SUBSTANCES, key=lambda formula: sum(atoms(formula).values()))
    low, high = ((0, 9), (5, 17), (10, len(chosen)))[level - 1]
    formulas = draw.some(chosen[low:high], level)
    amounts = [plain(draw.real(0.05, 4), 3) for _ in formulas]
    portions = " and ".join(f"{n} mol of {f}" for n, f in zip(amounts, formulas, strict=True))
    facts = [table(draw, formulas)]
    ask = (
        f"What is the mass of {portions}{' together' * (level > 1)}?",
        f"How much do {portions} weigh{' in all' * (level > 1)}?",
    )
    value = sum(float(n) * molar_mass(f) for n, f in zip(amounts, formulas, strict=True))
    size = sum(sum(atoms(f).values()) for f in formulas)
    return number_problem(draw, tell(draw, facts, _ASIDES, ask), value, "g", size=size)


def element_share(draw: Draw, level: int) -> Problem:
    """The share of an element in a mixture. Size: substances."""
    formulas = draw.some(SUBSTANCES, at_level(level, 2, 4, 7))
    masses = [plain(draw.real(0.5, 60), 3) for _ in formulas]
    common = Counter(e for f in formulas for e in atoms(f))
    element = draw.one_of([e for e, count in sorted(common.items()) if count >= 2])
    facts = [
        f"The mixture has {m} g of {f} in it."
        if draw.chance(0.5)
        else f"Of {f}, {m} g are in the mixture."
        for f, m in zip(formulas, masses, strict=True)
    ]
    inside = sum(
        float(m) * atoms(f)[element] * float(WEIGHTS[element]) / molar_mass(f)
        for f, m in zip(formulas, masses, strict=True)
    )
    ask = (
        f"What percentage of the mixture's mass is {element}?",
        f"What is the mass fraction of the element {element} in the whole mixture?",
    )
    value = 100 * inside / sum(map(float, masses))
    text = tell(draw, [*facts, table(draw, formulas)], _ASIDES, ask)
    return number_problem(draw, text, value, "%", size=len(formulas))


def _equation(draw: Draw, reaction: tuple[dict[str, int], dict[str, int]], shown: bool) -> str:
    def side(part: dict[str, int]) -> str:
        return " + ".join(
            f"{n} {f}" if shown and n > 1 else f for f, n in draw.shuffled(list(part.items()))
        )

    return f"{side(reaction[0])} -> {side(reaction[1])}"


def _reactions(level: int) -> Sequence[tuple[dict[str, int], dict[str, int]]]:
    return REACTIONS[:11] if level == 1 else REACTIONS[4:] if level == 2 else REACTIONS[8:]


def _coefficients(reaction: tuple[dict[str, int], dict[str, int]]) -> int:
    return sum(reaction[0].values()) + sum(reaction[1].values())


def balance(draw: Draw, level: int) -> Problem:
    """The coefficients of an equation. Size: their sum."""
    reaction = draw.one_of(sorted(REACTIONS, key=_coefficients)[6 * level - 6 : 6 * level])
    written = _equation(draw, reaction, False)
    both = reaction[0] | reaction[1]
    formulas = [part for side in written.split(" -> ") for part in side.split(" + ")]
    times = draw.integer(2, 9)
    text = draw.one_of(
        (
            "Balance the equation {e} with the smallest possible integers. Then multiply each "
            "coefficient by {k}.",
            "Find the smallest integer coefficients, 1 included, that balance {e}, and multiply "
            "all of them by {k}.",
        )
    ).format(e=written, k=times)
    ask = "the resulting numbers in the order of the equation, separated by commas (as in 2,3,1)"
    value = ",".join(str(both[formula] * times) for formula in formulas)
    return exact_problem(draw, text, value, ask, size=_coefficients(reaction))


def yields(draw: Draw, level: int) -> Problem:
    """The yield of a reaction. Size: formulas to combine."""
    reaction = draw.one_of(_reactions(level))
    left, right = reaction
    product = draw.one_of(sorted(right))
    masses = {f: plain(draw.real(2, 90), 3) for f in draw.shuffled(sorted(left))}
    facts = [
        f"<The reaction is {_equation(draw, reaction, level == 1)}"
        + (", still to be balanced." if level > 1 else ".")
    ]
    given = list(masses) if level > 1 else list(masses)[:1]
    facts += [
        f"There are {masses[f]} g of {f}."
        if draw.chance(0.5)
        else f"One starts with {masses[f]} g of {f}."
        for f in given
    ]
    if level == 1 and len(left) > 1:
        facts.append("Of everything else that reacts there is more than enough.")
    extent = min(float(masses[f]) / molar_mass(f) / left[f] for f in given)
    value = extent * right[product] * molar_mass(product)
    if level == 3:
        percent = draw.decimal("41.0", "96.0")
        facts.append(f"The yield is {percent} % of what is possible.")
        value *= float(percent) / 100
    facts.append(table(draw, [*left, *right]))
    ask = (
        f"What mass of {product} results?",
        f"How many grams of {product} does one get?",
    )
    return number_problem(draw, tell(draw, facts, _ASIDES, ask), value, "g", size=2 * level)


def leftover(draw: Draw, level: int) -> Problem:
    """The amount left of the reactant in excess. Size: coefficients of the equation."""
    pool = sorted((r for r in REACTIONS if len(r[0]) == 2), key=_coefficients)
    reaction = draw.one_of(pool[5 * level - 5 : 5 * level])
    (one, n), (two, m) = reaction[0].items()
    first = plain(draw.real(5, 80), 4)
    needed = float(first) / molar_mass(one) / n * m * molar_mass(two)
    second = plain(needed * draw.real(1.1, 2.5), 4)
    facts = [
        f"<{first} g of {one} and {second} g of {two} react as far as they can."
        if draw.chance(0.5)
        else f"<One lets {second} g of {two} react with {first} g of {one} until nothing more "
        f"happens.",
        f"The equation, not yet balanced, is {_equation(draw, reaction, False)}.",
        table(draw, [*reaction[0], *reaction[1]]),
    ]
    ask = (
        f"How much {two} is left over?",
        f"What mass of {two} remains at the end?",
    )
    size = _coefficients(reaction)
    text = tell(draw, facts, _ASIDES, ask)
    return number_problem(draw, text, float(second) - needed, "g", size=size)


def combustion(draw: Draw, level: int) -> Problem:
    """An empirical formula from combustion data. Size: atoms of the formula."""
    top = at_level(level, 6, 12, 24)
    counts = {"C": draw.integer(top // 2, top), "H": draw.integer(top // 2, 2 * top)}
    counts["O"] = draw.integer(1, at_level(level, 2, 3, 6))
    if level > 1:
        counts["N"] = draw.integer(1, level)
    divisor = reduce(gcd, counts.values())
    counts = {e: n // divisor for e, n in counts.items()}
    formula = hill(counts)
    mass = draw.real(0.8, 6)
    mole = mass / molar_mass(formula)
    made = [f"{mole * counts['C'] * molar_mass('CO2'):.5f} g of carbon dioxide"]
    made.append(f"{mole * counts['H'] / 2 * molar_mass('H2O'):.5f} g of water")
    if "N" in counts:
        made.append(f"{mole * counts['N'] / 2 * molar_mass('N2'):.5f} g of nitrogen gas")
    elements = ", ".join(sorted(counts))
    text = draw.one_of(
        (
            "A sample of {m:.5f} g of a substance made of {e} burns completely to {made}.",
            "Complete combustion of {m:.5f} g of a compound of the elements {e} gives {made}.",
        )
    ).format(m=mass, e=elements, made=", ".join(draw.shuffled(made)))
    text += " What is its empirical formula? " + table(draw, [formula], 2)
    ask = "the formula in Hill's order (C, H, then the others by the alphabet), as in C2H6O"
    return exact_problem(draw, text, formula, ask, size=sum(counts.values()))


def inventory(draw: Draw, level: int) -> Problem:
    """Atoms of an element in a list of bottles. Size: bottles."""
    count = at_level(level, 12, 50, 200)
    rows = [
        (draw.one_of(SUBSTANCES), plain(draw.real(1, 900), 4), draw.one_of(("g", "mg", "kg")))
        for _ in range(count)
    ]
    element = draw.one_of(("O", "N", "H", "S", "Cl"))
    scale = {"g": 1.0, "mg": 1e-3, "kg": 1e3}
    value = sum(float(m) * scale[u] * atoms(f)[element] / molar_mass(f) for f, m, u in rows)
    listed = "".join(f"{f},{m} {u}\n" for f, m, u in rows)
    weights = "".join(f"{e},{w}\n" for e, w in WEIGHTS.items())
    files = {
        "bottles.csv": f"formula,mass\n{listed}".encode(),
        "weights.csv": f"element,atomic weight\n{weights}".encode(),
    }
    text = draw.one_of(
        (
            "The input file bottles.csv lists bottles with the formula and the mass of their "
            "content; the input file weights.csv has the atomic weights. How many moles of {e} "
            "atoms are there in all bottles together?",
            "Take the atomic weights from the input file weights.csv. What is the amount of the "
            "element {e}, as atoms, in all that the input file bottles.csv lists (a formula and a "
            "mass in each line)?",
        )
    ).format(e=element)
    return number_problem(draw, text, value, "mol", size=count, files=files)
