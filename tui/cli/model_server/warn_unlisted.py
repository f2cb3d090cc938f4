"""Warns of detached runs whose models their servers do not list."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import click

from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.tui.lifecycle.unlisted_models import warn_of_unlisted_models


def warn_unlisted(requests: Sequence[RunRequest]) -> None:
    """Ask the server of each model, and print a warning on stderr if it does not list it."""

    def say(words: str) -> None:
        click.echo(f"sandbox-tui: warning: {words} Trying it anyway.", err=True)

    asyncio.run(warn_of_unlisted_models(requests, say))
