"""Starts the embedded sandbox while Docker creates and removes containers on the same machine.

    python -m tests.faults.starts_beside_docker 100

Each container adds and removes a mount. Containers are slow, so root also mounts and unmounts
tmpfs file systems as fast as it can, in a separate mount namespace. Prints how many of each were
made, and the errors of the starts that failed; exits with 1 if one did.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.sandboxes.docker.engine import connect
from tests.integration.conftest import TEST_IMAGE, make

THREADS = 2
"""Threads that create containers, and as many that mount."""

MOUNTS = 50
"""Mounts that each thread holds at once."""

MS_SHARED, MNT_DETACH = 1 << 20, 2
OWN_NAMESPACE = "OWN_MOUNT_NAMESPACE"


class Churn(Protocol):
    """Something that is repeatedly created and removed."""

    def churn(self, over: threading.Event, cycle_done: threading.Semaphore) -> int:
        """Create and remove one after the other until `over` is set; returns how many.

        Releases `cycle_done` after each.
        """
        ...


class Containers:
    """Containers that are created and removed."""

    def churn(self, over: threading.Event, cycle_done: threading.Semaphore) -> int:
        """See `Churn`."""
        client: Any = connect()
        made = 0
        try:
            while not over.is_set():
                client.containers.create(TEST_IMAGE, ["true"]).remove(force=True)
                made += 1
                cycle_done.release()
        finally:
            cycle_done.release()
            client.close()
        return made


class Mounts:
    """File systems in memory below a folder, seen by every mount namespace made from this one."""

    def __init__(self, folder: Path) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._folder = folder
        self._mount(folder, b"tmpfs", 0)
        self._mount(folder, b"", MS_SHARED)

    def churn(self, over: threading.Event, cycle_done: threading.Semaphore) -> int:
        """See `Churn`."""
        places = [Path(tempfile.mkdtemp(dir=self._folder)) for _ in range(MOUNTS)]
        made = 0
        while not over.is_set():
            for place in places:
                self._mount(place, b"tmpfs", 0)
            for place in places:
                self.unmount(place)
            made += MOUNTS
            cycle_done.release()
        return made

    def unmount(self, place: Path) -> None:
        """Detach what is mounted there."""
        self._libc.umount2(os.fsencode(place), MNT_DETACH)

    def _mount(self, place: Path, kind: bytes, flags: int) -> None:
        if self._libc.mount(b"none", os.fsencode(place), kind, flags, None):
            raise OSError(ctypes.get_errno(), "mount", str(place))


@contextmanager
def churning(churn_source: Churn) -> Generator[list[int]]:
    """Create and remove them in a few threads; the list holds the threads' counts at the end."""
    over, cycle_done, counts = threading.Event(), threading.Semaphore(0), list[int]()

    def work() -> None:
        counts.append(churn_source.churn(over, cycle_done))

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    try:
        for _ in threads:
            cycle_done.acquire()
        yield counts
    finally:
        over.set()
        for thread in threads:
            thread.join()


async def starts(times: int) -> list[str]:
    """Start the embedded sandbox this many times in sequence; returns the errors of failures."""
    failed: list[str] = []
    for _ in range(times):
        sandbox = make("bubblewrap")
        try:
            await sandbox.start()
        except SandboxTuiError as error:
            failed.append(str(error))
        finally:
            await sandbox.close()
    return failed


@contextmanager
def beside_mounts() -> Generator[list[int]]:
    """Mount and unmount during the block, if this program has its own mount namespace."""
    if OWN_NAMESPACE not in os.environ:
        yield []
        return
    with tempfile.TemporaryDirectory(prefix="mounts-") as folder:
        mounts = Mounts(Path(folder))
        try:
            with churning(mounts) as counts:
                yield counts
        finally:
            mounts.unmount(Path(folder))


def main(times: int) -> int:
    """Run everything; returns the exit code."""
    with churning(Containers()) as containers, beside_mounts() as mounts:
        failed = asyncio.run(starts(times))
    print(f"{times} starts beside {sum(containers)} containers and {sum(mounts)} mounts: ", end="")
    print(f"{len(failed)} failed", *failed, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    unshare = shutil.which("unshare")
    if os.geteuid() == 0 and unshare is not None and OWN_NAMESPACE not in os.environ:
        own = [unshare, "--mount", "--propagation", "slave"]
        again = [*own, sys.executable, "-m", "tests.faults.starts_beside_docker", *sys.argv[1:]]
        os.execve(unshare, again, {**os.environ, OWN_NAMESPACE: "1"})
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
