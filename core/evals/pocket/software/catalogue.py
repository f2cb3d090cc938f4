"""Describes a program of this domain: its source, bugs to insert, and calls that test it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files

from sandbox_tui.core.evals.pocket.draw import Draw


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A working program, and ways to break it.

    Attributes:
        source: its module in `programs`.
        about: what it does, as in "a program that ...".
        modules: possible names of its module.
        renames: alternative names of its functions and of the words of its operations.
        constants: alternative values of its constants.
        bugs: pairs of a text that occurs once in the source and its buggy replacement.
        calls: generates expressions that test the program.
    """

    source: str
    about: str
    modules: tuple[str, ...]
    renames: Mapping[str, tuple[str, ...]]
    constants: Mapping[str, tuple[str, ...]]
    bugs: tuple[tuple[str, str], ...]
    calls: Callable[[Draw], list[str]]

    def text(self) -> str:
        """Return the source of the program."""
        package = "sandbox_tui.core.evals.pocket.software.programs"
        return files(package).joinpath(f"{self.source}.py").read_text("utf-8")

    def with_constants(self, text: str, draw: Draw) -> str:
        """Return the source with alternative values of its constants."""
        for name, values in self.constants.items():
            line = f"{name} = {draw.one_of(values)}"
            text = re.sub(rf"^{name} = .*$", line, text, flags=re.MULTILINE)
        return text

    def names(self, draw: Draw) -> dict[str, str]:
        """Return new names by old name, for the source and for the calls."""
        return {name: draw.one_of((name, *others)) for name, others in self.renames.items()}


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Replace names of functions (before a parenthesis) and words in quotes."""
    words = "|".join(names)
    pattern = rf"\b(?:{words})(?=\()|(?<=[\"'])(?:{words})(?=[\"'])"
    return re.sub(pattern, lambda found: names[found[0]], text)
