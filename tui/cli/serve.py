# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
"""The cockpit in a browser: `sandbox-tui serve`, by way of textual-serve.

Whoever reaches the server can do everything a person at the keyboard can. So it listens on
127.0.0.1 unless told otherwise, and lets only those in who know the token of its address: other
people on this machine do not, and neither do other web pages, which a browser would let open a
websocket to any port here. The address sets a cookie that no other site can use, and the names
under which the server is asked for are checked as well (DNS rebinding).
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
"""Seconds the programs of open tabs may take to put their runs away."""

_COOKIE = "sandbox-tui"
_FONT_FROM_ELSEWHERE = re.compile(r"<link[^>]*fonts\.googleapis[^>]*>")


_FOCUS = """<script>
new MutationObserver(() => document.querySelector(".xterm-helper-textarea")?.focus())
  .observe(document.body, { attributes: true, attributeFilter: ["class"] });
</script>"""
"""Keys belong to the terminal from the beginning, without a click."""


class CockpitServer(Server):
    """Starts the program once for each tab that is opened.

    Args:
        arguments: of the program.
        host, port: where it listens.
        public_url: how a browser reaches it, where that is another address.

    Attributes:
        token: that the address must have.
    """

    def __init__(
        self, arguments: Sequence[str], host: str, port: int, public_url: str | None = None
    ) -> None:
        program = [sys.executable, "-c", "from sandbox_tui.tui.cli.main import main; main()"]
        command = shlex.join([*program, *arguments])
        url = (public_url or f"http://{_bracketed(_reachable(host))}:{port}").rstrip("/")
        self._origin = origin(url)
        super().__init__(command, host, port, title="sandbox-tui", public_url=url)
        self.token = secrets.token_urlsafe(24)
        self._open: set[asyncio.Task[Any]] = set()

    @property
    def address(self) -> str:
        """What to open."""
        return f"{self.public_url}/?token={self.token}"

    def initialize_logging(self) -> None:
        """Only what goes wrong: requests would show the token."""
        logging.basicConfig(level=logging.WARNING, format="sandbox-tui: %(message)s")

    async def on_startup(self, app: web.Application) -> None:
        """Say where it is."""
        click.echo(f"sandbox-tui is at {self.address}")
        click.echo("Whoever has this address can use it as you do. ctrl+c ends it.")

    async def handle_index(self, request: web.Request) -> web.Response:  # type: ignore[override]
        """The page, for a browser that knows the token; it loads nothing from other hosts."""
        if not self._is_asked_for_by_its_name(request) or not self._may(
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
        """The terminal, for the page alone."""
        asked_from = request.headers.get("Origin", "")
        known = self._is_asked_for_by_its_name(request) and self._may(
            request.cookies.get(self._cookie)
        )
        if not known or not asked_from or origin(asked_from) != self._origin:
            raise web.HTTPForbidden(text="This is not the page of sandbox-tui.")
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            return await super().handle_websocket(request)
        finally:
            self._open.discard(task)

    async def on_shutdown(self, app: web.Application) -> None:
        """End what the tabs show: nobody would wait for them to be closed."""
        for task in self._open:
            task.cancel()
        if self._open:
            await asyncio.wait(self._open, timeout=SHUTDOWN_TIMEOUT_SECONDS)

    @property
    def _cookie(self) -> str:
        """Cookies of one host are shared by all its ports."""
        return f"{_COOKIE}-{self.port}"

    def _may(self, token: str | None) -> bool:
        return hmac.compare_digest((token or "").encode(), self.token.encode())

    def _is_asked_for_by_its_name(self, request: web.Request) -> bool:
        scheme = self._origin.partition("://")[0]
        return origin(f"{scheme}://{request.host}") == self._origin


def serve(arguments: Sequence[str], host: str, port: int, public_url: str | None) -> None:
    """Serve until ctrl+c.

    Raises:
        ConfigError: the port is taken, the host is none of this machine's, or the public address
            is none.
    """
    if public_url is not None and not origin(public_url):
        raise ConfigError(
            f"--public-url must be what a browser opens, such as https://host/path: {public_url!r} "
            "is not."
        )
    _try_port(host, port)
    if host not in ("127.0.0.1", "localhost", "::1"):
        click.echo(
            f"Listening on {host}: without https, everyone on the way reads along.", err=True
        )
    asyncio.set_event_loop(asyncio.new_event_loop())
    CockpitServer(arguments, host, port, public_url).serve()


def origin(url: str) -> str:
    """Scheme, host and port as a browser says them, without a port that goes without saying; empty
    where it is no address of a page."""
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
    """The host, or where it stands for all addresses of this machine the one others know."""
    if host not in ("0.0.0.0", "::"):
        return host
    family, somewhere = _family(host), "2001:db8::1" if host == "::" else "192.0.2.1"
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((somewhere, 9))  # asks for the way, sends nothing
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])


def _try_port(host: str, port: int) -> None:
    try:
        socket.create_server((host, port), family=_family(host)).close()
    except OSError as error:
        reason = error.strerror or error
        raise ConfigError(
            f"Nothing can listen on {host}:{port}: {reason}. Choose another with --port."
        ) from error


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _refused() -> web.Response:
    words = "Open the whole address that `sandbox-tui serve` printed, with its token.\n"
    return web.Response(text=words, status=403)
