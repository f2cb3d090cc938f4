"""Every chemistry target, recomputed from the wording of the problem by other means."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction

import pytest

from sandbox_tui.core.evals.pocket.chemistry.formulas import REACTIONS, SUBSTANCES, WEIGHTS, atoms
from sandbox_tui.core.evals.pocket.suite import families_of
from sandbox_tui.core.evals.task import Task
from tests.unit.core.evals.pocket.samples import all_of, close, match, quantities, root

FORMULA = r"((?:\(?[A-Z][a-z]?\d*\)?\d*|·\d*)+)"


def expanded(formula: str) -> dict[str, int]:
    """Count the atoms of a formula by writing it out: repeat its groups, then count symbols."""
    parts = []
    for part in formula.split("·"):
        times = re.match(r"\d*", part)[0]
        parts.append(part[len(times) :] * int(times or 1))
    text = "".join(parts)
    while "(" in text:
        text = re.sub(r"\(([^()]*)\)(\d*)", lambda f: f[1] * int(f[2] or 1), text)
    counts: dict[str, int] = {}
    for element, number in re.findall(r"([A-Z][a-z]?)(\d*)", text):
        counts[element] = counts.get(element, 0) + int(number or 1)
    return counts


def weights(text: str) -> dict[str, Fraction]:
    return {
        e: Fraction(w)
        for e, w in re.findall(
            r"\b([A-Z][a-z]?) (\d+\.\d+)(?=[,.])", text.split("tomic weights: ")[1]
        )
    }


def mass(formula: str, table: dict[str, Fraction]) -> float:
    return float(sum(table[e] * n for e, n in expanded(formula).items()))


def balanced(left: list[str], right: list[str]) -> list[int]:
    """The smallest integer coefficients, by elimination over fractions."""
    formulas = [*left, *right]
    signs = [1] * len(left) + [-1] * len(right)
    elements = sorted({e for f in formulas for e in expanded(f)})
    rows = [
        [Fraction(s * expanded(f).get(e, 0)) for f, s in zip(formulas, signs, strict=True)]
        for e in elements
    ]
    pivots: list[int] = []
    at = 0
    for column in range(len(formulas)):
        pivot = next((i for i in range(at, len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [x / rows[at][column] for x in rows[at]]
        for i in range(len(rows)):
            if i != at:
                rows[i] = [x - rows[i][column] * y for x, y in zip(rows[i], rows[at], strict=True)]
        pivots.append(column)
        at += 1
    free = [c for c in range(len(formulas)) if c not in pivots]
    assert len(free) == 1, "one way to balance it, but for multiples"
    solution = [Fraction(0)] * len(formulas)
    solution[free[0]] = Fraction(1)
    for row, column in zip(rows, pivots, strict=False):
        solution[column] = -row[free[0]]
    scale = math.lcm(*(x.denominator for x in solution))
    found = [int(x * scale) for x in solution]
    assert all(n > 0 for n in found)
    return [n // math.gcd(*found) for n in found]


def sides(text: str, *patterns: str) -> tuple[list[str], list[str]]:
    written = match(text, *patterns)[1]
    left, right = (
        [re.sub(r"^\d+ ", "", part) for part in side.split(" + ")] for side in written.split(" -> ")
    )
    return left, right


def mixture_mass(task: Task) -> float:
    table = weights(task.problem)
    portions = re.findall(rf"([\d.]+) mol of {FORMULA}", task.problem)
    return sum(float(n) * mass(f, table) for n, f in portions)


def element_share(task: Task) -> float:
    text, table = task.problem, weights(task.problem)
    parts = [(float(m), f) for m, f in re.findall(rf"mixture has ([\d.]+) g of {FORMULA}", text)]
    parts += [(float(m), f) for f, m in re.findall(rf"Of {FORMULA}, ([\d.]+) g are", text)]
    assert len(parts) == task.metadata["size"]
    element = match(text, r"mass is (\w+)\?", r"the element (\w+) in")[1]
    inside = sum(
        m / mass(f, table) * float(table[element]) * expanded(f).get(element, 0) for m, f in parts
    )
    return inside / sum(m for m, _ in parts) * 100


def balance(task: Task) -> str:
    left, right = sides(
        task.problem, r"equation (.*?) with the", r"balance (\S+ .*?), and multiply"
    )
    times = int(match(task.problem, r"by (\d+)\.")[1])
    return ",".join(str(n * times) for n in balanced(left, right))


def yields(task: Task) -> float:
    text, table = task.problem, weights(task.problem)
    left, right = sides(text, r"The reaction is (.*?)(?:, still|\.)")
    coefficients = dict(zip([*left, *right], balanced(left, right), strict=True))
    given = {
        f: float(m)
        for m, f in re.findall(rf"(?:There are|starts with) ([\d.]+) g of {FORMULA}", text)
    }
    product = match(text, rf"(?:mass|grams) of {FORMULA}")[1]
    moles = {f: m / mass(f, table) / coefficients[f] for f, m in given.items()}
    share = float(match(text + " yield is 100 %", r"yield is ([\d.]+) %")[1]) / 100
    return min(moles.values()) * coefficients[product] * mass(product, table) * share


def leftover(task: Task) -> float:
    text, table = task.problem, weights(task.problem)
    left, right = sides(text, r"balanced, is (.*?)\.")
    coefficients = dict(zip([*left, *right], balanced(left, right), strict=True))
    amounts = {f: float(m) for m, f in re.findall(rf"([\d.]+) g of {FORMULA}", text)}
    wanted = match(text, rf"How much {FORMULA} is", rf"mass of {FORMULA} remains")[1]
    moles = {f: m / mass(f, table) for f, m in amounts.items()}
    runs = min(n / coefficients[f] for f, n in moles.items())
    return (moles[wanted] - runs * coefficients[wanted]) * mass(wanted, table)


def combustion(task: Task) -> str:
    text, table = task.problem, weights(task.problem)
    sample = float(match(text, r"of ([\d.]+) g of a")[1])
    grams = {
        name: float(m)
        for m, name in re.findall(r"([\d.]+) g of (carbon dioxide|water|nitrogen gas)", text)
    }
    c = grams["carbon dioxide"] / mass("CO2", table)
    h = 2 * grams["water"] / mass("H2O", table)
    n = 2 * grams.get("nitrogen gas", 0) / 28.014
    o = (sample - c * 12.011 - h * 1.008 - n * 14.007) / 15.999
    values = {"C": c, "H": h, "N": n, "O": o}
    present = {e: v for e, v in values.items() if v > 1e-4}
    for k in range(1, 60):  # the smallest multiple with whole numbers
        scaled = {e: v / min(present.values()) * k for e, v in present.items()}
        if all(abs(v - round(v)) < 0.012 * k for v in scaled.values()) and all(
            abs(v - round(v)) < 0.02 for v in scaled.values()
        ):
            return "".join(
                e + (str(round(scaled[e])) if round(scaled[e]) > 1 else "")
                for e in ("C", "H", "N", "O")
                if e in scaled
            )
    raise AssertionError(text)


def inventory(task: Task) -> float:
    table = dict(line.split(",") for line in task.files["weights.csv"].decode().splitlines()[1:])
    ready = {e: Fraction(w) for e, w in table.items()}
    element = match(task.problem, r"moles of (\w+) atoms", r"element (\w+), as")[1]
    total = 0.0
    for line in task.files["bottles.csv"].decode().splitlines()[1:]:
        formula, amount = line.split(",")
        grams = float(amount.split()[0]) * {"g": 1, "mg": 0.001, "kg": 1000}[amount.split()[1]]
        total += grams / mass(formula, ready) * expanded(formula).get(element, 0)
    return total


def titration(task: Task) -> float:
    text = task.problem
    sample, protons = quantities(text, "sample of {n} mL of an acid that gives off {n} proton")
    if "excess" in text:
        extra, base = quantities(text, "In this way {n} mL .*? with {n} mol/L")
        used, acid = quantities(text, "takes {n} mL of hydrochloric acid with {n} mol/L")
        return root(lambda c: c * sample * protons + used * acid - extra * base, 0, 10)
    [used], [base] = (
        quantities(text, "titration takes {n} mL"),
        quantities(text, "solution has {n} mol/L"),
    )
    c = root(lambda c: c * sample * protons - used * base, 0, 10)
    if "stock" in text:
        part, total = quantities(text, "diluting {n} mL of a stock solution to {n} mL")
        c *= total / part
    return c


def acidity(task: Task) -> float:
    """The pH, by the quadratic formula."""
    text = task.problem
    ka = float(match(text, r"constant ([\d.e-]+) mol")[1])
    [c] = quantities(text, "water is {n} mol/L")
    salt = quantities(text, "also has {n} mol/L")[0] if "also has" in text else 0.0
    strong = quantities(text, "strong acid, {n} mol/L")[0] if "strong acid" in text else 0.0
    d = strong - salt  # h^2 + (ka - d) h - ka (d + c + salt) = 0
    b = ka - d
    h = (-b + math.sqrt(b * b + 4 * ka * (d + c + salt))) / 2
    return -math.log(h) / math.log(10)


def kinetics(task: Task) -> float:
    text = task.problem
    [k], [c], [time] = (
        quantities(text, "k = {n} "),
        quantities(text, "concentration is {n} mol"),
        quantities(text, "after {n} s"),
    )
    order = 1 if "first order" in text else 2
    if "Arrhenius" in text:
        [cold], [energy], [warm] = (
            quantities(text, "holds at {n} °C"),
            quantities(text, "energy is {n} kJ"),
            quantities(text, "place at {n} °C"),
        )
        factor = math.exp(-energy * 1000 / (8.314462618 * (warm + 273.15)))
        k *= factor / math.exp(-energy * 1000 / (8.314462618 * (cold + 273.15)))
    steps = 20_000
    h = time / steps
    for _ in range(steps):  # Heun's method
        a = -k * c**order
        c += h / 2 * (a - k * (c + h * a) ** order)
    return c


def cell(task: Task) -> float:
    text = task.problem
    halves = re.findall(
        r"is (\w\w) in a solution of ([\d.]+) mol/L of its (\d)\+ ions \(standard potential ([-+][\d.]+) V\)",
        text,
    )
    assert len(halves) == 2
    [celsius] = quantities(text, "temperature is {n} °C")
    rt = 8.314462618 * (celsius + 273.15)
    potentials = [
        float(e) + rt * math.log10(float(c)) * math.log(10) / (int(n) * 96485.33212)
        for _, c, n, e in halves
    ]
    voltage = abs(potentials[0] - potentials[1])
    if "resistance" in text:
        inner, outer = quantities(text, "resistance of {n} Ω and feeds a resistor of {n} Ω")
        return voltage / (inner + outer) * 1e3
    return voltage


def isotopes(task: Task) -> float:
    text = task.problem
    if "two isotopes" in text:
        a, b = quantities(text, "masses of {n} and {n} Da")
        [mean] = quantities(text, "atomic mass is {n} Da")
        return 100 * root(lambda x: x * a + (1 - x) * b - mean, 0, 1)
    [light] = quantities(text, "has a mass of {n} Da")
    pairs = [(1.0, light)] + [
        (float(r), float(m))
        for r, m in re.findall(r"average, ([\d.]+) atoms of the isotope of ([\d.]+) Da", text)
    ]
    atoms_in_all = sum(r for r, _ in pairs)
    grams_of_one = sum(r * m for r, m in pairs)
    if "millimoles" in text:
        [grams] = quantities(text, "are in {n} g")
        return grams / grams_of_one * max(pairs, key=lambda p: p[1])[0] * 1e3
    return grams_of_one / atoms_in_all


SOLVERS: dict[str, Callable[[Task], float | str]] = {
    f.__name__: f
    for f in (mixture_mass, element_share, balance, yields, leftover, combustion, inventory, titration, acidity, kinetics, cell, isotopes)
}  # fmt: skip


def test_every_family_has_a_solver() -> None:
    assert set(SOLVERS) == set(families_of("chemistry"))


@pytest.mark.parametrize("family", sorted(SOLVERS))
def test_targets_agree_with_the_words(family: str) -> None:
    for task in all_of("chemistry", family):
        value = SOLVERS[family](task)
        if isinstance(value, str):
            assert value == task.target, task.problem
        else:
            assert close(task.target, value), (value, task.target, task.problem)


def test_stated_weights_are_the_standard_ones() -> None:
    for task in all_of("chemistry", "mixture_mass"):
        assert all(
            WEIGHTS[e] == str(float(w)) or float(WEIGHTS[e]) == float(w)
            for e, w in weights(task.problem).items()
        )


def test_formulas_are_read_alike() -> None:
    for formula in [*SUBSTANCES, *(f for reaction in REACTIONS for side in reaction for f in side)]:
        assert atoms(formula) == expanded(formula)


def test_reactions_are_balanced_with_the_smallest_integers() -> None:
    for left, right in REACTIONS:
        assert balanced(list(left), list(right)) == [*left.values(), *right.values()]
