"""Domain `lookup`: the value of a key in a list. Level 1 is for models that learn to read a file.

Level 1 is one file of three to five short lines; level 2 one longer list with a heading; level 3
several lists, one of which has the key; level 4 lists that share keys, so that only the right list
answers.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.problem import Problem, at_level
from sandbox_tui.core.rl.data.generated import words

_LINES = ("{key}: {value}", "{key} = {value}", "{key}\t{value}", "{value}  {key}")
_ASKED = (
    "What is the value of {key}?",
    "Which number stands beside {key}?",
    "Find {key}. What is its number?",
    "What is the number of the {key}?",
)
_HEADINGS = ("Stock of {place}", "Inventory, {place}", "{place}: list of items", "Store in {place}")
_WHERE = (
    "In the list of {place}, what is the value of {key}?",
    "Which number does {key} have in {place}?",
    "{place} has a list of its own. What number does it give for {key}?",
)


def value(draw: Draw, level: int) -> Problem:
    """The value of a key. Size: lines of all lists."""
    if level == 1:
        return _smallest(draw)
    if level == 4:
        return _same_keys(draw)
    files = at_level(level, 1, 1, 3)
    lines = at_level(level, 5, draw.integer(12, 30), draw.integer(10, 25))
    keys = draw.some(words.THINGS, files * lines) if files * lines <= len(words.THINGS) else None
    lists = [
        _values(draw, keys[n * lines : (n + 1) * lines] if keys else _coloured(draw, n, lines))
        for n in range(files)
    ]
    places = draw.some(words.TOWNS, files)
    asked = draw.one_of(lists)
    key = draw.one_of(list(asked))
    return _problem(
        draw.one_of(_ASKED).format(key=key),
        asked[key],
        {
            f"{place.lower()}.txt": _with_heading(draw, place, one)
            for place, one in zip(places, lists, strict=True)
        },
        files * lines,
    )


def _smallest(draw: Draw) -> Problem:
    """Return the problem of level 1: always the same wording and the same file name."""
    entries = _values(draw, draw.some(words.THINGS, draw.integer(3, 5)))
    key = draw.one_of(list(entries))
    text = "".join(f"{name}: {number}\n" for name, number in entries.items())
    return _problem(f"What is the value of {key}?", entries[key], {"list.txt": text}, len(entries))


def _same_keys(draw: Draw) -> Problem:
    places = draw.some(words.TOWNS, draw.integer(4, 6))
    keys = draw.some(words.THINGS, draw.integer(15, 30))
    lists = {
        place: _values(draw, draw.some(keys, len(keys) - draw.integer(0, 4))) for place in places
    }
    place = draw.one_of(places)
    key = draw.one_of(list(lists[place]))
    names = draw.shuffled(range(1, len(places) + 1))
    return _problem(
        draw.one_of(_WHERE).format(place=place, key=key),
        lists[place][key],
        {
            f"list-{name}.txt": _with_heading(draw, town, lists[town])
            for name, town in sorted(zip(names, places, strict=True))
        },
        sum(map(len, lists.values())),
    )


def _values(draw: Draw, keys: Sequence[str]) -> dict[str, int]:
    return {key: draw.integer(100, 999) for key in keys}


def _coloured(draw: Draw, number: int, count: int) -> list[str]:
    """Return keys of two words; the colours of one list occur in no other."""
    colours = words.COLOURS[number::3]
    return draw.some([f"{colour} {thing}" for colour in colours for thing in words.THINGS], count)


def _with_heading(draw: Draw, place: str, entries: dict[str, int]) -> str:
    line = draw.one_of(_LINES)
    heading = draw.one_of(_HEADINGS).format(place=place)
    body = "".join(f"{line.format(key=key, value=number)}\n" for key, number in entries.items())
    return f"{heading}\n\n{body}"


def _problem(text: str, answer: int, files: dict[str, str], size: int) -> Problem:
    return Problem(
        text=text,
        target=str(answer),
        scorer="number",
        size=size,
        files={name: content.encode() for name, content in files.items()},
        metadata={"integer": True},
    )


FAMILIES = {"value": value}
