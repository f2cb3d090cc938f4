"""Guards against hostile responses of a model server: headers and bodies without end, compressed
bodies, a charset of its choice, redirects that would send the conversation to another server.

A response is checked before its body is read and before a redirect is followed.
"""

from __future__ import annotations

import asyncio
import functools
import importlib
import os
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from sandbox_tui.core.base.errors import ModelError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.models.error_mapping import too_long, without_secrets
from sandbox_tui.core.models.header_limit import limit_headers

MAX_REPLY_BYTES = 128 << 20
"""Most of one answer; the longest reply that models are known to write is a third of this."""

MAX_ERROR_BYTES = 256 << 10
"""What is read of an answer that reports an error; the rest is left where it is."""

MAX_LIST_BYTES = 8 << 20
"""Most of an answer to anything but a question: the list of models."""

IDENTITY_ENCODING = {"Accept-Encoding": "identity"}
"""Header that asks for answers as they are: a few packed bytes unpack to gigabytes."""

_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE")
"""Variables that say which certificates are trusted, and what else the settings depend on."""

_COMPRESSED = {"gzip", "x-gzip", "deflate", "compress", "x-compress", "br", "zstd"}


async def guarded_client() -> Any:
    """An HTTP client of openai's own kind, whose answers are bounded.

    Made in a thread: the first time, openai is imported, which takes a second.
    """
    return await asyncio.to_thread(_guarded_client)


def import_client() -> Any:
    """The openai package, with what the first request needs of it."""
    importlib.import_module("openai.resources.chat")
    return importlib.import_module("openai")


def _guarded_client() -> Any:
    client = import_client().DefaultAsyncHttpxClient
    http = _http_package(client)
    certificates = tuple(os.environ.get(name, "") for name in _CERTIFICATES)
    return client(
        event_hooks={"request": [limit_headers], "response": [_Guard(http)]},
        verify=_tls_context(http, certificates),
    )


@functools.cache
def _tls_context(http: Any, _certificates: tuple[str, ...]) -> Any:
    """The settings of encrypted connections. To read the certificates of this machine takes longer
    than all else in making a client."""
    return http.create_ssl_context()


def _http_package(client: Any) -> Any:
    """The HTTP package on which this openai is built: httpx, or httpx2 in newer ones."""
    kind = next(kind for kind in client.__mro__ if kind.__name__ == "AsyncClient")
    return importlib.import_module(kind.__module__.partition(".")[0])


class _Guard:
    """Looks at each answer.

    Args:
        http: the package whose answers they are.
    """

    def __init__(self, http: Any) -> None:
        self._unusable: type[Exception] = http.InvalidURL
        self._bounded: Any = type("Bounded", (_Bounded, http.AsyncByteStream), {})

    async def __call__(self, response: Any) -> None:
        """Bound the body of an answer, or refuse it.

        Raises:
            ModelError: it is not to be read, or its redirect not to be followed.
        """
        if response.has_redirect_location:
            self._refuse_other_server(response)
        failed = response.status_code >= 400
        compressed = _is_compressed(response)
        if compressed and not failed:
            raise ModelError(
                "The server sends compressed responses although none were requested; they are not "
                "read. Turn compression off on the server, or in the proxy in front of it."
            )
        if compressed:
            del response.headers["content-encoding"]
        most = 0 if compressed else MAX_ERROR_BYTES if failed else _max_bytes(response.request)
        response.encoding = "utf-8"
        response.stream = self._bounded(response.stream, most, cut=failed)

    def _refuse_other_server(self, response: Any) -> None:
        """Refuse to be sent on to another server than the one that a person named."""
        here, wanted = response.request.url, response.headers["location"]
        try:
            there = here.join(wanted).copy_with(username=None, password=None, fragment=None)
        except (self._unusable, ValueError, TypeError):
            there = None
        if there is not None and _origin(here) == _origin(there):
            return
        where = without_secrets(str(there or wanted))
        raise ModelError(
            f"The model server redirects the conversation to {sanitize_line(where)[:200]}; it was "
            "not sent there. If that is the right server, name it as --base-url."
        )


class _Bounded:
    """A body of at most so many bytes; what is more is cut off, or an error."""

    def __init__(self, body: Any, most: int, *, cut: bool) -> None:
        self._body = body
        self._left = most
        self._cut = cut

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        async with aclosing(aiter(self._body)) as pieces:
            async for piece in pieces:
                if len(piece) > self._left and not self._cut:
                    raise too_long()
                yield piece[: self._left]
                self._left -= len(piece)
                if self._left <= 0 and self._cut:
                    return

    async def aclose(self) -> None:
        """Let go of the connection."""
        await self._body.aclose()


def _max_bytes(request: Any) -> int:
    return MAX_REPLY_BYTES if request.method == "POST" else MAX_LIST_BYTES


def _is_compressed(response: Any) -> bool:
    named = str(response.headers.get("content-encoding", "")).lower().split(",")
    return any(name.strip() in _COMPRESSED for name in named)


def _origin(url: Any) -> tuple[str, str, int | None]:
    """What tells servers apart (RFC 6454, 4)."""
    return url.scheme, url.host, url.port or {"http": 80, "https": 443}.get(url.scheme)
