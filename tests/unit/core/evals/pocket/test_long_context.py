"""Long context: every answer found again by reading the reports, with patterns of our own."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date

import pytest

from sandbox_tui.core.evals.pocket.long_context.archive import TOKENS, in_words
from sandbox_tui.core.evals.pocket.suite import families_of
from sandbox_tui.core.evals.task import Task
from tests.unit.core.evals.pocket.samples import all_of, match, tasks_of

MONTHS = ["March", "April", "May", "June", "July", "August"]
WORDS = {in_words(n): n for n in range(1_000)}

N = r"(?P<n>\d+|[A-Za-z]+(?:[- ](?:and )?[a-z]+)*?)"
DATE = r"(?P<date>\d+ [A-Z]\w+|[A-Z]\w+ \d+|the \d+\w\w of [A-Z]\w+)"
WHO = r"(?P<who>(?:[A-Z]\w+ ?){1,2})"
GOODS = r"(?P<goods>[a-z]+)"

CAME = [
    rf"On {DATE} the {WHO} ?landed {N} tonnes of {GOODS}\.",
    rf"The {WHO} ?tied up on {DATE} and put {N} tonnes of {GOODS} on the quay",
    rf"Our books for {DATE} show {N} tonnes of {GOODS} ashore from the {WHO}\.",
    rf"From the hold of the {WHO} ?the cranes lifted {N} tonnes of {GOODS} on {DATE}\.",
    rf"The {GOODS} that the {WHO} ?brought in on {DATE} weighed {N} tonnes",
    rf"We took in {N} tonnes of {GOODS} on {DATE}; the {WHO} ?had",
    rf"After a night at anchor the {WHO} ?discharged her {GOODS} on {DATE}, {N} tonnes",
    rf"The {WHO} ?train reached us on {DATE} and left {N} sacks of {GOODS}\.",
    rf"On {DATE} we signed for {N} sacks of {GOODS}, carried up by the {WHO} ?train",
    rf"(?:^|(?<=[.!?] )){N} sacks of {GOODS} went into the cellar on {DATE}, straight from the backs of the {WHO} ?mules",
    rf"The {GOODS} of the {WHO} ?train, {N} sacks, was under our roof on {DATE}\.",
    rf"With the {WHO} ?train came {N} sacks of {GOODS}; that was on {DATE},",
    rf"The ledger has {N} sacks of {GOODS} against the {WHO} ?train for {DATE}\.",
]
CORRECTED = [
    rf"A correction: the {GOODS} that the {WHO} ?landed on {DATE} came to {N} tonnes, not (?P<old>\d+)",
    rf"The weighing of {DATE} was wrong; instead of (?P<old>\d+) tonnes of {GOODS}, the {WHO} ?had {N}\.",
    rf"We counted again: on {DATE} the {WHO} ?train brought {N} sacks of {GOODS}, not (?P<old>\d+)",
    rf"An error of the clerk's: the {GOODS} of the {WHO} ?train of {DATE} was {N} sacks instead of (?P<old>\d+)",
]
LEAD = r"(?P<lead>[A-Z]\w+ [A-Z]\w+)"
LEADS = [
    rf"The {WHO} ?sails under {LEAD}", rf"{LEAD} has been master of the {WHO} ?for", rf"bridge of the {WHO} ?one finds {LEAD}",
    rf"The {WHO} ?train follows {LEAD}", rf"head of the {WHO} ?train walks {LEAD}", rf"{LEAD} leads the {WHO} ?train",
]  # fmt: skip
ORIGINS = [
    rf"{LEAD} was born in (?P<town>\w+)", rf"Those who know (?P<town>\w+) know the family of {LEAD}", rf"{LEAD}, a native of (?P<town>\w+)",
    rf"{LEAD} comes from (?P<town>\w+)", rf"In (?P<town>\w+), the home of {LEAD}", rf"{LEAD} wrote home to (?P<town>\w+)",
]  # fmt: skip


def number(text: str) -> int:
    return int(text) if text.isdecimal() else WORDS[text.lower()]


def day(text: str) -> date:
    month = next(name for name in MONTHS if name in text)
    return date(2023, MONTHS.index(month) + 3, int(re.search(r"\d+", text)[0]))


class Read:
    """What the reports of a task say."""

    def __init__(self, task: Task) -> None:
        loads: dict[tuple[str, str, date], int] = {}
        fixes: dict[tuple[str, str, date], tuple[int, int]] = {}
        self.lead: dict[str, str] = {}
        self.town: dict[str, str] = {}
        for content in task.files.values():
            text = content.decode()
            for pattern in CAME:
                for found in re.finditer(pattern, text):
                    key = (found["who"].strip(), found["goods"], day(found["date"]))
                    assert key not in loads
                    loads[key] = number(found["n"])
            for pattern in CORRECTED:
                for found in re.finditer(pattern, text):
                    key = (found["who"].strip(), found["goods"], day(found["date"]))
                    fixes[key] = (int(found["old"]), number(found["n"]))
            for pattern in LEADS:
                self.lead |= {f["who"].strip(): f["lead"] for f in re.finditer(pattern, text)}
            for pattern in ORIGINS:
                self.town |= {f["lead"]: f["town"] for f in re.finditer(pattern, text)}
        self.fixed = len(fixes)
        for key, (old, new) in fixes.items():
            assert loads[key] == old
            loads[key] = new
        self.loads = [(*key, amount) for key, amount in loads.items()]

    def sums(self, by: int) -> Counter[str]:
        totals: Counter[str] = Counter()
        for load in self.loads:
            totals[load[by]] += load[3]
        return totals


def total(read: Read, text: str) -> object:
    found = match(
        text,
        r"of (?P<g>\w+) has the (?:ship|mule train) (?P<w>[\w ]+?) (?:landed|delivered)",
        r"of (?P<g>\w+) that were \w+ by the (?:ship|mule train) (?P<w>[\w ]+?) add",
    )
    return sum(n for who, goods, _, n in read.loads if (who, goods) == (found["w"], found["g"]))


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
        read = Read(task)
        assert read.fixed >= 1
        assert set(read.lead) == {load[0] for load in read.loads} | set(read.lead)
        assert str(SOLVERS[family](read, task.problem)) == task.target, task.problem


def test_archives_are_as_long_as_their_level_says() -> None:
    for task in tasks_of("long_context", 0):
        size = sum(map(len, task.files.values()))
        assert size / 4 == pytest.approx(TOKENS[task.level - 1], rel=0.03)
        assert len(task.files) == (6, 12, 20)[task.level - 1]


def test_no_report_alone_has_the_answer() -> None:
    """What is asked for is not written anywhere as a number, and takes facts from several reports."""
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
