"""Saves the carried shell state before a commit, and restores it in a new container.

A container's /run is in memory and not part of its image, so a copy is kept in the file system
while the image is made.
"""

from __future__ import annotations

from sandbox_tui.core.base.errors import SandboxError
from sandbox_tui.core.sandboxes.docker.lifetime_lease import LEASE_FILE
from sandbox_tui.core.sandboxes.scripts.loader import Control

_COPY = "/var/lib/sandbox-tui-run"

_SAVE = f"rm -rf {_COPY} && mkdir -p {_COPY} && cp -a /run/. {_COPY}/"
_DISCARD = f"rm -rf {_COPY}"
_RESTORE = f"""
[ -d {_COPY} ] || exit 0
rm -f {_COPY}/{LEASE_FILE.rpartition("/")[2]}
cp -a {_COPY}/. /run/ && rm -rf {_COPY}
"""


async def save_run_dir(control: Control) -> None:
    """Copy /run into the file system.

    Raises:
        SandboxError: there is no space for it.
    """
    await _run(control, _SAVE)


async def discard_run_dir(control: Control) -> None:
    """Remove that copy.

    Raises:
        SandboxError: it cannot be removed.
    """
    await _run(control, _DISCARD)


async def restore_run_dir(control: Control) -> None:
    """Move the copy to /run, in a container that started from a snapshot.

    Raises:
        SandboxError: it cannot be copied.
    """
    await _run(control, _RESTORE)


async def _run(control: Control, script: str) -> None:
    done = await control(script.encode())
    if done.exit_code != 0:
        words = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        raise SandboxError(f"The state of the shell could not be saved or restored: {words}")
