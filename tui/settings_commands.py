"""Commands about settings and keys: `sandbox-tui config` and `sandbox-tui keys`."""

from __future__ import annotations

import json
from typing import Any

import click

from ..core.text import clean_line


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON, one action a line.")
def keys(as_json: bool) -> None:
    """List every action that has a key, by the name that config.toml's [keys] knows it by.

    \b
    [keys]
    "live.approve" = "y"
    help = ["f1", "h"]          # every action of that name
    """
    from ..core.config import load
    from .key_actions import key_actions
    from .keymap import keymap_in_file, shown

    keymap = keymap_in_file(load().keys)
    for action in key_actions().values():
        in_force, changed = keymap.of(action.name), action.name in keymap.keys
        if as_json:
            row = {"action": action.name, "keys": in_force, "usual": action.keys}
            click.echo(json.dumps({**row, "words": action.words}))
            continue
        words = " ".join(shown(key) for key in in_force)
        mark = f"  (usually {' '.join(shown(key) for key in action.keys)})" if changed else ""
        click.echo(f"{action.name:<26}{words:<18}{action.words}{mark}")
    for problem in keymap.problems:
        click.echo(f"sandbox-tui: {problem}", err=True)


@click.group("config", invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="As JSON, one setting a line.")
@click.pass_context
def config_group(ctx: click.Context, as_json: bool) -> None:
    """The settings in force, and where each came from."""
    if ctx.invoked_subcommand is not None:
        return
    from ..core.origins import origins

    for name, value, source in origins():
        if as_json:
            click.echo(json.dumps({"name": name, "value": value, "source": source}))
        else:
            shown = "" if value is None else _as_text(value)
            click.echo(f"{name:<26}{clean_line(shown):<22}{clean_line(source)}")


@config_group.command("path")
def config_path() -> None:
    """Where the config file is, or would be."""
    from ..core.config import config_file

    click.echo(config_file())


@config_group.command("set")
@click.argument("name")
@click.argument("value")
def config_set(name: str, value: str) -> None:
    """Write VALUE as the setting NAME, such as: config set ui.theme daylight"""
    from ..core.config_file import value_from_text, write

    chosen = value_from_text(name, value)
    path = write({name: chosen})
    click.echo(f"{name} is {'not ' if chosen is None else ''}set in {path}")
    if name.startswith("keys."):
        _say_problems_of_keys()


@config_group.command("unset")
@click.argument("name")
def config_unset(name: str) -> None:
    """Take the setting NAME out of the file; its default holds again."""
    from ..core.config_file import write

    click.echo(f"{name} is not set in {write({name: None})}")


def _say_problems_of_keys() -> None:
    from ..core.config import load
    from .keymap import keymap_in_file

    for problem in keymap_in_file(load().keys).problems:
        click.echo(f"sandbox-tui: {problem}", err=True)


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
