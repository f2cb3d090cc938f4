"""Finds model servers that already listen on this machine's loopback interface, and asks a named
one for its models.

Each port gets one `GET /v1/models` (OpenAI API). The response is untrusted: another program may
listen there and send a web page, a flood, one byte per second, or nothing. Only the
named server gets a key.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import io
from collections.abc import Collection, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, cast

import msgspec

from sandbox_tui.core.base.errors import ModelError, ServerUnreachable
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.core.models.error_mapping import redacted, without_secrets
from sandbox_tui.core.models.http.response_guard import IDENTITY_ENCODING, guarded_client

HOST = "127.0.0.1"

UNKNOWN = "a server"
"""Display name of a server that does not identify itself."""

_OWNERS = {
    "vllm": "vLLM",
    "sglang": "SGLang",
    "llamacpp": "llama.cpp",
    "library": "Ollama",
    "organization_owner": "LM Studio",
}
"""Values of `owned_by` that identify servers."""

_NAMES = {"llama.cpp": "llama.cpp"}
"""Values of the `Server` header that identify servers."""

TIMEOUT_SECONDS = 1.5
"""Seconds a server has for its whole response."""

MAX_ANSWER_BYTES = 2**20
MAX_MODELS = 200
MAX_NAME_CHARS = 200


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that responded.

    Attributes:
        kind: the server program, if its response identifies it; else `UNKNOWN`.
        base_url: value for `model.base_url`.
        models: their names; empty if none is loaded, or the server requires a key to list them.
        wants_key: whether it refused to respond without a key.
    """

    kind: str
    base_url: str
    models: tuple[str, ...] = ()
    wants_key: bool = False


def is_unlisted(name: str, models: Collection[str]) -> bool:
    """Return whether a server lacks a model, judged by the models that it lists.

    A list that is empty or as long as `MAX_MODELS` proves nothing. Ollama lists `name:latest` for
    `name`.
    """
    is_complete = 0 < len(models) < MAX_MODELS
    return is_complete and name not in models and f"{name}:latest" not in models


async def find_local_servers(
    ports: Sequence[int] = ModelSettings().local_ports, *, wait: float = TIMEOUT_SECONDS
) -> list[LocalServer]:
    """Return the servers that respond on these ports within `wait` seconds, in the order of the
    ports."""
    answers = await asyncio.gather(*(_ask(port, wait) for port in dict.fromkeys(ports)))
    return [answer for answer in answers if answer is not None]


async def _ask(port: int, wait: float) -> LocalServer | None:
    raw = bytearray()
    try:
        async with asyncio.timeout(wait):
            await _fetch(port, raw)
    except TimeoutError:
        pass  # a server that keeps the connection open may have sent everything
    except OSError:
        return None
    return _read(port, bytes(raw))


async def _fetch(port: int, into: bytearray) -> None:
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        writer.write(
            f"GET /v1/models HTTP/1.1\r\nHost: {HOST}:{port}\r\nAccept: application/json\r\n"
            "Connection: close\r\n\r\n".encode()
        )
        await writer.drain()
        while len(into) <= MAX_ANSWER_BYTES and (data := await reader.read(65536)):
            into += data
    finally:
        writer.transport.abort()


def _read(port: int, raw: bytes) -> LocalServer | None:
    if len(raw) > MAX_ANSWER_BYTES:
        return None
    try:
        response = http.client.HTTPResponse(_Answer(raw))  # pyright: ignore[reportArgumentType]
        response.begin()
        body = response.read()
    except (http.client.HTTPException, ValueError, OSError):
        return None
    address = f"http://{HOST}:{port}/v1"
    kind = _NAMES.get(response.getheader("server") or "", UNKNOWN)
    if response.status in (401, 403):
        is_json = "json" in (response.getheader("content-type") or "")
        return LocalServer(kind, address, wants_key=True) if is_json else None
    found = models_in(body) if response.status == 200 else None
    if found is None:
        return None
    names, owners = found
    return LocalServer(kind_of(owners, kind), address, names)


def kind_of(owners: Sequence[str], otherwise: str = UNKNOWN) -> str:
    """Return the server program that names these owners of its models."""
    return next((_OWNERS[owner] for owner in owners if owner in _OWNERS), otherwise)


class _Answer:
    """Bytes that `HTTPResponse` reads in place of a socket."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    def makefile(self, mode: str) -> io.BytesIO:
        """Return the bytes as a file: the only socket method `HTTPResponse` calls."""
        return io.BytesIO(self._raw)


def models_in(body: bytes) -> tuple[tuple[str, ...], list[str]] | None:
    """Return the names and owners of the models in a list, or None if it is not such a list."""
    value: Any = None
    with contextlib.suppress(msgspec.DecodeError, RecursionError):
        value = msgspec.json.decode(body)
    if not isinstance(value, dict):
        return None
    rows: Any = cast(dict[str, Any], value).get("data", ())
    if not isinstance(rows, list):
        return None
    models = [cast(dict[str, Any], row) for row in cast(list[Any], rows) if isinstance(row, dict)]
    names = (model.get("id") for model in models[:MAX_MODELS])
    owners = (model.get("owned_by") for model in models[:MAX_MODELS])
    return (
        tuple(dict.fromkeys(name for name in names if isinstance(name, str) and _usable(name))),
        [owner for owner in owners if isinstance(owner, str)],
    )


def _usable(name: str) -> bool:
    return 0 < len(name) <= MAX_NAME_CHARS and sanitize_line(name) == name


# --- one server, wherever it is

MAX_WAIT_SECONDS = 5.0
"""Seconds a server has for its whole response."""


async def ask_for_models(settings: ModelSettings, api_key: str | None) -> LocalServer:
    """Return a server with the models that it lists.

    Args:
        settings: with the server's address.
        api_key: for the server; self-hosted servers often need none.

    Raises:
        ServerUnreachable: the server does not answer.
        ModelError: there is no list; the message is a sentence that names the server.
    """
    address = settings.base_url.rstrip("/")
    where = without_secrets(address)
    try:
        async with await guarded_client() as client, asyncio.timeout(MAX_WAIT_SECONDS):
            status, body = await _fetch_list(client, f"{address}/models", api_key)
    except TimeoutError:
        raise ServerUnreachable(f"{where} did not answer within {MAX_WAIT_SECONDS:g} s.") from None
    except ModelError:
        raise
    except Exception as error:
        words = redacted(str(error), api_key or "") or type(error).__name__
        raise ServerUnreachable(f"{where} cannot be reached ({words}).") from error
    if status in (401, 403):
        advice = "Check" if api_key else "Set"
        words = f"{where} wants an API key ({status}). {advice} {settings.api_key_env}."
        raise ModelError(words, status=status)
    found = models_in(body) if status == 200 else None
    if found is None:
        raise ModelError(f"{where} has no list of models ({status}). Addresses end in /v1.")
    names, owners = found
    return LocalServer(kind_of(owners), settings.base_url, names)


async def _fetch_list(client: Any, address: str, api_key: str | None) -> tuple[int, bytes]:
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
