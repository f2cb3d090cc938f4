"""What a program of this domain is made of: its source, bugs to put in, calls to test it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files

from sandbox_tui.core.evals.pocket.draw import Draw


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program that works, and ways to break it.

    Attributes:
        source: its module in `programs`.
        about: what it does, as in "a program that ...".
        modules: names its file may have.
        renames: other names for its functions and for the words of its operations.
        constants: other values of its constants.
        bugs: texts that occur once in it, each with what a bug makes of it.
        calls: makes expressions that test it.
    """

    source: str
    about: str
    modules: tuple[str, ...]
    renames: Mapping[str, tuple[str, ...]]
    constants: Mapping[str, tuple[str, ...]]
    bugs: tuple[tuple[str, str], ...]
    calls: Callable[[Draw], list[str]]

    def text(self) -> str:
        """The source of the program."""
        package = "sandbox_tui.core.evals.pocket.software.programs"
        return files(package).joinpath(f"{self.source}.py").read_text("utf-8")

    def with_constants(self, text: str, draw: Draw) -> str:
        """The source with other values of its constants."""
        for name, values in self.constants.items():
            line = f"{name} = {draw.one_of(values)}"
            text = re.sub(rf"^{name} = .*$", line, text, flags=re.MULTILINE)
        return text

    def names(self, draw: Draw) -> dict[str, str]:
        """Names in place of others, for the source and for the calls."""
        return {name: draw.one_of((name, *others)) for name, others in self.renames.items()}


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Text with names of functions (before a parenthesis) and words in quotes replaced."""
    words = "|".join(names)
    pattern = rf"\b(?:{words})(?=\()|(?<=[\"'])(?:{words})(?=[\"'])"
    return re.sub(pattern, lambda found: names[found[0]], text)
