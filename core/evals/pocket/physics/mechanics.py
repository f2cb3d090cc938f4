"""Tasks about motion, orbits, rockets and work."""

from __future__ import annotations

import itertools
import math

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.problem import Problem, at_level, number_problem
from sandbox_tui.core.evals.pocket.quantities import (
    LENGTH,
    MASS,
    SHORT,
    SPEED,
    Quantity,
    plain,
    quantity,
    tell,
)

_GRAVITY = 9.80665
_GRAVITY_FACT = (
    "The acceleration of free fall is 9.80665 m/s².",
    "Take 9.80665 m/s² for the acceleration of free fall.",
)
_ASIDES = (
    "The air temperature is 17 °C.",
    "The experiment is repeated on 12 days, always with the same outcome.",
    "Two students take turns with the stopwatch.",
    "The apparatus was built in 1987 and is painted green.",
    "A camera records everything at 240 frames a second.",
)


def projectile(draw: Draw, level: int) -> Problem:
    """How far a thrown ball flies. Size: formulas to combine (with drag: a numerical solution)."""
    speed = quantity(draw, 8, 40, SPEED)
    angle = draw.decimal("20.0", "68.0")
    height = quantity(draw, 1, 30, LENGTH)
    drag = draw.decimal("0.05", "0.60")
    facts: list[str | tuple[str, ...]] = [
        _GRAVITY_FACT,
        (
            f"<A ball leaves a launcher at {speed}.",
            f"<A launcher gives a ball a speed of {speed}.",
        ),
        (
            f"The ball is launched {angle}° above the horizontal.",
            f"The launcher points upwards at {angle}° to the horizontal.",
        ),
    ]
    start = 0.0
    if level > 1:
        start = height.si
        facts.append(
            (
                f"The muzzle is {height} above level ground.",
                f"The launch takes place from a tower, {height} above the plain.",
            )
        )
    else:
        facts.append(">It starts and lands at the same height.")
    if level == 3:
        facts.append(
            (
                f">Drag decelerates the ball by {drag} per second times its velocity.",
                f">Air slows it: the drag acceleration is -k v, where k = {drag} per second.",
            )
        )
    else:
        facts.append(">Air resistance plays no part.")
    ask = (
        "How far from the launcher, measured horizontally, does the ball land?",
        "What horizontal distance has the ball covered when it reaches the ground?",
    )
    k = float(drag) if level == 3 else 0.0
    value = _range(speed.si, math.radians(float(angle)), start, k)
    return number_problem(draw, tell(draw, facts, _ASIDES, ask), value, "m", size=2 * level)


def _range(speed: float, angle: float, start: float, k: float) -> float:
    vx, vy = speed * math.cos(angle), speed * math.sin(angle)
    if not k:
        time = (vy + math.sqrt(vy * vy + 2 * _GRAVITY * start)) / _GRAVITY
        return vx * time
    final = _GRAVITY / k

    def height(t: float) -> float:
        return start - final * t + (vy + final) / k * -math.expm1(-k * t)

    low, high = 0.0, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if height(middle) > 0 else (low, middle)
    return vx / k * -math.expm1(-k * low)


def incline(draw: Draw, level: int) -> Problem:
    """A block on a slope, then on the flat, then at a spring. Size: formulas to combine."""
    length = quantity(draw, 2, 15, LENGTH)
    angle = draw.decimal("25.0", "50.0")
    friction = draw.decimal("0.08", "0.30")
    mass = quantity(draw, 0.5, 20, MASS)
    facts: list[str | tuple[str, ...]] = [
        _GRAVITY_FACT,
        (
            f"<A crate slides from rest down a ramp that is {length} long.",
            f"<A crate is released at the top of a straight ramp; along the slope it is {length} "
            "to the bottom.",
        ),
        (
            f"The ramp rises at {angle}°.",
            f"The angle between ramp and floor is {angle}°.",
        ),
        (
            f"The coefficient of kinetic friction is {friction} everywhere.",
            f"Everywhere, kinetic friction acts with the coefficient {friction}.",
        ),
        (f"The crate's mass is {mass}.", f"With its content, the crate has a mass of {mass}."),
    ]
    tilt, mu = math.radians(float(angle)), float(friction)
    square = 2 * _GRAVITY * length.si * (math.sin(tilt) - mu * math.cos(tilt))
    if level == 1:
        ask = (
            "How fast is the crate at the bottom of the ramp?",
            "With what speed does it arrive at the bottom?",
        )
        text = tell(draw, facts, _ASIDES, ask)
        return number_problem(draw, text, math.sqrt(square) * 3.6, "km/h", size=2)
    facts.append(">At the bottom it goes over to a level floor without losing any speed.")
    if level == 2:
        ask = (
            "How far does it slide on the floor before it stops?",
            "At what distance from the bottom of the ramp does the crate come to rest?",
        )
        text = tell(draw, facts, _ASIDES, ask)
        return number_problem(draw, text, square / (2 * mu * _GRAVITY), "m", size=4)
    run = plain(0.2 * square / (2 * mu * _GRAVITY), 3)
    stiffness = plain(draw.real(60, 900), 3)
    facts += [
        f">After {run} m on the floor it meets the free end of a relaxed horizontal spring.",
        f">The spring constant is {stiffness} N/m.",
    ]
    ask = (
        "By how much is the spring compressed when the crate first comes to a halt?",
        "What is the largest compression of the spring, with friction acting all the while?",
    )
    left = square / 2 - mu * _GRAVITY * float(run)
    weight, k = mu * _GRAVITY * mass.si, float(stiffness)
    x = (-weight + math.sqrt(weight**2 + 2 * k * mass.si * left)) / k
    return number_problem(draw, tell(draw, facts, _ASIDES, ask), x * 100, "cm", size=6)


_MU, _EARTH = 398_600.4418, 6_371.0


def orbit(draw: Draw, level: int) -> Problem:
    """Satellites of the Earth. Size: formulas to combine."""
    low = draw.integer(250, 2_000)
    high = draw.integer(5_000, 36_000)
    facts: list[str | tuple[str, ...]] = [
        (
            "Use 398600.4418 km³/s² for the product of the gravitational constant and the Earth's "
            "mass, and 6371 km for the Earth's radius.",
            "The Earth has a radius of 6371 km, and G times its mass is 398600.4418 km³/s².",
        )
    ]
    near, far = _EARTH + low, _EARTH + high
    if level == 1:
        facts.append(f"A satellite circles the Earth {low} km above the ground.")
        ask = ("How long does one revolution take?", "What is its orbital period?")
        value, unit = 2 * math.pi * math.sqrt(near**3 / _MU) / 60, "min"
    elif level == 2:
        facts.append(
            (
                f"The height of a satellite above the ground varies between {low} km and {high} "
                f"km.",
                f"A satellite's orbit has its highest point {high} km and its lowest point {low} "
                f"km above the ground.",
            )
        )
        ask = (
            "How fast is it at the lowest point of its orbit?",
            "What is its speed when it is nearest to the Earth?",
        )
        value, unit = math.sqrt(_MU * (2 / near - 2 / (near + far))), "km/s"
    else:
        facts.append(
            (
                f"A probe in a circular orbit {low} km above the ground is to reach a circular "
                f"orbit at {high} km by two burns and half an ellipse that touches both (a "
                f"Hohmann transfer).",
                f"A Hohmann transfer, with two burns, takes a probe from a circular orbit at a "
                f"height of {low} km to one at {high} km.",
            )
        )
        ask = (
            "What change of speed do both burns need together?",
            "Add up the speed changes of the two burns: what do they come to?",
        )
        first = math.sqrt(_MU / near) * (math.sqrt(2 * far / (near + far)) - 1)
        second = math.sqrt(_MU / far) * (1 - math.sqrt(2 * near / (near + far)))
        value, unit = first + second, "km/s"
    return number_problem(draw, tell(draw, facts, _ASIDES, ask), value, unit, size=2 * level)


def rocket(draw: Draw, level: int) -> Problem:
    """The speed a rocket gains. Size: stages."""
    ordinals = ("first", "second", "third")
    payload = draw.integer(200, 4_000)
    stages: list[tuple[int, int, int]] = []
    above = float(payload)
    for _ in range(level):
        fuel = round(above * draw.real(1.5, 5.0))
        empty = round(fuel * draw.real(0.06, 0.14))
        stages.insert(0, (fuel, empty, draw.integer(240, 450)))
        above += fuel + empty
    facts = [
        f"The {name} stage carries {fuel} kg of propellant and weighs {empty} kg when empty; its "
        f"specific impulse is {impulse} s."
        if draw.chance(0.5)
        else f"With a specific impulse of {impulse} s, the {name} stage burns {fuel} kg of "
        f"propellant and has an empty mass of {empty} kg."
        for name, (fuel, empty, impulse) in zip(ordinals[:level], stages, strict=True)
    ]
    facts += [
        f"The payload has a mass of {payload} kg.",
        "A specific impulse in seconds times 9.80665 m/s² is the exhaust speed.",
        ">Each stage is dropped as soon as it has burnt out."
        if level > 1
        else ">The empty stage stays attached.",
    ]
    total, value = above, 0.0
    for fuel, empty, impulse in stages:
        value += impulse * _GRAVITY * math.log(total / (total - fuel))
        total -= fuel + empty
    ask = (
        "What speed does the rocket gain in free space, far from any gravity?",
        "Neglecting gravity and drag, by how much does the payload's speed increase?",
    )
    text = tell(draw, facts, _ASIDES, ask)
    return number_problem(draw, text, value / 1_000, "km/s", size=level)


def measured_work(draw: Draw, level: int) -> Problem:
    """Work from a table of forces. Size: rows of the table."""
    rows: list[tuple[Quantity, Quantity]] = []
    at = 0.0
    for _ in range(at_level(level, 15, 60, 240)):
        place = quantity(draw, at, at, SHORT if level > 1 else SHORT[:1], 6) if at else None
        force_units = (("N", 1.0), ("kN", 1e3), ("mN", 1e-3)) if level == 3 else (("N", 1.0),)
        force = quantity(draw, 2, 60, force_units, 4)
        rows.append((place or Quantity("0 cm", 0.0), force))
        at += draw.real(0.004, 0.05)
    work = sum((b.si - a.si) * (f.si + g.si) / 2 for (a, f), (b, g) in itertools.pairwise(rows))
    mass = quantity(draw, 0.5, 8, MASS)
    name = draw.one_of(("pull.csv", "force.csv", "cart.csv"))
    content = "position,force\n" + "".join(f"{a},{f}\n" for a, f in rows)
    said = draw.one_of(
        (
            f"The input file {name} lists the force on a cart at a number of positions along a "
            "straight track, each value with its unit.",
            f"A force gauge pulls a cart along a straight track; the input file {name} has its "
            "reading at each position, units included.",
        )
    )
    said += " Between neighbouring positions the force changes linearly."
    if level == 1:
        ask = " How much work does the force do from the first position to the last?"
        value, unit = work, "J"
    else:
        ask = (
            f" The cart has a mass of {mass} and starts from rest; nothing else acts along the "
            f"track. How fast is it at the last position?"
        )
        value, unit = math.sqrt(2 * work / mass.si), "m/s"
    files = {name: content.encode()}
    return number_problem(draw, said + ask, value, unit, size=len(rows), files=files)


def buoyancy(draw: Draw, level: int) -> Problem:
    """Rafts and balloons. Size: formulas to combine."""
    if level < 3:
        count = draw.integer(5, 14)
        length, side = quantity(draw, 2, 5, LENGTH), quantity(draw, 0.15, 0.35, SHORT)
        density, water = draw.integer(420, 690), draw.integer(997, 1_028)
        facts = [
            f"<A raft consists of {count} equal square beams, each {length} long and {side} wide "
            f"and high."
            if draw.chance(0.5)
            else f"<Square beams, {side} by {side} and {length} long, form a raft; it takes "
            f"{count} of them.",
            f"The density of the wood is {density} kg/m³.",
            f"The water has a density of {water} kg/m³.",
        ]
        volume = count * length.si * side.si**2
        if level == 1:
            ask = (
                "What is the largest load that the raft can carry without going under?",
                "Which mass on the raft makes it float with its top exactly at the surface?",
            )
            value, unit = volume * (water - density), "kg"
        else:
            load = round(volume * (water - density) * draw.real(0.3, 0.8))
            facts.append(f">A load of {load} kg is put on it evenly.")
            ask = (
                "How far does the top of the raft stand out of the water then?",
                "What is the distance from the surface up to the top of the raft?",
            )
            depth = (volume * density + load) / (water * volume / side.si)
            value, unit = (side.si - depth) * 100, "cm"
        return number_problem(draw, tell(draw, facts, _ASIDES, ask), value, unit, size=2 * level)
    volume, height = draw.integer(300, 3_000), draw.integer(7_200, 8_600)
    mass = round(volume * draw.real(0.25, 0.75))
    air, gas = draw.decimal("1.180", "1.290"), draw.decimal("0.160", "0.180")
    facts = [
        f"<A closed rigid balloon holds {volume} m³ of helium with a density of {gas} kg/m³.",
        f"Without the helium, balloon and basket have a mass of {mass} kg.",
        f"On the ground the density of the air is {air} kg/m³, and it falls exponentially with "
        f"height, to 1/e of that at {height} m.",
    ]
    ask = ("At what height does the balloon float?", "How high does it rise until it hovers?")
    value = height * math.log(float(air) * volume / (mass + float(gas) * volume))
    return number_problem(draw, tell(draw, facts, _ASIDES, ask), value, "m", size=7)
