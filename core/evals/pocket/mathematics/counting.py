"""Counting and optimising: coins, routes, networks, subsets, lists of large numbers."""

from __future__ import annotations

import heapq
import itertools
from statistics import median_low

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.problem import Problem, at_level, integer_problem

_PLACES = (
    "Ardel",
    "Bramo",
    "Cintra",
    "Dovery",
    "Elmsic",
    "Fenwold",
    "Gorrin",
    "Hasp",
    "Inver",
    "Jorvane",
    "Kettle",
    "Lumen",
    "Marsk",
    "Norrow",
    "Ostrava",
    "Pell",
    "Quarry",
    "Rindle",
    "Sorrel",
    "Tamsin",
)


def coins(draw: Draw, level: int) -> Problem:
    """Ways to pay an amount. Size: the amount times the kinds of coin."""
    kinds = sorted(draw.some(range(3, 60), at_level(level, 4, 6, 8)))
    amount = draw.integer(*((300, 600), (1_000, 2_000), (4_000, 9_000))[level - 1])
    ways = [1, *([0] * amount)]
    for coin in kinds:
        for total in range(coin, amount + 1):
            ways[total] += ways[total - coin]
    if ways[amount] < 50:
        return coins(draw, level)
    listed = ", ".join(map(str, kinds))
    text = draw.one_of(
        (
            "A country has coins worth {coins} cents. In how many ways can {n} cents be paid, if "
            "the order of the coins does not matter and each kind may be used as often as one "
            "likes?",
            "Parcels weigh {coins} kg, with any number of each kind in stock. How many different "
            "selections of parcels weigh {n} kg in total?",
            "In how many ways can {n} be written as a sum whose terms all come from the list "
            "{coins}? Terms may repeat, and sums that differ only in the order of terms count "
            "once.",
        )
    ).format(coins=listed, n=amount)
    return integer_problem(draw, text, ways[amount], size=amount * len(kinds))


def routes(draw: Draw, level: int) -> Problem:
    """Lattice paths around obstacles. Size: crossings of the grid."""
    side = at_level(level, 8, 14, 24)
    width, height = side + draw.integer(0, 2), side + draw.integer(0, 2)
    blocked = {(draw.integer(1, width - 1), draw.integer(1, height - 1)) for _ in range(side)}
    ways = {(0, 0): 1}
    for x in range(width + 1):
        for y in range(height + 1):
            if (x, y) in blocked:
                ways[x, y] = 0
            elif (x, y) != (0, 0):
                ways[x, y] = ways.get((x - 1, y), 0) + ways.get((x, y - 1), 0)
    if not ways[width, height]:
        return routes(draw, level)
    holes = ", ".join(f"({x}, {y})" for x, y in draw.shuffled(sorted(blocked)))
    text = draw.one_of(
        (
            "A robot stands at (0, 0) and wants to reach ({w}, {h}). Each move adds 1 to one of "
            "its two coordinates. It must never stand on any of these points: {holes}. How many "
            "different paths can it take?",
            "In a town of square blocks a courier walks from the crossing (0, 0) to the crossing "
            "({w}, {h}), always east or north. The crossings {holes} are closed. How many routes "
            "are left?",
            "Count the lattice paths from (0, 0) to ({w}, {h}) with unit steps right and up that "
            "avoid the points {holes}.",
        )
    ).format(w=width, h=height, holes=holes)
    return integer_problem(draw, text, ways[width, height], size=(width + 1) * (height + 1))


def tolls(draw: Draw, level: int) -> Problem:
    """The cheapest way through a network. Size: its roads."""
    towns = draw.some(_PLACES, at_level(level, 9, 14, 20))
    roads: dict[frozenset[str], int] = {}
    for here, there in itertools.pairwise(towns):
        roads[frozenset((here, there))] = draw.integer(30, 300)
    while len(roads) < len(towns) * at_level(level, 2, 3, 4):
        roads.setdefault(frozenset(draw.some(towns, 2)), draw.integer(60, 900))
    start, end = towns[0], towns[-1]
    lines = draw.shuffled([(*draw.shuffled(sorted(ends)), toll) for ends, toll in roads.items()])
    form = draw.one_of(("{} - {}: {}", "{} to {}, toll {}", "between {} and {}: {} crowns"))
    table = "\n".join(form.format(*line) for line in lines)
    text = draw.one_of(
        (
            "These roads, open in both directions, each charge a toll:\n\n{t}\n\nWhat is the least "
            "total toll for a journey from {a} to {b}?",
            "A carter must get from {a} to {b} as cheaply as possible. What is the smallest sum of "
            "tolls, if every road below may be used in either direction?\n\n{t}\n\n",
        )
    ).format(t=table, a=start, b=end)
    return integer_problem(draw, text, _cheapest(roads, start, end), size=len(roads))


def _cheapest(roads: dict[frozenset[str], int], start: str, end: str) -> int:
    queue, done = [(0, start)], set[str]()
    while queue:
        cost, here = heapq.heappop(queue)
        if here == end:
            return cost
        if here not in done:
            done.add(here)
            for ends, toll in roads.items():
                if here in ends:
                    heapq.heappush(queue, (cost + toll, next(iter(ends - {here}))))
    raise AssertionError("the network is connected")


def subsets(draw: Draw, level: int) -> Problem:
    """Subsets by the remainder of their sum. Size: the elements."""
    count = at_level(level, 14, 22, 40)
    items = [draw.integer(100, 999) for _ in range(count)]
    modulus = draw.integer(11, 97)
    rest = draw.integer(0, modulus - 1)
    ways = [1, *([0] * (modulus - 1))]
    for item in items:
        ways = [ways[i] + ways[(i - item) % modulus] for i in range(modulus)]
    value = ways[rest] - (rest == 0)
    text = draw.one_of(
        (
            "Weights of {items} grams lie on a table. How many non-empty selections of them have a "
            "total that leaves remainder {r} on division by {m}? Weights of equal mass count as "
            "different pieces.",
            "From the list {items} choose any non-empty set of positions. For how many choices is "
            "the sum of the numbers at these positions congruent to {r} modulo {m}?",
        )
    ).format(items=", ".join(map(str, items)), r=rest, m=modulus)
    return integer_problem(draw, text, value, size=count)


def numbers_file(draw: Draw, level: int) -> Problem:
    """A file of large integers. Size: its digits."""
    count = at_level(level, 120, 500, 2_000)
    digits = at_level(level, 8, 14, 20)
    numbers = [draw.of_digits(draw.integer(digits - 3, digits)) for _ in range(count)]
    divisor, ending = draw.integer(6, 29), draw.integer(0, 9)
    name = draw.one_of(("numbers.txt", "readings.txt", "ledger.txt", "values.txt"))
    which = draw.integer(0, 2)
    if which == 0:
        text = draw.one_of(
            (
                "The input file {f} holds one integer a line. Add up those that are divisible by "
                "{d} or end in the digit {e} (or both). What is the sum?",
                "What do the integers in the input file {f}, one a line, come to in total, if only "
                "multiples of {d} and numbers whose last digit is {e} are counted, none twice?",
            )
        )
        value = sum(n for n in numbers if n % divisor == 0 or n % 10 == ending)
    elif which == 1:
        text = draw.one_of(
            (
                "Each line of the input file {f} is an integer. Among those that are not divisible "
                "by {d} and do not end in {e}, what is the difference between the largest and the "
                "lower median (the element at position n/2 or (n+1)/2 in sorted order)?",
                "From the integers in the input file {f} (one a line) drop all multiples of {d} "
                "and all that end in the digit {e}. By how much does the largest of the rest "
                "exceed their lower median, which is the element at position n/2 or (n+1)/2 once "
                "they are sorted?",
            )
        )
        rest = [n for n in numbers if n % divisor and n % 10 != ending]
        value = max(rest) - median_low(rest)
    else:
        text = draw.one_of(
            (
                "Number the lines of the input file {f} from 1. Multiply each line's number by "
                "the integer on it and add the products, but skip every line whose integer is "
                "divisible by {d} or ends in {e}. What is the result?",
                "The input file {f} lists integers, one a line. Weight each by the number of its "
                "line (the first is line 1) and sum up, leaving out multiples of {d} and integers "
                "with the last digit {e}. Which total results?",
            )
        )
        value = sum(i * n for i, n in enumerate(numbers, 1) if n % divisor and n % 10 != ending)
    content = "".join(f"{n}\n" for n in numbers).encode()
    return integer_problem(
        draw,
        text.format(f=name, d=divisor, e=ending),
        value,
        size=sum(len(str(n)) for n in numbers),
        files={name: content},
    )
