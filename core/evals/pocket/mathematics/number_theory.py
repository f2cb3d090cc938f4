"""Number theory: powers, divisors, primes, remainders, recurrences, digits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.problem import Problem, at_level, integer_problem

_SMALL_PRIMES = tuple(n for n in range(2, 1_000) if all(n % d for d in range(2, math.isqrt(n) + 1)))


def _listed(items: Sequence[object]) -> str:
    *first, last = map(str, items)
    return f"{', '.join(first)} and {last}"


def modular_power(draw: Draw, level: int) -> Problem:
    """A remainder of a power. Size: digits of base, exponent and modulus."""
    digits = at_level(level, 4, 9, 20)
    base, exponent = draw.of_digits(digits), draw.of_digits(digits + 1)
    modulus = draw.of_digits(digits)
    text = draw.one_of(
        (
            "What remainder does {b} to the power {e} leave on division by {m}?",
            "Find the least non-negative residue of {b}^{e} modulo {m}.",
            "Start with 1 and multiply by {b} again and again, {e} times in all, keeping only the "
            "remainder modulo {m} after each multiplication. With which number do you end?",
            "Modulo {m}, the power {b}^{e} is congruent to exactly one number from 0 to {m} - 1. "
            "Which one?",
        )
    ).format(b=base, e=exponent, m=modulus)
    return integer_problem(draw, text, pow(base, exponent, modulus), size=3 * digits + 1)


def divisors(draw: Draw, level: int) -> Problem:
    """The divisors of a number with known factors. Size: its digits."""
    limit = at_level(level, 10**6, 10**11, 10**17)
    factors: dict[int, int] = {}
    n = 1
    while n * 1_000 < limit:
        prime = draw.one_of(_SMALL_PRIMES[:12] if draw.chance(0.4) else _SMALL_PRIMES)
        factors[prime] = factors.get(prime, 0) + 1
        n *= prime
    if draw.chance(0.5):
        text = draw.one_of(
            (
                "How many positive divisors does {n} have?",
                "Count the ways to write {n} as an ordered product of two positive integers.",
                "In how many different rectangles, told apart by width and height, can {n} square "
                "tiles be laid out?",
            )
        )
        value = math.prod(power + 1 for power in factors.values())
    else:
        text = draw.one_of(
            (
                "What is the sum of all positive divisors of {n}, {n} itself included?",
                "Add up every positive integer that divides {n}, from 1 to the number itself.",
            )
        )
        value = math.prod((p ** (k + 1) - 1) // (p - 1) for p, k in factors.items())
    return integer_problem(draw, text.format(n=n), value, size=len(str(n)))


def _primes(low: int, high: int) -> list[int]:
    """Return the primes from `low` to `high`, by a segmented sieve."""
    root = math.isqrt(high)
    base = bytearray([1]) * (root + 1)
    segment = bytearray([1]) * (high - low + 1)
    for p in range(2, root + 1):
        if base[p]:
            base[p * p :: p] = bytes(len(range(p * p, root + 1, p)))
            first = max(p * p, -(-low // p) * p) - low
            segment[first::p] = bytes(len(range(first, len(segment), p)))
    return [low + i for i, is_prime in enumerate(segment) if is_prime]


def primes(draw: Draw, level: int) -> Problem:
    """Primes of an interval. Size: digits of its upper end times its length in thousands."""
    low = draw.of_digits(at_level(level, 5, 7, 9))
    length = at_level(level, 2_000, 6_000, 20_000) + draw.integer(0, 999)
    found = _primes(low, low + length)
    which = draw.integer(0, 2)
    if which == 0:
        text = draw.one_of(
            (
                "How many prime numbers lie between {a} and {b}, both ends included?",
                "Count the primes p with {a} <= p <= {b}.",
            )
        )
        value = len(found)
    elif which == 1:
        text = draw.one_of(
            (
                "What is the sum of all primes from {a} to {b}, both ends included?",
                "Take every prime that is at least {a} and at most {b}, and add them up.",
            )
        )
        value = sum(found)
    else:
        text = draw.one_of(
            (
                "Look at the primes from {a} up to {b}. What is the widest gap between two of them "
                "that follow each other, multiplied by the smallest prime in the range?",
                "Between {a} and {b}, take the largest difference of two consecutive primes and "
                "multiply it by the smallest prime of that range.",
            )
        )
        value = found[0] * max(b - a for a, b in itertools.pairwise(found))
    text = text.format(a=low, b=low + length)
    return integer_problem(draw, text, value, size=len(str(low)) * (length // 1_000))


def remainders(draw: Draw, level: int) -> Problem:
    """A system of congruences. Size: digits of the product of the moduli."""
    moduli = draw.some(_SMALL_PRIMES[10:60], at_level(level, 3, 5, 8))
    product = math.prod(moduli)
    # A random answer with about as many digits as the product.
    value = draw.of_digits(len(str(product))) % product
    rests = [value % m for m in moduli]
    text = draw.one_of(
        (
            "A number leaves the remainders {rests} when it is divided by {moduli}, in this order. "
            "What is the smallest positive number that does so?",
            "Coins are stacked in piles. In piles of {moduli} there are, respectively, {rests} "
            "coins left over. What is the least possible number of coins?",
            "Find the smallest positive integer n with {list}.",
        )
    ).format(
        rests=_listed(rests),
        moduli=_listed(moduli),
        list=_listed([f"n = {r} (mod {m})" for r, m in zip(rests, moduli, strict=True)]),
    )
    return integer_problem(draw, text, value or product, size=len(str(product)))


def recurrence(draw: Draw, level: int) -> Problem:
    """A term of a linear recurrence. Size: digits of the index and of the modulus."""
    order = at_level(level, 2, 3, 3)
    factors = [draw.integer(2, 9) for _ in range(order)]
    start = [draw.integer(1, 99) for _ in range(order)]
    index = draw.of_digits(at_level(level, 2, 4, 7))
    modulus = draw.of_digits(at_level(level, 4, 6, 9))
    matrix = [factors[::-1], *([int(i == j) for j in range(order)] for i in range(order - 1))]
    power = [[int(i == j) for j in range(order)] for i in range(order)]
    exponent = index - order
    while exponent > 0:
        if exponent & 1:
            power = _times(power, matrix, modulus)
        matrix = _times(matrix, matrix, modulus)
        exponent >>= 1
    value = sum(f * x for f, x in zip(power[0], start[::-1], strict=True)) % modulus
    if index <= order:
        value = start[index - 1] % modulus
    rule = " + ".join(f"{f}·x(k-{order - i})" for i, f in enumerate(factors))
    text = draw.one_of(
        (
            "A sequence begins {starts}, and from then on x(k) = {rule}. What is x({n}) modulo "
            "{m}?",
            "Let x(k) = {rule} for every k above {order}, and let the first terms x(1), x(2), ... "
            "be {starts}. Find the remainder of x({n}) on division by {m}.",
            "Divide the term x({n}) by {m} and give the remainder, where the sequence x starts "
            "with {starts} at index 1 and continues by x(k) = {rule}.",
        )
    ).format(starts=_listed(start), rule=rule, n=index, m=modulus, order=order)
    return integer_problem(draw, text, value, size=len(str(index)) + len(str(modulus)))


def _times(a: list[list[int]], b: list[list[int]], modulus: int) -> list[list[int]]:
    columns = list(zip(*b, strict=True))
    return [
        [sum(x * y for x, y in zip(row, column, strict=True)) % modulus for column in columns]
        for row in a
    ]


def digit_sums(draw: Draw, level: int) -> Problem:
    """Numbers by divisor and digit sum. Size: how many numbers there are to check."""
    high = at_level(level, 10**4, 10**5, 10**6)
    a = draw.integer(high // 10, high // 2)
    b = a + draw.integer(high // 3, high // 2)
    divisor, part, rest = draw.integer(3, 23), draw.integer(4, 11), draw.integer(0, 3)
    value = sum(
        1
        for n in range(-(-a // divisor) * divisor, b + 1, divisor)
        if sum(map(int, str(n))) % part == rest
    )
    if not value:  # a multiple of 9 has no other digit sums
        return digit_sums(draw, level)
    text = draw.one_of(
        (
            "How many multiples of {d} from {a} to {b}, ends included, have a digit sum that "
            "leaves remainder {r} on division by {p}?",
            "Tickets are numbered {a} to {b} without a gap. A ticket wins if its number is "
            "divisible by {d} and its digit sum is {r} more than a multiple of {p}. How many "
            "tickets win? (Zero counts as a multiple.)",
            "Count the integers n with {a} <= n <= {b} for which n is a multiple of {d} and the "
            "sum of the decimal digits of n is congruent to {r} modulo {p}.",
        )
    ).format(a=a, b=b, d=divisor, p=part, r=rest)
    return integer_problem(draw, text, value, size=b - a)


def exactly_some(draw: Draw, level: int) -> Problem:
    """Numbers with an exact count of given divisors. Size: digits of the bound times divisors."""
    count = at_level(level, 3, 4, 5)
    bound = draw.of_digits(at_level(level, 6, 9, 14))
    divisors = sorted(draw.some(range(4, 40), count))
    wanted = draw.integer(2, count - 1)
    value = 0
    for chosen in range(1, 2**count):
        size = chosen.bit_count()
        if size >= wanted:
            multiple = math.lcm(*(d for i, d in enumerate(divisors) if chosen >> i & 1))
            value += (-1) ** (size - wanted) * math.comb(size, wanted) * (bound // multiple)
    text = draw.one_of(
        (
            "How many of the integers from 1 to {n} are divisible by exactly {k} of the numbers "
            "{list}?",
            "A number is called fitting if, of {list}, exactly {k} divide it. How many fitting "
            "positive integers are there that do not exceed {n}?",
            "{n} lamps, numbered from 1, are off. For each of the numbers {list}, somebody walks "
            "by once and marks every lamp whose number is a multiple of it. How many lamps get "
            "exactly {k} marks?",
        )
    ).format(n=bound, k=wanted, list=_listed(divisors))
    return integer_problem(draw, text, value, size=len(str(bound)) * count)
