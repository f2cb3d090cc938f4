"""Reads and writes tables as text.

Fields are separated by SEPARATOR and records by line ends. A field that contains the separator, a
line end or a double quote, or that begins or ends with a space, is written between double quotes,
in which a double quote is written twice; all other fields are written as they are.

- read(text): a list of records, each a list of fields. A line end after the last record begins no
  other one. Without quotes, spaces around a field do not belong to it; between quotes all of them
  do. Raises ValueError if the text ends inside quotes.
- write(records): the text of records, each ended by a line end.
- column(text, name): the fields of one column of a text whose first record holds the names; records
  that are too short have an empty field there. Raises ValueError if there is no such name.
"""

from __future__ import annotations

SEPARATOR = ";"


def read(text: str) -> list[list[str]]:
    records: list[list[str]] = []
    record: list[str] = []
    field, quoted, inside = "", False, False
    at = 0
    while at < len(text):
        character = text[at]
        at += 1
        if inside:
            if character != '"':
                field += character
            elif text[at : at + 1] == '"':
                field += '"'
                at += 1
            else:
                inside = False
        elif character == '"' and not field.strip():
            field, quoted, inside = "", True, True
        elif character in (SEPARATOR, "\n"):
            record.append(field if quoted else field.strip())
            field, quoted = "", False
            if character == "\n":
                records.append(record)
                record = []
        elif not quoted:
            field += character
    if inside:
        raise ValueError("the text ends inside quotes")
    if record or field or quoted:
        records.append([*record, field if quoted else field.strip()])
    return records


def write(records: list[list[str]]) -> str:
    return "".join(SEPARATOR.join(_written(field) for field in record) + "\n" for record in records)


def _written(field: str) -> str:
    if field != field.strip(" ") or any(c in field for c in (SEPARATOR, "\n", '"')):
        return '"' + field.replace('"', '""') + '"'
    return field


def column(text: str, name: str) -> list[str]:
    names, *records = read(text)
    place = names.index(name)
    return [record[place] if place < len(record) else "" for record in records]
