"""Bell, notification and title, as the bytes that the terminal receives."""

from __future__ import annotations

import io
import os
import re
import signal
from pathlib import Path

import pexpect
import pytest

from tests.e2e.tmux import PROGRAM
from tests.integration.conftest import require
from tests.waiting import HANG_SECONDS

DEMO = ["demo", "--speed", "0", "--sandbox", "bubblewrap"]


class Pty:
    """The program on a pseudo-terminal, with a log of everything it writes."""

    def __init__(self, home: Path, *arguments: str, **environment: str) -> None:
        require("bubblewrap")
        self._log = io.BytesIO()
        plain = {k: v for k, v in os.environ.items() if k not in ("TMUX", "VTE_VERSION")}
        names = {"SANDBOX_TUI_HOME": str(home), "TERM": "xterm-256color", **environment}
        self.child = pexpect.spawn(
            str(PROGRAM),
            list(arguments),
            env={**plain, **names},
            dimensions=(30, 100),
            timeout=HANG_SECONDS,
            cwd=str(home.parent),
        )
        self.child.logfile_read = self._log

    def wait_for(self, text: bytes) -> None:
        self.child.expect_exact(text)

    def end(self) -> bytes:
        """Quit with ctrl+q and return everything that was written."""
        self.child.send(b"\x11")
        self.child.expect(pexpect.EOF)
        self.child.close()
        return self._log.getvalue()


def bells(wrote: bytes) -> int:
    """Count the bells, ignoring BEL bytes that end a sequence."""
    return re.sub(rb"\x1b\][^\x07\x1b]*\x07", b"", wrote).count(b"\x07")


def test_the_end_rings_the_bell_and_the_title_shows_the_status(own_home: Path) -> None:
    pty = Pty(own_home, *DEMO)
    pty.wait_for(b"\x1b[22;2t\x1b]2;")
    pty.wait_for("\x1b]2;✓ The input folder".encode())
    wrote = pty.end()
    assert bells(wrote) == 1
    assert wrote.count(b"\x1b]2;\x07\x1b[23;2tsubmitted \xc2\xb7 The input folder") == 1
    assert b"\x1b]9;" not in wrote


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "\x1b]9;sandbox-tui: submitted: The input folder"),
        ({"VTE_VERSION": "7600"}, "\x1b]777;notify;sandbox-tui: submitted;The input folder"),
        ({"TMUX": "/x,1,0"}, "\x1bPtmux;\x1b\x1b]9;sandbox-tui: submitted: The input folder"),
    ],
)
def test_a_notification_is_sent_if_enabled(
    own_home: Path, environment: dict[str, str], expected: str
) -> None:
    pty = Pty(own_home, *DEMO, SANDBOX_TUI_UI_NOTIFY="desktop", **environment)
    pty.wait_for(expected.encode())
    pty.end()


def test_nothing_is_sent_if_disabled(own_home: Path) -> None:
    silent = {"SANDBOX_TUI_UI_NOTIFY": "off", "SANDBOX_TUI_UI_TITLE": "false"}
    pty = Pty(own_home, *DEMO, **silent)
    pty.wait_for(b"submitted")
    wrote = pty.end()
    assert bells(wrote) == 0
    assert b"\x1b]2;" not in wrote
    assert b"[23;2t" not in wrote


def test_the_title_is_restored_when_a_signal_ends_the_program(own_home: Path) -> None:
    pty = Pty(own_home, "demo", "--speed", "1", "--sandbox", "bubblewrap")
    pty.wait_for("\x1b]2;● The input folder".encode())
    pty.child.kill(signal.SIGTERM)
    pty.child.expect(pexpect.EOF)
    output = pty._log.getvalue().partition(b"\x1b]2;\x07\x1b[23;2t")[2]
    assert b"cancelled \xc2\xb7 The input folder" in output
    assert b"sandbox-tui replay " in output
    assert b"sandbox-tui: cancelled" in output
    pty.child.close()
    assert pty.child.exitstatus == 143
