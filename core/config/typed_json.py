"""Says in plain words what is wrong with JSON that a person typed."""

from __future__ import annotations

from json import JSONDecodeError

MAX_QUOTED = 24
"""Maximum number of characters that are quoted from the place of the mistake."""

_WORDS = {
    "Expecting property name enclosed in double quotes": "a name in double quotes is expected",
    "Illegal trailing comma before end of object": "nothing follows the comma",
    "Illegal trailing comma before end of array": "nothing follows the comma",
    "Expecting value": "a value is expected",
    "Expecting ':' delimiter": "a colon is expected",
    "Expecting ',' delimiter": "a comma or a closing bracket is expected",
    "Extra data": "the value has ended, but more follows",
    "Unterminated string starting at": "this text has no closing quote",
    "Invalid control character at": "a text must write a line break as \\n and a tab as \\t",
    "Invalid \\escape": "a backslash must be written twice",
    "Invalid \\uXXXX escape": "\\u must be followed by four hexadecimal digits",
    "Unexpected UTF-8 BOM (decode using utf-8-sig)": "a byte order mark is not allowed",
}
"""What is wrong, by the beginning of the parser's words."""


def mistake_in_json(error: JSONDecodeError) -> str:
    """Return what is wrong, and where, as a part of a sentence."""
    begins = (words for parsed, words in _WORDS.items() if error.msg.startswith(parsed))
    return f"{next(begins, error.msg)} {_place(error)}"


def _place(error: JSONDecodeError) -> str:
    text = error.doc
    if not text[error.pos :].strip():
        return "at the end"
    line = f"line {error.lineno}, " if "\n" in text.strip() else ""
    found = text[error.pos :].splitlines()[0]
    cut = found if len(found) <= MAX_QUOTED else f"{found[: MAX_QUOTED - 1]}…"
    return f"at {line}character {error.colno}, “{cut}”"
