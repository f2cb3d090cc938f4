"""Mounting and unmounting on the machine while an embedded sandbox starts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.integration.conftest import require

SCRIPT = "tests.faults.starts_beside_docker"
STARTS = 20


def test_the_embedded_sandbox_starts_beside_containers_that_come_and_go() -> None:
    require("bubblewrap")
    require("docker")
    done = subprocess.run(
        [sys.executable, "-m", SCRIPT, str(STARTS)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith(f"{STARTS} starts beside ")
