"""Counts working days.

Dates are texts such as "2024-02-29", of the Gregorian calendar. Saturdays, Sundays and HOLIDAYS
(month and day, in every year) are no working days.

- weekday(date): 0 for Monday to 6 for Sunday. Raises ValueError for a date that does not exist.
- working_days(first, last): the number of working days from the first date to the last, both
  included; 0 if the first is after the last.
- due(date, days): the date of the working day that comes so many working days after the date, which
  need not be a working day itself and does not count; days is at least 1.
"""

from __future__ import annotations

HOLIDAYS = ("01-01", "05-01", "12-25")

_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _length(year: int, month: int) -> int:
    return _LENGTHS[month - 1] + (month == 2 and _is_leap(year))


def _number(date: str) -> int:
    """Days since 0000-12-31."""
    year, month, day = (int(part) for part in date.split("-"))
    if not 1 <= month <= 12 or not 1 <= day <= _length(year, month):
        raise ValueError(f"there is no {date}")
    before = year - 1
    days = before * 365 + before // 4 - before // 100 + before // 400
    return days + sum(_length(year, m) for m in range(1, month)) + day


def _date(number: int) -> str:
    year = number // 366 + 1
    while _number(f"{year + 1:04}-01-01") <= number:
        year += 1
    month, day = 1, number - _number(f"{year:04}-01-01") + 1
    while day > _length(year, month):
        day -= _length(year, month)
        month += 1
    return f"{year:04}-{month:02}-{day:02}"


def weekday(date: str) -> int:
    return (_number(date) - 1) % 7


def _works(date: str) -> bool:
    return weekday(date) < 5 and date[5:] not in HOLIDAYS


def working_days(first: str, last: str) -> int:
    return sum(_works(_date(n)) for n in range(_number(first), _number(last) + 1))


def due(date: str, days: int) -> str:
    number = _number(date)
    while days > 0:
        number += 1
        if _works(_date(number)):
            days -= 1
    return _date(number)
