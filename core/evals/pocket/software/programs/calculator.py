"""Evaluates expressions of integers.

value(text) knows + - * / % ^ and parentheses; spaces mean nothing.

- ^ is the power. It binds tightest and groups from the right: 2^3^2 is 2^(3^2). A negative exponent
  raises ValueError.
- A sign in front of an operand binds looser than ^ and tighter than *: -2^2 is -4, 3*-2 is -6.
- * / % come next, + and - last; they group from the left.
- / is division rounded towards zero, and % is what it leaves: -7/2 is -3, and -7%2 is -1. Division
  by zero raises ZeroDivisionError.
- A text that is no whole expression raises ValueError.
"""

from __future__ import annotations

import re


def value(text: str) -> int:
    tokens = re.findall(r"\d+|\S", text)
    result = _sum(tokens)
    if tokens:
        raise ValueError(f"unexpected {tokens[0]}")
    return result


def _sum(tokens: list[str]) -> int:
    result = _product(tokens)
    while tokens and tokens[0] in "+-":
        if tokens.pop(0) == "+":
            result += _product(tokens)
        else:
            result -= _product(tokens)
    return result


def _product(tokens: list[str]) -> int:
    result = _signed(tokens)
    while tokens and tokens[0] in "*/%":
        operator = tokens.pop(0)
        other = _signed(tokens)
        if operator == "*":
            result *= other
        else:
            quotient = abs(result) // abs(other)
            if (result < 0) != (other < 0):
                quotient = -quotient
            result = quotient if operator == "/" else result - quotient * other
    return result


def _signed(tokens: list[str]) -> int:
    if tokens and tokens[0] in "+-":
        return _signed(tokens) if tokens.pop(0) == "+" else -_signed(tokens)
    return _power(tokens)


def _power(tokens: list[str]) -> int:
    base = _operand(tokens)
    if not tokens or tokens[0] != "^":
        return base
    tokens.pop(0)
    exponent = _signed(tokens)
    if exponent < 0:
        raise ValueError("a negative exponent")
    return base**exponent


def _operand(tokens: list[str]) -> int:
    if not tokens:
        raise ValueError("the expression ends too early")
    token = tokens.pop(0)
    if token == "(":
        result = _sum(tokens)
        if not tokens or tokens.pop(0) != ")":
            raise ValueError("a parenthesis is open")
        return result
    if not token.isdecimal():
        raise ValueError(f"unexpected {token}")
    return int(token)
