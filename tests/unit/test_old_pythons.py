"""The code avoids bugs of early versions of Python 3.11, such as Debian 12's 3.11.2."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from tests.unit.test_code_rules import CODE, ROOT, python_files


def patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Return all patterns that modules define, by module and name."""
    for name in CODE:
        for file in python_files(name):
            parts = file.relative_to(ROOT).with_suffix("").parts
            if parts[-1] in ("__init__", "__main__"):
                continue
            try:
                module = importlib.import_module(".".join(("sandbox_tui", *parts)))
            except ImportError:  # it needs an extra, such as torch
                continue
            for key, value in vars(module).items():
                pattern = getattr(value, "__self__", value)
                if isinstance(pattern, re.Pattern):
                    yield f"{file.relative_to(ROOT)}: {key}", pattern


def repeated_groups(parsed: Any) -> int:
    """Count the possessive repetitions of more than one character, as in `(?:a|b)*+`."""
    count = 0
    for operator, argument in parsed:
        if str(operator) == "POSSESSIVE_REPEAT":
            (one, _), *more = argument[2]
            count += bool(more) or str(one) not in ("IN", "LITERAL", "NOT_LITERAL", "ANY")
        for part in within(argument):
            count += repeated_groups(part)
    return count


def within(argument: Any) -> Iterator[Any]:
    """Yield the expressions inside an argument of an operator."""
    if isinstance(argument, parser.SubPattern):
        yield argument
    elif isinstance(argument, list | tuple):
        for part in argument:
            yield from within(part)


def test_no_group_is_repeated_possessively() -> None:
    """Python before 3.11.5, such as Debian 12's, matches such a repetition wrongly."""
    assert repeated_groups(parser.parse(r"a(?:b|(?:cd)*+)")) == 1
    assert repeated_groups(parser.parse(r"a[bc]*+(?>(?:cd)*)")) == 0
    found = dict(patterns())
    assert len(found) > 50
    assert {
        name
        for name, one in found.items()
        if repeated_groups(parser.parse(one.pattern, one.flags & ~re.DEBUG))
    } == set()


def test_nothing_is_raised_in_an_except_star_clause() -> None:
    """Python before 3.11.4 wraps an exception raised there in an exception group."""
    raised = [
        f"{file.relative_to(ROOT)}:{inner.lineno}"
        for name in CODE
        for file in python_files(name)
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.TryStar)
        for handler in node.handlers
        for inner in ast.walk(handler)
        if isinstance(inner, ast.Raise)
    ]
    assert raised == []
