"""What parking costs. Times are minutes since Monday 00:00, amounts are cents.

- fee(arrival, departure): stays of up to FREE minutes cost nothing. Longer ones pay, from the first
  minute, HOUR for each hour that is begun; between 20:00 and 06:00 an hour that begins then costs
  half of it, rounded down. Hours are counted from the arrival. For each day of the stay (24 hours
  from the arrival, the last of them perhaps shorter) at most DAY is paid.
- monthly(stays): the sum of the fees of a list of stays [arrival, departure], less a tenth (rounded
  down) if there were at least ten stays that cost something.
- longest(stays): the place in the list, from 0, of the longest stay; the first of them if several
  are equally long; -1 if there is none.

A departure before the arrival raises ValueError.
"""

from __future__ import annotations

FREE = 15
HOUR = 250
DAY = 2000


def fee(arrival: int, departure: int) -> int:
    if departure < arrival:
        raise ValueError("the departure is before the arrival")
    if departure - arrival <= FREE:
        return 0
    total, day = 0, arrival
    while day < departure:
        end = min(day + 24 * 60, departure)
        total += min(DAY, sum(_price(start) for start in range(day, end, 60)))
        day += 24 * 60
    return total


def _price(start: int) -> int:
    time = start % (24 * 60)
    return HOUR // 2 if time >= 20 * 60 or time < 6 * 60 else HOUR


def monthly(stays: list[list[int]]) -> int:
    fees = [fee(arrival, departure) for arrival, departure in stays]
    total = sum(fees)
    if sum(1 for amount in fees if amount > 0) >= 10:
        total -= total // 10
    return total


def longest(stays: list[list[int]]) -> int:
    best, length = -1, -1
    for place, (arrival, departure) in enumerate(stays):
        if departure < arrival:
            raise ValueError("the departure is before the arrival")
        if departure - arrival > length:
            best, length = place, departure - arrival
    return best
