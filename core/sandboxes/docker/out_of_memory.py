"""Detects whether the kernel killed a container's processes because it ran out of memory."""

from __future__ import annotations

import re

from sandbox_tui.core.base.errors import FileRefused
from sandbox_tui.core.sandboxes.protocol.pausable_clock import PausableClock
from sandbox_tui.core.sandboxes.scripts.loader import Control

SIGKILL_EXIT_CODE = 137
"""Exit code of a command that was ended by KILL."""

_PRINT_OOM_KILLS = (
    b"for f in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do "
    b'[ -r $f ] && while read -r line; do echo "$line"; done <$f; done'
)
"""Prints the number of out-of-memory kills; works with control groups v1 and v2."""


class OomKills:
    """Counts the out-of-memory kills in a container.

    Args:
        control: runs a builtin in the container.
        clock: tells whether it is frozen.
    """

    def __init__(self, control: Control, clock: PausableClock) -> None:
        self._control = control
        self._clock = clock
        self._count = 0

    async def happened(self) -> bool:
        """Return whether a kill happened since the last call."""
        while True:
            try:
                known = await self._control(_PRINT_OOM_KILLS, builtin=True)
                break
            except FileRefused:  # just frozen: retry after the thaw
                await self._clock.wait_thawed()
        found = re.findall(rb"oom_kill (\d+)", known.stdout)
        before, self._count = self._count, sum(map(int, found))
        return self._count > before
