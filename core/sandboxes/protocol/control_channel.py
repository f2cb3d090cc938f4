"""A control channel, which runs our own commands in a sandbox, separate from the model's."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from sandbox_tui.core.base.errors import FileRefused, SandboxLost
from sandbox_tui.core.sandboxes.base import ExecResult, OutputSink
from sandbox_tui.core.sandboxes.protocol.dispatcher_channel import Buffer, Channel
from sandbox_tui.core.sandboxes.protocol.pausable_clock import PausableClock
from sandbox_tui.core.sandboxes.scripts.loader import script

MAX_READ_BYTES = 64 << 20
"""Maximum bytes captured of one command's output; also the largest file that can be read."""

MAX_MESSAGE_BYTES = 64 << 10
"""Maximum bytes captured of a streaming command's output, besides what its sink receives."""

CONTROL_TIMEOUT_SECONDS = 60.0
STREAM_TIMEOUT_SECONDS = 600.0


class ControlChannel:
    """Runs our own stateless commands, one at a time, even while the model's command is running.

    Args:
        open_channel: opens a channel to a new dispatcher.
        clock: tells whether the sandbox is frozen, so that nothing can run in it.
    """

    def __init__(
        self, open_channel: Callable[[], Awaitable[Channel]], clock: PausableClock
    ) -> None:
        self._open_channel = open_channel
        self._clock = clock
        self._channel: Channel | None = None
        self._lock = asyncio.Lock()

    async def run(
        self,
        command: bytes,
        *,
        payload: bytes = b"",
        cap: int = MAX_READ_BYTES,
        builtin: bool = False,
    ) -> ExecResult:
        """Run a command; with `builtin`, without starting a process.

        Raises:
            SandboxLost: it did not end, or the sandbox has ended.
            FileRefused: the sandbox is frozen.
        """
        await self.require_thawed()
        async with self._lock:
            channel = await self._ready()
            result = await channel.run(
                b"e" if builtin else b"x",
                command,
                payload=payload,
                timeout=CONTROL_TIMEOUT_SECONDS,
                cap=cap,
            )
            if result.exit_code is None or result.timed_out:
                channel.close()
                raise SandboxLost("The sandbox stopped answering.")
            return result

    @property
    def is_busy(self) -> bool:
        """Whether one of our commands is running or queued."""
        return self._lock.locked()

    async def require_thawed(self) -> None:
        """Wait for a brief freeze to end.

        Raises:
            FileRefused: the sandbox is frozen for longer.
        """
        if self._clock.frozen and self._clock.briefly:
            await self._clock.wait_thawed()
        if self._clock.frozen:
            raise FileRefused("The sandbox is frozen: resume it first.")

    async def stream(
        self, command: bytes, *, payload: Buffer = b"", sink: OutputSink | None = None
    ) -> ExecResult:
        """Run a long command on a dedicated channel."""
        channel = await self._open_channel()
        try:
            return await channel.run(
                b"x",
                command,
                payload=payload,
                timeout=STREAM_TIMEOUT_SECONDS,
                sink=sink,
                cap=MAX_MESSAGE_BYTES,
            )
        finally:
            channel.close()

    async def count(self) -> int:
        """Return the number of processes, counted without starting one."""
        result = await self.run(b"all=(/proc/[0-9]*); echo ${#all[@]}", builtin=True)
        return int(result.stdout)

    async def kill_leftovers(self, *, spare: int = 0) -> int:
        """Kill all leftover processes, except those of call `spare`; returns their number.

        Starts no process itself.
        """
        async with self._lock:
            channel = await self._ready()
            done = await channel.run(b"z", b"", call=spare, timeout=CONTROL_TIMEOUT_SECONDS)
            return int(done.stdout or b"0")

    async def end_call(self, call: int, pid: int) -> None:
        """Kill the remaining processes of a command whose first process was `pid`.

        Starts no process itself.
        """
        async with self._lock:
            channel = await self._ready()
            await channel.run(b"y", b"%d" % pid, call=call, timeout=CONTROL_TIMEOUT_SECONDS)

    def close(self) -> None:
        """Close the channel."""
        if self._channel is not None:
            self._channel.close()

    async def _ready(self) -> Channel:
        """Return the channel, with `write_file` defined.

        bash reads a request byte by byte, so the long script is sent once rather than with each
        request.
        """
        if self._channel is None or self._channel.broken:
            self._channel = await self._open_channel()
            definition = b"write_file() {\n%b\n}" % script("write.sh").encode()
            await self._channel.run(b"e", definition, timeout=CONTROL_TIMEOUT_SECONDS)
        return self._channel
