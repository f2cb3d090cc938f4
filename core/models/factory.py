"""Opens the model client that the settings name."""

from __future__ import annotations

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.core.models.base import Model


def open_model(settings: ModelSettings, api_key: str | None) -> Model:
    """The model that the settings name.

    Raises:
        ConfigError: they name none, or it cannot be used without a key.
    """
    if not settings.name:
        raise ConfigError(
            "No model is set. Use --model NAME, and --base-url URL for your own server."
        )
    if not settings.base_url and not api_key:
        raise ConfigError(
            f"There is no OpenAI API key. Set {settings.api_key_env}, or use --base-url URL for "
            "your own server."
        )
    from sandbox_tui.core.models.openai_compatible import OpenAIModel, import_ahead

    import_ahead()
    return OpenAIModel(settings, api_key)
