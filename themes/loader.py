"""Reads theme files; a broken one is reported by name and never keeps the others from loading."""

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


class Colors(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The colours of widgets, as #rrggbb."""

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
    """The colours of what is shown in them.

    Attributes:
        model, human, tool: who did it.
        dim: text that steps back.
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
    """A theme as its file says."""

    name: str
    colors: Colors
    roles: Roles
    dark: bool = True


class BrokenTheme(NamedTuple):
    """A theme file that cannot be used, and why."""

    file: str
    problem: str


def load_themes(folder: Path | None = None) -> tuple[dict[str, ThemeFile], list[BrokenTheme]]:
    """All themes by name: the built-in ones, then those in `folder`, which may replace them.

    Returns:
        The themes, and the files that could not be used.
    """
    themes: dict[str, ThemeFile] = {}
    broken: list[BrokenTheme] = []
    for file in _files(folder):
        try:
            theme = parse_theme(file.read_text(encoding="utf-8"))
        except (ValueError, OSError) as error:
            broken.append(BrokenTheme(file.name, str(error)))
        else:
            themes[theme.name] = theme
    return themes, broken


def parse_theme(text: str) -> ThemeFile:
    """A theme from TOML text.

    Raises:
        ValueError: with the line or the key that is wrong.
    """
    try:
        theme = msgspec.convert(tomllib.loads(text), ThemeFile)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"not valid TOML: {error}") from error
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error
    for group in (theme.colors, theme.roles):
        for key, value in msgspec.structs.asdict(group).items():
            if not _COLOR.fullmatch(value):
                raise ValueError(f"{key} = {value!r} is not a colour such as #1a2b3c")
    return theme


def _files(folder: Path | None) -> Iterator[Traversable]:
    yield from sorted(_toml(resources.files(__package__ or "themes")), key=lambda file: file.name)
    if folder is not None and folder.is_dir():
        yield from sorted(_toml(folder), key=lambda file: file.name)


def _toml(folder: Traversable | Path) -> Iterator[Traversable]:
    return (file for file in folder.iterdir() if file.name.endswith(".toml"))
