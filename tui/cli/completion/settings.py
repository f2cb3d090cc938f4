"""Completes the settings' names and values, and the actions that have keys."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Mapping
from typing import Any, Literal, Union, cast, get_args, get_origin

import click
from click.shell_completion import CompletionItem

from sandbox_tui.tui.cli.completion.images import complete_image
from sandbox_tui.tui.cli.completion.items import beginning_with
from sandbox_tui.tui.cli.completion.names import complete_prompts, themes


def complete_setting(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the settings that begin with the typed text, and after `keys.` the actions."""
    from sandbox_tui.tui.keys.default_keys import ACTIONS

    del ctx, param
    actions = {f"keys.{name}": action.title for name, action in sorted(ACTIONS.items())}
    keys = actions if incomplete.startswith("keys.") else {}
    return beginning_with(incomplete, {**_settings(), **keys})


def complete_listed_setting(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the settings that have a value and begin with the typed text: all of them, and the
    keys that the file sets."""
    del ctx, param
    return beginning_with(
        incomplete, {**_settings(), **{name: "" for name in _in_file() if name.startswith("keys.")}}
    )


def complete_setting_in_file(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return what the config file sets that begins with the typed text."""
    del ctx, param
    return beginning_with(incomplete, dict.fromkeys(_in_file(), ""))


def complete_value(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the values of the setting that the command line names, as far as they can be
    listed."""
    name = str(ctx.params.get("name") or "")
    if name == "ui.theme":
        return beginning_with(incomplete, themes())
    if name == "agent.prompts":
        return complete_prompts(ctx, param, incomplete)
    if name == "sandbox.image":
        return complete_image(ctx, param, incomplete)
    if name == "agent.output":
        return [CompletionItem(incomplete, type="dir")]
    return beginning_with(incomplete, dict.fromkeys(_choices(_type_of(name)), ""))


def complete_screen_or_action(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the screens, and parts of them, that begin with the typed text; after a dot, their
    actions."""
    from sandbox_tui.tui.keys.actions.places import PLACES
    from sandbox_tui.tui.keys.default_keys import ACTIONS

    del ctx, param
    actions = {name: action.title for name, action in sorted(ACTIONS.items())}
    return beginning_with(incomplete, actions if "." in incomplete else PLACES)


def _settings() -> Mapping[str, str]:
    from sandbox_tui.core.config.settings import sections

    return {
        f"{section}.{field}": ""
        for section, kind in sections().items()
        for field in kind.__struct_fields__
    }


def _in_file() -> list[str]:
    """Return the names of what the config file sets; nothing if it cannot be read."""
    from sandbox_tui.core.base.errors import ConfigError
    from sandbox_tui.core.config.settings import config_file, flat, read_toml, sections

    names: list[str] = []
    with contextlib.suppress(ConfigError):
        for section, table in read_toml(config_file())[1].items():
            if not isinstance(table, dict):
                names.append(section)
                continue
            values = cast(dict[str, Any], table)
            keys = values if section in sections() else flat(values)
            names += [f"{section}.{key}" for key in keys]
    return names


def _type_of(name: str) -> Any:
    import msgspec

    from sandbox_tui.core.config.settings import sections

    section, _, key = name.partition(".")
    kind = sections().get(section)
    fields = msgspec.structs.fields(kind) if kind is not None else ()
    return next((field.type for field in fields if field.name == key), None)


def _choices(kind: Any) -> list[str]:
    """Return all values of a type, if it has few; `none` for one that can be unset."""
    if kind is bool:
        return ["true", "false"]
    origin = get_origin(kind)
    if origin is Literal:
        return [str(one) for one in get_args(kind)]
    if origin in (Union, types.UnionType):
        choices = [choice for one in get_args(kind) for choice in _choices(one)]
        return [*choices, "none"] if type(None) in get_args(kind) else choices
    return []
