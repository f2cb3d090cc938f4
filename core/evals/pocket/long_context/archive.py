"""Writes an archive of reports: facts in varied prose, among much filler."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.long_context.worlds import World
from sandbox_tui.core.evals.pocket.problem import at_level

BYTES_PER_TOKEN = 4
TOKENS = (20_000, 60_000, 200_000)
"""Approximate size of an archive in tokens, by level."""

_MONTHS = ("March", "April", "May", "June", "July", "August")
_DAYS = (31, 30, 31, 30, 31, 31)
_PEOPLE = (
    "old Harker",
    "Miss Lowe",
    "the warden",
    "young Pim",
    "Mrs Abel",
    "the night clerk",
    "Dr Finch",
)
_ONES = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def in_words(number: int) -> str:
    """Return a number from 0 to 999 in words, such as `two hundred and forty-one`."""
    if number >= 100:
        rest = f" and {in_words(number % 100)}" if number % 100 else ""
        return f"{_ONES[number // 100]} hundred{rest}"
    if number < 20:
        return _ONES[number]
    return _TENS[number // 10] + (f"-{_ONES[number % 10]}" if number % 10 else "")


@dataclass(frozen=True, slots=True)
class Delivery:
    """A delivery of goods; `day` counts from 0, which is the first of March."""

    who: str
    goods: str
    amount: int
    day: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """An archive and the facts in it.

    Attributes:
        files: the reports.
        deliveries: deliveries with their corrected amounts.
        leads: leader of each carrier.
        origins: home town of each leader.
    """

    files: dict[str, bytes]
    deliveries: tuple[Delivery, ...]
    leads: dict[str, str]
    origins: dict[str, str]


def write_archive(draw: Draw, world: World, level: int) -> Archive:
    """Write an archive of the size for a level."""
    reports = at_level(level, 6, 12, 20)
    days = reports * 9
    carriers = draw.some(world.carriers, at_level(level, 6, 9, 13))
    leads = dict(zip(carriers, draw.some(world.leaders, len(carriers)), strict=True))
    towns = draw.some(world.towns, at_level(level, 3, 4, 5))
    origins = {lead: draw.one_of(towns) for lead in leads.values()}
    goods = draw.some(world.goods, at_level(level, 3, 4, 6))
    pages: list[list[str]] = [[] for _ in range(reports)]
    deliveries: list[Delivery] = []
    taken: set[tuple[str, str, int]] = set()
    for _ in range(at_level(level, 60, 130, 300)):
        who, what, day = draw.one_of(carriers), draw.one_of(goods), draw.integer(0, days - 1)
        if (who, what, day) in taken:
            continue
        taken.add((who, what, day))
        amount = draw.integer(11, 480)
        page = pages[day // 9]
        if draw.chance(0.15):
            page.append(
                _sentence(draw, draw.one_of(world.others), Delivery(who, what, amount, day))
            )
            continue
        first = amount
        if draw.chance(0.12) and day // 9 < reports - 1:
            first = draw.integer(11, 480)
            later = pages[draw.integer(day // 9 + 1, reports - 1)]
            fact = Delivery(who, what, amount, day)
            later.append(_sentence(draw, draw.one_of(world.corrections), fact, old=first))
        page.append(_sentence(draw, draw.one_of(world.deliveries), Delivery(who, what, first, day)))
        deliveries.append(Delivery(who, what, amount, day))
    for who, lead in leads.items():
        pages[draw.integer(0, reports - 1)].append(
            draw.one_of(world.commands).format(who=who, lead=lead)
        )
        pages[draw.integer(0, reports - 1)].append(
            draw.one_of(world.origins).format(lead=lead, town=origins[lead])
        )
    length = TOKENS[level - 1] * BYTES_PER_TOKEN // reports
    files = {
        f"report-{number:02}.txt": _report(draw, world, number, page, length).encode()
        for number, page in enumerate(pages, 1)
    }
    return Archive(files=files, deliveries=tuple(deliveries), leads=leads, origins=origins)


def _sentence(draw: Draw, sentence: str, fact: Delivery, old: int = 0) -> str:
    """Return a fact as prose; the date and the numbers take one of several forms."""
    written = in_words if draw.chance(0.35) else str
    said = sentence.format(
        who=fact.who, goods=fact.goods, date=_date(draw, fact.day), n=written(fact.amount), old=old
    )
    return said[0].upper() + said[1:]


def _date(draw: Draw, day: int) -> str:
    month = 0
    while day >= _DAYS[month]:
        day -= _DAYS[month]
        month += 1
    number, name = day + 1, _MONTHS[month]
    ordinal = "th" if 10 < number < 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return draw.one_of((f"{number} {name}", f"{name} {number}", f"the {number}{ordinal} of {name}"))


def _report(draw: Draw, world: World, number: int, facts: list[str], length: int) -> str:
    """Return a report of about this many bytes, with the facts scattered in it."""
    sentences: list[str] = []
    size = sum(map(len, facts))
    while size < length:
        sentence = draw.one_of(world.filler).format(
            a=draw.integer(2, 60), b=draw.integer(2, 60), x=draw.one_of(_PEOPLE)
        )
        sentences.append(sentence[0].upper() + sentence[1:])
        size += len(sentence) + 1
    for fact in facts:
        sentences[draw.integer(0, len(sentences) - 1)] += f" {fact}"
    paragraphs: list[str] = []
    at = 0
    while at < len(sentences):
        count = draw.integer(4, 9)
        paragraphs.append(" ".join(sentences[at : at + count]))
        at += count
    return f"Report {number} on {world.place}\n\n" + "\n\n".join(paragraphs) + "\n"
