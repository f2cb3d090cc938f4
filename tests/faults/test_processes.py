"""A sandbox that can create no more processes."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from sandbox_tui.core.sandboxes.scripts.loader import dispatcher_command
from tests.waiting import HANG_SECONDS

NONCE = b"0123456789abcdef"
NOT_BEGUN = b"\0\x1e" + NONCE + b" N\0"
USER = "61234"
"""A user without other processes, so that only the dispatcher's count."""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("processes", [1, 2])
def test_a_command_that_cannot_start_says_so(processes: int) -> None:
    """With one process there is no runner; with two, the runner cannot start the command."""
    with tempfile.TemporaryDirectory(prefix="dispatcher-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        command = dispatcher_command(str(folder / "state"), name, line_buffered=False)
        limit = b"\0".join((b"e", b"a" * 16, b"1", b"0", b"ulimit -u %d" % processes)) + b"\0"
        begin = b"\0".join((b"c", NONCE, b"2", b"0", b"echo >begun")) + b"\0"
        done = subprocess.run(
            ["setpriv", "--reuid", USER, "--clear-groups", *command],
            input=limit + begin,
            capture_output=True,
            timeout=HANG_SECONDS,
            check=False,
            cwd=name,
        )
        assert not (folder / "begun").exists()
        assert done.stdout.endswith(b" E 0 0 0\0" + NOT_BEGUN)
        assert NOT_BEGUN in done.stderr
