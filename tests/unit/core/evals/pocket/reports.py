"""Reads the reports of the long-context tasks, with patterns of its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from datetime import date

from sandbox_tui.core.evals.pocket.long_context.archive import in_words
from tests.unit.core.evals.pocket.samples import match

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
    """Facts stated in reports, or in some of their sentences.

    Attributes:
        loads: carrier, goods, day and corrected amount of each load.
        lead: the leader of each carrier.
        town: the home town of each leader.
        fixed: number of corrected amounts.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        loads: dict[tuple[str, str, date], int] = {}
        fixes: dict[tuple[str, str, date], tuple[int, int]] = {}
        self.lead: dict[str, str] = {}
        self.town: dict[str, str] = {}
        for text in texts:
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
