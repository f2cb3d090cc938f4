"""Tasks of the command line, of which `-` is read from standard input."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from sandbox_tui.core.base.errors import ConfigError


def tasks_of(given: Sequence[str]) -> list[str]:
    """Return the tasks, with the text of standard input in place of `-`.

    Raises:
        ConfigError: standard input is empty.
    """
    return [_typed() if text == "-" else text for text in given]


def _typed() -> str:
    if sys.stdin.isatty():
        click.echo("Type the task, then ctrl+d on a new line.", err=True)
    text = sys.stdin.read()
    if not text.strip():
        raise ConfigError("Standard input holds no task: write what the model should do.")
    return text
