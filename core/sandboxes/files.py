"""Files of a sandbox, over a control channel of their own: they are read and written while a
command is still running."""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import Awaitable, Callable

from ..errors import FileRefused, SandboxLost
from ..paths import text_to_path
from .base import ExecResult, FileEntry, Listing, OutputSink
from .channel import Buffer, Channel
from .frozen_time import FrozenTime
from .listing import FORMAT, list_command, newer_command, parse_listing
from .scripts import STATE_DIR, quote, quote_bytes, script

READ_BYTES = 64 << 20
"""Most that is read of one file."""

MANY_FILES = 10_000
"""Listings longer than this are brought up to date by what is newer, not made anew."""

PARSED_AT_ONCE = 256 << 10
"""Bytes of a listing that are taken apart without further ado: some thousand files."""

CLOCK_SLACK = 2.0
"""Seconds: a file's time is the kernel's last tick, and the clock was asked for whole seconds."""

CONTROL_TIMEOUT = 60.0
STREAM_TIMEOUT = 600.0
MESSAGE_BYTES = 64 << 10

_MISSING, _NOT_A_FILE, _DENIED, _EXISTS, _FULL = 64, 65, 66, 67, 68


class Files:
    """See the module's text.

    Args:
        open_channel: makes a channel to a dispatcher that no command uses.
        state_dir: where the carried state is (for the current directory).
        default_dir: what relative paths start from until there is one.
        clock: tells whether the sandbox is frozen, so that nothing can be asked of it.
    """

    def __init__(
        self,
        open_channel: Callable[[], Awaitable[Channel]],
        *,
        default_dir: str,
        clock: FrozenTime,
        state_dir: str = STATE_DIR,
    ) -> None:
        self._open_channel = open_channel
        self._default_dir = default_dir
        self._state_dir = state_dir
        self._channel: Channel | None = None
        self._turn = asyncio.Lock()
        self._last = (Listing(entries={}), 0.0)
        self._clock = clock

    async def control(
        self,
        command: bytes,
        *,
        payload: bytes = b"",
        cap: int = READ_BYTES,
        builtin: bool = False,
    ) -> ExecResult:
        """Run one of our own commands; a `builtin` one without starting a process.

        Raises:
            SandboxLost: it did not end, or the sandbox is gone.
            FileRefused: the sandbox is frozen.
        """
        if self._clock.frozen and self._clock.briefly:
            await self._clock.thawed()
        if self._clock.frozen:
            raise FileRefused("The sandbox is frozen: let it go on first.")
        async with self._turn:
            channel = await self._ready()
            result = await channel.run(
                b"e" if builtin else b"x",
                command,
                payload=payload,
                timeout=CONTROL_TIMEOUT,
                cap=cap,
            )
            if result.exit_code is None or result.timed_out:
                channel.close()
                raise SandboxLost("The sandbox stopped answering.")
            return result

    async def stream(
        self, command: bytes, *, payload: Buffer = b"", sink: OutputSink | None = None
    ) -> ExecResult:
        """Run one of our own commands that takes long, on a channel of its own."""
        channel = await self._open_channel()
        try:
            return await channel.run(
                b"x", command, payload=payload, timeout=STREAM_TIMEOUT, sink=sink, cap=MESSAGE_BYTES
            )
        finally:
            channel.close()

    async def count(self) -> int:
        """How many processes there are, without starting one more."""
        result = await self.control(b"all=(/proc/[0-9]*); echo ${#all[@]}", builtin=True)
        return int(result.stdout)

    async def clear_out(self, *, spare: int = 0) -> None:
        """Kill every process a command left behind, but for those of call `spare`, without
        starting a single one."""
        async with self._turn:
            channel = await self._ready()
            await channel.run(b"z", b"", call=spare, timeout=CONTROL_TIMEOUT)

    async def _ready(self) -> Channel:
        """The channel, which knows how to write: bash takes a request in byte by byte, and the
        longer a script, the more is gained by sending it once."""
        if self._channel is None or self._channel.broken:
            self._channel = await self._open_channel()
            known = b"write_file() {\n%b\n}" % script("write.sh").encode()
            await self._channel.run(b"e", known, timeout=CONTROL_TIMEOUT)
        return self._channel

    async def read(self, path: str, *, max_bytes: int | None = None) -> bytes:
        """See `Sandbox.read_file`. A pipe put in the file's place cannot make it wait."""
        limit = READ_BYTES if max_bytes is None else max_bytes
        word = quote_bytes(await self._absolute(path))
        result = await self.control(
            b'f=%b; [ -e "$f" ] || exit 64; [ -f "$f" ] || exit 65; [ -r "$f" ] || exit 66; '
            b'exec dd if="$f" iflag=nonblock,fullblock,count_bytes bs=256K count=%d status=none'
            % (word, limit + 1),
            cap=limit,
        )
        _refuse(result, path)
        if max_bytes is None and result.stdout_bytes > READ_BYTES:
            raise FileRefused(f"{path} is larger than {READ_BYTES >> 20} MiB.")
        return result.stdout

    async def write(self, path: str, data: bytes, *, exclusive: bool = False) -> None:
        """See `Sandbox.write_file` and write.sh."""
        word = quote_bytes(await self._absolute(path))
        result = await self.control(
            b"f=%b size=%d exclusive=%d; write_file" % (word, len(data), exclusive),
            payload=data,
        )
        _refuse(result, path)

    async def stat(self, path: str) -> FileEntry | None:
        """See `Sandbox.stat`."""
        name = await self._absolute(path)
        command = b"find -L %b -maxdepth 0 -printf '%b' 2>/dev/null; :"
        result = await self.control(command % (quote_bytes(name), FORMAT))
        entries = parse_listing(result.stdout)
        return next(iter(entries.values()), None)

    async def list(self, path: str, *, limit: int) -> Listing:
        """See `Sandbox.list_files`."""
        result = await self.control(list_command(await self._absolute(path), limit + 1))
        clock, _, found = result.stdout.partition(b"\0")
        return self._remember(await _parsed(found), clock, limit)

    async def changed(self, path: str, before: Listing, *, limit: int) -> Listing:
        """See `Sandbox.changed_files`."""
        last, clock = self._last
        if before is last and before.complete and len(before.entries) >= MANY_FILES:
            now = await self._newer(path, before, clock, limit)
            if now is not None:
                return now
        return await self.list(path, limit=limit)

    async def _newer(self, path: str, before: Listing, since: float, limit: int) -> Listing | None:
        """Describe only what changed; None when there are names that this cannot tell about (a
        renamed folder brings new names of old files)."""
        command = newer_command(await self._absolute(path), max(0.0, since - CLOCK_SLACK))
        result = await self.control(command)
        clock, _, rest = result.stdout.partition(b"\0")
        names, _, newer = rest.partition(b"\0\0")
        changed = await _parsed(newer)
        entries: dict[bytes, FileEntry] = {}
        for name in names.split(b"\0"):
            entry = changed.get(name) or before.entries.get(name)
            if entry is None:
                return None
            entries[name] = entry
        return self._remember(entries, clock, limit)

    def _remember(self, entries: dict[bytes, FileEntry], clock: bytes, limit: int) -> Listing:
        complete = len(entries) <= limit
        kept = entries if complete else dict(list(entries.items())[:limit])
        listing = Listing(entries=kept, complete=complete)
        self._last = (listing, float(clock or b"0"))
        return listing

    async def _absolute(self, path: str) -> bytes:
        """Bytes of a path; a relative one starts from where the model's shell is."""
        if path.startswith("/"):
            return text_to_path(path)
        return posixpath.join(await self.current_dir(), text_to_path(path))

    async def current_dir(self) -> bytes:
        """Where the carried shell is."""
        state = quote(self._state_dir)
        result = await self.control(
            b"[ -r %b/saved ] && read -r c s <%b/saved && read -r l <%b/state.$s && "
            b'eval "$l" && pwd' % (state, state, state)
        )
        found = result.stdout.removesuffix(b"\n")
        return found if found.startswith(b"/") else text_to_path(self._default_dir)

    def close(self) -> None:
        """Let go of the channel."""
        if self._channel is not None:
            self._channel.close()


async def _parsed(found: bytes) -> dict[bytes, FileEntry]:
    """A listing's entries; a long one is taken apart in a thread, since a key shall not wait."""
    if len(found) < PARSED_AT_ONCE:
        return parse_listing(found)
    return await asyncio.to_thread(parse_listing, found)


def _refuse(result: ExecResult, path: str) -> None:
    """Raise what an exit code of ours stands for."""
    if result.exit_code == 0:
        return
    why = {
        _MISSING: "does not exist",
        _NOT_A_FILE: "is not a regular file",
        _DENIED: "cannot be opened: permission denied",
        _EXISTS: "exists already",
        _FULL: "could not be written whole: no space is left",
    }.get(result.exit_code or 0)
    if why is None:
        words = result.stderr.decode("utf-8", "replace").strip()[-200:]
        why = f"could not be used: {words or f'exit code {result.exit_code}'}"
    raise FileRefused(f"{path} {why}.")
