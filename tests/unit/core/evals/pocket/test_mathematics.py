"""Every mathematics target, recomputed from the wording of the problem by other means."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Callable
from decimal import Decimal, getcontext
from fractions import Fraction
from functools import cache

import msgspec
import pytest

from sandbox_tui.core.evals.pocket.suite import families_of
from sandbox_tui.core.evals.task import Task
from tests.unit.core.evals.pocket.samples import all_of, ints, match


def product(task: Task) -> int:
    text = task.problem
    a, b = map(int, re.findall(r"\d{5,}", text))
    result, shift = 0, 1  # long multiplication
    for digit in reversed(str(b)):
        result, shift = result + a * int(digit) * shift, shift * 10
    if "sum" in text:
        total = 0
        while result:
            result, digit = divmod(result, 10)
            total += digit
        return total
    if "larger" in text:
        digit = match(text, r"digit is (\d)", r"the digit (\d) occurs")[1]
        return sum(c == digit for c in str(result)) * max(a, b)
    return result


def expression(task: Task) -> int:
    written = max(re.findall(r"[(\d][-+*() \d]+[)\d]", task.problem), key=len)
    return eval(written, {})


def fractions(task: Task) -> str:
    top, bottom = 0, 1
    for sign, a, b in re.findall(r"([-+]?) ?(\d+)/(\d+)", task.problem.split("for example")[0]):
        factor = -1 if sign == "-" else 1
        top, bottom = top * int(b) + factor * int(a) * bottom, bottom * int(b)
    divisor = math.gcd(top, bottom)
    return f"{top // divisor}/{bottom // divisor}"


def bases(task: Task) -> str:
    text = task.problem
    found = match(
        text,
        r"base-(?P<a>\d+) number (?P<x>\w+) to the base-(?P<b>\d+) number (?P<y>\w+) .* base (?P<c>\d+)\.",
        r"shows (?P<x>\w+) in base (?P<a>\d+), another shows (?P<y>\w+) in base (?P<b>\d+)\..* base (?P<c>\d+)\?",
        r"In base (?P<a>\d+) a number reads (?P<x>\w+); a second number reads (?P<y>\w+) in base (?P<b>\d+)\..* base (?P<c>\d+)\.",
    )
    value = int(found["x"], int(found["a"])) + int(found["y"], int(found["b"]))
    target = task.target
    assert target == target.lower()
    assert int(target, int(found["c"])) == value
    return target.lstrip("0")


def expansion(task: Task) -> str:
    numbers = ints(task.problem)
    top, bottom = numbers[0], numbers[1]
    first = match(task.problem, r"places (\d+)", r"digits (\d+) through", r"position (\d+) up")[1]
    digits = ""
    rest = top % bottom
    for place in range(1, int(first) + 10):  # long division
        digit, rest = divmod(rest * 10, bottom)
        if place >= int(first):
            digits += str(digit)
    return digits


def determinant(task: Task) -> int:
    rows = [
        [Fraction(n) for n in line.split()]
        for line in task.problem.splitlines()
        if re.fullmatch(r"[-\d ]+", line)
    ]
    value = Fraction(1)
    while rows:  # Gaussian elimination over fractions
        pivot = next((i for i, row in enumerate(rows) if row[0]), None)
        if pivot is None:
            return 0
        row = rows.pop(pivot)
        value *= row[0] * (-1) ** pivot
        rows = [[x - y * r[0] / row[0] for x, y in zip(r, row, strict=True)][1:] for r in rows]
    return int(value)


def modular_power(task: Task) -> int:
    text = task.problem
    found = match(
        text,
        r"remainder does (?P<b>\d+) to the power (?P<e>\d+) leave on division by (?P<m>\d+)",
        r"residue of (?P<b>\d+)\^(?P<e>\d+) modulo (?P<m>\d+)",
        r"multiply by (?P<b>\d+) again and again, (?P<e>\d+) times .* modulo (?P<m>\d+)",
        r"Modulo (?P<m>\d+), the power (?P<b>\d+)\^(?P<e>\d+)",
    )
    base, exponent, modulus = (int(found[k]) for k in "bem")
    result = 1  # one decimal digit of the exponent at a time
    for digit in str(exponent):
        result = result**10 * base ** int(digit) % modulus
    return result


def factor(n: int) -> dict[int, int]:
    found: dict[int, int] = {}
    p = 2
    while p * p <= n:
        while n % p == 0:
            found[p] = found.get(p, 0) + 1
            n //= p
        p += 1
    return found | ({n: found.get(n, 0) + 1} if n > 1 else {})


def divisors(task: Task) -> int:
    n = ints(task.problem)[0] if "Add up" not in task.problem else max(ints(task.problem))
    each = [[p**k for k in range(power + 1)] for p, power in factor(n).items()]
    found = [math.prod(parts) for parts in itertools.product(*each)]
    assert all(n % d == 0 for d in found)
    return sum(found) if "itself" in task.problem else len(found)


def is_prime(n: int) -> bool:
    """Miller-Rabin, exact below 3.3e24."""
    if n < 2 or any(n % p == 0 and n != p for p in (2, 3, 5, 7, 11, 13)):
        return False
    if n < 17:
        return True
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41):
        x = pow(base, odd, n)
        if x in (1, n - 1, 0):
            continue
        if not any((x := x * x % n) == n - 1 for _ in range(twos - 1)):
            return False
    return True


def primes(task: Task) -> int:
    low, high = ints(task.problem)[:2]
    found = [n for n in range(low, high + 1) if is_prime(n)]
    if "sum of all" in task.problem or "add them up" in task.problem:
        return sum(found)
    if "multipl" in task.problem:
        return max(map(lambda a, b: b - a, found, found[1:])) * found[0]
    return len(found)


def remainders(task: Task) -> int:
    text = task.problem
    if pairs := re.findall(r"n = (\d+) \(mod (\d+)\)", text):
        rests, moduli = zip(*((int(a), int(b)) for a, b in pairs), strict=True)
    else:
        found = match(
            text,
            r"remainders (?P<r>[\d, and]+) when it is divided by (?P<m>[\d, and]+), in",
            r"piles of (?P<m>[\d, and]+) there are, respectively, (?P<r>[\d, and]+) coins",
        )
        rests, moduli = ints(found["r"]), ints(found["m"])
    value, step = 0, 1  # sieving, one modulus after another
    for rest, modulus in zip(rests, moduli, strict=True):
        while value % modulus != rest:
            value += step
        step *= modulus
    return value or step


def recurrence(task: Task) -> int:
    text = task.problem
    found = match(
        text,
        r"begins (?P<s>[\d, and]+), and.*What is x\((?P<n>\d+)\) modulo (?P<m>\d+)",
        r"\.\.\. be (?P<s>[\d, and]+)\. Find the remainder of x\((?P<n>\d+)\) on division by (?P<m>\d+)",
        r"the term x\((?P<n>\d+)\) by (?P<m>\d+) and.*starts with (?P<s>[\d, and]+) at",
    )
    start, n, modulus = ints(found["s"]), int(found["n"]), int(found["m"])
    rule = {int(back): int(f) for f, back in re.findall(r"(\d+)·x\(k-(\d+)\)", text)}
    assert set(rule) == set(range(1, len(start) + 1))
    order = len(start)

    def times(one: list[int], other: list[int]) -> list[int]:
        """Multiply polynomials modulo the characteristic polynomial (Kitamasa's method)."""
        whole = [0] * (2 * order - 1)
        for i, x in enumerate(one):
            for j, y in enumerate(other):
                whole[i + j] += x * y
        for top in range(2 * order - 2, order - 1, -1):
            for back, f in rule.items():
                whole[top - back] += whole[top] * f
        return [x % modulus for x in whole[:order]]

    power = [1] + [0] * (order - 1)
    for bit in f"{n - 1:b}":
        power = times(power, power)
        if bit == "1":
            power = times(power, [0, 1] + [0] * (order - 2))
    return sum(p * x for p, x in zip(power, start, strict=True)) % modulus


def digit_sums(task: Task) -> int:
    found = match(
        task.problem,
        r"multiples of (?P<d>\d+) from (?P<a>\d+) to (?P<b>\d+), .* remainder (?P<r>\d+) on division by (?P<p>\d+)",
        r"numbered (?P<a>\d+) to (?P<b>\d+) .* by (?P<d>\d+) and its digit sum is (?P<r>\d+) more than a multiple of (?P<p>\d+)",
        r"with (?P<a>\d+) <= n <= (?P<b>\d+) for which n is a multiple of (?P<d>\d+) .* to (?P<r>\d+) modulo (?P<p>\d+)",
    )
    a, b, d, p, r = (int(found[k]) for k in "abdpr")

    @cache  # counts numbers with `left` more digits by remainder and digit sum
    def below(left: int, rest: int, total: int) -> int:
        if not left:
            return int(rest == 0 and total == r)
        return sum(below(left - 1, (rest * 10 + x) % d, (total + x) % p) for x in range(10))

    def up_to(n: int) -> int:
        count = rest = total = 0
        digits = str(n)
        for place, digit in enumerate(digits):
            for x in range(int(digit)):
                count += below(len(digits) - place - 1, (rest * 10 + x) % d, (total + x) % p)
            rest, total = (rest * 10 + int(digit)) % d, (total + int(digit)) % p
        return count + int(rest == 0 and total == r)

    return up_to(b) - up_to(a - 1)


def exactly_some(task: Task) -> int:
    found = match(
        task.problem,
        r"from 1 to (?P<n>\d+) are divisible by exactly (?P<k>\d) of the numbers (?P<l>[\d, and]+)\?",
        r"if, of (?P<l>[\d, and]+), exactly (?P<k>\d) divide it.* not exceed (?P<n>\d+)",
        r"^(?P<n>\d+) lamps.* numbers (?P<l>[\d, and]+), somebody .* exactly (?P<k>\d) marks",
    )
    divisors, n, k = ints(found["l"]), int(found["n"]), int(found["k"])
    period = math.lcm(*divisors)
    if period > 3_000_000:  # too long: count by splitting on each divisor in turn

        def count(multiple: int, rest: tuple[int, ...], left: int) -> int:
            if left < 0 or left > len(rest):
                return 0
            if not rest:
                return n // multiple
            both = count(math.lcm(multiple, rest[0]), rest[1:], left - 1)
            without = count(multiple, rest[1:], left)
            return both + without - count(math.lcm(multiple, rest[0]), rest[1:], left)

        return count(1, tuple(divisors), k)
    marks = bytearray(period + 1)
    for d in divisors:
        for multiple in range(d, period + 1, d):
            marks[multiple] += 1
    whole, part = divmod(n, period)
    return whole * marks[1:].count(k) + marks[1 : part + 1].count(k)


def coins(task: Task) -> int:
    found = match(
        task.problem,
        r"worth (?P<c>[\d, ]+) cents\. In how many ways can (?P<n>\d+)",
        r"weigh (?P<c>[\d, ]+) kg, .* weigh (?P<n>\d+) kg",
        r"can (?P<n>\d+) be written .* list (?P<c>[\d, ]+)\?",
    )
    # The coefficient of x^n in the product of 1 / (1 - x^c), with the series in one large integer.
    n = int(found["n"])
    shift = 160
    series, mask = 1, (1 << shift * (n + 1)) - 1
    for coin in ints(found["c"]):
        step = coin
        while step <= n:  # 1 + x^c + x^2c + ... = (1 + x^c)(1 + x^2c)(1 + x^4c) ...
            series = (series + (series << shift * step)) & mask
            step *= 2
    return series >> shift * n


def routes(task: Task) -> int:
    points = [tuple(ints(p)) for p in re.findall(r"\((\d+, \d+)\)", task.problem)]
    assert points[0] == (0, 0)
    (_, end, *holes) = points
    # Inclusion-exclusion over chains of obstacles, with binomial coefficients.
    stops = [*sorted(set(holes)), end]
    ways: dict[tuple[int, ...], int] = {}
    for x, y in stops:
        value = math.comb(x + y, x)
        for (u, v), count in ways.items():
            if u <= x and v <= y:
                value -= count * math.comb(x - u + y - v, x - u)
        ways[x, y] = value
    return ways[end]


def tolls(task: Task) -> int:
    text = task.problem
    roads = re.findall(r"(?:between )?([A-Z]\w+) (?:-|to|and) ([A-Z]\w+)(?::|, toll) (\d+)", text)
    assert len(roads) == task.metadata["size"]
    start, end = match(text, r"journey from (\w+) to (\w+)", r"get from (\w+) to (\w+)").groups()
    best = {start: 0}
    for _ in roads:  # Bellman-Ford
        for one, two, toll in roads:
            for a, b in ((one, two), (two, one)):
                if a in best:
                    best[b] = min(best.get(b, 10**9), best[a] + int(toll))
    return best[end]


def subsets(task: Task) -> int:
    found = match(
        task.problem,
        r"Weights of (?P<i>[\d, ]+) grams .* remainder (?P<r>\d+) on division by (?P<m>\d+)",
        r"list (?P<i>[\d, ]+) choose .* to (?P<r>\d+) modulo (?P<m>\d+)",
    )
    items, rest, modulus = ints(found["i"]), int(found["r"]), int(found["m"])
    half = len(items) // 2  # meet in the middle, over dictionaries of sums

    def sums(part: list[int]) -> dict[int, int]:
        totals = {0: 1}
        for item in part:
            for total, ways in list(totals.items()):
                totals[total + item] = totals.get(total + item, 0) + ways
        return totals

    left, right = sums(items[:half]), sums(items[half:])
    by_rest: dict[int, int] = {}
    for total, ways in right.items():
        by_rest[total % modulus] = by_rest.get(total % modulus, 0) + ways
    value = sum(w * by_rest.get((rest - t) % modulus, 0) for t, w in left.items())
    return value - (rest == 0)


def numbers_file(task: Task) -> int:
    [(name, content)] = task.files.items()
    assert name in task.problem
    lines = content.decode().splitlines()
    text = task.problem
    divisor = int(match(text, r"divisible by (\d+)", r"multiples of (\d+)")[1])
    ending = match(text, r"(?:digit|in) (?:is )?(\d)\b", r"end(?:s)? in (?:the digit )?(\d)")[1]
    hit = [int(line) % divisor == 0 or line.endswith(ending) for line in lines]
    if "median" in text:
        rest = sorted(int(line) for line, h in zip(lines, hit, strict=True) if not h)
        return rest[-1] - rest[(len(rest) - 1) // 2]
    if "eight each" in text or "Number the lines" in text:
        return sum(i * int(line) for i, line in enumerate(lines, 1) if not hit[i - 1])
    return sum(int(line) for line, h in zip(lines, hit, strict=True) if h)


SOLVERS: dict[str, Callable[[Task], object]] = {
    f.__name__: f
    for f in (
        product, expression, fractions, bases, expansion, determinant, modular_power, divisors,
        primes, remainders, recurrence, digit_sums, exactly_some, coins, routes, tolls, subsets,
        numbers_file,
    )
}  # fmt: skip


def test_every_family_has_a_solver() -> None:
    assert set(SOLVERS) == set(families_of("math"))


@pytest.mark.parametrize("family", sorted(SOLVERS))
def test_targets_agree_with_the_words(family: str) -> None:
    tasks = list(all_of("math", family))
    assert len(tasks) >= 9
    for task in tasks:
        assert str(SOLVERS[family](task)) == task.target, task.problem


def test_the_solver_of_expressions_sees_one_wrong_digit() -> None:
    """Shows that the agreement above is not an artefact of the solver."""
    task = next(all_of("math", "product"))
    a = re.findall(r"\d{5,}", task.problem)[0]
    other = task.problem.replace(a, str(int(a) + random.Random(1).randrange(1, 9)))
    assert str(product(msgspec.structs.replace(task, problem=other))) != task.target


def test_expansions_agree_with_decimal() -> None:
    getcontext().prec = 9_100
    for task in all_of("math", "expansion"):
        top, bottom = ints(task.problem)[:2]
        assert task.target in str(Decimal(top) / Decimal(bottom))
