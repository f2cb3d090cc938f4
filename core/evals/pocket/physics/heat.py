"""Tasks about heat, gases and radioactive decay."""

from __future__ import annotations

import math

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.problem import Problem, at_level, number_problem
from sandbox_tui.core.evals.pocket.quantities import (
    MASS,
    PRESSURE,
    SHORT,
    VOLUME,
    plain,
    quantity,
    tell,
    temperature,
)

_ASIDES = (
    "The laboratory lies 340 m above sea level.",
    "The measurement takes 25 minutes.",
    "A colleague repeats it with 3 other instruments.",
    "The thermometer was calibrated in 2019.",
    "All of this happens behind a pane of glass 6 mm thick.",
)
_METALS = {"aluminium": 897, "copper": 385, "iron": 449, "lead": 129, "brass": 377, "silver": 235}


def mixing(draw: Draw, level: int) -> Problem:
    """Bodies that reach a common temperature. Size: bodies and changes of phase."""
    metals = draw.some(sorted(_METALS), at_level(level, 1, 3, 4))
    water, warm = quantity(draw, 0.8, 3, MASS), temperature(draw, 55, 80)
    facts = [f"<An insulated vessel of negligible heat capacity holds {water} of water at {warm}."]
    energy, capacity = 4_186 * water.si * (warm.si - 273.15), 4_186 * water.si
    for metal in metals:
        mass, at = quantity(draw, 0.1, 0.9, MASS), temperature(draw, -10, 95)
        facts.append(
            f">A piece of {metal} weighing {mass} is put in at {at}."
            if draw.chance(0.5)
            else f">Into the water goes {mass} of {metal}, whose temperature is {at}."
        )
        energy += _METALS[metal] * mass.si * (at.si - 273.15)
        capacity += _METALS[metal] * mass.si
    table = ", ".join(f"{m} {_METALS[m]}" for m in draw.shuffled(sorted(_METALS)))
    facts.append(f"Specific heats in J/(kg K): water 4186, {table}.")
    if level == 3:
        ice, cold = quantity(draw, 0.1, 0.3, MASS), draw.decimal("-22.0", "-4.0")
        facts.append(
            f">Last comes {ice} of ice at {cold} °C. Ice has a specific heat of 2090 J/(kg K) and "
            "takes 334 kJ/kg to melt."
        )
        energy += ice.si * (2_090 * float(cold) - 334_000)
        capacity += 4_186 * ice.si
    ask = (
        "Which temperature do they all reach in the end, if nothing is lost to the surroundings?",
        "No heat escapes. What is the final common temperature?",
    )
    text = tell(draw, facts, _ASIDES, ask)
    size = len(metals) + 1 + 2 * (level == 3)
    return number_problem(draw, text, energy / capacity, "°C", size=size)


def walls(draw: Draw, level: int) -> Problem:
    """Heat lost through layers. Size: layers."""
    names = draw.some(
        ("plaster", "brick", "mineral wool", "wood", "concrete", "cork", "foam", "clay"),
        at_level(level, 2, 4, 6),
    )
    area = draw.decimal("8.0", "60.0")
    inside, outside = draw.decimal("18.0", "23.0"), draw.decimal("-15.0", "6.0")
    facts: list[str] = []
    resistance = 0.0
    for name in names:
        thick = quantity(draw, 0.012, 0.3, SHORT)
        conductivity = draw.decimal("0.035", "0.980")
        facts.append(
            f"The wall has a layer of {name} that is {thick} thick; {name} conducts "
            f"{conductivity} W/(m K)."
            if draw.chance(0.5)
            else f"With a thermal conductivity of {conductivity} W/(m K), {name} makes up {thick} "
            f"of the wall's thickness."
        )
        resistance += thick.si / float(conductivity)
    facts.append(f"It is {inside} °C at the inner surface and {outside} °C at the outer one.")
    facts.append(f"The area of the wall is {area} m².")
    power = float(area) * (float(inside) - float(outside)) / resistance
    if level == 3:
        window, value_u = draw.decimal("1.2", "7.5"), draw.decimal("0.7", "2.9")
        facts.append(
            f">Beside it, a window of {window} m² loses {value_u} W per square metre and kelvin "
            "between the same two temperatures."
        )
        power += float(window) * float(value_u) * (float(inside) - float(outside))
    ask = (
        "How much energy flows out in one day of 24 hours?",
        "What does the heat loss add up to in 24 hours?",
    )
    text = tell(draw, facts, _ASIDES, ask)
    size = len(names) + (level == 3)
    return number_problem(draw, text, power * 24 / 1_000, "kWh", size=size)


_GAS = 8.314462618


def gas(draw: Draw, level: int) -> Problem:
    """Ideal gases. Size: changes of state."""
    volume, pressure = quantity(draw, 0.002, 0.05, VOLUME), quantity(draw, 9e4, 6e5, PRESSURE)
    warm = temperature(draw, 5, 60)
    facts = [
        f"<A tank of {volume} holds an ideal gas at {pressure} and {warm}."
        if draw.chance(0.5)
        else f"<An ideal gas fills a tank of {volume}; its temperature is {warm} and its pressure "
        f"{pressure}.",
        "The gas constant is 8.314462618 J/(mol K); pressures are absolute, 0 °C is 273.15 K and "
        "1 atm is 101.325 kPa.",
    ]
    amount = pressure.si * volume.si / (_GAS * warm.si)
    if level == 1:
        hot, added = temperature(draw, 90, 300), draw.decimal("0.10", "0.90")
        facts.append(f">Then {added} mol of the gas are added and everything is heated to {hot}.")
        ask = ("Which pressure results?", "What is the pressure in the tank afterwards?")
        value, unit = (amount + float(added)) * _GAS * hot.si / volume.si / 1_000, "kPa"
    elif level == 2:
        second, force = quantity(draw, 0.002, 0.05, VOLUME), quantity(draw, 9e4, 6e5, PRESSURE)
        other, hot = temperature(draw, 5, 60), temperature(draw, 90, 300)
        facts += [
            f">A second tank, of {second}, holds the same gas at {force} and {other}.",
            f">A valve between both is opened, and everything is brought to {hot}.",
        ]
        total = amount + force.si * second.si / (_GAS * other.si)
        ask = ("Which pressure results in both tanks?", "What is the common pressure in the end?")
        value, unit = total * _GAS * hot.si / (volume.si + second.si) / 1_000, "kPa"
    else:
        ratio, gamma = draw.decimal("2.0", "9.0"), draw.one_of((1.4, 1.667, 1.3))
        hot = temperature(draw, 500, 900)
        facts.append(
            f">First the gas is compressed adiabatically and reversibly to 1/{ratio} of its "
            f"volume, with a ratio of heat capacities of {gamma}; then the volume stays as it is "
            f"while the gas is brought to {hot}; at last it expands isothermally to its first "
            f"volume."
        )
        before = warm.si * float(ratio) ** (gamma - 1)
        adiabatic = amount * _GAS / (gamma - 1) * (before - warm.si)
        value = amount * _GAS * hot.si * math.log(float(ratio)) - adiabatic
        ask = (
            "How much net work does the gas do in the three changes together?",
            "What is the work done by the gas, minus the work done on it, in all three changes?",
        )
        unit, value = "kJ", value / 1_000
    return number_problem(draw, tell(draw, facts, _ASIDES, ask), value, unit, size=1 + 2 * level)


def decay(draw: Draw, level: int) -> Problem:
    """Activities of radioactive samples. Size: nuclides."""
    times = (("h", 3_600.0), ("d", 86_400.0), ("min", 60.0))
    life, wait = quantity(draw, 4e4, 3e5, times), quantity(draw, 3e4, 5e5, times)
    start = quantity(draw, 2e5, 9e7, (("kBq", 1e3), ("MBq", 1e6), ("Bq", 1.0)))
    rate = math.log(2) / life.si
    facts = [
        f"<Nuclide A has a half-life of {life}.",
        f"<At noon a sample contains A with an activity of {start}."
        if draw.chance(0.5)
        else f"<A sample's activity from nuclide A is {start} at noon.",
    ]
    value = start.si * math.exp(-rate * wait.si)
    if level == 1:
        ask = (f"What is the activity {wait} after noon?",)
    elif level == 2:
        other = quantity(draw, 4e4, 3e5, times)
        second = quantity(draw, 2e5, 9e7, (("kBq", 1e3), ("MBq", 1e6)))
        facts += [
            f">Nuclide B, which A has nothing to do with, has a half-life of {other}.",
            f">At noon the sample also contains B with an activity of {second}.",
        ]
        value += second.si * math.exp(-math.log(2) / other.si * wait.si)
        ask = (f"What is the sample's total activity {wait} after noon?",)
    else:
        other = quantity(draw, 4e5, 9e5, times)
        last = quantity(draw, 6e3, 2e4, times)
        facts += [
            f">A decays into B, which has a half-life of {other}.",
            f">B decays into C, whose half-life is {last}; C decays into something stable.",
            ">At noon there is neither B nor C in the sample.",
        ]
        rates = [rate, math.log(2) / other.si, math.log(2) / last.si]
        value = start.si * rates[1] * rates[2] * _bateman(rates, wait.si)
        ask = (f"What is the activity of C alone {wait} after noon?",)
    text = tell(draw, facts, _ASIDES, ask)
    return number_problem(draw, text, value / 1_000, "kBq", size=level)


def _bateman(rates: list[float], time: float) -> float:
    """Return Bateman's sum for the last nuclide of a chain, without the product of the rates before
    it."""
    return sum(math.exp(-a * time) / math.prod(b - a for b in rates if b is not a) for a in rates)


def bubbles(draw: Draw, level: int) -> Problem:
    """A rising bubble of gas. Size: formulas to combine."""
    depth, across = draw.decimal("4.0", "60.0"), draw.decimal("1.50", "9.50")
    deep, top = draw.decimal("4.0", "9.0"), draw.decimal("14.0", "26.0")
    density = draw.integer(998, 1_031)
    facts = [
        f"<A gas bubble {across} mm across leaves the bottom of a lake, {depth} m down.",
        f"The water has a density of {density} kg/m³.",
        "The air pressure is 101.325 kPa and the acceleration of free fall 9.80665 m/s².",
        "The amount of gas in the bubble does not change, and the gas is ideal.",
    ]
    pressure = 101_325 + density * 9.80665 * float(depth)
    growth = pressure / 101_325
    if level > 1:
        facts.append(
            f">At the bottom it is {deep} °C, just below the surface {top} °C (0 °C is 273.15 K), "
            f"and the gas always has the temperature of the water around it."
        )
        growth *= (float(top) + 273.15) / (float(deep) + 273.15)
    else:
        facts.append(">The temperature is the same everywhere.")
    start = math.pi / 6 * float(across) ** 3
    if level < 3:
        ask = ("What is its volume just below the surface?", "How large has it become at the top?")
        value, unit = start * growth, "mm^3"
    else:
        tension = plain(draw.real(60, 75), 3)
        facts.append(
            f">The surface tension σ is {tension} mN/m and adds 2σ/r to the pressure inside a "
            f"bubble of radius r."
        )
        ask = ("What is its diameter just below the surface?",)
        sigma, radius = float(tension) / 1_000, float(across) / 2_000
        warm = (float(top) + 273.15) / (float(deep) + 273.15)
        content = (pressure + 2 * sigma / radius) * radius**3 * warm
        low, high = radius, radius * 4
        for _ in range(200):
            middle = (low + high) / 2
            inside = (101_325 + 2 * sigma / middle) * middle**3
            low, high = (middle, high) if inside < content else (low, middle)
        value, unit = low * 2_000, "mm"
    return number_problem(draw, tell(draw, facts, _ASIDES, ask), value, unit, size=2 * level)
