"""Tasks about light, sound and quanta."""

from __future__ import annotations

import math

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.problem import Problem, at_level, number_problem
from sandbox_tui.core.evals.pocket.quantities import SHORT, SPEED, plain, quantity, tell

_ASIDES = (
    "The room is dark and 21 °C warm.",
    "The optical bench is 2 m long and stands on 4 feet.",
    "Each reading is taken 5 times.",
    "The lamp draws 60 W from the mains.",
    "The report on it has 14 pages.",
)


def lenses(draw: Draw, level: int) -> Problem:
    """The image formed by thin lenses. Size: lenses."""
    focal = [draw.integer(6, 30) * draw.one_of((1, 1, -1)) for _ in range(level + 1)]
    gaps = [draw.integer(5, 60) for _ in range(level)]
    distance, size = quantity(draw, 0.2, 0.9, SHORT), quantity(draw, 0.01, 0.05, SHORT)
    names = ("first", "second", "third", "fourth")
    at, enlarged = distance.si * 100, 1.0
    for i, f in enumerate(focal):
        if abs(at - f) < 0.5 or abs(at) < 0.5:
            return lenses(draw, level)  # an image at infinity, or in a lens
        image = f * at / (at - f)
        enlarged *= -image / at
        at = gaps[i] - image if i < level else at
    facts = [
        f"The {name} lens is a {'converging' if f > 0 else 'diverging'} one with a focal length of "
        f"{abs(f)} cm."
        if draw.chance(0.5)
        else f"A {'converging' if f > 0 else 'diverging'} lens, its focal length {abs(f)} cm, "
        f"comes {name}."
        for name, f in zip(names, focal, strict=False)
    ]
    facts += [
        f"The {a} lens and the {b} one are {gap} cm apart."
        for a, b, gap in zip(names, names[1:], gaps, strict=False)
    ]
    facts.append(
        f"An object {size} high stands on the axis, {distance} in front of the first lens."
    )
    text = f"{('Two', 'Three', 'Four')[level - 1]} thin lenses share an axis. " + tell(
        draw,
        facts,
        _ASIDES,
        (
            "How high is the final image, upright or not?",
            "What is the height of the last image, given as a positive number?",
        ),
    )
    value = abs(enlarged) * size.si * 1_000
    return number_problem(draw, text, value, "mm", size=len(focal))


def refraction(draw: Draw, level: int) -> Problem:
    """A ray that passes through parallel plates. Size: plates."""
    count = at_level(level, 1, 3, 6)
    names = draw.some(("glass", "water", "oil", "acrylic", "sapphire", "quartz", "ice"), count)
    angle = draw.decimal("25.0", "75.0")
    facts = [f"The ray meets the first surface at {angle}° to its normal."]
    sine, shift = math.sin(math.radians(float(angle))), 0.0
    tilt = math.asin(sine)
    for name in names:
        index, thick = draw.decimal("1.300", "1.790"), quantity(draw, 0.005, 0.08, SHORT)
        facts.append(
            f"The plate of {name} is {thick} thick and has the refractive index {index}."
            if draw.chance(0.5)
            else f"With {thick} of {name}, of refractive index {index}, the light has one more "
            f"plate to cross."
        )
        inner = math.asin(sine / float(index))
        shift += thick.si * math.sin(tilt - inner) / math.cos(inner)
    text = "A ray of light passes through parallel plates from air into air. " + tell(
        draw,
        facts,
        _ASIDES,
        (
            "By how much is the ray that comes out shifted sideways, at right angles to its "
            "direction, against the straight continuation of the incoming ray?",
            "How far apart are the lines of the incoming and of the outgoing ray, measured at "
            "right angles to them?",
        ),
    )
    text = text.replace("plates from", "plates, in contact with each other, from")
    return number_problem(draw, text, shift * 1_000, "mm", size=count)


_PLANCK, _LIGHT, _CHARGE, _ELECTRON = 6.62607015e-34, 299_792_458.0, 1.602176634e-19, 9.1093837e-31


def photoelectric(draw: Draw, level: int) -> Problem:
    """Electrons released by light. Size: formulas to combine."""
    wavelength, work = draw.integer(180, 330), draw.decimal("2.05", "3.60")
    facts: list[str | tuple[str, ...]] = [
        (
            "h = 6.62607015e-34 J s, c = 299792458 m/s, e = 1.602176634e-19 C, and an electron has "
            "a mass of 9.1093837e-31 kg."
        ),
        (
            f"<Light with a wavelength of {wavelength} nm falls on a metal.",
            f"<A metal is lit with a wavelength of {wavelength} nm.",
        ),
        (
            f"The work function of the metal is {work} eV.",
            f"It takes {work} eV to free an electron from the metal.",
        ),
    ]
    energy = _PLANCK * _LIGHT / (wavelength * 1e-9)
    kinetic = energy - float(work) * _CHARGE
    if level == 1:
        ask: tuple[str, ...] = (
            "Which voltage stops the fastest electrons?",
            "What is the stopping potential?",
        )
        value, unit = kinetic / _CHARGE, "V"
    elif level == 2:
        boost = plain(draw.real(1.5, 40.0), 3)
        facts.append(f">The electrons then run through an accelerating voltage of {boost} V.")
        ask = ("What is the de Broglie wavelength of the fastest electrons after that?",)
        momentum = math.sqrt(2 * _ELECTRON * (kinetic + float(boost) * _CHARGE))
        value, unit = _PLANCK / momentum * 1e12, "pm"
    else:
        power, field = draw.integer(5, 90), draw.decimal("0.20", "2.50")
        share, area = draw.decimal("0.10", "4.00"), draw.decimal("0.50", "6.00")
        facts += [
            f">The light carries {power} mW, spread evenly over a spot of {area} cm².",
            f">Of every 100 photons, {share} on average free an electron.",
            f">A magnetic field of {field} mT is at right angles to the electrons' paths.",
        ]
        if draw.chance(0.5):
            ask = ("What current flows if every electron that is freed is collected?",)
            value = power * 1e-3 / energy * float(share) / 100 * _CHARGE * 1e6
            unit = "µA"
        else:
            ask = ("What is the largest radius of an electron's circular path?",)
            value = math.sqrt(2 * _ELECTRON * kinetic) / (_CHARGE * float(field) * 1e-3) * 1e3
            unit = "mm"
    return number_problem(draw, tell(draw, facts, _ASIDES, ask), value, unit, size=2 * level)


def doppler(draw: Draw, level: int) -> Problem:
    """Sound from moving sources. Size: movements."""
    tone, sound = draw.integer(300, 2_400), draw.integer(331, 349)
    source, other = quantity(draw, 8, 45, SPEED), quantity(draw, 8, 45, SPEED)
    facts = [
        f"<A siren gives off a tone of {tone} Hz.",
        f"The speed of sound is {sound} m/s.",
        f"<The siren moves straight towards a listener at {source}."
        if draw.chance(0.5)
        else f"<At {source} the siren approaches a listener in a straight line.",
    ]
    heard = tone * sound / (sound - source.si)
    ask = ("Which frequency does the listener hear?", "What frequency reaches the listener?")
    if level == 1:
        facts.append(">The listener stands still and the air is calm.")
    else:
        facts.append(
            f">The listener moves away from the siren at {other}, on the same line; the air is "
            f"calm."
        )
        heard *= (sound - other.si) / sound
    if level == 3:
        wall = quantity(draw, 3, 20, SPEED)
        facts.append(
            f">Beyond the listener, as seen from the siren, a large flat wall comes towards both "
            f"at {wall} and reflects the tone."
        )
        ask = (
            "What is the frequency of the echo from the wall that the listener hears?",
            "Of the sound reflected by the wall, which frequency does the listener hear?",
        )
        # The wall receives and re-emits the sound; the listener runs towards the echo.
        hit = tone * (sound + wall.si) / (sound - source.si)
        heard = hit * (sound + other.si) / (sound - wall.si)
    return number_problem(draw, tell(draw, facts, _ASIDES, ask), heard, "Hz", size=level)
