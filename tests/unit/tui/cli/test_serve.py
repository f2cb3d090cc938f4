"""The addresses at which `sandbox-tui serve` accepts requests."""

from __future__ import annotations

import ipaddress
import socket

import pytest

pytest.importorskip("textual_serve", reason="textual-serve is not installed: sandbox-tui[serve]")

from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from click.testing import CliRunner

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.tui.cli.main import main
from sandbox_tui.tui.cli.serve import CockpitServer, origin, serve


async def status(server: CockpitServer, path: str, **headers: str) -> int:
    """Return the status of the page or, given an `Origin`, of the terminal; 403 means refused."""
    request = make_mocked_request("GET", path, headers=headers)
    if "Origin" not in headers:
        return 200 if server._has_our_host(request) else 403
    try:
        await server.handle_websocket(request)
    except web.HTTPForbidden:
        return 403
    except Exception:  # a mocked request cannot become a websocket, but it was accepted
        return 200
    return 200


@pytest.mark.parametrize(
    ("port", "public", "host", "site"),
    [
        (80, None, "127.0.0.1", "http://127.0.0.1"),
        (8765, None, "127.0.0.1:8765", "http://127.0.0.1:8765"),
        (8765, "https://box.example", "box.example", "https://box.example"),
        (8765, "https://box.example:443/", "box.example", "https://box.example"),
        (8765, "https://box.example/cockpit/", "box.example", "https://box.example"),
        (8765, "https://Box.Example:8443/a/b", "box.example:8443", "https://box.example:8443"),
    ],
)
async def test_a_browser_gets_in_by_the_address_it_was_given(
    port: int, public: str | None, host: str, site: str
) -> None:
    server = CockpitServer([], "127.0.0.1", port, public)
    cookie = f"{server._cookie}={server.token}"
    assert await status(server, "/", Host=host) == 200
    assert await status(server, "/ws", Host=host, Cookie=cookie, Origin=site) == 200
    for other in ("http://evil.example", "null", "", f"{site}.evil.example", "http://["):
        assert await status(server, "/ws", Host=host, Cookie=cookie, Origin=other) == 403
    for other in ("evil.example", f"{host}.evil.example", "127.0.0.1:1"):
        assert await status(server, "/", Host=other) == 403
    assert await status(server, "/ws", Host=host, Origin=site) == 403


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_all_addresses_of_a_machine_are_told_as_one_that_can_be_opened(host: str) -> None:
    server = CockpitServer([], host, 8765)
    shown = server.address.removeprefix("http://").partition(":8765/")[0].strip("[]")
    if shown != socket.gethostname():
        assert not ipaddress.ip_address(shown).is_unspecified
    assert origin(server.public_url)


@pytest.mark.parametrize("public", ["box.example", "ftp://box.example", "https://", "http://["])
def test_a_public_address_that_is_none_is_refused(public: str) -> None:
    with pytest.raises(ConfigError, match="--public-url"):
        serve([], "127.0.0.1", 8765, public)


@pytest.mark.parametrize(
    ("words", "program"),
    [
        (["serve", "replay", "last"], ["replay", "last"]),
        (
            ["--theme", "daylight", "serve", "replay", "last"],
            ["--theme", "daylight", "replay", "last"],
        ),
        (["--theme", "daylight", "serve"], ["--theme", "daylight"]),
    ],
)
def test_every_tab_has_the_theme_of_the_start(
    words: list[str], program: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[list[str]] = []
    monkeypatch.setattr(
        "sandbox_tui.tui.cli.serve.serve", lambda command, *_: served.append(list(command))
    )
    CliRunner().invoke(main, words, catch_exceptions=False)
    assert served == [program]


def test_a_command_that_every_tab_would_refuse_is_refused_at_once() -> None:
    result = CliRunner().invoke(main, ["serve", "--port", "1", "rplay", "last"])
    assert result.exit_code == 2
    assert "No such command 'rplay'" in result.output
    assert "replay" in result.output
