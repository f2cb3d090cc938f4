"""Generate docs/reference.md from the code: every key, setting and command.

python docs/reference.py
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import click
import msgspec

from sandbox_tui.core.config.settings import Settings
from sandbox_tui.themes import ThemeFile
from sandbox_tui.tui.cli.main import main
from sandbox_tui.tui.keys.actions.places import PLACES
from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.keys.hint import shown

FILE = Path(__file__).with_name("reference.md")

HEAD = """# Reference

Every key, setting and command. Generated from the code by `python docs/reference.py`; a test keeps
it up to date. The [guide](guide.md) explains how to do things.

- [Keys](#keys)
- [Settings](#settings)
- [Themes](#themes)
- [Commands](#commands)
"""


def reference() -> str:
    """Render the whole page."""
    parts = [HEAD, "## Keys\n", _KEYS, *_keys(), "## Settings\n", _SETTINGS, *_settings(Settings)]
    parts += ["## Themes\n", _THEMES, *_theme(ThemeFile)]
    return "\n".join([*parts, "## Commands\n", *_commands(main, "sandbox-tui")])


_KEYS = """To rebind a key, set its action's name in the table `[keys]` of config.toml:
`"live.approve" = "y"`. `sandbox-tui keys` prints the current bindings.
"""

_SETTINGS = """Settings come from config.toml (`sandbox-tui config path` prints its location), then
from `SANDBOX_TUI_<SECTION>_<FIELD>` in the environment, then from flags; later sources win.
`sandbox-tui config` shows the current values and their sources, times as `1h30m` and sizes as
`512m`. In the file, as in `config --json`, a number is in seconds or bytes; `"90s"`, `"30m"`,
`"1h30m"`, `"512m"` and `"2g"` work too, as text.
"""


_THEMES = """A theme is a TOML file in `themes/` beside config.toml; the
[guide](guide.md#your-own-theme) shows a complete one. All colours are required, as `#rrggbb`; in a
theme with `ansi = true`, as `ansi_default`, `ansi_red`, `ansi_bright_red` and so on.
"""


def _theme(kind: type[msgspec.Struct], section: str = "") -> Iterator[str]:
    words, fields = _attributes(kind), msgspec.structs.fields(kind)
    yield f"### [{section}] of a theme\n" if section else ""
    yield "| field | default | description |\n|---|---|---|"
    for field in (field for field in fields if not _is_struct(field.type)):
        default = "the file's name" if field.name == "name" else "required"
        if not field.required:
            default = f"`{str(field.default).lower()}`"
        yield f"| `{field.name}` | {default} | {_cell(words[field.name])} |"
    yield ""
    for field in (field for field in fields if _is_struct(field.type)):
        yield from _theme(field.type, field.name)


def _keys() -> Iterator[str]:
    places: dict[str, list[str]] = {}
    for action in ACTIONS.values():
        keys = " ".join(f"`{_cell(shown(key))}`" for key in action.keys)
        row = f"| {keys} | {_cell(action.title)} | `{action.name}` |"
        places.setdefault(action.place, []).append(row)
    for place, title in PLACES.items():
        yield f"### {title}\n"
        yield "| key | action | name |\n|---|---|---|"
        yield from places[place]
        yield ""


def _settings(kind: type[msgspec.Struct], section: str = "") -> Iterator[str]:
    hints = get_type_hints(kind)
    words = _attributes(kind)
    rows = [
        f"| `{name}` | `{_cell(_default(kind, name))}` | {_cell(words.get(name, ''))} |"
        for name, hint in hints.items()
        if not _is_struct(hint) and not name.startswith("_")
    ]
    if rows:
        yield f"### [{section}]\n" if section else ""
        yield "| field | default | description |\n|---|---|---|"
        yield from rows
        yield ""
    for name, hint in hints.items():
        if _is_struct(hint):
            yield from _settings(hint, f"{section}.{name}" if section else name)


def _is_struct(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, msgspec.Struct)


def _default(kind: type[msgspec.Struct], name: str) -> str:
    value = getattr(kind(), name)
    if value is None:
        return "unset"
    if isinstance(value, bool):
        return str(value).lower()
    return '""' if value == "" else str(value)


def _attributes(kind: type[msgspec.Struct]) -> dict[str, str]:
    """Return each field's description from the docstring; one line may describe several fields."""
    text = inspect.getdoc(kind) or ""
    _, _, listed = text.partition("Attributes:\n")
    words: dict[str, str] = {}
    for entry in re.split(r"\n(?=    \w)", "\n" + listed):
        names, _, sentence = entry.strip().partition(": ")
        for name in names.split(", "):
            words[name] = " ".join(sentence.split())
    return words


def _commands(command: click.Command, name: str) -> Iterator[str]:
    context = click.Context(command, info_name=name)
    if isinstance(command, click.Group):
        if command.invoke_without_command:
            yield f"### `{name}`\n\n{_first(command)}\n"
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found is not None:
                yield from _commands(found, f"{name} {child}")
        return
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"### `{name} {usage}`\n\n{_first(command)}\n"
    options = [param for param in command.params if isinstance(param, click.Option)]
    rows = [record for option in options if (record := option.get_help_record(context))]
    if rows:
        yield "| option | |\n|---|---|"
        yield from (f"| `{_cell(flag)}` | {_cell(words)} |" for flag, words in rows)
        yield ""


def _first(command: click.Command) -> str:
    text = inspect.cleandoc(command.help or "").split("\n\n")[0]
    return " ".join(text.split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    FILE.write_text(reference(), encoding="utf-8")
