"""Every physics target, recomputed from the wording of the problem.

Solvers use simulation, root finding, node potentials and energy balances instead of the closed
forms that produced the targets.
"""

# ruff: noqa: B023 - these functions are called before their loop continues

from __future__ import annotations

import cmath
import itertools
import math
import re
from collections.abc import Callable

import pytest

from sandbox_tui.core.evals.pocket.suite import families_of
from sandbox_tui.core.evals.task import Task
from tests.unit.core.evals.pocket.samples import all_of, close, quantities, root, si

G = 9.80665


def projectile(task: Task) -> float:
    text = task.problem
    [speed] = quantities(text, "launcher at {}", "a speed of {}")
    [angle] = quantities(text, "launched {n}° above", "upwards at {n}°")
    start, k = 0.0, 0.0
    if "same height" not in text:
        [start] = quantities(text, "muzzle is {} above", "tower, {} above")
    if "Air resistance plays no part" not in text:
        [k] = quantities(text, "by {n} per second", "k = {n} per")
    tilt = math.radians(angle)
    state = (0.0, start, speed * math.cos(tilt), speed * math.sin(tilt))

    def rates(s: tuple[float, ...]) -> tuple[float, ...]:
        return s[2], s[3], -k * s[2], -G - k * s[3]

    def step(s: tuple[float, ...], h: float) -> tuple[float, ...]:  # Runge-Kutta
        a = rates(s)
        b = rates(tuple(x + h / 2 * r for x, r in zip(s, a, strict=True)))
        c = rates(tuple(x + h / 2 * r for x, r in zip(s, b, strict=True)))
        d = rates(tuple(x + h * r for x, r in zip(s, c, strict=True)))
        return tuple(
            x + h / 6 * (p + 2 * q + 2 * r + t) for x, p, q, r, t in zip(s, a, b, c, d, strict=True)
        )

    h = 1e-3
    while True:
        after = step(state, h)
        if after[1] <= 0 and after[3] < 0:
            return step(state, root(lambda x: step(state, x)[1], 0, h) if state[1] > 1e-9 else h)[0]
        state = after


def incline(task: Task) -> float:
    text = task.problem
    [length] = quantities(text, "ramp that is {} long", "along the slope it is {}")
    [angle] = quantities(text, "rises at {n}°", "floor is {n}°")
    [mu] = quantities(text, "friction is {n} everywhere", "the coefficient {n}")
    [mass] = quantities(text, "mass is {}", "mass of {}")
    height, base = length * math.sin(math.radians(angle)), length * math.cos(math.radians(angle))
    energy = mass * G * (height - mu * base)  # work of friction: mu m g times the base of the ramp
    if "level floor" not in text:
        return math.sqrt(2 * energy / mass) * 3.6
    if "spring" not in text:
        return energy / (mu * mass * G)
    [run, k] = quantities(text, "After {} on the floor .* constant is {n} N/m")
    left = energy - mu * mass * G * run
    return 100 * root(lambda x: left - mu * mass * G * x - k * x * x / 2, 0, 100)


def orbit(task: Task) -> float:
    text, mu, earth = task.problem, 398600.4418, 6371.0
    if "circles" in text:
        [low] = quantities(text, "Earth {n} km above")
        speed = math.sqrt(mu / (earth + low))
        return 2 * math.pi * (earth + low) / speed / 60
    if "Hohmann" not in text:
        if "varies" in text:
            low, high = quantities(text, "between {n} km and {n} km")
        else:
            high, low = quantities(text, "point {n} km and its lowest point {n} km")
        a, b = earth + low, earth + high
        # Energy and angular momentum are the same at both ends.
        return root(lambda v: v * v / 2 - mu / a - ((v * a / b) ** 2 / 2 - mu / b), 1, 20)
    low, high = quantities(
        text,
        "orbit {n} km above the ground is to reach a circular orbit at {n} km",
        "height of {n} km to one at {n} km",
    )
    a, b = earth + low, earth + high
    v = root(lambda v: v * v / 2 - mu / a - ((v * a / b) ** 2 / 2 - mu / b), 1, 20)
    return v - math.sqrt(mu / a) + math.sqrt(mu / b) - v * a / b


def rocket(task: Task) -> float:
    text = task.problem
    [payload] = quantities(text, "payload has a mass of {n} kg")
    stages: dict[str, list[float]] = {}
    for name in ("first", "second", "third"):
        if f"{name} stage carries" in text:
            fuel, empty, impulse = quantities(
                text,
                f"{name} stage carries {{n}} kg of propellant and weighs {{n}} kg when empty; its specific impulse is {{n}} s",
            )
        elif f"{name} stage burns" in text:
            impulse, fuel, empty = quantities(
                text,
                f"specific impulse of {{n}} s, the {name} stage burns {{n}} kg of propellant and has an empty mass of {{n}} kg",
            )
        else:
            continue
        stages[name] = [fuel, empty, impulse]
    mass, speed = payload + sum(f + e for f, e, _ in stages.values()), 0.0
    for fuel, empty, impulse in stages.values():
        parts = 4_000  # small burns; the mass in the middle of each makes it second order
        for _ in range(parts):
            speed += impulse * G * (fuel / parts) / (mass - fuel / parts / 2)
            mass -= fuel / parts
        mass -= empty
    return speed / 1_000


def measured_work(task: Task) -> float:
    [(name, content)] = task.files.items()
    assert name in task.problem
    rows = [tuple(map(si, line.split(","))) for line in content.decode().splitlines()[1:]]
    assert len(rows) == task.metadata["size"]
    assert all(a[0] < b[0] for a, b in itertools.pairwise(rows))
    work = 0.0
    for (x, f), (y, g) in itertools.pairwise(rows):
        # Simpson's rule, exact for a linear force
        work += (y - x) / 6 * (f + 4 * (f + g) / 2 + g)
    if "How much work" in task.problem:
        return work
    [mass] = quantities(task.problem, "mass of {}")
    return math.sqrt(2 * work / mass)


def buoyancy(task: Task) -> float:
    text = task.problem
    if "balloon" in text:
        volume, gas = quantities(text, "holds {n} m³ of helium with a density of {n} kg")
        [mass] = quantities(text, "basket have a mass of {n} kg")
        air, scale = quantities(text, "air is {n} kg/m³.* at {n} m")
        return root(lambda h: air * math.exp(-h / scale) * volume - mass - gas * volume, 0, 50_000)
    if "consists" in text:
        count, length, side = quantities(
            text, "of {n} equal square beams, each {} long and {} wide"
        )
    else:
        side, length, count = quantities(text, "beams, {} by .* and {} long, .* takes {n} of")
    [wood], [water] = (
        quantities(text, "wood is {n} kg"),
        quantities(text, "water has a density of {n}"),
    )
    weight = count * length * side * side * wood
    lift = count * length * side * water  # kilograms per metre of depth
    if "A load of" not in text:
        return root(lambda m: lift * side - weight - m, 0, 1e6)
    [load] = quantities(text, "A load of {n} kg")
    return 100 * root(lambda out: lift * (side - out) - weight - load, 0, side)


def mixing(task: Task) -> float:
    text = task.problem
    heats = {k: float(v) for k, v in re.findall(r"([a-z]+) (\d+)[,.]", text.split("J/(kg K): ")[1])}
    mass, warm = quantities(text, "holds {} of water at {}")
    bodies = [(mass, heats["water"], warm)]
    for metal in heats:
        for pattern in (
            f"piece of {metal} weighing {{}} is put in at {{}}",
            f"goes {{}} of {metal}, whose temperature is {{}}",
        ):
            try:
                m, t = quantities(text, pattern)
            except AssertionError:
                continue
            bodies.append((m, heats[metal], t))
    ice = 0.0
    if "ice" in text:
        ice, cold = quantities(text, "{} of ice at {}")

    def gained(t: float) -> float:
        heat = sum(m * c * (t - at) for m, c, at in bodies)
        if ice:
            heat += ice * (2090 * (273.15 - cold) + 334_000 + 4186 * (t - 273.15))
        return heat

    return root(gained, 273.15, 400) - 273.15


def walls(task: Task) -> float:
    text = task.problem
    layers = []
    for pattern, order in (
        (r"that is (\S+ \S+) thick; [\w ]+ conducts ([\d.]+) W", 1),
        (r"conductivity of ([\d.]+) W/\(m K\), [\w ]+ makes up (\S+ \S+) of", -1),
    ):
        layers += [pair[::order] for pair in re.findall(pattern, text)]
    inside, outside = quantities(text, "It is {n} °C at the inner surface and {n} °C")
    [area] = quantities(text, "wall is {n} m²")
    window = 0.0
    if "window" in text:
        size, loss = quantities(text, "window of {n} m² loses {n} W")
        window = size * loss * (inside - outside)

    def outer(flow: float) -> float:  # outside temperature for a given heat flow
        t = inside
        for thick, conductivity in layers:
            t -= flow * si(thick) / float(conductivity) / area
        return t - outside

    return (root(outer, 0, 1e6) + window) * 86_400 / 3.6e6


R = 8.314462618


def gas(task: Task) -> float:
    text = task.problem
    if "fills a tank" in text:
        volume, warm, pressure = quantities(
            text, "a tank of {}; its temperature is {} and its pressure {}"
        )
    else:
        volume, pressure, warm = quantities(text, "A tank of {} holds an ideal gas at {} and {}")
    if "mol of the gas are added" in text:
        added, hot = quantities(text, "Then {n} mol .* heated to {}")
        return (pressure * hot / warm + added * R * hot / volume) / 1e3  # sum of partial pressures
    if "second tank" in text:
        v, p, t = quantities(text, "second tank, of {}, holds the same gas at {} and {}")
        [hot] = quantities(text, "brought to {}")
        return hot / (volume + v) * (pressure * volume / warm + p * v / t) / 1e3
    ratio, gamma, hot = quantities(
        text, "to 1/{n} of its volume, with .* capacities of {n}; .* brought to {}"
    )
    small, n, steps = volume / ratio, pressure * volume / (R * warm), 20_000
    work = 0.0
    for i in range(steps):  # both curves, by the midpoint rule
        v = small + (volume - small) * (i + 0.5) / steps
        work += (n * R * hot / v - pressure * (volume / v) ** gamma) * (volume - small) / steps
    return work / 1e3


def decay(task: Task) -> float:
    text = task.problem
    [life], [start] = (
        quantities(text, "A has a half-life of {}"),
        quantities(text, "A with an activity of {}", "nuclide A is {} at noon"),
    )
    [wait] = quantities(text, "(?:activity|C alone) {} after noon")
    if "B decays into C" not in text:
        value = start * 0.5 ** (wait / life)
        if "Nuclide B" in text:
            [other], [second] = (
                quantities(text, "Nuclide B, .* half-life of {}\\."),
                quantities(text, "B with an activity of {}"),
            )
            value += second * 0.5 ** (wait / other)
        return value / 1e3
    [b], [c] = (
        quantities(text, "B, which has a half-life of {}"),
        quantities(text, "C, whose half-life is {}"),
    )
    rates = [math.log(2) / x for x in (life, b, c)]
    steps = 60_000
    h = wait / steps
    amounts = [start / rates[0], 0.0, 0.0]

    def change(x: list[float]) -> list[float]:
        return [
            -rates[0] * x[0],
            rates[0] * x[0] - rates[1] * x[1],
            rates[1] * x[1] - rates[2] * x[2],
        ]

    for _ in range(steps):  # Heun's method
        first = change(amounts)
        second = change([x + h * d for x, d in zip(amounts, first, strict=True)])
        amounts = [x + h / 2 * (d + e) for x, d, e in zip(amounts, first, second, strict=True)]
    return amounts[2] * rates[2] / 1e3


def bubbles(task: Task) -> float:
    text = task.problem
    across, depth = quantities(text, "bubble {n} mm across leaves .* lake, {n} m down")
    [density] = quantities(text, "water has a density of {n}")
    ratio = 1.0
    if "At the bottom it is" in text:
        cold, warm = quantities(text, "bottom it is {n} °C, just below the surface {n} °C")
        ratio = (warm + 273.15) / (cold + 273.15)
    sigma = 0.0
    if "σ" in text:
        sigma = quantities(text, "σ is {n} mN/m")[0] / 1e3
    radius = across / 2e3

    def amount(r: float, outside: float) -> float:
        return (outside + 2 * sigma / r) * 4 / 3 * math.pi * r**3

    wanted = amount(radius, 101_325 + density * G * depth) * ratio
    found = root(lambda r: amount(r, 101_325) - wanted, radius / 2, radius * 10)
    return 2e3 * found if "diameter just" in text else 4 / 3 * math.pi * found**3 * 1e9


def lenses(task: Task) -> float:
    text = task.problem
    focal, gaps = [], []
    for name in ("first", "second", "third", "fourth"):
        for pattern in (
            rf"The {name} lens is a (\w+) one with a focal length of (\d+) cm",
            rf"A (\w+) lens, its focal length (\d+) cm, comes {name}",
        ):
            if found := re.search(pattern, text):
                focal.append(float(found[2]) * (1 if found[1] == "converging" else -1))
        if found := re.search(rf"The {name} lens and the \w+ one are (\d+) cm", text):
            gaps.append(float(found[1]))
    height, distance = quantities(text, "object {} high stands on the axis, {} in front")
    # Ray matrices (A B; C D), from the object through the last lens.
    a, b, c, d = 1.0, distance * 100, 0.0, 1.0
    for i, f in enumerate(focal):
        c, d = c - a / f, d - b / f
        if i < len(gaps):
            a, b = a + gaps[i] * c, b + gaps[i] * d
    assert len(focal) == len(gaps) + 1 == task.metadata["size"]
    image = -b / d  # where the upper right element becomes zero
    return abs(a + image * c) * height * 1e3


def refraction(task: Task) -> float:
    text = task.problem
    [angle] = quantities(text, "surface at {n}° to")
    plates = [
        (si(t), float(n))
        for t, n in re.findall(r"is (\S+ \S+) thick and has the refractive index ([\d.]+\d)", text)
    ]
    plates += [
        (si(t), float(n))
        for t, n in re.findall(r"With (\S+ \S+) of \w+, of refractive index ([\d.]+\d),", text)
    ]
    assert len(plates) == task.metadata["size"]
    tilt = math.radians(angle)
    x = y = 0.0
    for thick, index in plates:  # trace the ray, then take the distance between two parallel lines
        inner = root(lambda a, n=index: n * math.sin(a) - math.sin(tilt), 0, math.pi / 2)
        x, y = x + thick, y + thick * math.tan(inner)
    return abs(x * math.sin(tilt) - y * math.cos(tilt)) * 1e3


def photoelectric(task: Task) -> float:
    text = task.problem
    h, c, e, m = 6.62607015e-34, 299792458, 1.602176634e-19, 9.1093837e-31
    [wavelength], [work] = (
        quantities(text, "wavelength of {n} nm"),
        quantities(text, "metal is {n} eV", "takes {n} eV"),
    )
    photon = h * c / e / (wavelength * 1e-9)  # energies in eV from here on
    left = photon - work
    if "current flows" in text:
        [power], [share] = quantities(text, "carries {n} mW"), quantities(text, "photons, {n} on")
        return power * 1e-3 / photon * share / 100 * 1e6
    speed = math.sqrt(2 * left * e / m)
    if "radius" in text:
        [field] = quantities(text, "field of {n} mT")
        return m * speed / (e * field * 1e-3) * 1e3
    if "Broglie" in text:
        [boost] = quantities(text, "voltage of {n} V")
        speed = math.sqrt(speed**2 + 2 * e * boost / m)
        return h / (m * speed) * 1e12
    return m * speed**2 / 2 / e


def doppler(task: Task) -> float:
    """Follow two wave crests, sent one period apart, to the listener."""
    text = task.problem
    [tone], [sound] = quantities(text, "tone of {n} Hz"), quantities(text, "sound is {n} m/s")
    [source] = quantities(text, "listener at {}", "At {} the siren")
    away = quantities(text, "from the siren at {}")[0] if "moves away" in text else 0.0
    wall = quantities(text, "towards both at {}")[0] if "wall" in text else None
    times = []
    for sent in (0.0, 1 / tone):
        at = source * sent
        if wall is None:
            meet = root(lambda t: at + sound * (t - sent) - (1_000 + away * t), sent, 1e4)
        else:
            hit = root(lambda t: at + sound * (t - sent) - (5_000 - wall * t), sent, 1e4)
            place = 5_000 - wall * hit
            meet = root(lambda t: (1_000 + away * t) - (place - sound * (t - hit)), hit, 1e4)
        times.append(meet)
    return 1 / (times[1] - times[0])


def resistors(task: Task) -> float:
    text = task.problem
    values = {name: si(value) for name, value in re.findall(r"(R\d+) = ([\d.]+ k?Ω)", text)}
    assert len(values) == task.metadata["size"]
    [voltage] = quantities(text, r"(?:battery|source) of {n} V")
    notation = re.search(r"(?:in parallel with': |joined as )([R\d()|+ ]+)", text)[1]
    edges: list[tuple[int, int, float]] = []
    nodes = [2]

    def place(tokens: list[str], a: int, b: int) -> None:
        """Parse a network and lay its resistors between two nodes."""
        token = tokens.pop(0)
        if token != "(":
            edges.append((a, b, values[token]))
            return
        first: list[str] = []
        depth = 0
        while True:
            first.append(tokens.pop(0))
            depth += {"(": 1, ")": -1}.get(first[-1], 0)
            if depth == 0:
                break
        sign = tokens.pop(0)
        middle = b
        if sign == "+":
            middle = nodes[0]
            nodes[0] += 1
        place(first, a, middle)
        place(tokens, middle if sign == "+" else a, b)
        assert tokens.pop(0) == ")"

    place(re.findall(r"R\d+|[()|+]", notation), 0, 1)
    size = nodes[0]
    matrix = [[0.0] * (size + 1) for _ in range(size)]
    for a, b, r in edges:  # Kirchhoff's current law at each node
        for here, there in ((a, b), (b, a)):
            matrix[here][here] += 1 / r
            matrix[here][there] -= 1 / r
    for node, v in ((0, voltage), (1, 0.0)):
        matrix[node] = [float(i == node) for i in range(size)] + [v]
    for i in range(size):
        pivot = max(range(i, size), key=lambda k: abs(matrix[k][i]))
        matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
        for k in range(size):
            if k != i:
                f = matrix[k][i] / matrix[i][i]
                matrix[k] = [x - f * y for x, y in zip(matrix[k], matrix[i], strict=True)]
    potential = [row[-1] / row[i] for i, row in enumerate(matrix)]
    return 1e3 * sum(
        (potential[a] - potential[b]) / r * (1 if a == 0 else -1)
        for a, b, r in edges
        if 0 in (a, b)
    )


def capacitor(task: Task) -> float:
    text = task.problem
    if "is charged through" in text:
        capacity, first = quantities(
            text, "capacitor of {n} µF is charged through a resistor of {n} kΩ"
        )
    else:
        first, capacity = quantities(text, "resistor of {n} kΩ leads to a capacitor of {n} µF")
    [voltage] = quantities(text, "(?:has|source of) {n} V")
    c, r = capacity * 1e-6, first * 1e3
    if "second resistor" not in text:
        [wanted] = quantities(text, "(?:reach|capacitor) {n} V")
        return root(lambda t: voltage * (1 - math.exp(-t / r / c)) - wanted, 0, 1e4)
    [leak] = quantities(text, "second resistor, of {n} kΩ")
    [time] = quantities(text, "(?:capacitor|after|After) {n} s (?:after|of)", "after {n} s")
    u, steps = 0.0, 20_000

    def slope(v: float, on: bool) -> float:
        return ((voltage - v) / r * on - v / (leak * 1e3)) / c

    def run(v: float, seconds: float, on: bool) -> float:  # Heun's method
        h = seconds / steps
        for _ in range(steps):
            a = slope(v, on)
            v += h / 2 * (a + slope(v + h * a, on))
        return v

    u = run(u, time, True)
    if "energy" not in text:
        return u
    [rest] = quantities(text, "alone for {n} s")
    return c * run(u, rest, False) ** 2 / 2 * 1e3


def alternating(task: Task) -> float:
    text = task.problem
    voltage, frequency = quantities(text, "voltage of {n} V .* frequency of {n} Hz")
    admittance = 0j
    for branch in re.findall(r"(?:Branch|branch) ([ABC])\b", text):
        if re.search(f"Branch {branch} has", text):
            r, coil, c = quantities(
                text,
                f"Branch {branch} has a resistor of {{n}} Ω, a coil of {{n}} mH and a capacitor of {{n}} µF",
            )
        else:
            c, coil, r = quantities(
                text,
                f"In branch {branch} a capacitor of {{n}} µF, a coil of {{n}} mH and a resistor of {{n}} Ω",
            )
        s = 2j * cmath.pi * frequency
        admittance += 1 / (r + s * coil / 1e3 + 1e6 / (s * c))
    return 1e3 * voltage * abs(admittance)


SOLVERS: dict[str, Callable[[Task], float]] = {
    f.__name__: f
    for f in (
        projectile, incline, orbit, rocket, measured_work, buoyancy, mixing, walls, gas, decay,
        bubbles, lenses, refraction, photoelectric, doppler, resistors, capacitor, alternating,
    )
}  # fmt: skip


def test_every_family_has_a_solver() -> None:
    assert set(SOLVERS) == set(families_of("physics"))


@pytest.mark.parametrize("family", sorted(SOLVERS))
def test_targets_agree_with_the_words(family: str) -> None:
    tasks = list(all_of("physics", family))
    assert len(tasks) >= 9
    for task in tasks:
        value = SOLVERS[family](task)
        assert close(task.target, value), (value, task.target, task.problem)
        assert float(task.target) > 0 or "°C" in task.problem or family == "gas"
