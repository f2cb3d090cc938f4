"""Finds a model for a run if none is set: one of the server that is, or of this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import click

from sandbox_tui.core.base.errors import ConfigError, ModelError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import ModelSettings, Settings, api_key, changed
from sandbox_tui.core.models.discovery import LocalServer, ask_for_models, find_local_servers
from sandbox_tui.core.models.error_mapping import without_secrets

MAX_NAMED = 5
"""Maximum number of models named in one sentence."""


def with_found_model(settings: Settings, *, can_ask: bool) -> Settings:
    """Return the settings, with a model of the server that they name, or of this machine if they
    name none; unchanged if they name a model.

    If there is exactly one, it is used and reported on stderr. Among several, the user chooses. If
    no server responds, the settings stay unchanged.

    Args:
        settings: in force.
        can_ask: whether the user can be asked.

    Raises:
        ConfigError: there are several models, and the user cannot be asked.
    """
    if settings.model.name:
        return settings
    servers = asyncio.run(_servers(settings.model))
    models = [(model, server) for server in servers for model in server.models]
    if not models:
        return settings
    if len(models) == 1:
        model, server = models[0]
    elif can_ask:
        model, server = _chosen(models)
    else:
        raise ConfigError(_choose_one(settings.model, models))
    click.echo(
        f"No model was set; this run uses {_words(model, server)}. --model chooses another.",
        err=True,
    )
    return changed(settings, {"model.name": model, "model.base_url": server.base_url})


async def _servers(settings: ModelSettings) -> list[LocalServer]:
    """Return the server that the settings name, or those on this machine; none that does not
    answer."""
    if not settings.base_url:
        return await find_local_servers(settings.local_ports)
    try:
        return [await ask_for_models(settings, api_key(settings))]
    except ModelError:
        return []  # the run says what is missing


def _choose_one(settings: ModelSettings, models: Sequence[tuple[str, LocalServer]]) -> str:
    """Return which models there are to choose from."""
    more = ", …" if len(models) > MAX_NAMED else ""
    if settings.base_url:
        named = sanitize_line(", ".join(model for model, _ in models[:MAX_NAMED]))
        return (
            f"No model is set. {without_secrets(settings.base_url)} has {named}{more}: choose one "
            "with --model."
        )
    named = ", ".join(_words(*one) for one in models[:MAX_NAMED])
    return (
        f"No model is set, and this machine has several: {named}{more}. Choose one with --model "
        "and --base-url."
    )


def _chosen(models: Sequence[tuple[str, LocalServer]]) -> tuple[str, LocalServer]:
    click.echo("No model is set. There are:", err=True)
    for number, one in enumerate(models, 1):
        click.echo(f"{number:>3}  {_words(*one)}", err=True)

    def among_them(typed: str) -> int:
        if typed.strip() in map(str, range(1, len(models) + 1)):
            return int(typed)
        raise click.UsageError(f"Type a number from 1 to {len(models)}.")

    return models[click.prompt("which", value_proc=among_them, default="1", err=True) - 1]


def _words(model: str, server: LocalServer) -> str:
    address = server.base_url.removeprefix("http://").removesuffix("/v1")
    return sanitize_line(f"{model} at {address}")
