from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import LOCAL_PORTS
from tests.integration.conftest import require
from tests.journeys.leftover_programs import end_programs_of
from tests.journeys.person import Person

Begin = Callable[..., Person]


@pytest.fixture
def home(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Create the program's home with a config file. Sandboxes are embedded and no models are
    discovered, unless a journey changes that. At the end, end the detached programs that a failed
    journey left behind.
    """
    require("bubblewrap")
    monkeypatch.delenv(LOCAL_PORTS)
    own_home.mkdir()
    config = '[sandbox]\nkind = "bubblewrap"\n[model]\nlocal_ports = []\n'
    (own_home / "config.toml").write_text(config)
    yield own_home
    end_programs_of(own_home)


@pytest.fixture
def person(home: Path) -> Person:
    """A user who is about to open a terminal."""
    return Person(home)
