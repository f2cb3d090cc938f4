"""Reports mistakes in the config file, also those in the theme and the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sandbox_tui.core.base.errors import ConfigError, SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.tui.lifecycle.config_mistakes import mistakes_of_screen

if TYPE_CHECKING:
    from sandbox_tui.core.config.mistakes import SettingsError


def error_words(error: SandboxTuiError) -> str:
    """Return the words of an error; of settings that cannot be used, with the mistakes in the theme
    and the keys, which stop nothing by themselves."""
    from sandbox_tui.core.config.mistakes import SettingsError

    return sanitize(str(_in_full(error) if isinstance(error, SettingsError) else error))


def _in_full(error: SettingsError) -> SettingsError:
    return type(error)(error.path, [*error.mistakes, *mistakes_of_screen()])


def say_mistakes_of_screen() -> None:
    """Print the mistakes in the theme and the keys on stderr, one per line."""
    for mistake in mistakes_of_screen():
        click.echo(f"sandbox-tui: {sanitize_line(str(mistake))}", err=True)


def say_if_file_is_broken() -> None:
    """Print a line on stderr if the settings cannot be used, for commands that need none."""
    from sandbox_tui.core.config.mistakes import SettingsError
    from sandbox_tui.core.config.settings import load

    try:
        load()
    except SettingsError as error:
        click.echo(f"sandbox-tui: {sanitize(_in_full(error).short)}", err=True)
    except ConfigError as error:
        click.echo(f"sandbox-tui: {sanitize(str(error))}", err=True)
