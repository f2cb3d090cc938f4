"""Domain `reports`: what inspectors counted in towns, in prose.

Level 1 is three sentences, level 2 a report that also covers other matters, level 3 one report per
day; at level 4 later reports correct some of the earlier figures.
"""

from __future__ import annotations

from dataclasses import dataclass

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.problem import Problem, at_level
from sandbox_tui.core.rl.data.generated import problems, words

_COUNTS = (
    "In {town} there were {n} {goods}.",
    "The number of {goods} in {town} was {n}.",
    "{town} had {n} {goods}.",
    "Our people found {n} {goods} in {town}.",
)
_CORRECTIONS = (
    "A correction to the report of {date}: the number of {goods} in {town} was {n}, not {old}.",
    "On {date} we wrote that there were {old} {goods} in {town}; it should have been {n}.",
)


@dataclass(slots=True)
class Count:
    """What was counted; `n` is the final figure."""

    day: int
    town: str
    goods: str
    n: int


@dataclass(frozen=True, slots=True)
class Reports:
    """Reports and the facts in them."""

    counts: list[Count]
    files: dict[str, str]
    size: int


def write_reports(draw: Draw, level: int) -> Reports:
    """Write reports of the size for a level. Size: sentences."""
    days = at_level(level, 1, 1, draw.integer(3, 4), draw.integer(4, 5))
    towns = draw.some(words.TOWNS, at_level(level, 3, 5, 4, 4))
    goods = draw.some(words.COUNTED, at_level(level, 1, 3, 2, 2))
    first = draw.integer(0, 350)
    pages: list[list[str]] = []
    counts: list[Count] = []
    for number in range(days):
        page: list[str] = []
        if level == 4:
            page += _corrections(draw, [c for c in counts if c.day < first + number])
        for town in towns:
            for what in goods:
                count = Count(first + number, town, what, draw.integer(10, 400))
                counts.append(count)
                page.append(_sentence(draw, count))
        page += [problems.filler(draw) for _ in range(at_level(level, 0, 8, 8, 8))]
        pages.append(draw.shuffled(page))
    files = {
        f"report-{number}.txt" if days > 1 else "report.txt": _page(first + number - 1, page)
        for number, page in enumerate(pages, 1)
    }
    return Reports(counts, files, sum(map(len, pages)))


def _sentence(draw: Draw, count: Count) -> str:
    return draw.one_of(_COUNTS).format(town=count.town, goods=count.goods, n=count.n)


def _corrections(draw: Draw, counts: list[Count]) -> list[str]:
    """Return sentences that correct some earlier figures, each at most once; updates the counts."""
    said: list[str] = []
    for count in draw.some(counts, min(len(counts), draw.integer(1, 3))):
        if count.n > 400:
            continue
        old, count.n = count.n, draw.integer(401, 900)
        said.append(
            draw.one_of(_CORRECTIONS).format(
                date=words.date(count.day), town=count.town, goods=count.goods, n=count.n, old=old
            )
        )
    return said


def _page(day: int, sentences: list[str]) -> str:
    paragraphs = [" ".join(sentences[at : at + 4]) for at in range(0, len(sentences), 4)]
    return f"Report of {words.date(day)}\n\n" + "\n\n".join(paragraphs) + "\n"


def figure(draw: Draw, level: int) -> Problem:
    """One figure. Size: sentences."""
    reports = write_reports(draw, level)
    corrected = [count for count in reports.counts if count.n > 400]
    count = draw.one_of(corrected if corrected and draw.chance(0.5) else reports.counts)
    when = f" on {words.date(count.day)}" if level > 2 else ""
    question = f"How many {count.goods} were there in {count.town}{when}?"
    return problems.number(question + _rule(level), count.n, reports.files, reports.size)


def total(draw: Draw, level: int) -> Problem:
    """A sum over towns, or over days. Size: sentences."""
    reports = write_reports(draw, level)
    count = draw.one_of(reports.counts)
    if level > 2 and draw.chance(0.5):
        value = sum(c.n for c in reports.counts if (c.town, c.goods) == (count.town, count.goods))
        question = f"What do the numbers of {count.goods} in {count.town} of all days add up to?"
    else:
        value = sum(c.n for c in reports.counts if (c.day, c.goods) == (count.day, count.goods))
        when = f" on {words.date(count.day)}" if level > 2 else ""
        question = f"What do the numbers of {count.goods} in all towns{when} add up to?"
    return problems.number(question + _rule(level), value, reports.files, reports.size)


def _rule(level: int) -> str:
    return " Where a report corrects an earlier one, the correction counts." if level == 4 else ""


FAMILIES = {"figure": figure, "total": total}
