"""Reads, writes and lists a sandbox's files, over a control channel."""

from __future__ import annotations

import asyncio
import posixpath

from sandbox_tui.core.base.errors import FileRefused, NotListed
from sandbox_tui.core.base.path_codec import text_to_path
from sandbox_tui.core.sandboxes.base import ExecResult, FileEntry, Listing
from sandbox_tui.core.sandboxes.protocol.control_channel import MAX_READ_BYTES, ControlChannel
from sandbox_tui.core.sandboxes.protocol.file_listing import (
    FIND_FAILED_IN_PARTS,
    FORMAT,
    list_command,
    newer_command,
    parse_clock,
    parse_listing,
    was_listed,
)
from sandbox_tui.core.sandboxes.scripts.loader import STATE_DIR, quote, quote_bytes

MIN_INCREMENTAL_FILES = 10_000
"""Listings with at least this many files are updated with newer files, not listed again."""

MAX_INLINE_PARSE_BYTES = 256 << 10
"""Maximum bytes of a listing parsed on the event loop, which is some thousand files."""

CLOCK_SLACK_SECONDS = 2.0
"""Allowance for file times, which lag by up to a kernel tick, and for the clock's whole seconds."""

_MISSING, _NOT_A_FILE, _DENIED, _EXISTS, _FULL = 64, 65, 66, 67, 68
"""Exit codes of the commands below and of write.sh."""


class FileOperations:
    """The files of one sandbox.

    Args:
        control: runs the commands.
        default_dir: base of relative paths until the model's shell has a current directory.
    """

    def __init__(self, control: ControlChannel, *, default_dir: str) -> None:
        self._control = control
        self._default_dir = default_dir
        self._last = (Listing(entries={}), 0.0)

    async def read(self, path: str, *, max_bytes: int | None = None) -> bytes:
        """Return the content of a file (see `Sandbox.read_file`); a named pipe cannot block it."""
        limit = MAX_READ_BYTES if max_bytes is None else max_bytes
        word = quote_bytes(await self._absolute(path))
        result = await self._control.run(
            b'f=%b; [ -e "$f" ] || exit 64; [ -f "$f" ] || exit 65; [ -r "$f" ] || exit 66; '
            b'exec dd if="$f" iflag=nonblock,fullblock,count_bytes bs=256K count=%d status=none'
            % (word, limit + 1),
            cap=limit,
        )
        _raise_refusal(result, path)
        if max_bytes is None and result.stdout_bytes > MAX_READ_BYTES:
            raise FileRefused(f"{path} is larger than {MAX_READ_BYTES >> 20} MiB.")
        return result.stdout

    async def write(self, path: str, data: bytes, *, exclusive: bool = False) -> None:
        """Write a file (see `Sandbox.write_file` and write.sh)."""
        word = quote_bytes(await self._absolute(path))
        result = await self._control.run(
            b"f=%b size=%d exclusive=%d; write_file" % (word, len(data), exclusive),
            payload=data,
        )
        _raise_refusal(result, path)

    async def stat(self, path: str) -> FileEntry | None:
        """Return the entry at `path`, links followed; None if there is none."""
        name = await self._absolute(path)
        command = b"find -L %b -maxdepth 0 -printf '%b' 2>/dev/null"
        result = await self._control.run(command % (quote_bytes(name), FORMAT))
        _require_listed(result, path)
        entries = parse_listing(result.stdout)
        return next(iter(entries.values()), None)

    async def list(self, path: str, *, limit: int) -> Listing:
        """List everything below `path` (see `Sandbox.list_files`)."""
        name = await self._absolute(path)
        result = await self._control.run(list_command(name, limit + 1))
        _require_listed(result, path)
        clock, _, found = result.stdout.partition(b"\0")
        return self._remember(await _parsed(found, _below(name)), clock, limit, result.exit_code)

    async def changed(self, path: str, before: Listing, *, limit: int) -> Listing:
        """Return the listing of `path` now (see `Sandbox.changed_files`)."""
        last, clock = self._last
        if before is last and before.complete and len(before.entries) >= MIN_INCREMENTAL_FILES:
            now = await self._updated(path, before, clock, limit)
            if now is not None:
                return now
        return await self.list(path, limit=limit)

    async def _updated(
        self, path: str, before: Listing, since: float, limit: int
    ) -> Listing | None:
        """List only what changed.

        Returns None if old files have new names, as after a folder was renamed: they are not newer,
        so a full listing is needed.
        """
        root = await self._absolute(path)
        result = await self._control.run(newer_command(root, max(0.0, since - CLOCK_SLACK_SECONDS)))
        _require_listed(result, path)
        clock, _, rest = result.stdout.partition(b"\0")
        names, _, newer = rest.partition(b"\0\0")
        changed = await _parsed(newer, _below(root))
        entries: dict[bytes, FileEntry] = {}
        for name in names.split(b"\0"):
            entry = changed.get(name) or before.entries.get(name)
            if entry is None:
                return None
            entries[name] = entry
        return self._remember(entries, clock, limit, result.exit_code)

    def _remember(
        self, entries: dict[bytes, FileEntry], clock: bytes, limit: int, exit_code: int | None
    ) -> Listing:
        complete = len(entries) <= limit
        kept = entries if complete else dict(list(entries.items())[:limit])
        has_unreadable_folders = exit_code == FIND_FAILED_IN_PARTS
        listing = Listing(
            entries=kept, complete=complete, has_unreadable_folders=has_unreadable_folders
        )
        self._last = (listing, parse_clock(clock))
        return listing

    async def _absolute(self, path: str) -> bytes:
        """Return the bytes of a path; a relative one starts from the model's current directory."""
        if path.startswith("/"):
            return text_to_path(path)
        return posixpath.join(await self._current_dir(), text_to_path(path))

    async def _current_dir(self) -> bytes:
        state = quote(STATE_DIR)
        result = await self._control.run(
            b"[ -r %b/saved ] && read -r c s <%b/saved && read -r l <%b/state.$s && "
            b'eval "$l" && pwd' % (state, state, state)
        )
        found = result.stdout.removesuffix(b"\n")
        return found if found.startswith(b"/") else text_to_path(self._default_dir)


async def _parsed(found: bytes, below: bytes) -> dict[bytes, FileEntry]:
    """Return a listing's entries; a long one is parsed in a thread so as not to block key input."""
    if len(found) < MAX_INLINE_PARSE_BYTES:
        return parse_listing(found, below)
    return await asyncio.to_thread(parse_listing, found, below)


def _below(folder: bytes) -> bytes:
    """Return the prefix of all paths below a folder."""
    return folder.rstrip(b"/") + b"/"


def _require_listed(result: ExecResult, path: str) -> None:
    """Raise if `find` failed: a failure must not look like an empty folder."""
    if not was_listed(result.exit_code):
        raise NotListed(
            f"{path} could not be listed: find ended with exit code {result.exit_code}."
        )


def _raise_refusal(result: ExecResult, path: str) -> None:
    """Raise `FileRefused` for a non-zero exit code."""
    if result.exit_code == 0:
        return
    reason = {
        _MISSING: "does not exist",
        _NOT_A_FILE: "is not a regular file",
        _DENIED: "cannot be opened: permission denied",
        _EXISTS: "already exists",
        _FULL: "could not be fully written: no space left",
    }.get(result.exit_code or 0)
    if reason is None:
        words = result.stderr.decode("utf-8", "replace").strip()[-200:]
        reason = f"could not be used: {words or f'exit code {result.exit_code}'}"
    raise FileRefused(f"{path} {reason}.")
