"""Whether the kernel killed processes of a container because its memory ran out."""

from __future__ import annotations

import re

from sandbox_tui.core.base.errors import FileRefused
from sandbox_tui.core.sandboxes.protocol.pausable_clock import PausableClock
from sandbox_tui.core.sandboxes.scripts.loader import Control

SIGKILL_EXIT_CODE = 137
"""Exit code of a command that KILL ended."""

_PRINT_OOM_KILLS = (
    b"for f in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do "
    b'[ -r $f ] && while read -r line; do echo "$line"; done <$f; done'
)
"""For control groups v2 and v1."""


class OomKills:
    """Counts a container's kills for memory.

    Args:
        control: runs a builtin in the container.
        clock: tells whether it is frozen.
    """

    def __init__(self, control: Control, clock: PausableClock) -> None:
        self._control = control
        self._clock = clock
        self._count = 0

    async def happened(self) -> bool:
        """Whether there was one since this was last asked."""
        while True:
            try:
                known = await self._control(_PRINT_OOM_KILLS, builtin=True)
                break
            except FileRefused:  # frozen this very moment: ask again afterwards
                await self._clock.wait_thawed()
        found = re.findall(rb"oom_kill (\d+)", known.stdout)
        before, self._count = self._count, sum(map(int, found))
        return self._count > before
