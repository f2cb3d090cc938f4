"""Names of people, places and things, and dates, for generated documents."""

from __future__ import annotations

from sandbox_tui.core.evals.pocket.draw import Draw


def split_words(text: str) -> tuple[str, ...]:
    """Return the words of a text."""
    return tuple(text.split())


FIRST_NAMES = split_words(
    "Ada Amos Bela Bruno Cleo Cyril Dora Dario Edith Emil Flora Finn Greta Gus Hanna Hugo Ines "
    "Ivan Judith Jonas Kira Karl Lena Leon Mira Milo Nadia Nils Olga Oscar Petra Paul Quinn "
    "Rosa Rufus Selma Sven Tilda Theo Ursula Viktor Wanda Willem Yara Yuri Zelda Zoltan"
)
SURNAMES = split_words(
    "Abel Arden Brenner Birk Corvin Castell Darrow Dietz Estwick Egger Farrow Falk Galloway "
    "Grimm Holm Hartog Ilves Imhof Jarvik Jansen Kessel Keller Lindqvist Lorenz Marsh Moretti "
    "Novak Nagy Orbach Ostrom Petrov Pohl Quist Rask Romero Sandoval Stern Thorsby Tanner Urban "
    "Unger Varga Wessel Winter Yarrow Zander Zeller"
)
TOWNS = split_words(
    "Aldmoor Brekka Corrin Dunvale Eskholm Farrowby Glenhaven Hollin Irkdale Jarrow Kestle "
    "Lunden Marrick Norby Ostend Penholm Quarry Rendal Selby Tarnow Ulverton Vessel Wickham "
    "Yarm"
)
THINGS = split_words(
    "anchor apple arrow axle barrel basket bell bench blanket bottle bowl bridge broom brush "
    "bucket button cable candle chair clock coat compass cup curtain desk door drum engine "
    "fence flag fork funnel gate glove hammer harp helmet hook jar kettle key ladder lamp "
    "lantern lens lever lock mirror nail needle oven paddle pan pedal pen piano pillow pipe "
    "pump razor ribbon rope saddle saw scale scarf shelf shovel spoon stool stove table tent "
    "torch tray trunk valve vase violin wagon wheel whistle window"
)
COLOURS = split_words(
    "amber black blue brown copper green grey indigo ivory red silver violet white"
)
TRADES = split_words(
    "baker carpenter clerk cook courier driver electrician engineer gardener glazier joiner "
    "mason mechanic nurse painter plumber porter printer roofer tailor teacher welder"
)
COUNTED = tuple(f"{thing}s" for thing in THINGS if thing[-1] not in "fshxy")
"""Things in the plural."""
MONTHS = split_words(
    "January February March April May June July August September October November December"
)
DAYS_OF_MONTH = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def people(draw: Draw, count: int) -> list[str]:
    """Draw `count` people with different names."""
    first, last = draw.some(FIRST_NAMES, count), draw.some(SURNAMES, count)
    return [f"{one} {other}" for one, other in zip(first, last, strict=True)]


def distinct(draw: Draw, low: int, high: int, count: int) -> list[int]:
    """Draw `count` different integers from `low` to `high`, a range that has many more."""
    found: dict[int, None] = {}
    while len(found) < count:
        found[draw.integer(low, high)] = None
    return list(found)


def some(noun: str) -> str:
    """Add the indefinite article to a noun: `a baker`, `an engineer`."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def in_order(names: list[str]) -> str:
    """Join names for a sentence: `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def date(day: int) -> str:
    """Return a day of a year without a leap day, counted from 0, as text: `3 May`."""
    for month, days in zip(MONTHS, DAYS_OF_MONTH, strict=True):
        if day < days:
            return f"{day + 1} {month}"
        day -= days
    raise ValueError("A year has 365 days.")
