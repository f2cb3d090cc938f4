from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from sandbox_tui.sessions import Store
from tests.scripted_server import Scripted, ScriptedServer

# The tests start the program hundreds of times; without bytecode each start would compile it.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# How fast examples are generated depends on the machine and on chance, so it does not fail a test.
# CI tries the same examples every time (HYPOTHESIS_PROFILE=ci), and a few of them with other
# versions of the libraries (few); other runs search for new ones.
checks = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
settings.register_profile("anywhere", deadline=None, suppress_health_check=checks)
settings.register_profile("ci", settings.get_profile("anywhere"), derandomize=True)
settings.register_profile("few", settings.get_profile("ci"), max_examples=15)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "anywhere"))


@pytest.fixture
def scripted_server() -> Iterator[Callable[..., ScriptedServer]]:
    """Start servers that play the given replies; stop all of them at the end."""
    running: list[ScriptedServer] = []

    def start(*replies: Scripted) -> ScriptedServer:
        server = ScriptedServer(list(replies))
        running.append(server.__enter__())
        return server

    yield start
    for server in running:
        server.__exit__()


@pytest.fixture(autouse=True)
def sandboxes_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let recorded sessions keep the sandboxes that they never had, whether an engine runs here or
    not."""
    monkeypatch.setattr("sandbox_tui.core.sandboxes.left_behind.is_gone", lambda *_: False)


LOCAL_PORTS = "SANDBOX_TUI_MODEL_LOCAL_PORTS"


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give every test its own database and config, without the user's API keys and models."""
    home = tmp_path / "home"
    monkeypatch.setenv("SANDBOX_TUI_HOME", str(home))
    monkeypatch.setenv(LOCAL_PORTS, "[]")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture
def store(own_home: Path) -> Iterator[Store]:
    """Open the database that the program uses in `own_home`."""
    own_home.mkdir()
    store = Store(own_home / "sessions.db")
    yield store
    store.close()
