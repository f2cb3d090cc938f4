from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import LOCAL_PORTS
from tests.integration.conftest import require
from tests.journeys.person import Person

Begin = Callable[..., Person]


@pytest.fixture
def home(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create the program's home with a config file. Sandboxes are embedded and no models are
    discovered, unless a journey changes that.
    """
    require("bubblewrap")
    monkeypatch.delenv(LOCAL_PORTS)
    own_home.mkdir()
    config = '[sandbox]\nkind = "bubblewrap"\n[model]\nlocal_ports = []\n'
    (own_home / "config.toml").write_text(config)
    return own_home


@pytest.fixture
def person(home: Path) -> Person:
    """A user who is about to open a terminal."""
    return Person(home)
