"""Model servers that already listen on this machine's loopback, found by asking them.

Each port is asked once for `GET /v1/models`, as OpenAI's API has it. Whatever answers is met with
suspicion: another program may listen there, answer with a web page, drip, flood, or say nothing.
No key is sent.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import msgspec

from ..text import clean_line

HOST = "127.0.0.1"

USUAL_PORTS = {8000: "vLLM", 30000: "SGLang", 11434: "Ollama", 1234: "LM Studio", 8080: "llama.cpp"}
"""Where servers listen unless told otherwise, and which."""

_OWNERS = {"vllm": "vLLM", "sglang": "SGLang", "llamacpp": "llama.cpp", "library": "Ollama"}
"""What servers write into `owned_by` of their models."""

LONGEST_WAIT = 1.5
"""Seconds a server may take for its whole answer."""

MOST_BYTES = 2**20
MOST_MODELS = 200
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that answered.

    Attributes:
        kind: which program it seems to be.
        base_url: to give as `model.base_url`.
        models: their names; empty where it has none loaded, or does not say without a key.
        wants_key: whether it refused to say anything without a key.
    """

    kind: str
    base_url: str
    models: tuple[str, ...] = ()
    wants_key: bool = False


async def find_local_servers(
    ports: Sequence[int] = tuple(USUAL_PORTS), *, wait: float = LONGEST_WAIT
) -> list[LocalServer]:
    """The servers that answer on these ports within `wait` seconds, in the order of the ports."""
    answers = await asyncio.gather(*(_ask(port, wait) for port in dict.fromkeys(ports)))
    return [answer for answer in answers if answer is not None]


async def _ask(port: int, wait: float) -> LocalServer | None:
    raw = bytearray()
    try:
        async with asyncio.timeout(wait):
            await _fetch(port, raw)
    except TimeoutError:
        pass  # a server that keeps the connection open may have said all there is
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
        while len(into) <= MOST_BYTES and (data := await reader.read(65536)):
            into += data
    finally:
        writer.transport.abort()


def _read(port: int, raw: bytes) -> LocalServer | None:
    if len(raw) > MOST_BYTES:
        return None
    try:
        response = http.client.HTTPResponse(_Answer(raw))  # pyright: ignore[reportArgumentType]
        response.begin()
        body = response.read()
    except (http.client.HTTPException, ValueError, OSError):
        return None
    address = f"http://{HOST}:{port}/v1"
    kind = USUAL_PORTS.get(port, "a server")
    if response.status in (401, 403):
        said = "json" in (response.getheader("content-type") or "")
        return LocalServer(kind, address, wants_key=True) if said else None
    found = _models(body) if response.status == 200 else None
    if found is None:
        return None
    names, owners = found
    kind = next((_OWNERS[owner] for owner in owners if owner in _OWNERS), kind)
    return LocalServer(kind, address, names)


class _Answer:
    """Bytes in the place of a socket."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    def makefile(self, mode: str) -> io.BytesIO:
        """See `socket.socket.makefile`."""
        return io.BytesIO(self._raw)


def _models(body: bytes) -> tuple[tuple[str, ...], list[str]] | None:
    """Names and owners of the models of a list, None where it is no such list."""
    value: Any = None
    with contextlib.suppress(msgspec.DecodeError, RecursionError):
        value = msgspec.json.decode(body)
    if not isinstance(value, dict):
        return None
    rows: Any = cast(dict[str, Any], value).get("data", ())
    if not isinstance(rows, list):
        return None
    models = [cast(dict[str, Any], row) for row in cast(list[Any], rows) if isinstance(row, dict)]
    names = (model.get("id") for model in models[:MOST_MODELS])
    owners = (model.get("owned_by") for model in models[:MOST_MODELS])
    return (
        tuple(dict.fromkeys(name for name in names if isinstance(name, str) and _usable(name))),
        [owner for owner in owners if isinstance(owner, str)],
    )


def _usable(name: str) -> bool:
    return 0 < len(name) <= LONGEST_NAME and clean_line(name) == name
