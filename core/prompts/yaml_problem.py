"""Says what is wrong with a YAML file, and where in it."""

from __future__ import annotations

from typing import Any


def yaml_problem(error: Exception) -> str:
    """Return a YAML error in one line: where it is, and what is wrong there."""
    mark: Any = getattr(error, "problem_mark", None)
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    return where + " ".join(str(getattr(error, "problem", None) or error).split())
