"""Finds the context length of a model, if its server reports it.

Every server reports it in a different place. Each place has one small reader here:

- vLLM, SGLang: `max_model_len` in the list of models; gateways such as OpenRouter: `context_length`
- llama.cpp: `n_ctx` of a slot at `/props`
- Ollama: `context_length` of a loaded model at `/api/ps`, else the model's data at `/api/show`
- LM Studio: `loaded_context_length` at `/api/v0/models`

All responses are untrusted: they are limited in size and time, and anything but a positive integer
is ignored.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any, cast

import msgspec

from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.core.events.types import ContextLength
from sandbox_tui.core.models.http.response_guard import IDENTITY_ENCODING, guarded_client

MAX_SEARCH_SECONDS = 5.0
"""Seconds for all requests to a server together."""

MAX_ANSWER_BYTES = 4 << 20
"""Maximum bytes of one response; the longest lists of models in use take a third of that."""

MAX_CONTEXT_TOKENS = 1 << 31
"""A longer context than this is treated as a server error."""

Row = Mapping[str, Any]
Ask = Callable[..., Awaitable[Row]]
"""Sends the server a request: an address and optional fields to post. Returns the JSON object of
the response, or an empty one if the response is anything else."""

_NUM_CTX = re.compile(r"^num_ctx\s+(\d{1,10})\s*$", re.MULTILINE)


async def find_context_length(settings: ModelSettings, api_key: str | None) -> ContextLength | None:
    """Return the context length of a model, or None if its server does not report it.

    Takes at most `MAX_SEARCH_SECONDS`, and never raises because of the server.

    Args:
        settings: the model and its server; `context_length` takes precedence over the server's
            value.
        api_key: for the server.
    """
    if (context := _as_set(settings)) is not None:
        return context
    if not settings.base_url:
        return None  # the hosted server does not report it
    try:
        async with await guarded_client() as client, asyncio.timeout(MAX_SEARCH_SECONDS):
            return await _search(client, settings, api_key)
    except Exception:  # noqa: BLE001 - the result is optional
        return None


class ContextSearch:
    """Searches for a model's context length in the background, once.

    Args:
        settings, api_key: as in `find_context_length`.
    """

    def __init__(self, settings: ModelSettings, api_key: str | None) -> None:
        self._settings, self._api_key = settings, api_key
        self._task: asyncio.Task[ContextLength | None] | None = None
        self._unreported = _as_set(settings)
        self._has_started = self._unreported is not None

    def begin(self) -> None:
        """Start the search, unless it was started before or the length is set."""
        if not self._has_started:
            self._has_started = True
            search = find_context_length(self._settings, self._api_key)
            self._task = asyncio.create_task(search)

    def take(self) -> ContextLength | None:
        """Return the result, once; None before that and afterwards."""
        if self._task is not None and self._task.done():
            self._unreported, self._task = self._task.result(), None
        found, self._unreported = self._unreported, None
        return found

    async def close(self) -> None:
        """Stop the search."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])


def _as_set(settings: ModelSettings) -> ContextLength | None:
    if settings.context_length is None:
        return None
    return ContextLength(tokens=settings.context_length, source="model.context_length")


async def _search(
    client: Any, settings: ModelSettings, api_key: str | None
) -> ContextLength | None:
    base = settings.base_url.rstrip("/")
    root = base.removesuffix("/v1")
    headers = {**IDENTITY_ENCODING, "Authorization": f"Bearer {api_key or 'none'}"}

    async def ask(path: str, **posted: str) -> Row:
        address = f"{base}/models" if path == "/models" else f"{root}{path}"
        method = "POST" if posted else "GET"
        body: dict[str, Any] = {"json": posted} if posted else {}
        async with client.stream(method, address, headers=headers, **body) as response:
            return await _json_object(response) if response.status_code == 200 else {}

    return await read_context_length(ask, settings.name)


async def _json_object(response: Any) -> Row:
    data = bytearray()
    async with aclosing(response.aiter_bytes()) as pieces:
        async for piece in pieces:
            data += piece
            if len(data) > MAX_ANSWER_BYTES:
                return {}
    try:
        return _mapping(await asyncio.to_thread(msgspec.json.decode, bytes(data)))
    except (msgspec.DecodeError, RecursionError):
        return {}


async def read_context_length(ask: Ask, model: str) -> ContextLength | None:
    """Return the context length of a model as reported by any kind of server."""
    row = _row_of(_rows(await ask("/models"), "data"), model)
    if row is None:
        return None
    listed = _in_list_of_models(row)
    if listed is not None:
        return listed
    if row.get("owned_by") == "llamacpp" or "meta" in row:
        return await _from_llama_cpp(ask, row)
    return await _from_ollama(ask, model) or await _from_lm_studio(ask, model)


# --- one reader per server


def _in_list_of_models(row: Row) -> ContextLength | None:
    """Read the model list of vLLM, SGLang (`max_model_len`), OpenRouter and similar gateways."""
    provider = _mapping(row.get("top_provider"))  # OpenRouter: where requests go first
    reported = [
        *(row.get("max_model_len"), row.get("context_length"), row.get("context_window")),
        provider.get("context_length"),
    ]
    return _smallest(reported, "/models")


async def _from_llama_cpp(ask: Ask, row: Row) -> ContextLength | None:
    """Return the context of one slot, else the model's training context."""
    props = await ask("/props")
    settings = _mapping(props.get("default_generation_settings"))
    meta = _mapping(row.get("meta"))
    return (
        _smallest([settings.get("n_ctx")], "/props")
        or _smallest([meta.get("n_ctx")], "/models")
        or _smallest([meta.get("n_ctx_train")], "/models", at_most=True)
    )


async def _from_ollama(ask: Ask, model: str) -> ContextLength | None:
    """Return the context of the loaded model, else that of its file, else its training context."""
    running = await ask("/api/ps")
    if "models" not in running:
        return None
    loaded = _row_of(_rows(running, "models"), model, key="name") or {}
    found = _smallest([loaded.get("context_length")], "/api/ps")
    if found is not None:
        return found
    shown = await ask("/api/show", model=model)
    parameters = _NUM_CTX.search(str(shown.get("parameters") or ""))
    info = _mapping(shown.get("model_info"))
    trained = [value for name, value in info.items() if name.endswith(".context_length")]
    return _smallest([int(parameters[1])] if parameters else [], "/api/show") or _smallest(
        trained, "/api/show", at_most=True
    )


async def _from_lm_studio(ask: Ask, model: str) -> ContextLength | None:
    """Return the context with which the model is loaded, else its maximum."""
    row = _row_of(_rows(await ask("/api/v0/models"), "data"), model) or {}
    return _smallest([row.get("loaded_context_length")], "/api/v0/models") or _smallest(
        [row.get("max_context_length")], "/api/v0/models", at_most=True
    )


# --- reading responses


def _smallest(values: list[Any], source: str, *, at_most: bool = False) -> ContextLength | None:
    """Return the smallest value that is a plausible number of tokens."""
    tokens = [value for value in values if type(value) is int and 0 < value <= MAX_CONTEXT_TOKENS]
    if not tokens:
        return None
    return ContextLength(tokens=min(tokens), at_most=at_most, source=source)


def _row_of(rows: list[Row], model: str, key: str = "id") -> Row | None:
    """Return the row of a model, or the only row: some servers accept any name for their only
    model."""
    for row in rows:
        name = row.get(key)
        if name in (model, f"{model}:latest"):
            return row
    return rows[0] if len(rows) == 1 and key == "id" else None


def _rows(answer: Row, key: str) -> list[Row]:
    rows = answer.get(key)
    found = [_mapping(row) for row in cast(list[Any], rows)] if isinstance(rows, list) else []
    return [row for row in found if row]


def _mapping(value: Any) -> Row:
    return cast(Row, value) if isinstance(value, Mapping) else {}
