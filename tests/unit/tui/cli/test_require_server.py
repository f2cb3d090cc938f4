"""The check, before runs without a screen, that the model's server accepts connections."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.tui.cli.main import main
from sandbox_tui.tui.cli.model_server import require_server as module
from sandbox_tui.tui.cli.model_server.require_server import require_server
from tests import scripted_server as s
from tests.unit.event_streams import started


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "getproxies", dict)


@pytest.fixture
def refused() -> str:
    """Return the address of a port on which nothing listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}/v1"


@pytest.mark.parametrize("command", [("run", "t"), ("eval", "run", "pocket")])
def test_a_server_that_refuses_connections_is_waited_for_once(
    command: tuple[str, ...], refused: str
) -> None:
    words = [*command, "--headless", "--model", "m", "--base-url", refused]
    done = CliRunner().invoke(main, [*words, "--wait-for-server", "0.1s"])
    assert done.exit_code == 5
    assert done.stderr.count(refused) == 1
    assert "has accepted no connection for" in done.stderr
    assert "try 2" not in done.output


@pytest.mark.parametrize("command", ["resume", "fork"])
def test_continuing_a_session_waits_for_its_server_once(
    command: str, refused: str, own_home: Path
) -> None:
    with contextlib.closing(Store(own_home / "sessions.db")) as store:
        recorded = {"model_params": {"base_url": refused}, "settings": e.RunSettings()}
        first = msgspec.structs.replace(started("cut"), sandbox="bubblewrap", **recorded)
        asked = e.ModelAsked(seq=2, t=1.0, step=1, digest="", messages=2)
        store.append("cut", [first, asked])
        store.give_up("cut")
    done = CliRunner().invoke(main, [command, "cut", "--headless", "--wait-for-server", "0.1s"])
    assert done.exit_code == 5, done.stderr
    assert done.stderr.count("has accepted no connection for") == 1
    assert "try 2" not in done.output


def test_a_server_that_accepts_a_connection_is_asked_for_nothing(
    scripted_server: Callable[..., s.ScriptedServer],
) -> None:
    server = scripted_server()
    require_server(ModelSettings(base_url=server.url), {})
    require_server(ModelSettings(base_url=""), {})
    assert not server.requests
