"""Opens the model client that the settings name."""

from __future__ import annotations

from sandbox_tui.core.base.errors import ConfigError, NoModelSet
from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.core.config.valid_values import is_server_address
from sandbox_tui.core.models.base import Model
from sandbox_tui.core.models.demo_model import DemoModel
from sandbox_tui.core.models.error_mapping import without_secrets

DEMO_NAMES = frozenset({"demo", DemoModel.name})
"""Names of the demo model, which needs no server."""


def open_model(settings: ModelSettings, api_key: str | None) -> Model:
    """Return the model that the settings name.

    Raises:
        ConfigError: they name none, its server's address is not one, or there is no key for it.
    """
    refuse_unusable(settings, api_key)
    from sandbox_tui.core.models.openai_compatible import OpenAIModel, import_ahead

    import_ahead()
    return OpenAIModel(settings, api_key)


def refuse_unusable(settings: ModelSettings, api_key: str | None) -> None:
    """Reject a model that no request could reach.

    Raises:
        ConfigError: as for `open_model`.
    """
    if not settings.name:
        raise NoModelSet(
            "No model is set. Use --model NAME, and --base-url URL for your own server."
        )
    if not settings.base_url and not api_key:
        raise ConfigError(
            f"There is no OpenAI API key. Set {settings.api_key_env}, or use --base-url URL for "
            "your own server."
        )
    if settings.base_url and not is_server_address(settings.base_url):
        raise ConfigError(
            f"The server {without_secrets(settings.base_url)} is not an address. It should look "
            "like http://localhost:8000/v1."
        )


def refuse_demo(
    settings: ModelSettings, *, model: str = "--model", server: str = "--base-url"
) -> None:
    """Reject the demo model for work that needs a real one.

    A server may call its own model "demo", so settings that name a server are accepted.

    Args:
        settings: of an evaluation or a training.
        model: where the user sets the model, for the message.
        server: where the user sets the server, for the message.

    Raises:
        ConfigError: the settings name the demo model and no server.
    """
    if settings.name in DEMO_NAMES and not settings.base_url:
        raise ConfigError(
            "The demo model only replays a scripted demonstration and cannot solve tasks: name a "
            f"model ({model}) or a server ({server}) instead."
        )
