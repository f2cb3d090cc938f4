"""Guards OpenEnv's server: rejects foreign requests, and detects clients that disconnect.

OpenEnv checks a connection only between two steps, so it would notice a disconnect during a command
only when the command ends. Here each connection is read continuously, and an event (`CLIENT_LEFT`)
aborts the step.

A web page can open a WebSocket to any port of this machine, and its browser sends the page's
origin: requests from pages are rejected, and so are requests to a foreign host name (DNS
rebinding).
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from sandbox_tui.core.rl.adapters.client_disconnect import CLIENT_LEFT

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

LOOPBACK = ("localhost", "127.0.0.1", "::1")

_POLICY_VIOLATION = 1008
_FORBIDDEN = 403


class GuardedConnections:
    """An ASGI application that wraps OpenEnv's.

    Args:
        application: the application to guard.
        token: token that each request must carry (`Authorization: Bearer`); empty: none is needed,
            but only requests to names of this machine are accepted.
    """

    def __init__(self, application: Application, token: str = "") -> None:
        self._application = application
        self._token = token

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] not in ("http", "websocket"):
            await self._application(scope, receive, send)
        elif not self._is_authorized(scope):
            await _refuse(scope, receive, send)
        elif scope["type"] == "http":
            await self._application(scope, receive, send)
        else:
            await self._serve_until_disconnected(scope, receive, send)

    def _is_authorized(self, scope: MutableMapping[str, Any]) -> bool:
        headers = {name.decode("latin-1"): value for name, value in scope["headers"]}
        if "origin" in headers:
            return False
        if self._token:
            expected = f"Bearer {self._token}".encode()
            return hmac.compare_digest(headers.get("authorization", b""), expected)
        host = headers.get("host", b"").decode("latin-1")
        return urlsplit(f"//{host}").hostname in LOOPBACK

    async def _serve_until_disconnected(
        self, scope: MutableMapping[str, Any], receive: Receive, send: Send
    ) -> None:
        inbox: asyncio.Queue[Message] = asyncio.Queue()
        left = asyncio.Event()

        async def read() -> None:
            while not left.is_set():
                message = await receive()
                if message["type"] == "websocket.disconnect":
                    left.set()
                inbox.put_nowait(message)

        CLIENT_LEFT.set(left)  # this task serves only this connection
        reader = asyncio.create_task(read())
        try:
            await self._application(scope, inbox.get, send)
        finally:
            reader.cancel()


async def _refuse(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
        return
    await send({"type": "http.response.start", "status": _FORBIDDEN, "headers": []})
    await send({"type": "http.response.body", "body": b"This request is not let in.\n"})
