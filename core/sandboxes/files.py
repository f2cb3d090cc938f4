"""Files of a sandbox, over a control channel of their own: they are read and written while a
command is still running."""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import Awaitable, Callable
from typing import Literal

from ..errors import FileRefused, SandboxLost
from ..paths import text_to_path
from .base import ExecResult, FileEntry, Listing
from .channel import Channel
from .scripts import STATE_DIR, quote, quote_bytes

READ_BYTES = 64 << 20
"""Most that is read of one file."""

MANY_FILES = 10_000
"""Listings longer than this are brought up to date by what is newer, not made anew."""

CONTROL_TIMEOUT = 60.0

_MISSING, _NOT_A_FILE, _DENIED, _EXISTS, _FULL = 64, 65, 66, 67, 68
_KINDS: dict[bytes, Literal["file", "dir", "link"]] = {b"f": "file", b"d": "dir", b"l": "link"}
_FORMAT = rb"%y\0%s\0%m\0%T@\0%p\0"


class Files:
    """See the module's text.

    Args:
        open_channel: makes a channel to a dispatcher that no command uses.
        state_dir: where the carried state is (for the current directory).
        default_dir: what relative paths start from until there is one.
    """

    def __init__(
        self,
        open_channel: Callable[[], Awaitable[Channel]],
        *,
        default_dir: str,
        state_dir: str = STATE_DIR,
    ) -> None:
        self._open_channel = open_channel
        self._default_dir = default_dir
        self._state_dir = state_dir
        self._channel: Channel | None = None
        self._turn = asyncio.Lock()

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
        """
        async with self._turn:
            if self._channel is None or self._channel.broken:
                self._channel = await self._open_channel()
            channel = self._channel
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

    async def clear_out(self) -> None:
        """Kill every process a command left behind, without starting a single one."""
        async with self._turn:
            if self._channel is None or self._channel.broken:
                self._channel = await self._open_channel()
            await self._channel.run(b"z", b"", timeout=CONTROL_TIMEOUT)

    async def read(self, path: str, *, max_bytes: int | None = None) -> bytes:
        """See `Sandbox.read_file`."""
        limit = READ_BYTES if max_bytes is None else max_bytes
        name = await self._absolute(path)
        word = quote_bytes(name)
        result = await self.control(
            b'f=%b; [ -e "$f" ] || exit 64; [ -f "$f" ] || exit 65; [ -r "$f" ] || exit 66; '
            b'head -c %d -- "$f"' % (word, limit),
            cap=limit,
        )
        _refuse(result, path)
        if max_bytes is None and result.stdout_bytes > READ_BYTES:
            raise FileRefused(f"{path} is larger than {READ_BYTES >> 20} MiB.")
        return result.stdout

    async def write(self, path: str, data: bytes, *, exclusive: bool = False) -> None:
        """See `Sandbox.write_file`.

        An existing file is written in place, which keeps its mode, owner and links; the data is
        whole in the sandbox before that begins.
        """
        word = quote_bytes(await self._absolute(path))
        check = b'[ -e "$f" ] || [ -L "$f" ] && exit 67; ' if exclusive else b""
        result = await self.control(
            b'f=%b; %b[ -d "$f" ] && exit 65; [ -e "$f" ] && [ ! -f "$f" ] && exit 65; '
            b'd=${f%%/*}; mkdir -p -- "${d:-/}" 2>/dev/null || exit 66; '
            b'{ cat >"$f"; } || { [ -w "$f" ] && exit 68; exit 66; }' % (word, check),
            payload=data or b"",
        )
        _refuse(result, path)

    async def stat(self, path: str) -> FileEntry | None:
        """See `Sandbox.stat`."""
        name = await self._absolute(path)
        command = b"find -L %b -maxdepth 0 -printf '%b' 2>/dev/null; :"
        result = await self.control(command % (quote_bytes(name), _FORMAT))
        entries = parse_listing(result.stdout)
        return next(iter(entries.values()), None)

    async def list(self, path: str, *, limit: int) -> Listing:
        """See `Sandbox.list_files`."""
        word = quote_bytes(await self._absolute(path))
        command = b"find -P %b -mindepth 1 -printf '%b' 2>/dev/null | head -z -n %d; :"
        result = await self.control(command % (word, _FORMAT, 5 * (limit + 1)))
        entries = parse_listing(result.stdout)
        complete = len(entries) <= limit
        return Listing(entries=dict(list(entries.items())[:limit]), complete=complete)

    async def changed(self, path: str, before: Listing, *, limit: int) -> Listing:
        """See `Sandbox.changed_files`."""
        if len(before.entries) < MANY_FILES or not before.complete:
            return await self.list(path, limit=limit)
        return await self._newer(path, before, limit)

    async def _newer(self, path: str, before: Listing, limit: int) -> Listing:
        """Only what changed since the last look is described; names alone say what is gone."""
        word = quote_bytes(await self._absolute(path))
        newest = max((entry.mtime for entry in before.entries.values()), default=0.0)
        command = (
            b"find -P %b -mindepth 1 -printf '%%p\\0' 2>/dev/null; printf '\\0'; "
            b"find -P %b -mindepth 1 -newerct '@%.3f' -printf '%b' 2>/dev/null; :"
        )
        result = await self.control(command % (word, word, max(0.0, newest - 2.0), _FORMAT))
        names, _, newer = result.stdout.partition(b"\0\0")
        changed = parse_listing(newer)
        entries: dict[bytes, FileEntry] = {}
        for name in names.split(b"\0"):
            entry = changed.get(name) or before.entries.get(name)
            if entry is not None:
                entries[name] = entry
        return Listing(entries=dict(list(entries.items())[:limit]), complete=len(entries) <= limit)

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
        found = result.stdout.rstrip(b"\n")
        return found if found.startswith(b"/") else text_to_path(self._default_dir)

    def close(self) -> None:
        """Let go of the channel."""
        if self._channel is not None:
            self._channel.close()


def parse_listing(data: bytes) -> dict[bytes, FileEntry]:
    """Entries by path, from what `find -printf` wrote; an unfinished last entry is left out."""
    fields = data.split(b"\0")
    entries: dict[bytes, FileEntry] = {}
    for at in range(0, len(fields) - 5, 5):
        kind, size, mode, mtime, path = fields[at : at + 5]
        named: Literal["file", "dir", "link", "other"] = _KINDS.get(kind, "other")
        entries[path] = FileEntry(
            path=path,
            kind=named,
            size=int(size) if named == "file" else 0,
            mode=int(mode, 8),
            mtime=float(mtime),
        )
    return entries


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
