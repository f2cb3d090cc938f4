"""Questions that combine several facts from several reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.long_context.archive import Archive, write_archive
from sandbox_tui.core.evals.pocket.long_context.worlds import HARBOUR, MOUNTAINS, World
from sandbox_tui.core.evals.pocket.problem import (
    Problem,
    exact_problem,
    integer_problem,
)

_Asked = tuple[str, int | str]


def _problem(
    draw: Draw, level: int, ask: Callable[[Draw, World, Archive], _Asked], what: str = ""
) -> Problem:
    """A question about an archive. Size: bytes of the archive."""
    world = draw.one_of((HARBOUR, MOUNTAINS))
    archive = write_archive(draw, world, level)
    question, answer = ask(draw, world, archive)
    count, last = len(archive.files), max(archive.files)
    about = draw.one_of(
        (
            "The input files report-01.txt to {last} are {count} reports on {place}.",
            "{count} reports on {place} are in the input files report-01.txt to {last}.",
            "Read the reports on {place}: the input files report-01.txt to {last}, {count} in all.",
        )
    ).format(last=last, count=count, place=world.place)
    rules = draw.one_of(
        (
            "Later reports correct some figures; the corrected figure counts. Goods that were only "
            "expected or rumoured, lost, taken elsewhere or carried away do not count.",
            "Only goods that were really {brought} here count, not those that failed to arrive, "
            "went elsewhere or left. Where a report corrects an earlier one, go by the correction.",
        )
    ).format(brought=world.brought)
    text = f"{about} {question} {rules}"
    size = sum(map(len, archive.files.values()))
    if isinstance(answer, int):
        return integer_problem(draw, text, answer, size=size, files=archive.files)
    said = what.format(leader=world.leader, carrier=world.carrier)
    return exact_problem(draw, text, answer, said, size=size, files=archive.files)


def _total(draw: Draw, world: World, archive: Archive) -> _Asked:
    pairs = Counter((d.who, d.goods) for d in archive.deliveries)
    who, goods = draw.one_of(sorted(pair for pair, count in pairs.items() if count >= 2))
    value = sum(d.amount for d in archive.deliveries if (d.who, d.goods) == (who, goods))
    question = draw.one_of(
        (
            "How many {unit} of {goods} has the {carrier} {who} {brought} altogether?",
            "What do the {unit} of {goods} that were {brought} by the {carrier} {who} add up to?",
        )
    )
    return _filled(question, world, who=who, goods=goods), value


def total(draw: Draw, level: int) -> Problem:
    """How much of some goods one carrier delivered. Size: bytes of the archive."""
    return _problem(draw, level, _total)


def _towns(draw: Draw, world: World, archive: Archive) -> _Asked:
    town = draw.one_of(sorted(set(archive.origins.values())))
    goods = draw.one_of(sorted({d.goods for d in archive.deliveries}))
    value = sum(
        d.amount
        for d in archive.deliveries
        if archive.origins[archive.leads[d.who]] == town and d.goods == goods
    )
    if not value:
        return _towns(draw, world, archive)
    question = draw.one_of(
        (
            "How many {unit} of {goods} were {brought} by {carrier}s whose {leader} is from "
            "{town}?",
            "Some {leader}s are from {town}. How many {unit} of {goods} have their {carrier}s "
            "{brought} in all?",
        )
    )
    return _filled(question, world, town=town, goods=goods), value


def towns(draw: Draw, level: int) -> Problem:
    """How much the carriers led from one town delivered. Size: bytes of the archive."""
    return _problem(draw, level, _towns)


def _best(draw: Draw, world: World, archive: Archive) -> _Asked:
    goods = draw.one_of(sorted({d.goods for d in archive.deliveries}))
    sums: Counter[str] = Counter()
    for d in archive.deliveries:
        sums[d.who] += d.amount if d.goods == goods else 0
    (who, most), (_, second) = sums.most_common(2)
    if most == second:
        return _best(draw, world, archive)
    question = draw.one_of(
        (
            "Which {leader} leads the {carrier} that {brought} the most {goods}, all its loads "
            "taken together?",
            "Add up the {goods} of every {carrier}. What is the name of the {leader} of the one "
            "that {brought} most of it?",
        )
    )
    return _filled(question, world, goods=goods), archive.leads[who]


def best(draw: Draw, level: int) -> Problem:
    """The leader of the carrier that delivered the most. Size: bytes of the archive."""
    return _problem(draw, level, _best, "the first and last name of the {leader}")


def _days(draw: Draw, world: World, archive: Archive) -> _Asked:
    who = draw.one_of(sorted({d.who for d in archive.deliveries}))
    least = draw.integer(80, 200)
    value = len({d.day for d in archive.deliveries if d.who == who and d.amount > least})
    question = draw.one_of(
        (
            "On how many different days was a load of more than {n} {unit}, of whatever goods, "
            "{brought} by the {carrier} {who}?",
            "Look for single loads of more than {n} {unit} that the {carrier} {who} {brought}. On "
            "how many different days did such a load come?",
        )
    )
    return _filled(question, world, who=who, n=least), value


def days(draw: Draw, level: int) -> Problem:
    """The number of days with large loads. Size: bytes of the archive."""
    return _problem(draw, level, _days)


def _difference(draw: Draw, world: World, archive: Archive) -> _Asked:
    sums: Counter[str] = Counter()
    for d in archive.deliveries:
        sums[d.goods] += d.amount
    more, less = sorted(draw.some(sorted(sums), 2), key=lambda goods: -sums[goods])
    question = draw.one_of(
        (
            "By how many {unit} does all the {more} that was {brought} exceed all the {less}?",
            "In total, more {more} than {less} was {brought}. How many {unit} is the difference?",
        )
    )
    return _filled(question, world, more=more, less=less), sums[more] - sums[less]


def difference(draw: Draw, level: int) -> Problem:
    """How much more of one good than of another was delivered. Size: bytes of the archive."""
    return _problem(draw, level, _difference)


def _heaviest(draw: Draw, world: World, archive: Archive) -> _Asked:
    goods = draw.one_of(sorted({d.goods for d in archive.deliveries}))
    loads = sorted((d for d in archive.deliveries if d.goods == goods), key=lambda d: -d.amount)
    amounts = {load.amount for load in loads[:3]}
    if len(amounts) < 3 or loads[0].day == loads[1].day:
        return _heaviest(draw, world, archive)
    question = draw.one_of(
        (
            "Take the largest and the second largest single load of {goods} that was {brought}. "
            "How many days apart did they come, multiplied by the {unit} "
            "of the larger one?",
            "The two largest single loads of {goods} came on two days. Multiply the number of "
            "days between them (the difference of the dates) by the {unit} of the larger load. "
            "What is the result?",
        )
    )
    return _filled(question, world, goods=goods), abs(loads[0].day - loads[1].day) * loads[0].amount


def heaviest(draw: Draw, level: int) -> Problem:
    """The days between the two largest loads. Size: bytes of the archive."""
    return _problem(draw, level, _heaviest)


def _busiest(draw: Draw, world: World, archive: Archive) -> _Asked:
    sums: Counter[str] = Counter()
    for d in archive.deliveries:
        sums[d.who] += d.amount
    ranked = [who for who, _ in sums.most_common()]
    place = draw.integer(1, min(4, len(ranked) - 2))
    if len(set(sums.values())) < len(sums):
        place = 0
    ordinal = ("most", "second most", "third most", "fourth most", "fifth most")[place]
    question = draw.one_of(
        (
            "Which {carrier} {brought} the {ordinal} in all, all goods taken together and counted "
            "in {unit}?",
            "Rank the {carrier}s by the {unit} of goods of every kind that each of them {brought}. "
            "Which {carrier} {brought} the {ordinal}?",
        )
    )
    return _filled(question, world, ordinal=ordinal), ranked[place]


def busiest(draw: Draw, level: int) -> Problem:
    """A carrier by its rank. Size: bytes of the archive."""
    return _problem(draw, level, _busiest, "the name of the {carrier}")


def _filled(question: str, world: World, **values: object) -> str:
    return question.format(
        unit=world.unit,
        carrier=world.carrier,
        leader=world.leader,
        brought=world.brought,
        **values,
    )
