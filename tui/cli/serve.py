# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
"""`sandbox-tui serve`: shows the cockpit in a browser, using textual-serve.

A client of the server can do everything that the user at the keyboard can. It therefore listens on
127.0.0.1 by default and requires the token in its address. Other users of the machine do not know
the token, nor do other web pages, although browsers let them open websockets to any local port. The
address sets a cookie that no other site can use, and the Host header is checked (DNS rebinding).
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import re
import secrets
import shlex
import socket
import sys
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import click
from aiohttp import web
from textual_serve.server import Server

from sandbox_tui.core.base.errors import ConfigError

SHUTDOWN_TIMEOUT_SECONDS = 15.0
"""Timeout for the programs of open tabs to end their runs."""

_COOKIE = "sandbox-tui"
_FONT_FROM_ELSEWHERE = re.compile(r"<link[^>]*fonts\.googleapis[^>]*>")


_FOCUS = """<script>
new MutationObserver(() => document.querySelector(".xterm-helper-textarea")?.focus())
  .observe(document.body, { attributes: true, attributeFilter: ["class"] });
</script>"""
"""Focuses the terminal when the page opens, so that it receives keys without a click."""


class CockpitServer(Server):
    """Starts one program per browser tab.

    Args:
        arguments: of the program.
        host, port: the address to listen on.
        public_url: the address in the browser, if it differs.

    Attributes:
        token: required in the address.
    """

    def __init__(
        self, arguments: Sequence[str], host: str, port: int, public_url: str | None = None
    ) -> None:
        program = [sys.executable, "-c", "from sandbox_tui.tui.cli.program import run; run()"]
        command = shlex.join([*program, *arguments])
        url = (public_url or f"http://{_bracketed(_reachable(host))}:{port}").rstrip("/")
        self._origin = origin(url)
        super().__init__(command, host, port, title="sandbox-tui", public_url=url)
        self.token = secrets.token_urlsafe(24)
        self._open: set[asyncio.Task[Any]] = set()

    @property
    def address(self) -> str:
        """The address to open, with the token."""
        return f"{self.public_url}/?token={self.token}"

    def initialize_logging(self) -> None:
        """Log only warnings: request logs would show the token."""
        logging.basicConfig(level=logging.WARNING, format="sandbox-tui: %(message)s")

    async def on_startup(self, app: web.Application) -> None:
        """Print the address."""
        click.echo(f"sandbox-tui is at {self.address}")
        click.echo("Anyone with this address can use it as you do. ctrl+c ends it.")

    async def handle_index(self, request: web.Request) -> web.Response:  # type: ignore[override]
        """Return the page, for browsers that send the token; it loads nothing from other hosts."""
        if not self._has_our_host(request) or not self._is_token(
            request.query.get("token") or request.cookies.get(self._cookie)
        ):
            return _refused()
        response: Any = await super().handle_index(request)
        text = _FONT_FROM_ELSEWHERE.sub("", response.text).replace("</body>", f"{_FOCUS}</body>")
        if "<title>" not in text:
            text = text.replace("<head>", "<head><title>sandbox-tui</title>", 1)
        page = web.Response(text=text, content_type="text/html")
        page.set_cookie(self._cookie, self.token, httponly=True, samesite="Strict", path="/")
        page.headers["Referrer-Policy"] = "no-referrer"
        page.headers["X-Frame-Options"] = "DENY"
        return page

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Return the terminal's websocket, only for our own page."""
        request_origin = request.headers.get("Origin", "")
        known = self._has_our_host(request) and self._is_token(request.cookies.get(self._cookie))
        if not known or not request_origin or origin(request_origin) != self._origin:
            raise web.HTTPForbidden(text="This request did not come from the sandbox-tui page.")
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            return await super().handle_websocket(request)
        finally:
            self._open.discard(task)

    async def on_shutdown(self, app: web.Application) -> None:
        """End the programs of all open tabs."""
        for task in self._open:
            task.cancel()
        if self._open:
            await asyncio.wait(self._open, timeout=SHUTDOWN_TIMEOUT_SECONDS)

    @property
    def _cookie(self) -> str:
        """Name of the cookie, which includes the port since all ports of a host share cookies."""
        return f"{_COOKIE}-{self.port}"

    def _is_token(self, token: str | None) -> bool:
        return hmac.compare_digest((token or "").encode(), self.token.encode())

    def _has_our_host(self, request: web.Request) -> bool:
        scheme = self._origin.partition("://")[0]
        return origin(f"{scheme}://{request.host}") == self._origin


def serve(arguments: Sequence[str], host: str, port: int, public_url: str | None) -> None:
    """Serve until ctrl+c.

    Raises:
        ConfigError: the port is in use, the host is not an address of this machine, or the public
            address is not a URL.
        UsageError: there is no such command.
    """
    if public_url is not None and not origin(public_url):
        raise ConfigError(
            f"--public-url must be the URL in the browser, such as https://host/path, not "
            f"{public_url!r}."
        )
    _refuse_unknown_command(arguments)
    _try_port(host, port)
    if host not in ("127.0.0.1", "localhost", "::1"):
        click.echo(
            f"Listening on {host} without https: anyone on the network path can read everything.",
            err=True,
        )
    asyncio.set_event_loop(asyncio.new_event_loop())
    CockpitServer(arguments, host, port, public_url).serve()


def _refuse_unknown_command(arguments: Sequence[str]) -> None:
    """Refuse at once what every tab would refuse."""
    context = click.get_current_context().find_root()
    if arguments and not arguments[0].startswith("-") and isinstance(context.command, click.Group):
        context.command.resolve_command(context, list(arguments))


def origin(url: str) -> str:
    """Return scheme, host and port of a URL as browsers send them, without the default port; empty
    for anything except an http(s) URL."""
    try:
        parts = urlsplit(url)
        scheme, host, port = parts.scheme, parts.hostname, parts.port
    except ValueError:
        return ""
    if scheme not in _PORTS or not host:
        return ""
    shown = "" if port in (None, _PORTS[scheme]) else f":{port}"
    return f"{scheme}://{_bracketed(host)}{shown}"


_PORTS = {"http": 80, "https": 443}


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _reachable(host: str) -> str:
    """Return the host; for a wildcard address, the address at which other machines reach this
    one."""
    if host not in ("0.0.0.0", "::"):
        return host
    family, somewhere = _family(host), "2001:db8::1" if host == "::" else "192.0.2.1"
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((somewhere, 9))  # looks up the route without sending anything
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])


def _try_port(host: str, port: int) -> None:
    try:
        socket.create_server((host, port), family=_family(host)).close()
    except OSError as error:
        reason = error.strerror or error
        raise ConfigError(
            f"Cannot listen on {host}:{port}: {reason}. Choose another port with --port."
        ) from error


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _refused() -> web.Response:
    words = "Open the full address that `sandbox-tui serve` printed, including the token.\n"
    return web.Response(text=words, status=403)
