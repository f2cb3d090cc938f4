"""A Docker engine of the tests' own, which may be stopped and started again."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from sandbox_tui.core.sandboxes.docker_engine import connect
from tests.integration.conftest import TEST_IMAGE, require

PATIENCE = 60.0


class Engine:
    """A `dockerd` with a socket, a root and a containerd of its own, beside the machine's.

    Containers outlive it (live-restore), as they do where engines are upgraded.
    """

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="sbx-engine-"))
        self.socket = self.folder / "docker.sock"
        self.host = f"unix://{self.socket}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        arguments = {
            "--host": self.host,
            "--data-root": str(self.folder / "data"),
            "--exec-root": str(self.folder / "exec"),
            "--pidfile": str(self.folder / "pid"),
            "--bridge": "none",
            "--storage-driver": "vfs",
        }
        flags = ("--iptables=false", "--ip6tables=false", "--ip-forward=false", "--ip-masq=false")
        words = [word for pair in arguments.items() for word in pair]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                ["dockerd", *words, *flags, "--live-restore"], stdout=log, stderr=log
            )
        until = time.monotonic() + PATIENCE
        while self.docker("version").returncode != 0:
            assert self._process.poll() is None, (self.folder / "log").read_text()[-2000:]
            assert time.monotonic() < until, "it does not answer"
            time.sleep(0.1)

    def stop(self) -> None:
        """Stop it; containers go on."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(PATIENCE)
            self._process = None

    def docker(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The docker command on it."""
        command = ["docker", "--host", self.host, *arguments]
        return subprocess.run(command, capture_output=True, text=True)

    def container(self) -> str:
        """The one container that runs on it."""
        (found,) = self.docker("ps", "--quiet").stdout.split()
        return found

    def containers(self) -> list[str]:
        """All there are, running or not."""
        return self.docker("ps", "--quiet", "--all").stdout.split()

    def load_image(self) -> None:
        """Give it the test image, from the machine's engine."""
        client = connect()
        try:
            image = client.images.get(TEST_IMAGE).save(named=TEST_IMAGE)
            with (self.folder / "image.tar").open("wb") as file:
                file.writelines(image)
        finally:
            client.close()
        loaded = self.docker("load", "--input", str(self.folder / "image.tar"))
        assert loaded.returncode == 0, loaded.stderr

    def put_away(self) -> None:
        """Remove its containers, stop it, and remove what it kept."""
        if self._process is not None and (left := self.containers()):
            self.docker("rm", "--force", *left)
        self.stop()
        listed = Path("/proc/self/mountinfo").read_text().splitlines()
        for mount in (line.split()[4] for line in listed):
            if mount.startswith(str(self.folder)):
                subprocess.run(["umount", "--lazy", mount])
        shutil.rmtree(self.folder, ignore_errors=True)


def own_engine() -> Engine:
    """One that runs and has the image, or the test is skipped, saying why."""
    require("docker")
    if os.geteuid() != 0 or shutil.which("dockerd") is None or shutil.which("docker") is None:
        pytest.skip("a Docker engine of the tests' own needs root, dockerd and docker")
    engine = Engine()
    engine.start()
    engine.load_image()
    return engine
