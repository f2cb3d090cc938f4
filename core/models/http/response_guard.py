"""Guards against hostile responses of a model server.

These are endless headers and bodies, compressed bodies, a charset of the server's choice, and
redirects that would send the conversation to another server. A response is checked before its body
is read and before a redirect is followed.
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
from sandbox_tui.core.models.http.header_limit import limit_headers

MAX_REPLY_BYTES = 128 << 20
"""Maximum bytes of one response, three times the longest known reply of a model."""

MAX_ERROR_BYTES = 256 << 10
"""Maximum bytes read of an error response; the rest is left unread."""

MAX_LIST_BYTES = 8 << 20
"""Maximum bytes of any response except a reply, such as the list of models."""

IDENTITY_ENCODING = {"Accept-Encoding": "identity"}
"""Header that requests uncompressed responses: a few compressed bytes can expand to gigabytes."""

_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE")
"""Variables that select trusted certificates and affect other TLS settings."""

_COMPRESSED = {"gzip", "x-gzip", "deflate", "compress", "x-compress", "br", "zstd"}


async def guarded_client() -> Any:
    """Return an HTTP client of openai's own type, with limited responses.

    It is made in a thread: the first call imports openai, which takes a second.
    """
    return await asyncio.to_thread(_guarded_client)


def import_client() -> Any:
    """Return the openai package, including the modules for the first request."""
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
    """Return the TLS settings, cached: reading this machine's certificates takes longer than
    everything else in making a client."""
    return http.create_ssl_context()


def _http_package(client: Any) -> Any:
    """Return the HTTP package this openai version uses: httpx, or httpx2 in newer ones."""
    kind = next(kind for kind in client.__mro__ if kind.__name__ == "AsyncClient")
    return importlib.import_module(kind.__module__.partition(".")[0])


class _Guard:
    """Checks each response.

    Args:
        http: the HTTP package of the responses.
    """

    def __init__(self, http: Any) -> None:
        self._unusable: type[Exception] = http.InvalidURL
        self._bounded: Any = type("Bounded", (_Bounded, http.AsyncByteStream), {})

    async def __call__(self, response: Any) -> None:
        """Limit the body of a response, or reject the response.

        Raises:
            ModelError: it must not be read, or its redirect must not be followed.
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
        """Reject redirects to a different server than the configured one."""
        origin_url, location = response.request.url, response.headers["location"]
        try:
            target = origin_url.join(location).copy_with(
                username=None, password=None, fragment=None
            )
        except (self._unusable, ValueError, TypeError):
            target = None
        if target is not None and _origin(origin_url) == _origin(target):
            return
        where = without_secrets(str(target or location))
        raise ModelError(
            f"The model server redirects the conversation to {sanitize_line(where)[:200]}; it was "
            "not sent there. If that is the right server, name it as --base-url."
        )


class _Bounded:
    """A body limited in bytes; the excess is cut off, or raises an error."""

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
        """Close the connection."""
        await self._body.aclose()


def _max_bytes(request: Any) -> int:
    return MAX_REPLY_BYTES if request.method == "POST" else MAX_LIST_BYTES


def _is_compressed(response: Any) -> bool:
    named = str(response.headers.get("content-encoding", "")).lower().split(",")
    return any(name.strip() in _COMPRESSED for name in named)


def _origin(url: Any) -> tuple[str, str, int | None]:
    """Return the origin that distinguishes servers (RFC 6454, 4)."""
    return url.scheme, url.host, url.port or {"http": 80, "https": 443}.get(url.scheme)
