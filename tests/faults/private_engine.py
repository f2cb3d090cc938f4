"""A separate Docker engine for the tests, which may be stopped and started again.

It runs in its own network namespace: an engine without a bridge removes the bridge of another
engine in the same namespace, and the machine's engine must not be disturbed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType

from tests.waiting import HANG_SECONDS


def why_not() -> str | None:
    """Why no private engine can run here; None if one can."""
    if os.geteuid() != 0:
        return "only root can start an engine"
    missing = [name for name in ("dockerd", "docker", "unshare") if shutil.which(name) is None]
    return f"{', '.join(missing)} not installed" if missing else None


class PrivateEngine:
    """A context manager that runs an engine and leaves nothing of it behind.

    Args:
        folder: for all its files; its path must be short enough for a socket.
    """

    def __init__(self, folder: Path) -> None:
        self.host = f"unix://{folder}/engine.sock"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> PrivateEngine:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start it and wait until it answers."""
        (self._folder / "settings.json").write_text("{}")
        flags = ["--host", self.host, "--bridge=none", "--iptables=false", "--ip6tables=false"]
        flags += [f"--data-root={self._folder}/data", f"--exec-root={self._folder}/exec"]
        flags += [f"--pidfile={self._folder}/pid", f"--config-file={self._folder}/settings.json"]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                ["unshare", "--net", "dockerd", *flags],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        until = time.monotonic() + HANG_SECONDS
        while self.docker("version", check=False).returncode != 0:
            assert self._process.poll() is None, self._log.read_text()[-2000:]
            assert time.monotonic() < until, self._log.read_text()[-2000:]
            time.sleep(0.1)

    def stop(self) -> None:
        """Stop it as a service manager does; its containers end with it."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(HANG_SECONDS)
            self._process = None

    def docker(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a docker command against this engine."""
        command = ["docker", "--host", self.host, *words]
        return subprocess.run(command, check=check, capture_output=True, text=True)

    def take(self, image: str) -> None:
        """Copy an image from the machine's engine."""
        archive = self._folder / "image.tar"
        subprocess.run(["docker", "save", "--output", archive, image], check=True)
        self.docker("load", "--quiet", "--input", str(archive))
        archive.unlink()

    @property
    def _log(self) -> Path:
        return self._folder / "log"
