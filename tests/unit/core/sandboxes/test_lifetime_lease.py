"""The first process of a container, which ends it when its lease is over."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from sandbox_tui.core.sandboxes.docker import lifetime_lease

WORD = "0123456789abcdef"


@pytest.mark.parametrize(
    ("grace", "lease", "ends"),
    [(60, f"{WORD}:2", True), (2, f"{WORD}:60", False), (2, f"{WORD}:no", True), (2, WORD, True)],
)
def test_a_lease_says_for_how_long_it_holds(
    grace: int, lease: str, ends: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "lease"
    monkeypatch.setattr(lifetime_lease, "LEASE_FILE", str(file))
    monkeypatch.setattr(lifetime_lease, "START_ALLOWANCE_SECONDS", 60)
    command = lifetime_lease.keeper_command(grace)
    with subprocess.Popen(command, stdin=subprocess.PIPE) as keeper:
        try:
            while not file.exists():
                with pytest.raises(subprocess.TimeoutExpired):
                    keeper.wait(timeout=0.05)
            file.write_text(f"{lease}\n")
            if ends:
                assert keeper.wait(timeout=20) is not None
            else:
                with pytest.raises(subprocess.TimeoutExpired):
                    keeper.wait(timeout=6)
        finally:
            keeper.kill()
