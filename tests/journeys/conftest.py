from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.conftest import require
from tests.journeys.person import Person

Begin = Callable[..., Person]


@pytest.fixture
def home(own_home: Path) -> Path:
    """The program's folder, empty; sandboxes are the embedded ones unless a command says so."""
    require("bubblewrap")
    own_home.mkdir()
    (own_home / "config.toml").write_text('[sandbox]\nkind = "bubblewrap"\n')
    return own_home


@pytest.fixture
def person(home: Path) -> Person:
    """Somebody who is about to sit down at a terminal."""
    return Person(home)
