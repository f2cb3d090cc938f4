from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox_tui.core.config import settings as config
from sandbox_tui.sessions import Store
from sandbox_tui.tui.app import SandboxTui


@pytest.fixture
def app(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SandboxTui]:
    """The program with a config file that its user wrote."""
    monkeypatch.setenv("SANDBOX_TUI_MODEL_LOCAL_PORTS", "[1]")
    own_home.mkdir()
    (own_home / "config.toml").write_text("# mine\n[limits]\nmax_steps = 7 # few\n")
    store = Store(own_home / "sessions.db")
    yield SandboxTui(config.load(), store)
    store.close()
