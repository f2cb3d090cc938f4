"""The model's commands: one after the other, in one carried shell state.

A channel is replaced when a command leaves processes behind, so that their late output never ends
up in the next observation. The old channel is read until they end, so that a full pipe does not
block them.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Protocol

from sandbox_tui.core.base.errors import FileRefused, SandboxError, SandboxLost, SandboxTuiError
from sandbox_tui.core.base.io_types import Size
from sandbox_tui.core.sandboxes.base import ExecResult, OutputSink
from sandbox_tui.core.sandboxes.protocol.dispatcher_channel import Channel

MAX_INLINE_BYTES = 2048
"""Longer commands are sent as a payload: bash reads fields byte by byte."""

SPARE_TIMEOUT_SECONDS = 10.0
"""Seconds a spare dispatcher has to answer."""

RETRY_DELAYS_SECONDS = (0.0, 0.2, 1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds before each further attempt to start a command for which there was no process: killed
processes take a moment to disappear, on a busy machine many seconds."""

BASELINE_PROCESSES = 12
"""Number of processes in a sandbox without leftovers: its own, and a shell or two."""

FORK_BOMB_CHECK_SECONDS = 1.0
"""Seconds between counts of the processes while a leftover process is alive."""


class Processes(Protocol):
    """Counts and kills the sandbox's processes without starting one."""

    async def count(self) -> int:
        """Return the number of processes."""
        ...

    async def kill_leftovers(self, *, spare: int = 0) -> int:
        """Kill all leftover processes, except those of call `spare`; returns their number."""
        ...

    async def end_call(self, call: int, pid: int) -> None:
        """Kill the remaining processes of the command whose first process was `pid`."""
        ...


class Exec:
    """Runs the model's commands.

    Args:
        open_channel: opens a channel to a new dispatcher on the same state.
        processes: counts the sandbox's processes and kills leftovers.
        thaw: thaws a frozen sandbox, before a command in it is ended.
        pids: the sandbox's process limit. If leftovers reach a third of it, they are treated as a
            fork bomb and killed.
    """

    def __init__(
        self,
        open_channel: Callable[[], Awaitable[Channel]],
        processes: Processes,
        thaw: Callable[[], Awaitable[None]],
        *,
        pids: int,
    ) -> None:
        self._open_channel = open_channel
        self._processes = processes
        self._max_leftovers = pids // 3
        self._max_while_running = pids // 2
        self._thaw = thaw
        self._lock = asyncio.Lock()
        self._channel: Channel | None = None
        self._spare: asyncio.Task[Channel] | None = None
        self._retired: dict[Channel, asyncio.Task[None]] = {}
        self._has_leftovers = False
        self._cleared = 0
        self._calls = 0

    async def run(
        self,
        command: str,
        *,
        timeout: float,
        on_output: OutputSink | None = None,
        tty: Size | None = None,
    ) -> ExecResult:
        """Run one command to its end (see `Sandbox.exec`)."""
        async with self._lock:
            await self._stop_fork_bomb(self._max_leftovers, spare=0)
            result = await self._run_once(command, timeout, on_output, tty)
            for delay in RETRY_DELAYS_SECONDS:
                if result.started:
                    break
                await asyncio.sleep(delay)
                result = await self._run_once(command, timeout, on_output, tty)
            cleared, self._cleared = self._cleared, 0
            return replace(result, cleared=cleared) if cleared else result

    async def _run_once(
        self, command: str, timeout: float, on_output: OutputSink | None, tty: Size | None
    ) -> ExecResult:
        channel = await self._ready()
        self._calls += 1
        code = command.encode("utf-8", "surrogateescape").replace(b"\0", b"")
        inline = len(code) <= MAX_INLINE_BYTES
        size = b"%d %d " % tty if tty else b""
        watch = asyncio.create_task(self._watch_for_fork_bombs()) if self._has_leftovers else None
        try:
            result = await channel.run(
                (b"t" if inline else b"T") if tty else (b"c" if inline else b"f"),
                size + (code if inline else b""),
                payload=b"" if inline else code,
                call=self._calls,
                timeout=timeout,
                sink=on_output,
                thaw=self._thaw,
            )
        finally:
            if watch is not None:
                watch.cancel()
            if channel.broken:
                self._drop(channel)
        if not result.started:
            self._drop(channel)  # a dispatcher exits if it cannot fork
        if result.background or result.exit_code is None:
            self._has_leftovers = True
        with contextlib.suppress(SandboxLost):  # the command has run, even if this fails
            await self._tidy_up(channel, result)
        if result.background and not channel.broken:
            self._retire(channel)
        return result

    async def _tidy_up(self, channel: Channel, result: ExecResult) -> None:
        """Kill the remaining processes of a command whose end was not reported, and any fork
        bomb."""
        if result.exit_code is None and channel.last_pid is not None:
            await self._processes.end_call(self._calls, channel.last_pid)
        if channel.last_survivors > self._max_leftovers or not result.started:
            await self._kill_leftovers()
        elif result.exit_code is None:
            await self._stop_fork_bomb(self._max_while_running, spare=0)

    async def _kill_leftovers(self, *, spare: int = 0) -> None:
        self._cleared += await self._processes.kill_leftovers(spare=spare)

    def continue_count(self, calls: int) -> None:
        """Number the next command after the `calls` commands of an earlier program."""
        self._calls = calls

    async def write_stdin(self, data: bytes) -> bool:
        """Write to the running command's terminal (see `Sandbox.write_stdin`)."""
        return self._channel is not None and await self._channel.write_stdin(data)

    @property
    def running(self) -> tuple[int, int] | None:
        """Number and process id of the running command; None if none is running."""
        pid = None if self._channel is None else self._channel.pid
        return None if pid is None else (self._calls, pid)

    def interrupt(self) -> bool:
        """End the running command; False if none is running."""
        return self._channel is not None and self._channel.interrupt()

    async def close(self) -> None:
        """Close all channels, including one that is still being opened."""
        if self._spare is not None:
            with contextlib.suppress(SandboxError):
                (await self._spare).close()
        for channel, task in list(self._retired.items()):
            task.cancel()
            channel.close()
        if self._channel is not None:
            self._channel.close()

    async def _ready(self) -> Channel:
        if self._channel is None or self._channel.broken:
            self._channel = None
            spare, self._spare = self._spare, None
            if spare is not None:
                with contextlib.suppress(SandboxError):  # it failed to open: open another
                    self._channel = await spare
            self._channel = self._channel or await self._open_channel()
        return self._channel

    async def _watch_for_fork_bombs(self) -> None:
        """Stop fork bombs of earlier commands, which can starve the running command."""
        while self._has_leftovers:
            await asyncio.sleep(FORK_BOMB_CHECK_SECONDS)
            with contextlib.suppress(SandboxTuiError):
                await self._stop_fork_bomb(self._max_while_running, spare=self._calls)

    async def _stop_fork_bomb(self, max_processes: int, *, spare: int) -> None:
        """Kill leftovers if there are any and more than `max_processes` processes are alive."""
        with contextlib.suppress(FileRefused):  # frozen: not urgent
            if not self._has_leftovers:
                return
            count = await self._processes.count()
            if count > max_processes:
                await self._kill_leftovers(spare=spare)
            elif count <= BASELINE_PROCESSES and not self._retired:
                self._has_leftovers = False

    def _retire(self, channel: Channel) -> None:
        """Switch to another dispatcher, but keep reading from this one while its processes live."""
        task = asyncio.create_task(channel.retire(self._calls))
        task.add_done_callback(lambda _: self._retired.pop(channel, None))
        self._retired[channel] = task
        self._channel = None
        self._spare = asyncio.create_task(self._prepare_spare())

    async def _prepare_spare(self) -> Channel:
        """Open a spare channel and wait for its answer: with too many processes it may not
        start."""
        channel = await self._open_channel()
        answer = await channel.run(b"e", b":", timeout=SPARE_TIMEOUT_SECONDS)
        if answer.exit_code != 0:
            channel.close()
            raise SandboxLost("A spare connection into the sandbox does not answer.")
        return channel

    def _drop(self, channel: Channel) -> None:
        channel.close()
        if self._channel is channel:
            self._channel = None
