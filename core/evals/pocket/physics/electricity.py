"""Tasks about resistors, capacitors and coils."""

from __future__ import annotations

import math

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.problem import Problem, at_level, number_problem
from sandbox_tui.core.evals.pocket.quantities import plain, tell

_ASIDES = (
    "The board measures 10 cm by 16 cm.",
    "All parts have been soldered by hand.",
    "The meter was last checked 8 months ago.",
    "The wires are red and black and have no resistance.",
    "A fuse of 2 A is intact all the time.",
)


def resistors(draw: Draw, level: int) -> Problem:
    """The current from a battery into a network. Size: resistors."""
    values: list[str] = []
    said, total = _network(draw, at_level(level, 4, 8, 14), True, values)
    voltage = draw.decimal("1.5", "48.0")
    listed = ", ".join(f"R{i} = {value}" for i, value in enumerate(values, 1))
    text = draw.one_of(
        (
            "A battery of {v} V feeds this network, in which '+' means 'in series with' and '|' "
            "means 'in parallel with': {n}. The resistors are {l}. Which current does the battery "
            "deliver?",
            "Resistors {l} are joined as {n}, where A + B is a series connection and A | B a "
            "parallel one. What current flows from a source of {v} V connected to the whole?",
        )
    ).format(v=voltage, n=said, l=listed)
    return number_problem(draw, text, float(voltage) / total * 1_000, "mA", size=len(values))


def _network(draw: Draw, count: int, in_series: bool, values: list[str]) -> tuple[str, float]:
    """Return a network of this many resistors, and its resistance in ohms."""
    if count == 1:
        in_kilo = draw.chance(0.4)
        number = plain(draw.real(0.2, 6) if in_kilo else draw.real(40, 950), 3)
        values.append(f"{number} {'kΩ' if in_kilo else 'Ω'}")
        return f"R{len(values)}", float(number) * (1_000 if in_kilo else 1)
    cut = draw.integer(1, count - 1)
    parts = [_network(draw, n, not in_series, values) for n in (cut, count - cut)]
    total = sum(r for _, r in parts) if in_series else 1 / sum(1 / r for _, r in parts)
    sign = " + " if in_series else " | "
    return f"({sign.join(text for text, _ in parts)})", total


def capacitor(draw: Draw, level: int) -> Problem:
    """Charging and discharging. Size: formulas to combine."""
    first, capacity = plain(draw.real(2, 90), 3), plain(draw.real(5, 400), 3)
    voltage = draw.decimal("5.0", "30.0")
    facts: list[str | tuple[str, ...]] = [
        (
            f"<An empty capacitor of {capacity} µF is charged through a resistor of {first} kΩ.",
            f"<A resistor of {first} kΩ leads to a capacitor of {capacity} µF, which is empty at "
            "first.",
        ),
        (f"The source has {voltage} V.", f"A source of {voltage} V does the charging."),
    ]
    tau = float(first) * 1e3 * float(capacity) * 1e-6
    if level == 1:
        wanted = plain(float(voltage) * draw.real(0.3, 0.95), 3)
        ask = (
            f"How long does it take to reach {wanted} V?",
            f"After what time is the voltage of the capacitor {wanted} V?",
        )
        value, unit = -tau * math.log(1 - float(wanted) / float(voltage)), "s"
        return number_problem(draw, tell(draw, facts, _ASIDES, ask), value, unit, size=2)
    leak = plain(draw.real(40, 300), 3)
    time = plain(tau * draw.real(0.4, 1.5), 3)
    facts.append(f">A second resistor, of {leak} kΩ, lies across the capacitor all the time.")
    share = float(leak) / (float(leak) + float(first))
    top = float(voltage) * share * -math.expm1(-float(time) / (tau * share))
    if level == 2:
        ask = (
            f"What is the voltage of the capacitor {time} s after charging begins?",
            f"To what voltage is the capacitor charged after {time} s?",
        )
        return number_problem(draw, tell(draw, facts, _ASIDES, ask), top, "V", size=4)
    rest = plain(float(leak) * float(capacity) / 1_000 * draw.real(0.1, 0.8), 3)
    facts.append(
        f">After {time} s of charging the source is taken away, and the capacitor discharges "
        f"through the second resistor alone for {rest} s."
    )
    ask = (
        "How much energy is still stored in the capacitor then?",
        "What is the energy left in the capacitor at the end of that?",
    )
    final = top * math.exp(-float(rest) / (float(leak) * float(capacity) / 1_000))
    value = float(capacity) * 1e-6 * final**2 / 2 * 1_000
    return number_problem(draw, tell(draw, facts, _ASIDES, ask), value, "mJ", size=7)


def alternating(draw: Draw, level: int) -> Problem:
    """Current in a circuit with coils and capacitors. Size: parts."""
    frequency, voltage = draw.integer(40, 900), draw.integer(5, 240)
    facts = [
        f"An alternating voltage of {voltage} V (effective) has a frequency of {frequency} Hz."
    ]
    omega, total = 2 * math.pi * frequency, 0j
    branches = at_level(level, 1, 2, 3)
    for branch in ("A", "B", "C")[:branches]:
        resistance, coil = plain(draw.real(15, 200), 3), plain(draw.real(5, 90), 3)
        condenser = plain(draw.real(2, 60), 3)
        facts.append(
            f"Branch {branch} has a resistor of {resistance} Ω, a coil of {coil} mH and a "
            f"capacitor of {condenser} µF in series."
            if draw.chance(0.5)
            else f"In branch {branch} a capacitor of {condenser} µF, a coil of {coil} mH and a "
            f"resistor of {resistance} Ω follow each other."
        )
        reactance = omega * float(coil) * 1e-3 - 1 / (omega * float(condenser) * 1e-6)
        total += voltage / complex(float(resistance), reactance)
    facts.append(
        ">All branches lie in parallel at the source."
        if branches > 1
        else ">The branch lies at the source."
    )
    ask = (
        "What effective current does the source deliver?",
        "How large is the effective value of the current from the source?",
    )
    text = tell(draw, facts, _ASIDES, ask)
    return number_problem(draw, text, abs(total) * 1_000, "mA", size=3 * branches)
