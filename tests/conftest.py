from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.scripted_server import Scripted, ScriptedServer


@pytest.fixture
def scripted_server() -> Iterator[Callable[..., ScriptedServer]]:
    """Starts servers that play the replies they are given; all are stopped at the end."""
    running: list[ScriptedServer] = []

    def start(*replies: Scripted) -> ScriptedServer:
        server = ScriptedServer(list(replies))
        running.append(server.__enter__())
        return server

    yield start
    for server in running:
        server.__exit__()


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has its own database and config, and none of the person's keys."""
    home = tmp_path / "home"
    monkeypatch.setenv("SANDBOX_TUI_HOME", str(home))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return home
