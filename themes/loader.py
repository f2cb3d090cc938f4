"""Loads theme files. A broken one is reported; the others still load."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import NamedTuple

import msgspec

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_ANSI = re.compile(r"ansi_(default|(bright_)?(black|red|green|yellow|blue|magenta|cyan|white))")


class Colors(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Colours of widgets: #rrggbb, or names such as `ansi_red` in an `ansi` theme."""

    primary: str
    secondary: str
    accent: str
    foreground: str
    background: str
    surface: str
    panel: str
    success: str
    warning: str
    error: str


class Roles(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Colours of content by role.

    Attributes:
        model, human, tool: the actors.
        dim: secondary text.
        faint: lines and rules.
        code: background of code.
        select: background of the selected row.
    """

    model: str
    human: str
    tool: str
    dim: str
    faint: str
    code: str
    select: str


class ThemeFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A theme as written in its file.

    Attributes:
        dark: whether the background is dark.
        ansi: whether it uses the terminal's sixteen colours.
    """

    name: str
    colors: Colors
    roles: Roles
    dark: bool = True
    ansi: bool = False


class BrokenTheme(NamedTuple):
    """A theme file that cannot be used, and the reason."""

    file: str
    problem: str


def load_themes(folder: Path | None = None) -> tuple[dict[str, ThemeFile], list[BrokenTheme]]:
    """Return all themes by name: the built-in ones and those in `folder`, which override them.

    Returns:
        The themes, and the files that could not be used.
    """
    themes: dict[str, ThemeFile] = {}
    broken: list[BrokenTheme] = []
    for file in _files(folder):
        try:
            theme = parse_theme(file.read_text(encoding="utf-8"))
        except (ValueError, OSError) as error:
            broken.append(BrokenTheme(str(file), str(error)))
        else:
            themes[theme.name] = theme
    return themes, broken


def parse_theme(text: str) -> ThemeFile:
    """Parse a theme from TOML.

    Raises:
        ValueError: a value is wrong; the message names its line and key.
    """
    try:
        theme = msgspec.convert(tomllib.loads(text), ThemeFile)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"not valid TOML: {error}") from error
    except msgspec.ValidationError as error:
        raise ValueError(f"{error}{_where(text, str(error))}") from error
    for name in ("colors", "roles"):
        for key, value in msgspec.structs.asdict(getattr(theme, name)).items():
            if not (_ANSI if theme.ansi else _COLOR).fullmatch(value):
                example = "ansi_red" if theme.ansi else "#1a2b3c"
                line = _line_of(text, name, key)
                raise ValueError(
                    f"line {line}: {key} = {value!r} is not a colour such as {example}"
                )
    return theme


def _where(text: str, problem: str) -> str:
    """Return the line of the key in a validation error, as a suffix for the message."""
    named = re.search(r"\$\.(\w+)(?:\.(\w+))?", problem)
    unknown = re.search(r"unknown field `(\w+)`", problem)
    words = [word for word in named.groups() if word] if named else []
    words += [unknown.group(1)] if unknown else []
    if not words:
        return ""
    table, key = ("", words[0]) if len(words) == 1 else words[:2]
    line = _line_of(text, table, key)
    return f" (line {line})" if line else ""


def _line_of(text: str, table: str, key: str) -> int:
    """Return the number of the line that sets `key` in `[table]`; 0 if none does."""
    current = ""
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if stripped.startswith("["):
            current = stripped.strip("[]").strip()
            if not table and current == key:
                return number
        elif current == table and stripped.split("=")[0].strip() == key:
            return number
    return 0


def _files(folder: Path | None) -> Iterator[Traversable]:
    yield from sorted(_toml(resources.files(__package__ or "themes")), key=lambda file: file.name)
    if folder is not None and folder.is_dir():
        yield from sorted(_toml(folder), key=lambda file: file.name)


def _toml(folder: Traversable | Path) -> Iterator[Traversable]:
    return (file for file in folder.iterdir() if file.name.endswith(".toml"))
