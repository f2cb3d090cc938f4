"""Finds the mistakes that stop nothing by themselves, in the theme, the keys and the names of
environment variables, and are reported together with those in the settings."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandbox_tui.core.config.mistakes import Mistake

_WITH_LINE = re.compile(r"line (\d+): (.*)", re.DOTALL)


def mistakes_of_screen() -> Sequence[Mistake]:
    """Return the mistakes in the theme, in the keys and in the names of environment variables.

    Raises:
        ConfigError: it is not TOML.
    """
    from sandbox_tui.core.config.mistakes import Mistake
    from sandbox_tui.core.config.settings import config_file, read_toml, variable
    from sandbox_tui.core.config.toml_lines import line_of
    from sandbox_tui.core.config.unknown_variables import unknown_variables

    text, tables = read_toml(config_file())
    found: list[Mistake] = []
    source = variable("ui", "theme")
    theme = os.environ.get(source, _table(tables, "ui").get("theme"))
    if isinstance(theme, str) and (words := _problem_of_theme(theme)):
        words = f"ui.theme: {words}"
        is_in_file = source not in os.environ
        line = line_of(text, "ui", "theme")
        found.append(Mistake(line, words) if is_in_file else Mistake(0, words, f"${source}"))
    for problem in _problems_of_keys(_table(tables, "keys"), text):
        match = _WITH_LINE.fullmatch(problem)
        found.append(Mistake(int(match[1]), match[2]) if match else Mistake(0, problem))
    return [*found, *unknown_variables(_key_variable(_table(tables, "model")))]


def mistakes_of_themes(known: Sequence[Mistake]) -> Sequence[str]:
    """Return a sentence about each theme file that cannot be used.

    Args:
        known: what `mistakes_of_screen` returned; a file that it names is left out.
    """
    from sandbox_tui.core.config.settings import config_dir

    folder = config_dir() / "themes"
    if next(folder.glob("*.toml"), None) is None:
        return ()
    from sandbox_tui.tui.theming.theme_files import ThemeFiles, words_of

    broken = map(words_of, ThemeFiles(folder).broken)
    return [f"{words}." for words in broken if not any(words in one.words for one in known)]


def _key_variable(model: dict[str, Any]) -> str:
    from sandbox_tui.core.config.settings import ModelSettings, variable

    named = model.get("api_key_env", ModelSettings().api_key_env)
    return str(os.environ.get(variable("model", "api_key_env"), named))


def _problems_of_keys(table: dict[str, Any], text: str) -> Sequence[str]:
    if not table:
        return ()
    from sandbox_tui.tui.keys.keymap import read_keymap

    return read_keymap(table, text).problems


def _problem_of_theme(name: str) -> str:
    from sandbox_tui.core.config.settings import config_dir
    from sandbox_tui.tui.theming.theme_files import ThemeFiles

    files = ThemeFiles(config_dir() / "themes")
    if name in files.names:
        return ""
    return f"{files.problem_of(name)}. {files.closest(name)}".rstrip()


def _table(tables: dict[str, Any], name: str) -> dict[str, Any]:
    table = tables.get(name)
    return table if isinstance(table, dict) else {}  # pyright: ignore[reportUnknownVariableType]
