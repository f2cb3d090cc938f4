"""Loads theme files. A broken one is reported; the others still load."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_ANSI = re.compile(r"ansi_(default|(bright_)?(black|red|green|yellow|blue|magenta|cyan|white))")
_NAME = re.compile(r"""^name\s*=\s*["']([^"'\n]+)["']""", re.MULTILINE)

_KINDS: dict[Any, str] = {bool: "true or false", str: "text in quotes"}
"""Kinds of values in our words; all others are tables."""


class Colors(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Colours of widgets: #rrggbb, or names such as `ansi_red` in an `ansi` theme.

    Attributes:
        primary: Textual's main colour, for buttons and marked fields.
        secondary: its second colour, for fields that are not in use.
        accent: keys, titles, and what has the focus.
        foreground: text.
        background: the screen.
        surface: dialogs.
        panel: bars, such as that of the keys, and fields in dialogs.
        success: what has ended well.
        warning: what needs you.
        error: what has failed, and fields with a mistake.
    """

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
        model: what the model says.
        human: what you say.
        tool: calls of tools.
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
        name: by which it is chosen; if the file has none, the file's own name without `.toml`.
        dark: whether the background is dark.
        ansi: whether its colours are the terminal's sixteen, such as `ansi_red`.
    """

    name: str
    colors: Colors
    roles: Roles
    dark: bool = True
    ansi: bool = False


class BrokenTheme(NamedTuple):
    """A theme file that cannot be used, and the reason.

    Attributes:
        names: by which a user may ask for it: the file's own name, and the one written in it.
    """

    file: str
    problem: str
    names: tuple[str, ...] = ()


def load_themes(
    folder: Path | None = None, taken: Collection[str] = ()
) -> tuple[dict[str, ThemeFile], list[BrokenTheme]]:
    """Return all themes by name: the built-in ones, then those in `folder`.

    Args:
        folder: the user's own themes; a file without a `name` has the name of the file.
        taken: further names that no file may have.

    Returns:
        The themes, and the files that could not be used.
    """
    themes = {theme.name: theme for theme in map(_built_in, _toml(_own_folder()))}
    broken: list[BrokenTheme] = []
    built_in = {*themes, *taken}
    places: dict[str, str] = {}
    for file in _toml(folder) if folder is not None and folder.is_dir() else ():
        text, stem = "", file.name.removesuffix(".toml")
        try:
            text = file.read_text(encoding="utf-8")
            theme = parse_theme(text, stem)
            _refuse_taken(theme.name, text, built_in, places)
        except (ValueError, OSError) as error:
            names = tuple(dict.fromkeys((stem, _name_in(text) or stem)))
            broken.append(BrokenTheme(str(file), str(error), names))
        else:
            themes[theme.name] = theme
            places[theme.name] = file.name
    return themes, broken


def parse_theme(text: str, name: str = "") -> ThemeFile:
    """Parse a theme from TOML.

    Args:
        text: what the file contains.
        name: the theme's name if the text has none.

    Raises:
        ValueError: a value is wrong; the message names its line and key.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"not valid TOML: {_with_place(text, error)}") from error
    named = {"name": name, **tables} if name else tables
    if mistakes := sorted(_mistakes(named, text), key=lambda one: one[0] or math.inf):
        raise ValueError("; ".join(f"line {n}: {words}" if n else words for n, words in mistakes))
    return msgspec.convert(named, ThemeFile)


def _mistakes(tables: Mapping[str, Any], text: str) -> Iterator[tuple[int, str]]:
    """Yield every mistake in a theme with the line of its key; 0 if no line has it."""
    yield from _mistakes_in("", tables, ThemeFile, text)
    is_ansi = tables.get("ansi") is True
    pattern, example = (_ANSI, "ansi_red") if is_ansi else (_COLOR, "#1a2b3c")
    for table, kind in (("colors", Colors), ("roles", Roles)):
        values: Any = tables.get(table)
        if not isinstance(values, dict):
            continue
        colours = cast(dict[str, Any], values)
        yield from _mistakes_in(table, colours, kind, text)
        for key, value in colours.items():
            is_known = key in kind.__struct_fields__ and isinstance(value, str)
            if is_known and not pattern.fullmatch(value):
                words = f"{key} = {value!r} is not a colour such as {example}"
                yield _line_of(text, table, key), words


def _mistakes_in(
    table: str, values: Mapping[str, Any], kind: type[msgspec.Struct], text: str
) -> Iterator[tuple[int, str]]:
    """Yield the unknown and missing keys of a table, and those whose value has the wrong type."""
    for key in values:
        if key not in kind.__struct_fields__:
            where = f"[{table}]" if table else "a theme"
            yield _line_of(text, table, key), f"{key!r} does not belong in {where}"
    fields = msgspec.structs.fields(kind)
    lacking = [field.name for field in fields if field.required and field.name not in values]
    if lacking:
        line = _line_of(text, "", table) if table else 0
        yield (
            line,
            f"{f'[{table}]' if table else 'it'} lacks {', '.join(map(_as_written, lacking))}",
        )
    for field in fields:
        kept = field.type if field.type in _KINDS else dict
        if field.name in values and not isinstance(values[field.name], kept):
            words = f"{field.name} must be {_KINDS.get(field.type, 'a table')}"
            yield _line_of(text, table, field.name), words


def _with_place(text: str, error: tomllib.TOMLDecodeError) -> str:
    """Return what is wrong with a file, always with line and column."""
    lines = text.rstrip().splitlines() or [""]
    end = f"at line {len(lines)}, column {len(lines[-1]) + 1}"
    return str(error).replace("at end of document", end)


def _refuse_taken(
    name: str, text: str, built_in: Collection[str], places: Mapping[str, str]
) -> None:
    """Refuse a name that another theme has."""
    if name in built_in:
        other = f"there is a built-in theme {name!r}"
    elif name in places:
        other = f"{places[name]} is named {name!r}, too"
    else:
        return
    line = _line_of(text, "", "name")
    where, remedy = (f"line {line}: ", "choose another name") if line else ("", "rename the file")
    raise ValueError(f"{where}{other}; {remedy}")


def _name_in(text: str) -> str:
    """Return the name that a file gives itself; empty if it gives none that can be read."""
    named = _NAME.search(text)
    return named[1] if named else ""


def _as_written(name: str) -> str:
    return f"[{name}]" if name in ("colors", "roles") else f"'{name}'"


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


def _built_in(file: Traversable | Path) -> ThemeFile:
    return parse_theme(file.read_text(encoding="utf-8"))


def _own_folder() -> Traversable:
    return resources.files(__package__ or "themes")


def _toml(folder: Traversable | Path) -> list[Traversable | Path]:
    found = [file for file in folder.iterdir() if file.name.endswith(".toml")]
    return sorted(found, key=lambda file: file.name)
