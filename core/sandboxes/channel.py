"""The host's side of the dispatcher: one command at a time over one open connection.

A `Channel` speaks to one dispatcher. `Exec` keeps one for the model's commands and replaces it when
a command leaves processes behind, so that their late output never lands in the next observation;
the old one is read on until they end, so that they are not stopped by a full pipe.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import secrets
from collections.abc import Awaitable, Callable
from mmap import mmap
from typing import Protocol

from ..errors import FileRefused, SandboxError, SandboxLost, SandboxTuiError
from .base import ExecResult, OutputSink, Size, Stream
from .frozen_time import FrozenTime
from .marks import Mark, MarkScanner

CAPTURE_BYTES = 16 << 20
"""Output kept of one stream of one command; the rest is counted only."""

Buffer = bytes | mmap
"""Bytes to send; a large payload stays in its file."""

INLINE_BYTES = 2048
"""Longer commands travel as a block: bash reads fields byte by byte."""

TYPED_BYTES = 16 << 10
"""Most that is typed into one command: less than a pipe holds, so that the dispatcher never waits
for a program that does not read."""

ENDING = (("INT", 0.4), ("TERM", 0.6), ("KILL", 0.3), ("KILL", 0.5))
"""Signals that end a command, and the seconds each is given; in all less than 2."""


SPARE_TIMEOUT = 10.0
"""Seconds a spare dispatcher is given to answer."""

FORK_FAILED = 254
"""What bash ends with after it has tried to fork for a while."""

FEW = 12
"""Processes that a sandbox has when nothing was left behind: its own, and a shell or two."""

BOMB_WATCH = 1.0
"""Seconds between counts of the processes while something left behind is still there."""


class Transport(Protocol):
    """A byte connection to a dispatcher."""

    async def write(self, data: Buffer) -> None:
        """Send to its stdin; raises OSError when it is gone."""
        ...

    async def read(self) -> tuple[Stream, bytes] | None:
        """The next piece of its stdout or stderr, None when both have ended."""
        ...

    def close(self) -> None:
        """Let go of it; the dispatcher ends."""
        ...


class _Command:
    """A command that is under way."""

    def __init__(self, sink: OutputSink | None, cap: int, clock: FrozenTime) -> None:
        self.clock = clock
        self.nonce = secrets.token_hex(8).encode()
        self.sink = sink
        self.cap = cap
        self.began = clock.now()
        self.scanners: dict[Stream, MarkScanner] = {
            "stdout": MarkScanner(self.nonce),
            "stderr": MarkScanner(self.nonce),
        }
        self.captured: dict[Stream, list[bytes]] = {"stdout": [], "stderr": []}
        self.totals: dict[Stream, int] = {"stdout": 0, "stderr": 0}
        self.open: set[Stream] = {"stdout", "stderr"}
        self.pid: int | None = None
        self.code: int | None = None
        self.survivors = 0
        self.saved = False
        self.room = 0
        self.ended = asyncio.Event()
        self.stirred = asyncio.Event()  # it has ended, or is to end
        self.interrupted = False

    def end(self) -> None:
        """Let whoever waits for it know."""
        self.ended.set()
        self.stirred.set()

    def interrupt(self) -> None:
        """Have it ended."""
        self.interrupted = True
        self.stirred.set()

    def result(self, *, timed_out: bool, interrupted: bool) -> ExecResult:
        """How it ended."""
        return ExecResult(
            exit_code=self.code,
            stdout=b"".join(self.captured["stdout"]),
            stderr=b"".join(self.captured["stderr"]),
            stdout_bytes=self.totals["stdout"],
            stderr_bytes=self.totals["stderr"],
            duration=self.clock.now() - self.began,
            timed_out=timed_out,
            interrupted=interrupted,
            background=self.survivors > 0,
            state_lost=not self.saved,
            begun=self.pid is not None,
        )


class Channel:
    """One dispatcher.

    Args:
        transport: the connection to it.
        clock: by which commands' time limits run.

    Attributes:
        broken: the connection ended, or a command could not be ended; use another channel.
        last_survivors: processes it left behind.
    """

    def __init__(self, transport: Transport, clock: FrozenTime) -> None:
        self._transport = transport
        self._clock = clock
        self._thaw: Callable[[], Awaitable[None]] | None = None
        self._command: _Command | None = None
        self.last_survivors = 0
        self._reader = asyncio.create_task(self._read())
        self.broken = False

    async def run(
        self,
        op: bytes,
        argument: bytes,
        *,
        call: int = 0,
        payload: Buffer = b"",
        timeout: float | None = None,
        sink: OutputSink | None = None,
        cap: int = CAPTURE_BYTES,
        thaw: Callable[[], Awaitable[None]] | None = None,
    ) -> ExecResult:
        """Run one request to its end (see dispatcher.sh for `op`).

        What is to be ended before its time must not be frozen: `thaw` is called first then.

        Raises:
            SandboxLost: the connection is gone before anything was sent.
        """
        command = self._command = _Command(sink, cap, self._clock)
        command.room = TYPED_BYTES if op in (b"t", b"T") else 0
        self._thaw = thaw
        fields = (op, command.nonce, b"%d" % call, b"%d" % len(payload), argument)
        try:
            await self._send(b"\0".join(fields) + b"\0")
            if payload:
                await self._send(payload)
            timed_out, interrupted = await self._wait(command, call, timeout)
        except asyncio.CancelledError:
            await asyncio.shield(self._end(command, call))
            raise
        finally:
            self._command = None
        return command.result(timed_out=timed_out, interrupted=interrupted)

    @property
    def pid(self) -> int | None:
        """Process id of the command that is under way."""
        return None if self._command is None else self._command.pid

    async def type(self, data: bytes) -> bool:
        """Type into the running command's terminal; False when it has none, or no room."""
        command, data = self._command, data.replace(b"\0", b"")
        if command is None or len(data) > command.room:
            return False
        command.room -= len(data)
        await self._send(b"i\0-\0" + b"0\0" * 2 + data + b"\0")
        return True

    def interrupt(self) -> bool:
        """End the command that is under way; False when none is."""
        if self._command is None:
            return False
        self._command.interrupt()
        return True

    def close(self) -> None:
        """Let the dispatcher end."""
        self.broken = True
        self._reader.cancel()
        self._transport.close()

    async def retire(self, call: int) -> None:
        """Let the dispatcher end once nothing is left of `call`, and wait for that.

        It must not end before: Docker stops reading when it does, and a server in the background
        would be killed by what it prints.
        """
        with contextlib.suppress(SandboxLost):
            await self._send(b"w\0-\0%d\0" % call + b"0\0\0")
        with contextlib.suppress(asyncio.CancelledError):
            await self._reader
        self.close()

    async def _send(self, data: Buffer) -> None:
        try:
            await self._transport.write(data)
        except (OSError, RuntimeError) as error:
            self.broken = True
            raise SandboxLost("The connection into the sandbox is gone.") from error

    async def _wait(self, command: _Command, call: int, timeout: float | None) -> tuple[bool, bool]:
        """Wait for the end of a command, or bring it about; (timed out, interrupted)."""
        until = math.inf if timeout is None else command.began + timeout
        await self._clock.wait_until(until, command.stirred)
        if command.ended.is_set():
            return False, False
        interrupted = command.interrupted
        await self._end(command, call)
        return not interrupted, interrupted

    async def _end(self, command: _Command, call: int) -> None:
        """End a command for good; a channel on which that fails is broken."""
        self.last_survivors = 0
        if self._thaw is not None:
            with contextlib.suppress(SandboxError):
                await self._thaw()
        command.sink = None  # nobody waits for output any more: the end must not be held back
        for signal, grace in ENDING:
            if command.pid is not None:
                fields = (b"k", signal.encode(), b"%d" % call, b"0", b"%d" % command.pid)
                with contextlib.suppress(SandboxLost):
                    await self._send(b"\0".join(fields) + b"\0")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(command.ended.wait(), grace)
                return
        self.broken = True

    async def _read(self) -> None:
        """Take in whatever comes, until the connection ends."""
        try:
            while (piece := await self._transport.read()) is not None:
                await self._take(*piece)
        except OSError:
            pass
        finally:
            self.broken = True
            self._transport.close()
            if self._command is not None:
                self._command.end()

    async def _take(self, stream: Stream, data: bytes) -> None:
        command = self._command
        if command is None:  # late output of what a command left behind: nobody's
            return
        for part in command.scanners[stream].feed(data):
            if isinstance(part, Mark):
                self._marked(command, stream, part)
            elif stream in command.open:
                await self._output(command, stream, part)

    @staticmethod
    async def _output(command: _Command, stream: Stream, data: bytes) -> None:
        room = command.cap - command.totals[stream]
        if room > 0:
            command.captured[stream].append(data if len(data) <= room else data[:room])
        command.totals[stream] += len(data)
        if command.sink is not None:
            await command.sink(stream, data)

    def _marked(self, command: _Command, stream: Stream, mark: Mark) -> None:
        fields = mark.fields
        if fields[0] == b"B":
            command.pid = int(fields[1])
            return
        command.open.discard(stream)
        if len(fields) == 4:
            command.code = int(fields[1])
            command.survivors = int(fields[2])
            command.saved = fields[3] == b"1"
            self.last_survivors = command.survivors
        if not command.open:
            command.end()


class Processes(Protocol):
    """What `Exec` asks about the sandbox's processes; starts none itself."""

    async def count(self) -> int:
        """How many there are."""
        ...

    async def clear_out(self, *, spare: int = 0) -> None:
        """Kill every one that a command left behind, but for those of call `spare`."""
        ...


class Exec:
    """The model's commands: one after the other, in one carried shell state.

    Args:
        open_channel: makes a channel to a fresh dispatcher on the same state.
        processes: says how many there are in the sandbox, and can kill what commands left behind.
        thaw: lets a frozen sandbox go on, before a command in it is ended.
        pids: how many there may be. A third of them left behind is a fork bomb, and cleared out.
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
        self._runaway = pids // 3
        self._half_full = pids // 2
        self._thaw = thaw
        self._turn = asyncio.Lock()
        self._channel: Channel | None = None
        self._spare: asyncio.Task[Channel] | None = None
        self._retired: dict[Channel, asyncio.Task[None]] = {}
        self._left_behind = False
        self._calls = 0

    async def run(
        self,
        command: str,
        *,
        timeout: float,
        on_output: OutputSink | None = None,
        tty: Size | None = None,
    ) -> ExecResult:
        """See `Sandbox.exec`."""
        async with self._turn:
            await self._stop_bomb(self._runaway, spare=0)
            bombed = self._left_behind
            result = await self._run_once(command, timeout, on_output, tty)
            if _never_began(result) or (bombed and _came_to_nothing(result)):
                result = await self._run_once(command, timeout, on_output, tty)
            return result

    async def _run_once(
        self, command: str, timeout: float, on_output: OutputSink | None, tty: Size | None
    ) -> ExecResult:
        channel = await self._ready()
        self._calls += 1
        code = command.encode("utf-8", "surrogateescape").replace(b"\0", b"")
        inline = len(code) <= INLINE_BYTES
        size = b"%d %d " % tty if tty else b""
        watch = asyncio.create_task(self._watch_for_bombs()) if self._left_behind else None
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
        if channel.last_survivors > self._runaway or result.exit_code is None:
            with contextlib.suppress(SandboxLost):  # it has run, whatever becomes of the sandbox
                await self._processes.clear_out()
        if result.background or result.exit_code is None:
            self._left_behind = True
        if result.background and not channel.broken:
            self._retire(channel)
        return result

    def take_up(self, calls: int) -> None:
        """Go on counting: so many commands were run by a program that is gone."""
        self._calls = calls

    async def type(self, data: bytes) -> bool:
        """See `Sandbox.type`."""
        return self._channel is not None and await self._channel.type(data)

    @property
    def running(self) -> tuple[int, int] | None:
        """Number and process id of the command that is running; None when none is."""
        pid = None if self._channel is None else self._channel.pid
        return None if pid is None else (self._calls, pid)

    def interrupt(self) -> bool:
        """End the running command; False when none is running."""
        return self._channel is not None and self._channel.interrupt()

    async def close(self) -> None:
        """Let go of all dispatchers, also of one that is still on its way."""
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
                with contextlib.suppress(SandboxError):  # it was tried at a bad moment
                    self._channel = await spare
            self._channel = self._channel or await self._open_channel()
        return self._channel

    async def _watch_for_bombs(self) -> None:
        """One left behind by an earlier command can keep this one from ever getting anywhere."""
        while self._left_behind:
            await asyncio.sleep(BOMB_WATCH)
            with contextlib.suppress(SandboxTuiError):
                await self._stop_bomb(self._half_full, spare=self._calls)

    async def _stop_bomb(self, most: int, *, spare: int) -> None:
        """Clear out when more processes than this are there because of what was left behind."""
        with contextlib.suppress(FileRefused):  # frozen: then there is no hurry
            if not self._left_behind:
                return
            count = await self._processes.count()
            if count > most:
                await self._processes.clear_out(spare=spare)
            elif count <= FEW and not self._retired:
                self._left_behind = False

    def _retire(self, channel: Channel) -> None:
        """Read on from a dispatcher whose command left processes behind; take another from now."""
        task = asyncio.create_task(channel.retire(self._calls))
        task.add_done_callback(lambda _: self._retired.pop(channel, None))
        self._retired[channel] = task
        self._channel = None
        self._spare = asyncio.create_task(self._prepare())

    async def _prepare(self) -> Channel:
        """A spare that is known to answer: among too many processes it may not even start."""
        channel = await self._open_channel()
        answer = await channel.run(b"e", b":", timeout=SPARE_TIMEOUT)
        if answer.exit_code != 0:
            channel.close()
            raise SandboxLost("A spare connection into the sandbox does not answer.")
        return channel

    def _drop(self, channel: Channel) -> None:
        channel.close()
        if self._channel is channel:
            self._channel = None


def _never_began(result: ExecResult) -> bool:
    """Whether what was to become the command was killed before it had read it (by a person)."""
    return result.exit_code is not None and not result.begun


def _came_to_nothing(result: ExecResult) -> bool:
    """Whether a command never ran: its dispatcher was gone, or bash could not fork (254)."""
    if result.exit_code is None:
        return not result.begun
    return result.exit_code == FORK_FAILED and not result.stdout_bytes + result.stderr_bytes
