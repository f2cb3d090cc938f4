"""Domain `records`: registers of people, each with a town, a trade and a badge.

Level 1 is one register of three people, level 2 a longer one, level 3 one in several parts; level 4
adds the register of another year, with other entries for the same people.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.problem import Problem, at_level
from sandbox_tui.core.rl.data.generated import problems, words

MIN_PEOPLE = 3


@dataclass(frozen=True, slots=True)
class Person:
    """An entry of a register."""

    name: str
    town: str
    trade: str
    badge: int


@dataclass(frozen=True, slots=True)
class Register:
    """A register, its files, and the words that name it in a question, if needed."""

    people: tuple[Person, ...]
    files: dict[str, str]
    which: str

    @property
    def size(self) -> int:
        """Number of entries in all files."""
        return sum(text.count("badge") + text.count("Badge") for text in self.files.values())

    def ask(self, question: str) -> str:
        """Make a question name this register."""
        if not self.which:
            return question
        return f"{self.which}{question[0].lower()}{question[1:]}"


_CARDS: tuple[Callable[[Person], str], ...] = (
    lambda p: f"Name: {p.name}\nTown: {p.town}\nTrade: {p.trade}\nBadge: {p.badge}\n\n",
    lambda p: f"{p.name} | {p.town} | {p.trade} | badge {p.badge}\n",
    lambda p: f"* {p.name}, {p.trade}, of {p.town}. Badge {p.badge}.\n",
    lambda p: f"Badge {p.badge}: {p.name}, {words.some(p.trade)} from {p.town}.\n",
)


def write_register(draw: Draw, level: int) -> Register:
    """Write a register of the size for a level."""
    count = at_level(
        level, MIN_PEOPLE, draw.integer(10, 16), draw.integer(18, 26), draw.integer(18, 26)
    )
    towns = draw.some(words.TOWNS, at_level(level, 3, 5, 6, 6))
    names = words.people(draw, count)
    people = _entries(draw, names, towns)
    parts = at_level(level, 1, 1, 3, 3)
    if level < 4:
        return Register(people, _written(draw, people, parts, "register"), "")
    year = draw.integer(1902, 1960)
    other = year + draw.integer(1, 9) * draw.one_of((-1, 1))
    files = {
        **_written(draw, people, parts, f"register-{year}"),
        **_written(draw, _entries(draw, draw.shuffled(names), towns), 2, f"register-{other}"),
    }
    return Register(people, dict(sorted(files.items())), f"In the register of {year}, ")


def _entries(draw: Draw, names: Sequence[str], towns: Sequence[str]) -> tuple[Person, ...]:
    badges = words.distinct(draw, 1000, 9999, len(names))
    return tuple(
        Person(name, draw.one_of(towns), draw.one_of(words.TRADES), badge)
        for name, badge in zip(names, badges, strict=True)
    )


def _written(draw: Draw, people: Sequence[Person], parts: int, name: str) -> dict[str, str]:
    card = draw.one_of(_CARDS)
    each = -(-len(people) // parts)
    files = [people[at : at + each] for at in range(0, len(people), each)]
    return {
        f"{name}{f'-{number}' if parts > 1 else ''}.txt": "".join(map(card, part))
        for number, part in enumerate(files, 1)
    }


def field(draw: Draw, level: int) -> Problem:
    """One field of a person. Size: entries."""
    register = write_register(draw, level)
    person = draw.one_of(register.people)
    name = draw.one_of(("town", "trade", "badge"))
    question = register.ask(f"What is the {name} of {person.name}?")
    if name == "badge":
        return problems.number(question, person.badge, register.files, register.size)
    return problems.exact(question, str(getattr(person, name)), register.files, register.size)


def who(draw: Draw, level: int) -> Problem:
    """The person with a badge. Size: entries."""
    register = write_register(draw, level)
    person = draw.one_of(register.people)
    question = draw.one_of(("Who has the badge {badge}?", "Whose badge is {badge}?"))
    text = register.ask(question.format(badge=person.badge))
    return problems.exact(text, person.name, register.files, register.size)


def choice(draw: Draw, level: int) -> Problem:
    """The town of a person, with options. Size: entries."""
    register = write_register(draw, level)
    person = draw.one_of(register.people)
    wrong = draw.some([town for town in words.TOWNS if town != person.town], 3)
    question = register.ask(f"Which town is {person.name} from?")
    return problems.one_of(draw, question, person.town, wrong, register.files, register.size)


def residents(draw: Draw, level: int) -> Problem:
    """Which of some people are from a town. Size: entries."""
    register = write_register(draw, level)
    town = draw.one_of(register.people).town
    there = [person.name for person in register.people if person.town == town]
    others = [person.name for person in register.people if person.town != town]
    if not others:
        return residents(draw, level)
    right = draw.some(there, draw.integer(1, 3))
    options = [*right, *draw.some(others, 5 - len(right))]
    question = register.ask(f"Which of these people are from {town}?")
    return problems.all_of(draw, question, options, right, register.files, register.size)


def count(draw: Draw, level: int) -> Problem:
    """How many people are from a town, or how many of them have a high badge. Size: entries."""
    register = write_register(draw, level)
    person = draw.one_of(register.people)
    if draw.chance(0.5):
        value = sum(one.town == person.town for one in register.people)
        question = f"How many people are from {person.town}?"
    else:
        least = draw.integer(1000, 9000)
        value = sum(one.town == person.town and one.badge > least for one in register.people)
        question = f"How many people from {person.town} have a badge above {least}?"
    return problems.number(register.ask(question), value, register.files, register.size)


FAMILIES = {
    "field": field,
    "who": who,
    "choice": choice,
    "residents": residents,
    "count": count,
}
