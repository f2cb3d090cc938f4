"""`sandbox-tui config`: lists and changes settings."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import click

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.cli.command_group import Subcommands
from sandbox_tui.tui.cli.completion.settings import (
    complete_listed_setting,
    complete_setting,
    complete_setting_in_file,
    complete_value,
)
from sandbox_tui.tui.cli.options import refuse_unknown_theme, yes_option
from sandbox_tui.tui.cli.settings.removed_rules import confirm_removed_rules

if TYPE_CHECKING:
    from sandbox_tui.core.config.setting_sources import SettingSource

WIDEST_VALUE = 40
"""Maximum width of the column of values; longer values extend beyond it."""


@click.group(
    "config",
    cls=Subcommands,
    invoke_without_command=True,
    meant=dict.fromkeys(("list", "ls", "show"), "`sandbox-tui config` lists all settings"),
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print JSON, one setting per line, with times in seconds and sizes in bytes.",
)
@click.option("--changed", is_flag=True, help="List only settings that differ from their defaults.")
@click.pass_context
def config_group(ctx: click.Context, as_json: bool, changed: bool) -> None:
    """List all settings and the source of each."""
    if ctx.invoked_subcommand is not None:
        return
    from sandbox_tui.core.config.setting_sources import is_default, listed_settings
    from sandbox_tui.core.config.settings import load
    from sandbox_tui.tui.cli.settings.mistakes import (
        say_mistakes_of_screen,
        say_that_mistakes_follow,
        unusable_names,
    )

    found, unusable = listed_settings(), unusable_names()
    if changed:
        found = [one for one in found if not is_default(one)]
    if not as_json:
        say_that_mistakes_follow()
    if as_json:
        for name, value, source in found:
            row = {"name": name, "value": _as_json(value), "source": source}
            click.echo(json.dumps({**row, "usable": name not in unusable}))
    else:
        _print_settings(found, unusable)
    load()  # raises what is wrong with them
    if not as_json:
        say_mistakes_of_screen()


def _print_settings(found: Sequence[SettingSource], unusable: Collection[str]) -> None:
    rows = [
        (
            name,
            sanitize_line(_as_text(name, value)),
            sanitize_line(source) + ("  cannot be used" if name in unusable else ""),
        )
        for name, value, source in found
    ]
    if not rows:
        click.echo("Every setting has its default.")
    names = max((len(name) for name, *_ in rows), default=0)
    values = max((len(value) for _, value, _ in rows if len(value) <= WIDEST_VALUE), default=0)
    for name, value, source in rows:
        click.echo(f"{name:<{names}}  {value:<{values}}  {source}")


@config_group.command("path")
def config_path() -> None:
    """Print the path of the config file."""
    from sandbox_tui.core.config.settings import config_file

    click.echo(config_file())


@config_group.command("get")
@click.argument("name", shell_complete=complete_listed_setting)
def config_get(name: str) -> None:
    """Print the value of the setting NAME that applies, whatever sets it."""
    from sandbox_tui.core.base.errors import ConfigError
    from sandbox_tui.core.config.setting_sources import listed_settings
    from sandbox_tui.core.config.toml_file import is_set
    from sandbox_tui.tui.cli.settings.mistakes import say_if_file_is_broken, say_if_unusable

    values = {one: value for one, value, _ in listed_settings()}
    if name not in values:
        is_set(name)  # says which name is meant
        words = f"{name} is not set; `sandbox-tui keys {name.removeprefix('keys.')}` lists its keys"
        raise ConfigError(f"{words}.")
    click.echo(sanitize_line(_as_text(name, values[name])))
    say_if_file_is_broken()
    say_if_unusable(name)


@config_group.command(
    "set",
    short_help="Change a setting.",
    context_settings={"ignore_unknown_options": True},  # -3 is a value
)
@click.argument("name", shell_complete=complete_setting)
@click.argument("value", metavar="VALUE", shell_complete=complete_value, required=False)
@yes_option
@click.pass_context
def config_set(ctx: click.Context, name: str, value: str | None, yes: bool) -> None:
    """Write VALUE as the setting NAME; a list has commas, or is written as in the file.

    \b
    sandbox-tui config set ui.theme daylight    # or: ui.theme=daylight
    sandbox-tui config set keys.find /,ctrl+f
    sandbox-tui config set keys.find '["/", "ctrl+f"]'

    If rules of the policy would be removed, it asks first.
    """
    from sandbox_tui.core.config.quantities import as_typed
    from sandbox_tui.core.config.toml_file import value_from_text, write

    if value is None:
        name, equals, value = name.partition("=")
        if not equals:
            raise click.MissingParameter(ctx=ctx, param=ctx.command.params[1])
    chosen = value_from_text(name, value)
    if chosen is None:
        _unset(name, yes)
        return
    refuse_unknown(name, chosen)
    removed = confirm_removed_rules(name, chosen, yes=yes)
    path = write({name: as_typed(name, value, chosen)})
    written = sanitize_line(_as_text(name, chosen)) or '""'
    click.echo(f"{name} = {written} (in {path}){removed}{_overridden(name)}")
    _say_what_else_is_wrong(name)


def _overridden(name: str) -> str:
    """Say that an environment variable, too, sets a field, if one does."""
    from sandbox_tui.core.config.setting_sources import variable_in_force

    variable = variable_in_force(*name.split(".", 1))
    return f"; ${variable} sets it, too, and wins" if variable else ""


@config_group.command("unset")
@click.argument("name", shell_complete=complete_setting_in_file)
@yes_option
def config_unset(name: str, yes: bool) -> None:
    """Take the setting NAME out of the file; its default holds again.

    If rules of the policy would be removed, it asks first.
    """
    _unset(name, yes)


def _unset(name: str, yes: bool) -> None:
    from sandbox_tui.core.config.settings import config_file
    from sandbox_tui.core.config.toml_file import is_set, is_setting, write

    if is_set(name):
        removed = confirm_removed_rules(name, None, yes=yes)
        path = write({name: None})
        default = _default_applies(name) if is_setting(name) else ""
        click.echo(f"{name} is removed from {path}{removed}{default}")
        _say_what_else_is_wrong(name)
    else:
        click.echo(f"{name} already has its default; nothing to remove from {config_file()}")


def _default_applies(name: str) -> str:
    """Say which default applies again, or which environment variable sets a field now."""
    from sandbox_tui.core.config.setting_sources import default_of, variable_in_force

    if variable := variable_in_force(*name.split(".", 1)):
        return f"; ${variable} still sets it"
    value = "" if name.startswith("keys.") else _as_text(name, default_of(name))
    return "; the default applies again" + (f": {value}" if value else "")


def refuse_unknown(name: str, value: Any) -> None:
    """Refuse a value that must be a known name but is not.

    Raises:
        ConfigError: the message lists the known names.
    """
    if name == "ui.theme":
        refuse_unknown_theme(str(value))
    elif name == "agent.prompts":
        from sandbox_tui.core.prompts import load_pack

        load_pack(str(value))
    elif name.startswith("keys."):
        from sandbox_tui.core.config.settings import config_file, load_usable
        from sandbox_tui.tui.keys.keymap import refuse_conflict, refuse_unusable

        entry = name.removeprefix("keys.")
        refuse_unusable(entry, value)
        refuse_conflict(entry, value, load_usable(config_file())[0].keys)


def _say_what_else_is_wrong(name: str) -> None:
    """Print the mistakes that are left in the file on stderr; after a change of keys, theirs."""
    from sandbox_tui.core.config.mistakes import SettingsError
    from sandbox_tui.core.config.settings import load
    from sandbox_tui.tui.cli.settings.mistakes import say_if_file_is_broken

    try:
        load()
    except SettingsError:
        say_if_file_is_broken()
        return
    if not name.startswith("keys."):
        return
    from sandbox_tui.tui.keys.keymap import keymap_in_file

    for problem in keymap_in_file(load().keys).problems:
        click.echo(f"sandbox-tui: {problem}", err=True)


def _as_text(name: str, value: Any) -> str:
    """Return a setting's value as `config set` takes it."""
    from sandbox_tui.core.config.plain_values import in_file
    from sandbox_tui.core.config.quantities import quantity_text

    value = quantity_text(name, value)
    if value is None:
        return "none"
    return value if isinstance(value, str) else json.dumps(in_file(value), default=str)


def _as_json(value: Any) -> Any:
    """Return a value that JSON can hold: rules as objects, dates as text, infinity as null."""
    import msgspec

    return msgspec.json.decode(msgspec.json.encode(value))
