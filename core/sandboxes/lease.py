"""The lease: how a container learns that its program is gone.

The program touches a file in the container every few seconds. The container's first process looks
at the file's age and ends when it is older than the grace period; Docker then removes the
container (auto_remove). It is a bash that loops on `read -t`, which survives `kill -9 -1` inside
(process 1 of a namespace gets no fatal signal from within it) and needs nothing but bash.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Awaitable, Callable

from ..errors import SandboxTuiError
from .base import ExecResult

LEASE_FILE = "/run/sandbox-tui.lease"

RENEW_EVERY = 5.0
"""Seconds between renewals, less where the grace period is short."""

_KEEPER = """
mkdir -p /run; : >{file}; exec 3<>/dev/stdin
trap : TERM INT HUP
last= age=0
while [ "$age" -lt {grace} ]; do
  read -r -t 1 _ <&3
  now=; [ -r {file} ] && read -r now <{file}
  if [ "$now" = "$last" ]; then age=$((age + 1)); else age=0 last=$now; fi
done
"""


def keeper_command(grace: float) -> list[str]:
    """The container's first process: waits, reaps, and ends when the lease runs out."""
    seconds = max(2, round(grace))
    return ["bash", "-c", _KEEPER.format(file=LEASE_FILE, grace=seconds)]


class Lease:
    """Renews the lease while the program lives.

    Args:
        control: runs a builtin in the container.
        grace: seconds the lease lasts.
    """

    def __init__(self, control: Callable[..., Awaitable[ExecResult]], grace: float) -> None:
        self._control = control
        self._every = min(RENEW_EVERY, grace / 4)
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Renew from now on."""
        self._task = asyncio.create_task(self._renew())

    def stop(self) -> None:
        """Renew no more."""
        if self._task is not None:
            self._task.cancel()

    async def renew(self) -> None:
        """Renew once: what is written is like nothing that any program wrote before.

        Raises:
            SandboxError: the container is gone, or does not answer.
        """
        word = secrets.token_hex(8).encode()
        await self._control(b"echo %b >%b" % (word, LEASE_FILE.encode()), builtin=True)

    async def _renew(self) -> None:
        while True:
            with contextlib.suppress(SandboxTuiError):
                await self.renew()
            await asyncio.sleep(self._every)
