"""Finds a model for a run if none is set: one on a server on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import click

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import Settings, changed
from sandbox_tui.core.models.discovery import LocalServer, find_local_servers

MAX_NAMED = 5
"""Maximum number of models named in one sentence."""


def with_found_model(settings: Settings, *, can_ask: bool) -> Settings:
    """Return the settings, with a local model if they name neither a model nor a server.

    If there is exactly one, it is used and reported on stderr. Among several, the user chooses. If
    no server responds, the settings stay unchanged.

    Args:
        settings: in force.
        can_ask: whether the user can be asked.

    Raises:
        ConfigError: there are several models, and the user cannot be asked.
    """
    if settings.model.name or settings.model.base_url:
        return settings
    servers = asyncio.run(find_local_servers(settings.model.local_ports))
    models = [(model, server) for server in servers for model in server.models]
    if not models:
        return settings
    if len(models) == 1:
        model, server = models[0]
    elif can_ask:
        model, server = _chosen(models)
    else:
        named = ", ".join(_words(*one) for one in models[:MAX_NAMED])
        raise ConfigError(
            f"No model is set, and this machine has several: {named}. Choose one with --model and "
            "--base-url."
        )
    click.echo(
        f"No model was set; this run uses {_words(model, server)}. --model chooses another.",
        err=True,
    )
    return changed(settings, {"model.name": model, "model.base_url": server.base_url})


def _chosen(models: Sequence[tuple[str, LocalServer]]) -> tuple[str, LocalServer]:
    click.echo("No model is set. This machine has:", err=True)
    for number, one in enumerate(models, 1):
        click.echo(f"{number:>3}  {_words(*one)}", err=True)
    number = click.prompt("which", type=click.IntRange(1, len(models)), default=1, err=True)
    return models[number - 1]


def _words(model: str, server: LocalServer) -> str:
    address = server.base_url.removeprefix("http://").removesuffix("/v1")
    return sanitize_line(f"{model} at {address}")
