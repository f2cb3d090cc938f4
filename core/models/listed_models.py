"""Asks one model server, wherever it is, which models it has."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any

from sandbox_tui.core.base.errors import ModelError
from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.core.models.discovery import (
    MAX_ANSWER_BYTES,
    LocalServer,
    kind_of,
    models_in,
)
from sandbox_tui.core.models.error_mapping import redacted, without_secrets
from sandbox_tui.core.models.response_guard import IDENTITY_ENCODING, guarded_client

MAX_WAIT_SECONDS = 5.0
"""Seconds a server has for its whole response."""


async def ask_for_models(settings: ModelSettings, api_key: str | None) -> LocalServer:
    """Return a server with the models that it lists.

    Args:
        settings: with the server's address.
        api_key: for the server; self-hosted servers often need none.

    Raises:
        ModelError: there is no list; the message is a sentence that names the server.
    """
    address = settings.base_url.rstrip("/")
    where = without_secrets(address)
    try:
        async with await guarded_client() as client, asyncio.timeout(MAX_WAIT_SECONDS):
            status, body = await _fetch(client, f"{address}/models", api_key)
    except TimeoutError:
        raise ModelError(f"{where} did not answer within {MAX_WAIT_SECONDS:g} s.") from None
    except ModelError:
        raise
    except Exception as error:
        words = redacted(str(error), api_key or "") or type(error).__name__
        raise ModelError(f"{where} cannot be reached ({words}).") from error
    if status in (401, 403):
        advice = "Check" if api_key else "Set"
        raise ModelError(f"{where} wants an API key ({status}). {advice} {settings.api_key_env}.")
    found = models_in(body) if status == 200 else None
    if found is None:
        raise ModelError(f"{where} has no list of models ({status}). Addresses end in /v1.")
    names, owners = found
    return LocalServer(kind_of(owners), settings.base_url, names)


async def _fetch(client: Any, address: str, api_key: str | None) -> tuple[int, bytes]:
    """Return the status of a response, and the beginning of its body."""
    headers = {**IDENTITY_ENCODING, "Authorization": f"Bearer {api_key or 'none'}"}
    data = bytearray()
    async with client.stream("GET", address, headers=headers) as response:
        async with aclosing(response.aiter_bytes()) as pieces:
            async for piece in pieces:
                data += piece
                if len(data) > MAX_ANSWER_BYTES:
                    break
        return response.status_code, bytes(data)
