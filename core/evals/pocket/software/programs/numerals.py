"""Roman numerals from 1 to 3999.

- to_roman(number): the numeral in upper case. Raises ValueError below 1 and above 3999.
- from_roman(text): the number. Upper and lower case are both read. Raises ValueError for anything
  that to_roman would not have written, such as IIII, VX or an empty text.
- total(numerals): the sum of a list of numerals, as a numeral.
"""

from __future__ import annotations

_PARTS = (
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
)


def to_roman(number: int) -> str:
    if number < 1 or number > 3999:
        raise ValueError("out of range")
    text = ""
    for value, letters in _PARTS:
        while number >= value:
            text += letters
            number -= value
    return text


def from_roman(text: str) -> int:
    upper = text.upper()
    rest, number = upper, 0
    for value, letters in _PARTS:
        while rest.startswith(letters):
            number += value
            rest = rest[len(letters) :]
    if rest or not upper or number > 3999 or to_roman(number) != upper:
        raise ValueError("no Roman numeral")
    return number


def total(numerals: list[str]) -> str:
    return to_roman(sum(from_roman(text) for text in numerals))
