"""Fixtures of the tests of saved sessions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox_tui.sessions import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Open a database, in `tmp_path / "s.db"`."""
    with Store(tmp_path / "s.db") as opened:
        yield opened
