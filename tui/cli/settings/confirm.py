"""Asks before something that cannot be undone."""

from __future__ import annotations

import sys

import click

from sandbox_tui.core.base.errors import ConfigError, SandboxTuiError
from sandbox_tui.tui.cli.program import CANCELLED


class Declined(SandboxTuiError):
    """The user answered no, or ended the question."""

    exit_code = CANCELLED


def confirm(question: str, otherwise: str, *, default: bool = False, err: bool = False) -> None:
    """Ask a question on the terminal and return if the answer is yes.

    Args:
        question: without the choices.
        otherwise: what did not happen without a yes, as "Nothing was deleted".
        default: the answer of the enter key.
        err: whether to ask on stderr.

    Raises:
        Declined: the answer is no, or ctrl+c.
        ConfigError: there is nobody to ask.
    """
    try:
        said = click.confirm(question, default=default, err=err)
    except click.Abort:
        click.echo(err=True)  # the question's line has not ended
        if sys.stdin.isatty():
            raise Declined(f"{otherwise}.") from None
        words = f"{otherwise}: there is no terminal to ask on; --yes does not ask."
        raise ConfigError(words) from None
    if not said:
        raise Declined(f"{otherwise}.")


def kept_words(is_first: bool) -> str:
    """Return what did not happen if the deletion of the first of several, or a later one, is
    declined."""
    return "Nothing was deleted" if is_first else "Nothing else was deleted"
