"""Tasks about solutions, acids, reaction rates, cells and isotopes."""

from __future__ import annotations

import math

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.problem import Problem, number_problem
from sandbox_tui.core.evals.pocket.quantities import plain, tell

_ASIDES = (
    "The water is distilled twice.",
    "A blank run on 3 samples shows nothing unusual.",
    "The burette was rinsed 4 times.",
    "The bench is lit by 2 lamps.",
    "The notes fill 6 pages.",
)


def titration(draw: Draw, level: int) -> Problem:
    """The concentration of an acid. Size: formulas to combine."""
    sample, base = draw.decimal("10.00", "50.00"), draw.decimal("0.0500", "0.2500")
    used = draw.decimal("12.00", "44.00")
    protons = draw.integer(1, 3)
    facts = [
        f"<A sample of {sample} mL of an acid that gives off {protons} proton"
        f"{'s' * (protons > 1)} per molecule is titrated.",
        f">The titration takes {used} mL of sodium hydroxide solution.",
        f"The sodium hydroxide solution has {base} mol/L.",
    ]
    moles = float(used) * float(base)
    if level == 2:
        total = draw.one_of((100, 200, 250, 500))
        part = draw.decimal("5.00", "25.00")
        facts.append(
            f">The sample was made by diluting {part} mL of a stock solution to {total} mL."
        )
        ask = ("What is the concentration of the acid in the stock solution?",)
        value = moles / float(sample) / protons * total / float(part)
    elif level == 3:
        extra, acid = draw.decimal("60.00", "90.00"), draw.decimal("0.0800", "0.1500")
        while float(extra) * float(base) <= float(used) * float(acid):
            extra += 10
        facts = [
            facts[0].replace("is titrated", "gets too much base first"),
            f">In this way {extra} mL of sodium hydroxide solution with {base} mol/L are added.",
            f">The excess then takes {used} mL of hydrochloric acid with {acid} mol/L.",
        ]
        ask = ("What is the concentration of the acid in the sample?",)
        value = (float(extra) * float(base) - float(used) * float(acid)) / float(sample) / protons
    else:
        ask = ("What is the concentration of the acid?", "How concentrated is the acid?")
        value = moles / float(sample) / protons
    text = tell(draw, facts, _ASIDES, ask)
    return number_problem(draw, text, value, "mol/L", size=2 * level)


def acidity(draw: Draw, level: int) -> Problem:
    """The pH of a weak acid. Size: equilibria."""
    constant = draw.decimal("1.10", "9.90")
    power = draw.integer(3, 5)
    acid = draw.decimal("0.0100", "0.2500")
    ka, c = float(constant) * 10.0**-power, float(acid)
    facts = [
        f"<A weak acid has the dissociation constant {constant}e-{power} mol/L.",
        f">Its total concentration in water is {acid} mol/L.",
        "Activities equal concentrations, and the water's own ions may be neglected.",
    ]
    salt = second = 0.0
    if level > 1:
        added = draw.decimal("0.0050", "0.1500")
        facts.append(f">The solution also has {added} mol/L of the acid's sodium salt in it.")
        salt = float(added)
    if level == 3:
        other = draw.decimal("0.0010", "0.0090")
        facts.append(f">A strong acid, {other} mol/L, is dissolved in it too.")
        second = float(other)
    low, high = 0.0, c + second
    for _ in range(200):  # bisect the charge balance: [H+] + salt = dissociated + strong acid
        h = (low + high) / 2
        ions = ka * (c + salt) / (ka + h)
        low, high = (h, high) if h + salt < ions + second else (low, h)
    ask = ("What is the pH?", "Find the pH of the solution.")
    text = tell(draw, facts, _ASIDES, ask)
    value = -math.log10(low)
    return number_problem(draw, text, value, "", size=level)


def kinetics(draw: Draw, level: int) -> Problem:
    """Reaction rates. Size: formulas to combine."""
    rate = draw.decimal("0.00120", "0.00980")
    start, time = draw.decimal("0.200", "0.900"), draw.integer(90, 600)
    k = float(rate)
    facts = [f">At the beginning its concentration is {start} mol/L."]
    if level == 1:
        facts.insert(0, f"<A substance decays by first order with k = {rate} per second.")
        value = float(start) * math.exp(-k * time)
    else:
        facts.insert(
            0, f"<A substance decays by second order, rate = k c², with k = {rate} L/(mol s)."
        )
        if level == 3:
            energy, cold, warm = draw.integer(30, 90), draw.integer(15, 25), draw.integer(40, 80)
            facts += [
                f">This k holds at {cold} °C, and the activation energy is {energy} kJ/mol.",
                f">The experiment takes place at {warm} °C; 0 °C is 273.15 K.",
                "The gas constant is 8.314462618 J/(mol K); Arrhenius' law holds.",
            ]
            k *= math.exp(energy * 1e3 / 8.314462618 * (1 / (cold + 273.15) - 1 / (warm + 273.15)))
        value = 1 / (1 / float(start) + k * time)
    ask = (
        f"What is its concentration after {time} s?",
        f"How much of it, in mol/L, is there after {time} s?",
    )
    text = tell(draw, facts, _ASIDES, ask)
    return number_problem(draw, text, value, "mol/L", size=2 * level)


def cell(draw: Draw, level: int) -> Problem:
    """The voltage of a galvanic cell. Size: formulas to combine."""
    metals = {
        "Zn": (-0.762, 2),
        "Ag": (0.800, 1),
        "Cu": (0.342, 2),
        "Ni": (-0.257, 2),
        "Pb": (-0.126, 2),
    }
    pairs = sorted(draw.some(sorted(metals), 2), key=lambda m: metals[m][0])
    minus, plus = pairs
    first, second = draw.decimal("0.0020", "0.0900"), draw.decimal("0.1000", "1.5000")
    facts = [
        f"A cell has the half-cells {m} in a solution of {c} mol/L of its {metals[m][1]}+ ions"
        f" (standard potential {metals[m][0]:+.3f} V)."
        for m, c in ((minus, first), (plus, second))
    ]
    facts[1] = facts[1].replace("A cell has the half-cells", "The other half-cell is")
    facts = ["<" + facts[0].replace("the half-cells", "two half-cells; one is"), ">" + facts[1]]
    facts.append("R = 8.314462618 J/(mol K), F = 96485.33212 C/mol, 0 °C is 273.15 K.")
    celsius = 25
    if level > 1:
        celsius = draw.integer(5, 80)
    facts.append(f"The temperature is {celsius} °C.")
    slope = 8.314462618 * (celsius + 273.15) / 96485.33212
    low = metals[minus][0] + slope / metals[minus][1] * math.log(float(first))
    high = metals[plus][0] + slope / metals[plus][1] * math.log(float(second))
    value, unit = high - low, "V"
    ask = ("What voltage does the cell have when no current flows?",)
    size = 2 * level
    if level == 3:
        drop, ohms = draw.decimal("0.40", "5.00"), draw.integer(10, 90)
        facts.append(
            f">The cell has an inner resistance of {drop} Ω and feeds a resistor of {ohms} Ω."
        )
        ask = ("What current flows?", "Which current does the cell deliver?")
        value, unit = value / (float(drop) + ohms) * 1e3, "mA"
    return number_problem(draw, tell(draw, facts, _ASIDES, ask), value, unit, size=size)


def isotopes(draw: Draw, level: int) -> Problem:
    """Abundances of isotopes. Size: isotopes."""
    count = level + 1
    lightest = draw.integer(20, 90)
    masses = [f"{lightest + 2 * i + draw.real(-0.09, 0.09):.4f}" for i in range(count)]
    if level == 1:
        share = draw.real(0.1, 0.9)
        mean = plain(float(masses[0]) * share + float(masses[1]) * (1 - share), 7)
        value = 100 * (float(masses[1]) - float(mean)) / (float(masses[1]) - float(masses[0]))
        facts = [
            f"An element has two isotopes, with masses of {masses[0]} and {masses[1]} Da.",
            f">Its mean atomic mass is {mean} Da.",
        ]
        ask = ("What percentage of its atoms are of the lighter isotope?",)
        text = tell(draw, facts, _ASIDES, ask)
        return number_problem(draw, text, value, "%", size=2)
    ratios = [draw.decimal("0.050", "4.000") for _ in masses[1:]]
    facts = [f"The lightest isotope of an element has a mass of {masses[0]} Da."]
    facts += [
        f"For each of its atoms there are, on average, {r} atoms of the isotope of {m} Da."
        for r, m in zip(ratios, masses[1:], strict=True)
    ]
    weights = [1.0, *map(float, ratios)]
    mean_mass = sum(w * float(m) for w, m in zip(weights, masses, strict=True)) / sum(weights)
    if level == 2:
        ask = ("What is the mean atomic mass of the element?",)
        text = tell(draw, ["<" + facts[0], *facts[1:]], _ASIDES, ask)
        return number_problem(draw, text, mean_mass, "Da", size=count, figures=6, relative=2e-5)
    grams = draw.decimal("1.50", "9.50")
    ask = (
        f"How many millimoles of atoms of the heaviest isotope are in {grams} g of the element (1 "
        f"Da is 1 g/mol)?",
    )
    value = float(grams) / mean_mass * weights[-1] / sum(weights) * 1e3
    text = tell(draw, ["<" + facts[0], *facts[1:]], _ASIDES, ask)
    return number_problem(draw, text, value, "mmol", size=count)
