"""Runs commands outside the model's shell state, for graders and other checks.

Each command gets a dispatcher on its own empty state folder: no alias, function, option, directory
or variable of the model's shell affects it. Files are still shared with the model: a program that
the model replaced stays replaced.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from sandbox_tui.core.base.errors import SandboxError
from sandbox_tui.core.sandboxes.base import ExecResult
from sandbox_tui.core.sandboxes.protocol.control_channel import ControlChannel
from sandbox_tui.core.sandboxes.protocol.dispatcher_channel import Channel
from sandbox_tui.core.sandboxes.scripts.loader import STATE_DIR, clean_command

RETIRE_TIMEOUT_SECONDS = 5.0
"""Seconds a dispatcher has to end after its command."""


class StatelessExec:
    """Runs commands with no carried state.

    Args:
        open_channel: opens a channel to a dispatcher on the given state folder.
        control: kills a command's leftover processes and removes its state folder.
        thaw: thaws a frozen sandbox, before a command in it is ended.
    """

    def __init__(
        self,
        open_channel: Callable[[str], Awaitable[Channel]],
        control: ControlChannel,
        thaw: Callable[[], Awaitable[None]],
    ) -> None:
        self._open_channel = open_channel
        self._control = control
        self._thaw = thaw
        self._calls = itertools.count(-1, -1)  # the model's calls count up from 1

    async def run(self, argv: Sequence[str], *, user: str, cwd: str, timeout: float) -> ExecResult:
        """Run one command to its end (see `Sandbox.run`)."""
        await self._control.require_thawed()
        state_dir = f"{STATE_DIR}/run-{secrets.token_hex(8)}"
        channel = await self._open_channel(state_dir)
        call = next(self._calls)
        try:
            result = await channel.run(
                b"f",
                b"",
                payload=clean_command(argv, user=user, cwd=cwd),
                call=call,
                timeout=timeout,
                thaw=self._thaw,
            )
        finally:
            await self._clean_up(channel, call, state_dir)
        if not result.started:
            raise SandboxError("The sandbox cannot start another process.")
        return replace(result, background=False, state_lost=False)

    async def _clean_up(self, channel: Channel, call: int, state_dir: str) -> None:
        with contextlib.suppress(SandboxError):
            if channel.last_pid is not None:
                await self._control.end_call(call, channel.last_pid)
        with contextlib.suppress(TimeoutError):
            if not channel.broken:
                async with asyncio.timeout(RETIRE_TIMEOUT_SECONDS):
                    await channel.retire(call)
        channel.close()
        with contextlib.suppress(SandboxError):
            await self._control.run(b"rm -rf -- " + state_dir.encode())
