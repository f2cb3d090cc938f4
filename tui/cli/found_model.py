"""The model of a run when none is named: one that a server on this machine has."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import click

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import Settings, changed
from sandbox_tui.core.models.discovery import LocalServer, find_local_servers

MAX_NAMED = 5
"""Models that are named in one sentence."""


def with_found_model(settings: Settings, *, asks: bool) -> Settings:
    """The settings, with a model of this machine where they name neither a model nor a server.

    The only model there is is taken, and said on stderr. Among several a person chooses. Where
    nothing answers the settings stay as they are.

    Args:
        settings: in force.
        asks: whether a person can be asked.

    Raises:
        ConfigError: there are several, and nobody to ask.
    """
    if settings.model.name or settings.model.base_url:
        return settings
    servers = asyncio.run(find_local_servers(settings.model.local_ports))
    models = [(model, server) for server in servers for model in server.models]
    if not models:
        return settings
    if len(models) == 1:
        model, server = models[0]
    elif asks:
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
