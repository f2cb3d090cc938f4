"""A Docker engine of the tests' own, which may be stopped, killed and started again.

It runs in a network namespace of its own: an engine without a bridge takes the bridge of another one
in its namespace away, and the machine's engine is not ours to touch.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import pytest

from sandbox_tui.core.errors import SandboxUnavailable
from sandbox_tui.core.sandboxes.docker_engine import connect

PATIENCE = 60.0


def reason_why_not() -> str | None:
    """Why there cannot be one here; None when there can."""
    if os.geteuid() != 0:
        return "only root can start an engine"
    missing = [name for name in ("dockerd", "docker", "unshare") if shutil.which(name) is None]
    return f"{', '.join(missing)} not installed" if missing else None


class PrivateEngine:
    """From `with` to its end; nothing of it is left.

    Args:
        folder: for all its files; its path must be short enough for a socket.
        live_restore: containers outlive the engine, and it takes them up again.
    """

    def __init__(self, folder: Path, *, live_restore: bool) -> None:
        self.host = f"unix://{folder}/engine.sock"
        self._folder = folder
        self._live_restore = live_restore
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> PrivateEngine:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.docker("ps", "-aq", after=lambda ids: ids and self.docker("rm", "-f", *ids.split()))
        self.stop()
        self._unmount()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        flags = ["--host", self.host, "--bridge", "none", "--iptables=false", "--ip6tables=false"]
        flags += ["--data-root", f"{self._folder}/data", "--exec-root", f"{self._folder}/exec"]
        flags += ["--pidfile", f"{self._folder}/engine.pid", "--config-file", f"{self._folder}/none"]
        flags += ["--live-restore"] if self._live_restore else []
        (self._folder / "none").write_text("{}")
        begin = 'ip link set lo up 2>/dev/null; exec dockerd "$@"'
        with (self._folder / "engine.log").open("ab") as log:
            self._process = subprocess.Popen(
                ["unshare", "--net", "sh", "-c", begin, "dockerd", *flags],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        until = time.monotonic() + PATIENCE
        while not self.answers():
            assert self._process.poll() is None, self._log()
            assert time.monotonic() < until, self._log()
            time.sleep(0.1)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Stop it as a service manager would, or kill it."""
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(PATIENCE)
            self._process = None

    def answers(self) -> bool:
        """Whether it does."""
        try:
            connect(self.host, timeout=5).close()
        except SandboxUnavailable:
            return False
        return True

    def take(self, image: str) -> None:
        """Give it an image of the machine's engine."""
        with subprocess.Popen(["docker", "save", image], stdout=subprocess.PIPE) as source:
            self._docker("load", "-q", stdin=source.stdout)
        assert source.returncode == 0
