"""Long context: every answer is found again by reading the reports."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from sandbox_tui.core.evals.pocket.long_context.archive import TOKENS, in_words
from sandbox_tui.core.evals.pocket.suite import families_of
from tests.unit.core.evals.pocket.reports import WORDS, Read, total
from tests.unit.core.evals.pocket.samples import all_of, match, tasks_of


def towns(read: Read, text: str) -> object:
    town = match(text, r"from ([A-Z]\w+)")[1]
    goods = match(text, r"(?:tonnes|sacks) of (\w+)")[1]
    return sum(n for who, g, _, n in read.loads if g == goods and read.town[read.lead[who]] == town)


def best(read: Read, text: str) -> object:
    goods = match(text, r"the most (\w+),", r"Add up the (\w+) of")[1]
    sums: Counter[str] = Counter()
    for who, g, _, n in read.loads:
        sums[who] += n * (g == goods)
    return read.lead[max(sums, key=lambda who: sums[who])]


def days(read: Read, text: str) -> object:
    least = int(match(text, r"more than (\d+)")[1])
    name = match(
        text,
        r"by the (?:ship|mule train) ([\w ]+)\?",
        r"that the (?:ship|mule train) ([\w ]+) (?:landed|delivered)\.",
    )[1]
    return len({when for who, _, when, n in read.loads if who == name and n > least})


def difference(read: Read, text: str) -> object:
    more, less = match(
        text, r"all the (\w+) that .* all the (\w+)\?", r"more (\w+) than (\w+) was"
    ).groups()
    sums = read.sums(1)
    assert sums[more] >= sums[less]
    return sums[more] - sums[less]


def heaviest(read: Read, text: str) -> object:
    goods = match(text, r"single loads? of (\w+)")[1]
    loads = sorted((n, when) for _, g, when, n in read.loads if g == goods)
    assert loads[-1][0] > loads[-2][0] > loads[-3][0]
    return abs((loads[-1][1] - loads[-2][1]).days) * loads[-1][0]


def busiest(read: Read, text: str) -> object:
    ordinal = match(text, r"the (most|second|third|fourth|fifth)")[1]
    sums = read.sums(0)
    ranked = sorted(sums, key=lambda who: -sums[who])
    return ranked[["most", "second", "third", "fourth", "fifth"].index(ordinal)]


SOLVERS = {f.__name__: f for f in (total, towns, best, days, difference, heaviest, busiest)}


def test_every_family_has_a_solver() -> None:
    assert set(SOLVERS) == set(families_of("long_context"))


@pytest.mark.parametrize("family", sorted(SOLVERS))
def test_targets_agree_with_the_reports(family: str) -> None:
    for task in all_of("long_context", family):
        read = Read(file.decode() for file in task.files.values())
        assert read.fixed >= 1
        assert set(read.lead) == {load[0] for load in read.loads} | set(read.lead)
        assert str(SOLVERS[family](read, task.problem)) == task.target, task.problem


def test_archives_are_as_long_as_their_level_says() -> None:
    for task in tasks_of("long_context", 0):
        size = sum(map(len, task.files.values()))
        assert size / 4 == pytest.approx(TOKENS[task.level - 1], rel=0.03)
        assert len(task.files) == (6, 12, 20)[task.level - 1]


def test_no_report_alone_has_the_answer() -> None:
    """The answer is rarely written out as a number, as it combines facts from several reports."""
    written = 0
    for task in tasks_of("long_context", 0):
        if task.scorer != "number" or len(task.target) < 3:
            continue
        text = b"\n".join(task.files.values()).decode()
        written += bool(re.search(rf"\b{task.target}\b", text))
    assert written <= 3


def test_numbers_in_words() -> None:
    assert in_words(0) == "zero"
    assert in_words(13) == "thirteen"
    assert in_words(40) == "forty"
    assert in_words(241) == "two hundred and forty-one"
    assert in_words(300) == "three hundred"
    assert len(WORDS) == 1_000
