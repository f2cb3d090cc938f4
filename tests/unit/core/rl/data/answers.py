"""Answers generated questions from their wording and documents alone.

This second computation shares nothing with the generator.
"""

from __future__ import annotations

import configparser
import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import yaml

from sandbox_tui.core.evals.task import Task

Texts = dict[str, str]
Solver = Callable[[str, Texts], str]


def solved(task: Task) -> str:
    """Compute the answer to a task."""
    texts = {name: data.decode() for name, data in task.files.items()}
    return SOLVERS[task.domain, task.metadata["family"]](task.problem, texts)


def captured(pattern: str, text: str) -> tuple[str, ...]:
    """The groups of the pattern's only match."""
    (found,) = re.finditer(pattern, text)
    return found.groups()


def options(question: str) -> dict[str, str]:
    """Map the text of each option to its letter."""
    return {
        text: letter for letter, text in re.findall(r"^([A-Z])\. (.+)$", question, re.MULTILINE)
    }


# --- lookup


def _lookup(question: str, texts: Texts) -> str:
    named = [text for text in texts.values() if re.search(rf"\b{_place(text)}\b", question)]
    entries = dict(
        _entry(line)
        for text in named or texts.values()
        for line in text.splitlines()
        if re.search(r"\d", line)
    )
    return entries[max((key for key in entries if f" {key}" in question), key=len)]


def _place(text: str) -> str:
    heading = text.splitlines()[0]
    found = re.search(
        r"(?:Stock of |Inventory, |Store in |^)([A-Z][a-z]+)(?:: list of items)?$", heading
    )
    return found[1] if found else "\0"


def _entry(line: str) -> tuple[str, str]:
    number = re.search(r"\d+", line)
    assert number
    return line.replace(number[0], "").strip(" :=\t"), number[0]


# --- records

_RECORDS = (
    r"Name: (?P<name>.+)\nTown: (?P<town>.+)\nTrade: (?P<trade>.+)\nBadge: (?P<badge>\d+)",
    r"(?P<name>.+?) \| (?P<town>.+?) \| (?P<trade>.+?) \| badge (?P<badge>\d+)",
    r"\* (?P<name>.+?), (?P<trade>.+?), of (?P<town>.+?)\. Badge (?P<badge>\d+)",
    r"Badge (?P<badge>\d+): (?P<name>.+?), an? (?P<trade>.+?) from (?P<town>.+?)\.",
)


def _people(question: str, texts: Texts) -> list[dict[str, str]]:
    year = re.search(r"In the register of (\d+)", question)
    return [
        found.groupdict()
        for name, text in texts.items()
        if not year or year[1] in name
        for pattern in _RECORDS
        for found in re.finditer(f"^{pattern}", text, re.MULTILINE)
    ]


def _record_field(question: str, texts: Texts) -> str:
    field, name = captured(r"hat is the (\w+) of (.+)\?", question)
    return next(one[field] for one in _people(question, texts) if one["name"] == name)


def _record_who(question: str, texts: Texts) -> str:
    (badge,) = captured(r"badge(?: is)? (\d+)\?", question)
    return next(one["name"] for one in _people(question, texts) if one["badge"] == badge)


def _record_choice(question: str, texts: Texts) -> str:
    (name,) = captured(r"hich town is (.+) from\?", question)
    town = next(one["town"] for one in _people(question, texts) if one["name"] == name)
    return options(question)[town]


def _record_residents(question: str, texts: Texts) -> str:
    (town,) = captured(r"are from (\w+)\?", question)
    there = {one["name"] for one in _people(question, texts) if one["town"] == town}
    return ", ".join(sorted(letter for name, letter in options(question).items() if name in there))


def _record_count(question: str, texts: Texts) -> str:
    town, _, least = captured(r"people (?:are )?from (\w+)( have a badge above (\d+))?\?", question)
    people = [one for one in _people(question, texts) if one["town"] == town]
    return str(sum(int(one["badge"]) > int(least or 0) for one in people))


# --- tables


def _sales(question: str, texts: Texts) -> list[dict[str, str]]:
    year = re.search(r" of (\d{4})", question)
    rows: list[dict[str, str]] = []
    for name, text in texts.items():
        if not year or name.startswith(year[1]):
            delimiter = next(one for one in ",;\t|" if one in text)
            reader = csv.DictReader(text.replace(" | ", "|").splitlines(), delimiter=delimiter)
            rows += list(reader)
    return rows


def _sum(rows: Iterable[dict[str, str]], **wanted: str) -> int:
    return sum(
        int(row["sold"]) for row in rows if all(row[key] == value for key, value in wanted.items())
    )


def _table_cell(question: str, texts: Texts) -> str:
    if question.startswith("How"):
        goods, shop, month = captured(r"many (\w+) did (\w+) sell in (\w+)", question)
    else:
        goods, shop, month = captured(r"of (\w+) was sold in (\w+) in (\w+)", question)
    return str(_sum(_sales(question, texts), goods=goods, shop=shop, month=month))


def _table_total(question: str, texts: Texts) -> str:
    rows = _sales(question, texts)
    if "all shops together" in question:
        goods, month = captured(r"many (\w+) did all shops together sell in (\w+)", question)
        return str(_sum(rows, goods=goods, month=month))
    goods, shop = captured(r"many (\w+) did (\w+) sell in all months", question)
    return str(_sum(rows, goods=goods, shop=shop))


def _table_best(question: str, texts: Texts) -> str:
    rows = _sales(question, texts)
    goods, month = captured(r"sold the most (\w+) in (\w+)", question)
    when = {} if month == "all" else {"month": month}
    return max(
        {row["shop"] for row in rows}, key=lambda shop: _sum(rows, goods=goods, shop=shop, **when)
    )


# --- letters

_DAY, _TOWN, _THING = r"(?P<day>\d+ [A-Z][a-z]+)", r"(?P<place>[A-Z]\w+)", r"(?P<thing>\w+)"
_FIRST = (
    rf"Let us meet on {_DAY} in {_TOWN}; please bring the {_THING}",
    rf"I suggest {_DAY}, in {_TOWN}\. Do not forget the {_THING}",
    rf"Shall we say {_TOWN}, on {_DAY}\? I shall need the {_THING}",
    rf"On {_DAY} I shall be in {_TOWN} and hope to see you there, with the {_THING}",
)
_LATER = (
    rf"I cannot come on [\w ]+\. Let it be {_DAY} instead",
    rf"Not [\w ]+ but {_DAY}, if you please",
    rf"The inn in \w+ is closed, so that we meet in {_TOWN}",
    rf"Let it be {_TOWN} rather than",
    rf"Leave the \w+ at home and bring the {_THING}",
    rf"It is the {_THING} that I need, not the",
)


def _letters(field: str) -> Solver:
    def answer(question: str, texts: Texts) -> str:
        names = re.findall(r"[A-Z][a-z]+ [A-Z][a-z]+", question.split("?")[0])
        facts: dict[str, str] = {}
        for text in texts.values():
            lines = text.splitlines()
            if {lines[0], lines[-1]} == {f"Dear {names[1]},", names[0]} or {
                lines[0],
                lines[-1],
            } == {f"Dear {names[0]},", names[1]}:
                for pattern in (*_FIRST, *_LATER):
                    for found in re.finditer(pattern, text):
                        facts |= found.groupdict()
        return facts[field]

    return answer


# --- reports

_FIGURES = (
    r"In (?P<town>\w+) there were (?P<n>\d+) (?P<goods>\w+)\.",
    r"The number of (?P<goods>\w+) in (?P<town>\w+) was (?P<n>\d+)\.",
    r"(?P<town>[A-Z]\w+) had (?P<n>\d+) (?P<goods>\w+)\.",
    r"Our people found (?P<n>\d+) (?P<goods>\w+) in (?P<town>\w+)\.",
)
_CORRECTED = (
    r"report of (?P<day>[\w ]+): the number of (?P<goods>\w+) in (?P<town>\w+) was (?P<n>\d+), not",
    r"On (?P<day>[\w ]+) we wrote that there were \d+ (?P<goods>\w+) in (?P<town>\w+); it should "
    r"have been (?P<n>\d+)",
)


def _figures(texts: Texts) -> dict[tuple[str, str, str], int]:
    """Map day, town and goods to the number reported, with corrections applied."""
    found: dict[tuple[str, str, str], int] = {}
    for text in texts.values():
        (day,) = captured(r"\AReport of (.+)", text)
        for pattern in _FIGURES:
            for one in re.finditer(pattern, text):
                found[day, one["town"], one["goods"]] = int(one["n"])
    for text in texts.values():
        for pattern in _CORRECTED:
            for one in re.finditer(pattern, text):
                assert (one["day"], one["town"], one["goods"]) in found
                found[one["day"], one["town"], one["goods"]] = int(one["n"])
    return found


def _day(question: str) -> str | None:
    found = re.search(r" on (\d+ \w+)", question)
    return found[1] if found else None


def _report_figure(question: str, texts: Texts) -> str:
    goods, town = captured(r"How many (\w+) were there in (\w+)", question)
    (value,) = [
        n
        for (day, where, what), n in _figures(texts).items()
        if (where, what) == (town, goods) and _day(question) in (day, None)
    ]
    return str(value)


def _report_total(question: str, texts: Texts) -> str:
    goods, town = captured(r"numbers of (\w+) in (all towns|\w+)", question)
    return str(
        sum(
            n
            for (day, where, what), n in _figures(texts).items()
            if what == goods and town in (where, "all towns") and _day(question) in (day, None)
        )
    )


# --- logs

_LINE = re.compile(
    r"\[?(\d\d:\d\d:\d\d)\]? (?:service=(\w+) level=(\w+)|([A-Z]+) (\w+):|(\w+) ([A-Z]+)) "
)


def _lines(question: str, texts: Texts) -> list[tuple[str, str, str]]:
    """Time, service and level of each line that a question covers."""
    day, after = _day(question), re.search(r" after (\d\d:\d\d:\d\d)", question)
    found: list[tuple[str, str, str]] = []
    for name, text in texts.items():
        if day and name != f"{day.lower().replace(' ', '-')}.log" and len(texts) > 1:
            continue
        for line in text.splitlines():
            one = _LINE.match(line)
            assert one, line
            service, level = one[2] or one[5] or one[6], one[3] or one[4] or one[7]
            if not after or one[1] > after[1]:
                found.append((one[1], service, level))
    return found


def _log_count(question: str, texts: Texts) -> str:
    level, service = captured(r"How many (\w* ?)lines did (\w+) write", question)
    return str(
        sum(
            one == service and level.strip() in ("", its) for _, one, its in _lines(question, texts)
        )
    )


def _log_first(question: str, texts: Texts) -> str:
    (service,) = captured(r"did (\w+) write its first ERROR", question)
    return min(line[0] for line in _lines(question, texts) if line[1:] == (service, "ERROR"))


def _log_noisiest(question: str, texts: Texts) -> str:
    errors = Counter(line[1] for line in _lines(question, texts) if line[2] == "ERROR")
    return errors.most_common(1)[0][0]


# --- settings


def _settings(question: str, texts: Texts) -> str:
    key, section = captured(r"value of (\w+) in the section (\w+)", question)
    order: Sequence[str] = re.findall(r"[a-z]+\.(?:ini|yaml|conf)", question) or list(texts)
    assert set(order) == set(texts)
    values = [_parsed(name, texts[name]).get(section, {}).get(key) for name in order]
    return [value for value in values if value is not None][-1]


def _parsed(name: str, text: str) -> dict[str, dict[str, str]]:
    if name.endswith("yaml"):
        return yaml.load(text, yaml.BaseLoader) or {}
    if name.endswith("ini"):
        parser = configparser.ConfigParser()
        parser.read_string(text)
        return {section: dict(parser[section]) for section in parser.sections()}
    found: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        section, key, value = re.split(r"[.=]", line)
        found.setdefault(section, {})[key] = value
    return found


SOLVERS: dict[tuple[str, str], Solver] = {
    ("lookup", "value"): _lookup,
    ("records", "field"): _record_field,
    ("records", "who"): _record_who,
    ("records", "choice"): _record_choice,
    ("records", "residents"): _record_residents,
    ("records", "count"): _record_count,
    ("tables", "cell"): _table_cell,
    ("tables", "total"): _table_total,
    ("tables", "best"): _table_best,
    ("letters", "day"): _letters("day"),
    ("letters", "place"): _letters("place"),
    ("letters", "thing"): _letters("thing"),
    ("reports", "figure"): _report_figure,
    ("reports", "total"): _report_total,
    ("logs", "count"): _log_count,
    ("logs", "first"): _log_first,
    ("logs", "noisiest"): _log_noisiest,
    ("settings", "value"): _settings,
}
