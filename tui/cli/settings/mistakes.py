"""Reports mistakes in the settings, also those that stop nothing: in the theme, the keys and the
names of environment variables."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from sandbox_tui.core.base.errors import ConfigError, NoModelSet, SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.tui.lifecycle.config_mistakes import mistakes_of_screen, mistakes_of_themes

if TYPE_CHECKING:
    from sandbox_tui.core.config.mistakes import Mistake, SettingsError


def error_words(error: SandboxTuiError) -> str:
    """Return the words of an error, as `in_full`; if no model is set, with that of the last run."""
    if isinstance(error, NoModelSet):
        from sandbox_tui.tui.cli.model_server.last_used import last_used_words

        return f"{sanitize(str(error))} {last_used_words()}".rstrip()
    return sanitize(str(in_full(error)))


def in_full(error: SandboxTuiError) -> SandboxTuiError:
    """Return an error; that of settings that cannot be used with the mistakes that stop nothing by
    themselves."""
    from sandbox_tui.core.config.mistakes import SettingsError

    return _in_full(error) if isinstance(error, SettingsError) else error


def _in_full(error: SettingsError) -> SettingsError:
    return type(error)(error.path, [*error.mistakes, *mistakes_of_screen()])


def unusable_names() -> Collection[str]:
    """Return the names of the settings whose values cannot be used, those of the theme and of
    refused keys among them."""
    from sandbox_tui.core.config.settings import config_file, load_usable

    of_screen = {str(one.words).partition(":")[0] for one in mistakes_of_screen()}
    settings, unusable = load_usable(config_file())
    return {*unusable, *of_screen & {"ui.theme"}, *_refused_keys(settings.keys)}


def _refused_keys(table: Mapping[str, Any]) -> Iterator[str]:
    if not table:
        return
    from sandbox_tui.tui.keys.keymap import read_keymap

    yield from (f"keys.{entry}" for entry in read_keymap(table).refused)


def say_if_unusable(name: str) -> None:
    """Print a line on stderr if the value of a setting cannot be used."""
    if name in unusable_names():
        click.echo(f"sandbox-tui: This value of {name} cannot be used.", err=True)


def say_mistakes_of_screen() -> None:
    """Print the mistakes that stop nothing, those in theme files among them, on stderr, one per
    line."""
    found = mistakes_of_screen()
    _say([*found, *mistakes_of_themes(found)])


def say_that_mistakes_follow() -> None:
    """Print a line on stderr, before the list of the settings, if the file has mistakes: they are
    printed after it."""
    from sandbox_tui.core.config.mistakes import SettingsError
    from sandbox_tui.core.config.settings import load

    try:
        load()
    except SettingsError as error:
        count = len(_in_full(error).mistakes)
        words = "a mistake" if count == 1 else f"{count} mistakes"
        click.echo(f"sandbox-tui: The settings have {words}, listed last.", err=True)


def _say(mistakes: Sequence[Mistake | str]) -> None:
    for mistake in mistakes:
        click.echo(f"sandbox-tui: {sanitize_line(str(mistake))}", err=True)


def say_if_file_is_broken() -> None:
    """Print a line on stderr if the settings cannot be used, for commands that need none; otherwise
    one for each environment variable that sets nothing."""
    from sandbox_tui.core.config.mistakes import SettingsError
    from sandbox_tui.core.config.settings import load
    from sandbox_tui.core.config.unknown_variables import unknown_variables

    try:
        _say(unknown_variables(load().model.api_key_env))
    except SettingsError as error:
        click.echo(f"sandbox-tui: {sanitize(_in_full(error).short)}", err=True)
    except ConfigError as error:
        click.echo(f"sandbox-tui: {sanitize(str(error))}", err=True)
