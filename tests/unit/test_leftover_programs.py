"""What a failed journey leaves behind is ended."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.journeys.leftover_programs import end_programs_of


def test_only_the_programs_with_this_home_are_ended(tmp_path: Path) -> None:
    def started(home: Path) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "SANDBOX_TUI_HOME": str(home)}
        return subprocess.Popen(["sleep", "600"], env=environment, start_new_session=True)

    mine, other = started(tmp_path / "mine"), started(tmp_path / "other")
    try:
        assert end_programs_of(tmp_path / "mine") == [mine.pid]
        assert mine.wait() < 0
        assert other.poll() is None
        assert end_programs_of(tmp_path / "none") == []
    finally:
        other.kill()
        other.wait()
