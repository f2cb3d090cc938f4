"""The dispatcher, given complete requests and requests cut off by a broken connection."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from sandbox_tui.core.sandboxes.scripts.loader import dispatcher_command

NONCE = b"0123456789abcdef"
NOT_BEGUN = b"\0\x1e" + NONCE + b" N\0"


def fed(request: bytes, folder: Path) -> tuple[bytes, bytes]:
    """Send a dispatcher only this request; return its stdout and stderr once it has ended."""
    command = dispatcher_command(str(folder / "state"), str(folder), line_buffered=False)
    done = subprocess.run(
        command, input=request, capture_output=True, timeout=30, check=False, cwd=folder
    )
    return done.stdout, done.stderr


def request(op: bytes, size: int, argument: bytes = b"") -> bytes:
    return b"\0".join((op, NONCE, b"1", b"%d" % size, argument)) + b"\0"


def test_a_complete_long_command_is_run(tmp_path: Path) -> None:
    code = b"touch begun\n" + b"#" * 5000
    out, err = fed(request(b"f", len(code)) + code, tmp_path)
    assert (tmp_path / "begun").exists()
    assert NOT_BEGUN not in out + err


@pytest.mark.parametrize("sent", [0, 12, 4999])
def test_a_truncated_command_is_not_run(tmp_path: Path, sent: int) -> None:
    code = b"touch begun\n" + b"#" * 4988
    out, err = fed(request(b"f", len(code)) + code[:sent], tmp_path)
    assert not (tmp_path / "begun").exists()
    assert (out, err) == (NOT_BEGUN, NOT_BEGUN)
