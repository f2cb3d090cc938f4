"""Exact arithmetic: products, expressions, fractions, bases, expansions, determinants."""

from __future__ import annotations

from fractions import Fraction

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.problem import (
    Problem,
    at_level,
    exact_problem,
    integer_problem,
)

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def product(draw: Draw, level: int) -> Problem:
    """Digits of a product. Size: digits of both factors."""
    digits = at_level(level, 7, 15, 32)
    a, b = draw.of_digits(digits), draw.of_digits(digits + draw.integer(0, 3))
    which = draw.integer(0, 2)
    result = str(a * b)
    if which == 0:
        text = draw.one_of(
            (
                "Multiply {a} by {b}, then add up the decimal digits of the product. What is the "
                "sum?",
                "What is the digit sum of {a} × {b} in base ten?",
                "A clerk multiplies {a} and {b} by hand and, to check, adds all the digits of the "
                "result. Which sum should the clerk find?",
            )
        )
        value = sum(map(int, result))
    elif which == 1:
        digit = draw.one_of([d for d in range(1, 10) if result.count(str(d)) > 1] or [1])
        text = draw.one_of(
            (
                "Write out the product of {a} and {b} in full. Count the places where the digit is "
                "{d}, and multiply that count by the larger of the two factors. What do you get?",
                "Let k be the number of times that the digit {d} occurs in the decimal form of "
                "{a} × {b}. What is k times the larger of these two factors?",
            )
        ).replace("{d}", str(digit))
        value = result.count(str(digit)) * max(a, b)
    else:
        text = draw.one_of(
            (
                "Compute {a} × {b} exactly.",
                "A rectangle measures {a} mm by {b} mm. What is its area in square millimetres, "
                "exactly?",
                "Work out the exact product of the factors {a} and {b}.",
            )
        )
        value = a * b
    return integer_problem(draw, text.format(a=a, b=b), value, size=len(str(a)) + len(str(b)))


def _expression(draw: Draw, depth: int, digits: int) -> str:
    if depth == 0:
        return str(draw.of_digits(digits))
    sign = draw.one_of(("+", "-", "*"))
    left = _expression(draw, depth - 1, digits)
    right = _expression(draw, depth - 1 if draw.chance(0.6) else 0, digits)
    return f"({left} {sign} {right})"


def _value(tokens: list[str]) -> int:
    token = tokens.pop(0)
    if token != "(":
        return int(token)
    left = _value(tokens)
    sign = tokens.pop(0)
    right = _value(tokens)
    assert tokens.pop(0) == ")"
    return left + right if sign == "+" else left - right if sign == "-" else left * right


def expression(draw: Draw, level: int) -> Problem:
    """The value of a nested expression. Size: digits in it."""
    written = _expression(draw, at_level(level, 3, 4, 5), at_level(level, 4, 6, 9))
    value = _value(written.replace("(", "( ").replace(")", " )").split())
    text = draw.one_of(
        (
            "Evaluate this expression exactly, where * means multiplication:\n\n{e}\n\n",
            "What does the following come to?\n\n{e}\n\nAn asterisk stands for multiplication.",
            "Simplify {e} to a single integer; the asterisk multiplies.",
        )
    ).format(e=written[1:-1])
    return integer_problem(draw, text, value, size=sum(c.isdigit() for c in written))


def fractions(draw: Draw, level: int) -> Problem:
    """A sum of fractions in lowest terms. Size: digits of all terms."""
    terms = [
        Fraction(draw.integer(1, 99), draw.of_digits(at_level(level, 2, 3, 4)))
        for _ in range(at_level(level, 4, 6, 9))
    ]
    signs = [1, *(draw.one_of((1, -1)) for _ in terms[1:])]
    value = sum((s * t for s, t in zip(signs, terms, strict=True)), Fraction(0))
    sum_text = "".join(
        f"{' + ' if s > 0 else ' - '}{t.numerator}/{t.denominator}"
        for s, t in zip(signs, terms, strict=True)
    )[3:]
    text = draw.one_of(
        (
            "Bring {s} to a single fraction in lowest terms.",
            "What is {s} as one fraction that cannot be reduced any further?",
            "Combine these fractions into one, fully reduced: {s}.",
        )
    ).format(s=sum_text)
    ask = "the fraction written as numerator/denominator (for example -17/24)"
    written = f"{value.numerator}/{value.denominator}"
    return exact_problem(draw, text, written, ask, size=sum(c.isdigit() for c in sum_text))


def _in_base(number: int, base: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, base)
        digits = _DIGITS[digit] + digits
    return digits or "0"


def bases(draw: Draw, level: int) -> Problem:
    """A sum of numbers in two bases, in a third. Size: digits of both."""
    one, two, three = draw.some([3, 5, 6, 7, 9, 11, 13, 14, 17, 19, 23], 3)
    digits = at_level(level, 5, 10, 20)
    a, b = draw.of_digits(digits), draw.of_digits(digits)
    first, second = _in_base(a, one), _in_base(b, two)
    text = draw.one_of(
        (
            "Add the base-{one} number {first} to the base-{two} number {second} and write the sum "
            "in base {three}.",
            "One counter shows {first} in base {one}, another shows {second} in base {two}. What "
            "is the total of both, in base {three}?",
            "In base {two} a number reads {second}; a second number reads {first} in base {one}. "
            "Express their sum in base {three}.",
        )
    ).format(one=one, two=two, three=three, first=first, second=second)
    text += " The letters a, b, c, ... stand for the digits ten, eleven, twelve and so on."
    ask = "the digits of the sum in lower case, without the base"
    return exact_problem(draw, text, _in_base(a + b, three), ask, size=len(first) + len(second))


def expansion(draw: Draw, level: int) -> Problem:
    """Some digits of a decimal expansion. Size: place of the last requested digit."""
    bottom = draw.of_digits(at_level(level, 3, 5, 7)) | 1
    bottom += 2 if bottom % 5 == 0 else 0
    top = draw.integer(2, bottom - 1)
    first = draw.integer(*((40, 90), (300, 900), (5_000, 9_000))[level - 1])
    digits = str(top * 10 ** (first + 9) // bottom % 10**10).zfill(10)
    text = draw.one_of(
        (
            "Write {top}/{bottom} as a decimal fraction. Which ten digits stand at the places "
            "{first} to {last} after the decimal point?",
            "Long division of {top} by {bottom} gives an unending decimal. Counting the first "
            "digit after the point as number 1, what are digits {first} through {last}?",
            "Consider the decimal expansion of the quotient {top} : {bottom}. Find its digits from "
            "position {first} up to position {last} behind the decimal point.",
        )
    ).format(top=top, bottom=bottom, first=first, last=first + 9)
    ask = "the ten digits in their order, leading zeros included, without spaces"
    return exact_problem(draw, text, digits, ask, size=first + 9)


def _determinant(rows: list[list[int]]) -> int:
    """Return the determinant by fraction-free elimination (Bareiss)."""
    matrix = [row[:] for row in rows]
    sign, before = 1, 1
    for k in range(len(matrix) - 1):
        pivot = next((i for i in range(k, len(matrix)) if matrix[i][k]), None)
        if pivot is None:
            return 0
        if pivot != k:
            matrix[k], matrix[pivot], sign = matrix[pivot], matrix[k], -sign
        for i in range(k + 1, len(matrix)):
            for j in range(k + 1, len(matrix)):
                value = matrix[i][j] * matrix[k][k] - matrix[i][k] * matrix[k][j]
                matrix[i][j] = value // before
        before = matrix[k][k]
    return sign * matrix[-1][-1]


def determinant(draw: Draw, level: int) -> Problem:
    """The determinant of an integer matrix. Size: its entries."""
    n = at_level(level, 4, 6, 8)
    rows = [[draw.integer(-19, 19) for _ in range(n)] for _ in range(n)]
    table = "\n".join(" ".join(map(str, row)) for row in rows)
    text = draw.one_of(
        (
            "Find the determinant of this {n} × {n} matrix, one row a line:\n\n{table}\n\n",
            "The rows below form a square matrix.\n\n{table}\n\nWhat is its determinant?",
            "Each of the {n} lines that follow holds the coefficients of one linear form:\n\n"
            "{table}\n\nCompute the determinant of the system.",
        )
    ).format(n=n, table=table)
    return integer_problem(draw, text, _determinant(rows), size=n * n)
