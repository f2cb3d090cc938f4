"""Finds the lines of settings in the text of a config file."""

from __future__ import annotations

import re
from collections.abc import Iterator

_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(#.*)?$")
_LIST_HEADER = re.compile(r"\s*\[\[\s*([^\[\]]+?)\s*\]\]\s*(#.*)?$")
_ASSIGNMENT = re.compile(r"""\s*((?:[\w.\- ]|"[^"]*"|'[^']*')+?)\s*=""")


def line_of(text: str, *path: str) -> int:
    """Return the number of the line that sets the value at `path`; 0 if none is found.

    Args:
        text: a TOML document.
        path: table and key; the key may contain dots.
    """
    dotted = ".".join(path)
    return next((number for number, name in _assignments(text) if name == dotted), 0)


def line_of_item(text: str, name: str, number: int, key: str = "") -> int:
    """Return the line of an item of a list of tables, or of a key in it; 0 if none is found.

    Args:
        text: a TOML document.
        name: of the list, with dots, as in `[[policy.rules]]`.
        number: of the item, counted from 1.
        key: in the item; empty for the line that begins it.
    """
    begins, found = 0, 0
    for line, place in _assignments(text):
        begins += place == f"{name}[]"
        if begins == number:
            if place == f"{name}[]":
                found = line
            if key and place == f"{name}[].{key}":
                return line
    return found


def first_line_in(text: str, table: str) -> int:
    """Return the first line that names a table or sets a value in it; 0 if none does."""
    names = ((line, place.replace("[]", "")) for line, place in _assignments(text))
    inside = (line for line, place in names if f"{place}.".startswith(f"{table}."))
    return next(inside, 0)


def _assignments(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line that starts a table or sets a value, with its dotted name; the name of a list
    of tables ends with `[]`."""
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        if header := _HEADER.match(line):
            table = _plain(header[1])
            yield number, table
        elif item := _LIST_HEADER.match(line):
            table = f"{_plain(item[1])}[]"
            yield number, table
        elif assignment := _ASSIGNMENT.match(line):
            key = _plain(assignment[1])
            yield number, f"{table}.{key}" if table else key


def _plain(key: str) -> str:
    """Return a key without its quotes: `keys."live.approve"` is keys.live.approve."""
    return ".".join(part.strip() for part in key.replace('"', "").replace("'", "").split("."))
