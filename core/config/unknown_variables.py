"""Finds environment variables that look like settings but set none, such as misspelt ones."""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection

from sandbox_tui.core.config.mistakes import Mistake
from sandbox_tui.core.config.settings import sections, variable

PREFIX = "SANDBOX_TUI_"

OWN = frozenset({"SANDBOX_TUI_HOME"})
"""Variables with the program's prefix that have a meaning but set no setting."""

NEAR = 0.75
"""Least likeness of a variable in no known section to the setting that may be meant."""

_IGNORED = "no setting has this name, so the variable is ignored."


def unknown_variables(key_variable: str) -> list[Mistake]:
    """Return a mistake for each variable that begins like those of a section but sets nothing, or
    whose name is close to that of a setting.

    Other variables with the program's prefix are not meant as settings.

    Args:
        key_variable: the variable with the API key, whose name the user chooses.
    """
    found: list[Mistake] = []
    for section, kind in sections().items():
        known = {variable(section, field) for field in kind.__struct_fields__}
        found += [
            Mistake(0, _words(name, section, kind.__struct_fields__), f"${name}")
            for name in sorted(os.environ)
            if name.startswith(variable(section, "")) and name not in {*known, key_variable}
        ]
    return [*found, *_with_unknown_section(key_variable)]


def _with_unknown_section(key_variable: str) -> list[Mistake]:
    """Return a mistake for each variable whose section is misspelt, such as `MODLE_NAME`."""
    begins = tuple(variable(section, "") for section in sections())
    settings = [
        variable(section, field).removeprefix(PREFIX)
        for section, kind in sections().items()
        for field in kind.__struct_fields__
    ]
    found: list[Mistake] = []
    for name in sorted(os.environ):
        if not name.startswith(PREFIX) or name.startswith(begins) or name in OWN | {key_variable}:
            continue
        if close := _closest(name.removeprefix(PREFIX), settings):
            words = f"{_IGNORED} Did you mean {PREFIX}{close}?"
            found.append(Mistake(0, words, f"${name}"))
    return found


def _closest(typed: str, settings: Collection[str]) -> str:
    """Return the setting that a name is close to, otherwise the first one of the section that it
    is close to, such as `MODEL_NAME` for `MODLE`; empty for neither."""
    if close := difflib.get_close_matches(typed, settings, 1, NEAR):
        return close[0]
    begins = {name.partition("_")[0]: name for name in reversed(list(settings))}
    close = difflib.get_close_matches(typed, begins, 1, NEAR)
    return begins[close[0]] if close else ""


def _words(name: str, section: str, fields: Collection[str]) -> str:
    field = name.removeprefix(variable(section, "")).lower()
    close = difflib.get_close_matches(field, fields, 1)
    meant = f"Did you mean {variable(section, close[0])}?" if close else ""
    hint = meant or f"Known keys of [{section}]: {', '.join(fields)}."
    return f"{_IGNORED} {hint}"
