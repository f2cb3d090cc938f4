"""Edits the user's config file in place.

Comments, order and blank lines are kept (tomlkit). All changes are validated together before
anything is written, and the file is replaced atomically. Mistakes that the file had before stop no
change, so that they can be fixed one at a time.
"""

from __future__ import annotations

import contextlib
import json
import os
import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.write_file import write_file
from sandbox_tui.core.config import settings as config
from sandbox_tui.core.config.expected_values import describe_wrong_value
from sandbox_tui.core.config.mistakes import Mistake, SettingsError, find_mistakes
from sandbox_tui.core.config.plain_values import in_file, plain_value, with_plain_values
from sandbox_tui.core.config.valid_values import VARIABLE, refuse_unusable_value

MAX_MEANT = 3
"""Maximum number of settings that a message suggests."""

SECTION_CUTOFF = 0.8
"""How much a name has to be like that of a section to be taken for it; 1 is the same."""

_SWITCH = {"yes": True, "on": True, "true": True, "no": False, "off": False, "false": False}

if TYPE_CHECKING:  # imported at run time only to change the file
    from tomlkit import TOMLDocument
    from tomlkit.items import Table


def write(changes: Mapping[str, Any], file: Path | None = None) -> Path:
    """Set fields by dotted name; None removes a field, or a key of the file that is no field.
    Nothing is written if any change is invalid.

    Returns:
        The file that was written.

    Raises:
        ConfigError: the file is not TOML, a field or value is invalid, or the file cannot be
            written.
    """
    path = file or config.config_file()
    document = _document(path)
    before = document.as_string()
    for name, value in changes.items():
        if value is None and _is_unknown_key(document.unwrap(), name):
            _remove_unknown_key(document, name)
        else:
            _change(document, name, value)
    text = document.as_string()
    _check(text, before, path)
    _replace(path, text)
    return path


def is_set(name: str, file: Path | None = None) -> bool:
    """Return whether the file has a field, given by dotted name, or a key that is no field.

    Raises:
        ConfigError: there is neither such a field nor such a key, or the file is not TOML.
    """
    tables: dict[str, Any] = _document(file or config.config_file()).unwrap()
    if _is_unknown_key(tables, name):
        return True
    section, key = _check_name(name)
    return key in config.flat(tables.get(section, {})) or key in tables.get(section, {})


def value_from_text(name: str, text: str) -> Any:
    """Return a field's value from user input; empty text and `none` unset an optional field.

    Raises:
        ConfigError: the field does not exist, or the text is not a valid value.
    """
    section, key = _check_name(name)
    if section == "keys":
        return _keys_from_text(text)
    kinds = {f.name: f.type for f in msgspec.structs.fields(config.sections()[section])}
    kind = kinds[key]
    if text.strip().lower() in ("", "none") and _convertible(None, kind):
        return None
    plain = plain_value(name, text)
    if kind is bool:
        plain = _SWITCH.get(text.strip().lower(), text)
    readings = (plain, *_as_toml(text), *_as_toml(f"[{text}]"), *_as_json(text))
    for typed in readings:
        with contextlib.suppress(msgspec.ValidationError):
            value = msgspec.convert(typed, kind, strict=False)
            refuse_unusable_value(name, value)
            return value
    raise ConfigError(_wrong_item(section, key, readings) or describe_wrong_value(name, kind, text))


def _wrong_item(section: str, key: str, readings: Sequence[Any]) -> str:
    """Return which item of a list of tables is wrong, and why; empty for other values."""
    for typed in readings:
        if isinstance(typed, list) and all(
            isinstance(item, dict) for item in cast(list[Any], typed)
        ):
            found = find_mistakes({section: {key: typed}}, config.Settings, "", {})
            return " ".join(mistake.words for mistake in found)
    return ""


def _keys_from_text(text: str) -> Any:
    """Return keys, typed with commas between them or as in the file: `["/", "ctrl+f"]`."""
    for typed in _as_toml(text):
        if isinstance(typed, list):
            return cast(list[Any], typed)
        if isinstance(typed, str):
            text = typed
    text = text.strip()
    return [text] if text == "," else [part.strip() for part in text.split(",") if part.strip()]


def _document(path: Path) -> TOMLDocument:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(config.read_toml(path)[0])
    except ConfigError as error:
        raise ConfigError(f"{error} Nothing was changed.") from error
    except TOMLKitError as error:  # valid, but tomlkit disagrees
        raise ConfigError(f"{path} is not valid TOML: {error}. Nothing was changed.") from error


def is_setting(name: str) -> bool:
    """Return whether a dotted name is that of a setting, or of the keys of an action."""
    section, _, key = name.partition(".")
    known = config.sections()
    is_field = section in known and key in known[section].__struct_fields__
    return is_field or (section == "keys" and key != "")


def _is_unknown_key(tables: Mapping[str, Any], name: str) -> bool:
    """Return whether a key in the file, by dotted name, is neither a setting nor a section."""
    section, _, key = name.partition(".")
    if not key:
        return name in tables and name not in (*config.sections(), "keys")
    return key in _table(tables, section) and not is_setting(name)


def _table(tables: Mapping[str, Any], section: str) -> Mapping[str, Any]:
    table = tables.get(section)
    return cast(Mapping[str, Any], table) if isinstance(table, Mapping) else {}


def _remove_unknown_key(document: TOMLDocument, name: str) -> None:
    section, _, key = name.partition(".")
    if name in document:
        document.remove(name)
        return
    cast(dict[str, Any], document[section]).pop(key)
    if _is_empty(document[section]):
        document.remove(section)


def _check_name(name: str) -> tuple[str, str]:
    """Return the section and key of a dotted name."""
    section, _, key = name.partition(".")
    if not is_setting(name):
        raise ConfigError(f"There is no setting {name!r}. {_meant(name, section)}")
    return section, key


def _meant(name: str, section: str) -> str:
    """Suggest the closest name in the section, else the settings that the name is a part of, or
    the one with the closest name; without any, or for a section, say which there are."""
    fields = {one: kind.__struct_fields__ for one, kind in config.sections().items()}
    settings = [f"{one}.{key}" for one, keys in fields.items() for key in keys]
    if name in fields:
        return _of_section(name, fields)
    key = name.lower().partition(".")[2]
    if close := get_close_matches(key, fields.get(section, ()), 1):
        return f"Did you mean '{section}.{close[0]}'?"
    is_part = any(name.lower() in one for one in settings)
    if not is_part and (close := get_close_matches(name.lower(), fields, 1, SECTION_CUTOFF)):
        return _of_section(close[0], fields)
    if close := _with_part(name.lower(), settings) or get_close_matches(name.lower(), settings, 1):
        return f"Did you mean {' or '.join(map(repr, close))}?"
    if section not in fields:
        return f"Settings begin with one of: {', '.join([*fields, 'keys'])}."
    return f"Known settings: {', '.join(f'{section}.{key}' for key in fields[section])}."


def _of_section(section: str, fields: Mapping[str, Sequence[str]]) -> str:
    named = ", ".join(f"{section}.{key}" for key in fields[section])
    return f"Settings of the section {section!r}: {named}."


def _with_part(part: str, settings: Sequence[str]) -> list[str]:
    """Return the settings whose key is this, else the few whose key has this in it, or is like it;
    none if there are many."""
    keys = {one: one.partition(".")[2] for one in settings}
    alike = get_close_matches(part, list(keys.values()), MAX_MEANT)
    found = (
        [one for one, key in keys.items() if key == part.rpartition(".")[2]]
        or [one for one, key in keys.items() if len(part) > 1 and part in key]
        or [one for one, key in keys.items() if key in alike]
    )
    return found if len(found) <= MAX_MEANT else []


def _change(document: TOMLDocument, name: str, value: Any) -> None:
    section, key = _check_name(name)
    if name == "model.api_key_env" and not VARIABLE.fullmatch(str(value or "X")):
        raise ConfigError(
            "model.api_key_env is the name of an environment variable; the key itself is never "
            "saved."
        )
    if section not in document:
        if value is None:
            return
        document[section] = _new_table(document.as_string())
    table: Any = document[section]
    if not isinstance(table, dict):
        raise ConfigError(f"{section} in the config file is not a table; nothing was changed.")
    table, key = _innermost(cast(dict[str, Any], table), key)
    if value is None:
        table.pop(key, None)
        if _is_empty(document[section]):
            document.remove(section)
    else:
        _put(table, key, in_file(value))


def _put(table: dict[str, Any], key: str, value: Any) -> None:
    """Set a value; a list of tables goes to the end, because what follows it would belong to it."""
    if isinstance(value, list) and any(isinstance(item, dict) for item in cast(list[Any], value)):
        table.pop(key, None)
    table[key] = value


def _new_table(text: str) -> Table:
    """Return an empty table for the end of a document, after a blank line."""
    import tomlkit

    table = tomlkit.table()
    if text.strip() and not text.endswith("\n\n"):
        table.trivia.indent = "\n" if text.endswith("\n") else "\n\n"
    return table


def _is_empty(table: object) -> bool:
    """Return whether a table has no field, and no comment of the user either."""
    from tomlkit.items import InlineTable, Table

    return isinstance(table, InlineTable | Table) and table.as_string().strip() in ("", "{}")


def _innermost(table: dict[str, Any], key: str) -> tuple[dict[str, Any], str]:
    """Return the innermost existing table for a dotted key, and the rest of the key."""
    first, _, rest = key.partition(".")
    if rest and isinstance(table.get(first), dict):
        return _innermost(table[first], rest)
    return table, key


def _check(text: str, before: str, path: Path) -> None:
    """Refuse a new text with mistakes that the text before it did not have."""
    old = {mistake.words for mistake in _mistakes(before)}
    if new := [mistake for mistake in _mistakes(text) if mistake.words not in old]:
        end = " " if len(new) == 1 else "\n"
        raise ConfigError(f"{SettingsError(path, new)}{end}Nothing was changed.")


def _mistakes(text: str) -> list[Mistake]:
    return find_mistakes(with_plain_values(tomllib.loads(text)), config.Settings, text, {})


def _replace(path: Path, text: str) -> None:
    target = Path(os.path.realpath(path))  # a symbolic link, common for dotfiles, is kept
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}.") from error
    write_file(path, text.encode())


def _convertible(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def _as_toml(text: str) -> list[Any]:
    try:
        return [tomllib.loads(f"value = {text}")["value"]]
    except (tomllib.TOMLDecodeError, RecursionError):
        return []


def _as_json(text: str) -> list[Any]:
    """Return a JSON object or list as it is; nothing for other text, and for null, which TOML
    lacks."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return [found] if isinstance(found, dict | list) and not _has_null(found) else []


def _has_null(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_null, cast(dict[str, Any], value).values()))
    if isinstance(value, list):
        return any(map(_has_null, cast(list[Any], value)))
    return value is None
