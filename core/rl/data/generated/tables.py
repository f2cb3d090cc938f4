"""Domain `tables`: sales of shops, as tables.

Level 1 is one table of a few rows, level 2 a longer one, level 3 one per shop; level 4 has the
tables of two years, and the question is about one of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.problem import Problem, at_level
from sandbox_tui.core.rl.data.generated import problems, words

Row = tuple[str, str, str, int]
"""Shop, goods, month, number sold."""

COLUMNS = ("shop", "goods", "month", "sold")


@dataclass(frozen=True, slots=True)
class Sales:
    """Rows, the files that hold them, and how a question names their year."""

    rows: tuple[Row, ...]
    files: dict[str, str]
    year: str
    size: int


def write_sales(draw: Draw, level: int) -> Sales:
    """Write sales of the size for a level. Size: rows of all tables."""
    shops = draw.some(words.TOWNS, at_level(level, 3, 4, 4, 4))
    goods = draw.some(words.COUNTED, at_level(level, 2, 4, 5, 4))
    months = draw.some(words.MONTHS, at_level(level, 1, 4, 5, 4))
    rows = _rows(draw, shops, goods, months)
    if level == 1:
        rows = tuple(draw.some(rows, 5))
    if level < 4:
        files = _written(draw, rows, "sales", each_shop=level == 3)
        return Sales(rows, files, "", len(rows))
    first = draw.integer(1980, 2020)
    year, other = draw.shuffled([first, first + draw.integer(1, 3)])
    files: dict[str, str] = {}
    rest = _rows(draw, shops, goods, months)
    for name, some in ((year, rows), (other, rest)):
        files |= _written(draw, some, str(name), each_shop=True)
    return Sales(rows, dict(sorted(files.items())), f" of {year}", len(rows) + len(rest))


def _rows(
    draw: Draw, shops: Sequence[str], goods: Sequence[str], months: Sequence[str]
) -> tuple[Row, ...]:
    return tuple(
        (shop, what, month, draw.integer(10, 999))
        for shop in shops
        for what in goods
        for month in months
    )


def _written(draw: Draw, rows: Sequence[Row], name: str, *, each_shop: bool) -> dict[str, str]:
    separator, suffix = draw.one_of(((",", "csv"), ("\t", "tsv"), (";", "csv"), (" | ", "md")))
    if not each_shop:
        return {f"{name}.{suffix}": _table(draw.shuffled(rows), separator)}
    shops = sorted({row[0] for row in rows})
    return {
        f"{name}-{shop.lower()}.{suffix}": _table(
            [row for row in rows if row[0] == shop], separator
        )
        for shop in shops
    }


def _table(rows: Sequence[Row], separator: str) -> str:
    return "".join(f"{separator.join(map(str, row))}\n" for row in (COLUMNS, *rows))


def cell(draw: Draw, level: int) -> Problem:
    """The number of one row. Size: rows."""
    sales = write_sales(draw, level)
    shop, goods, month, sold = draw.one_of(sales.rows)
    question = draw.one_of(
        (
            "How many {goods} did {shop} sell in {month}{year}?",
            "What number of {goods} was sold in {shop} in {month}{year}?",
        )
    ).format(goods=goods, shop=shop, month=month, year=sales.year)
    return problems.number(question, sold, sales.files, sales.size)


def total(draw: Draw, level: int) -> Problem:
    """The sum over the shops or the months. Size: rows."""
    sales = write_sales(draw, level)
    shop, goods, month, _ = draw.one_of(sales.rows)
    if draw.chance(0.5):
        value = sum(row[3] for row in sales.rows if row[:2] == (shop, goods))
        question = f"How many {goods} did {shop} sell in all months{sales.year} together?"
    else:
        value = sum(row[3] for row in sales.rows if row[1:3] == (goods, month))
        question = f"How many {goods} did all shops together sell in {month}{sales.year}?"
    return problems.number(question, value, sales.files, sales.size)


def best(draw: Draw, level: int) -> Problem:
    """The shop that sold the most of something. Size: rows."""
    sales = write_sales(draw, level)
    _, goods, month, _ = draw.one_of(sales.rows)
    in_month = draw.chance(0.6)
    sums: Counter[str] = Counter()
    for shop, what, when, sold in sales.rows:
        sums[shop] += sold if what == goods and (when == month or not in_month) else 0
    ranked = sums.most_common()
    if len(ranked) < 2 or ranked[0][1] == ranked[1][1]:
        return best(draw, level)
    when = f"in {month}{sales.year}" if in_month else f"in all months{sales.year} together"
    question = f"Which shop sold the most {goods} {when}?"
    return problems.exact(question, ranked[0][0], sales.files, sales.size)


FAMILIES = {"cell": cell, "total": total, "best": best}
