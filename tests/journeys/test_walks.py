"""Random walks through the real program: a few seeds, and those that found a fault before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import LOCAL_PORTS
from tests.integration.conftest import require
from tests.journeys.walking import Walks

FEW = range(1, 7)
FOUND = [
    int(line.split()[0])
    for line in Path(__file__).with_name("walk_seeds.txt").read_text().splitlines()
    if not line.startswith("#")
]


@pytest.fixture(scope="module")
def walks() -> Iterator[Walks]:
    require("bubblewrap")
    with Walks() as shared:
        yield shared


@pytest.mark.parametrize("seed", sorted({*FOUND, *FEW}))
def test_a_walk_finds_no_fault(seed: int, walks: Walks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(LOCAL_PORTS)
    fault = walks.walk(seed)
    assert not fault, fault
