"""Opening the model that the settings name."""

from __future__ import annotations

import pytest

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.core.models.factory import open_model


@pytest.mark.parametrize("url", ["notaurl", "localhost:8000/v1", "ftp://host/v1"])
def test_a_server_without_an_http_address_is_refused_before_anything_starts(url: str) -> None:
    with pytest.raises(ConfigError, match="http://localhost:8000/v1"):
        open_model(ModelSettings(name="m", base_url=url), None)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/v1", "HTTPS://example.org/v1"])
def test_a_server_with_an_http_address_is_accepted(url: str) -> None:
    open_model(ModelSettings(name="m", base_url=url), None)
