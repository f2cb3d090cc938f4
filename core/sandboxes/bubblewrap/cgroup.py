"""A control group for an embedded sandbox: process and memory limits, if root may set them.

Works with cgroup v2 and with the `pids` and `memory` hierarchies of v1.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")


class Cgroup:
    """The groups of one sandbox, in as many hierarchies as possible.

    Attributes:
        limits: the limits in force, as display text.
    """

    def __init__(self, name: str, *, pids: int, memory: int) -> None:
        self.limits: dict[str, str] = {}
        self._folders: list[Path] = []
        if os.geteuid() != 0:
            return
        if (ROOT / "cgroup.controllers").exists():
            self._make(ROOT / name, {"pids.max": pids, "memory.max": memory})
        else:
            self._make(ROOT / "pids" / name, {"pids.max": pids})
            self._make(ROOT / "memory" / name, {"memory.limit_in_bytes": memory})

    def _make(self, folder: Path, limits: dict[str, int]) -> None:
        try:
            folder.mkdir(exist_ok=True)  # exists if a killed program's sandbox is reused
        except OSError:
            return
        self._folders.append(folder)
        for file, value in limits.items():
            with contextlib.suppress(OSError):
                (folder / file).write_text(str(value), encoding="ascii")
                if file.startswith("pids"):
                    self.limits["processes"] = str(value)
                else:
                    self.limits["memory"] = f"{value >> 20} MiB"

    def entering(self, command: list[str]) -> list[str]:
        """Return a command line that enters the groups and then executes `command`.

        It must enter before it starts its first child: existing children stay outside.
        """
        if not self._folders:
            return command
        files = [str(folder / "cgroup.procs") for folder in self._folders]
        enter = 'n=$1; shift; while [ $n -gt 0 ]; do echo $$ >"$1"; shift; n=$((n-1)); done'
        return ["sh", "-c", f'{enter}; exec "$@"', "enter", str(len(files)), *files, *command]

    async def remove(self) -> None:
        """Remove the groups; their processes have been killed and disappear shortly."""
        for _ in range(50):
            self._folders = [folder for folder in self._folders if not _removed(folder)]
            if not self._folders:
                return
            await asyncio.sleep(0.01)


def remove_left_over(name: str) -> None:
    """Remove the groups of a sandbox whose program was killed."""
    for folder in (ROOT / name, ROOT / "pids" / name, ROOT / "memory" / name):
        _removed(folder)


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
