"""A Docker engine of the tests' own, which may be stopped and started again.

It runs in a network namespace of its own: an engine without a bridge takes away the bridge of another
in its namespace, and the machine's engine is not ours to touch.
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
    """Why there can be none here; None when there can."""
    if os.geteuid() != 0:
        return "only root can start an engine"
    missing = [name for name in ("dockerd", "docker", "unshare") if shutil.which(name) is None]
    return f"{', '.join(missing)} not installed" if missing else None


class PrivateEngine:
    """From `with` to its end, after which nothing of it is left.

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
        """Start it, and wait until it answers."""
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
        """A docker command for this engine."""
        command = ["docker", "--host", self.host, *words]
        return subprocess.run(command, check=check, capture_output=True, text=True)

    def take(self, image: str) -> None:
        """Give it an image of the machine's engine."""
        archive = self._folder / "image.tar"
        subprocess.run(["docker", "save", "--output", archive, image], check=True)
        self.docker("load", "--quiet", "--input", str(archive))
        archive.unlink()

    @property
    def _log(self) -> Path:
        return self._folder / "log"
