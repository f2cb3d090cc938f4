"""Copies files between host and sandbox as tar streams; all data from the sandbox is untrusted.

Only regular files and folders leave a sandbox. They are chosen from a listing first, so that a huge
sparse file is never read, then received as a tar (see tar_archives.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import posixpath
import shutil
import tempfile
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import IO

from sandbox_tui.core.base.errors import FileRefused
from sandbox_tui.core.base.io_types import Stream
from sandbox_tui.core.base.path_codec import path_to_text
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.typed_path import mistake_of_folder
from sandbox_tui.core.sandboxes.base import ExecResult, FileEntry, Listing
from sandbox_tui.core.sandboxes.protocol.control_channel import (
    STREAM_TIMEOUT_SECONDS,
    ControlChannel,
)
from sandbox_tui.core.sandboxes.protocol.file_ops import FileOperations
from sandbox_tui.core.sandboxes.protocol.tar_archives import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_FILES,
    disk_error,
    pack,
    unpack,
)
from sandbox_tui.core.sandboxes.scripts.loader import quote

MIN_FREE_BYTES = 512 << 20
"""Bytes a copy leaves free on the disk; a tenth of a small disk if that is less."""

BLOCK = 512
TAR_SLACK = 64 << 10
"""Allowance in bytes for a tar's end, and for small changes since its files were listed."""


async def copy_in(control: ControlChannel, source: Path, path: str) -> None:
    """Copy a host file or folder into a folder (see `Sandbox.copy_in`).

    It is unpacked inside the sandbox, where a link cannot lead to the host's files.
    """
    with await asyncio.to_thread(pack, source) as stream:
        payload = mmap(stream.fileno(), 0, access=ACCESS_READ)
        word = quote(path)
        command = b"mkdir -p -- %b && tar -xf - --no-same-owner -C %b" % (word, word)
        result = await control.stream(command, payload=payload)
        with contextlib.suppress(BufferError):  # still being sent when cancelled
            payload.close()
    if result.exit_code != 0:
        words = sanitize_line(result.stderr.decode("utf-8", "replace").strip()[-300:])
        raise FileRefused(
            f"The input could not be copied in: {words or 'the sandbox ended the copy.'}"
        )


async def copy_out(
    control: ControlChannel, files: FileOperations, path: str, target: Path
) -> list[str]:
    """Copy a folder's content, or one file, to the host (see `Sandbox.copy_out`)."""
    if mistake := await asyncio.to_thread(mistake_of_folder, target):
        raise FileRefused(mistake)
    entry = await files.stat(path)
    if entry is None or entry.kind not in ("file", "dir"):
        raise FileRefused(f"{path} does not exist in the sandbox.")
    if entry.kind == "file":
        folder, listing = posixpath.dirname(path), Listing(entries={entry.path: entry})
        root = posixpath.dirname(entry.path)
    else:
        folder, listing = path, await files.list(path, limit=MAX_FILES)
        root = entry.path
    chosen, left = choose(listing, root, await asyncio.to_thread(room_for, target))
    with tempfile.TemporaryFile() as file:
        spool = _Spool(file, max_bytes=_max_tar_bytes(chosen, listing, root))
        command = b"tar -cf - --format=gnu --hard-dereference --no-recursion -C %b --null -T -"
        names = b"".join(b"./" + name + b"\0" for name in chosen)
        why = ""
        if names:
            result = await control.stream(command % quote(folder), payload=names, sink=spool.take)
            why = spool.problem or _problem(result)
            if spool.grew or not spool.size:
                raise FileRefused(f"{path} could not be copied out: {why}.")
        file.seek(0)
        return left + await asyncio.to_thread(unpack, file, target, len(chosen), why)


class _Spool:
    """Receives a tar and enforces its maximum size.

    Args:
        file: where the tar is written.
        max_bytes: maximum size of the tar; a larger one is not what was listed.

    Attributes:
        size: bytes received.
        grew: more than `max_bytes` arrived.
        problem: why reading ended early; empty if it did not.
    """

    def __init__(self, file: IO[bytes], max_bytes: int) -> None:
        self._file = file
        self._max_bytes = max_bytes
        self.size = 0
        self.grew = False
        self.problem = ""

    async def take(self, stream: Stream, data: bytes) -> None:
        """Write one piece; an OSError ends the transfer."""
        if stream != "stdout":
            return
        if self.size + len(data) > self._max_bytes:
            self.grew = True
            self.problem = "it grew while it was being copied"
            raise OSError(self.problem)
        try:
            self._file.write(data)
            self._file.flush()
        except OSError as error:
            self.problem = disk_error(error)
            raise
        self.size += len(data)


def _problem(result: ExecResult) -> str:
    """Return why the tar may be incomplete; empty if it is complete.

    GNU tar exits with 1 if a file changed while it was read, and pads it to the announced size.
    """
    words = sanitize_line(result.stderr.decode("utf-8", "replace").strip()[-300:])
    if result.timed_out:
        return f"copying took longer than {STREAM_TIMEOUT_SECONDS:.0f} s"
    if result.exit_code is None:
        return "the connection to the sandbox was lost"
    if result.exit_code > 128:
        return f"tar was killed in the sandbox (signal {result.exit_code - 128})"
    if result.exit_code:
        return f"tar in the sandbox said: {words or f'exit code {result.exit_code}'}"
    return ""


def room_for(target: Path) -> int:
    """Return the bytes that may be copied to a folder without filling the disk.

    They must fit in the temporary folder first and then in place.
    """
    existing = next(folder for folder in (target, *target.absolute().parents) if folder.is_dir())
    spool = Path(tempfile.gettempdir())
    twice = spool.stat().st_dev == existing.stat().st_dev
    room = min(_free(existing), _free(spool)) // (2 if twice else 1)
    return max(0, min(MAX_BYTES, room))


def _free(folder: Path) -> int:
    disk = shutil.disk_usage(folder)
    return disk.free - min(MIN_FREE_BYTES, disk.total // 10)


def _max_tar_bytes(chosen: list[bytes], listing: Listing, root: bytes) -> int:
    """Return an upper bound of the size of a tar of these entries."""
    above = root.rstrip(b"/") + b"/"
    contents = sum(listing.entries[above + name].size + BLOCK for name in chosen)
    return contents + sum(3 * BLOCK + 2 * len(name) for name in chosen) + TAR_SLACK


def choose(listing: Listing, root: bytes, room: int = MAX_BYTES) -> tuple[list[bytes], list[str]]:
    """Choose entries to copy: their paths below `root`, and a sentence for each other entry.

    Args:
        listing: the listing of the folder.
        root: the folder.
        room: maximum bytes to copy.
    """
    chosen: list[bytes] = []
    left: list[str] = []
    limit = (
        f"at most {MAX_BYTES >> 30} GiB are copied"
        if room >= MAX_BYTES
        else f"this machine's disk has room for {_size(room)}"
    )
    for path, entry in listing.entries.items():
        name = path[len(root.rstrip(b"/")) + 1 :]
        why = _skip_reason(entry, name)
        if not why and entry.size > room:
            why = f"its {_size(entry.size)} do not fit ({limit})"
        if why:
            left.append(f"{sanitize_line(path_to_text(name))} was not copied: {why}.")
        else:
            room -= entry.size
            chosen.append(name)
    if listing.has_unreadable_folders:
        left.append("Some files may be missing: not all of them could be listed.")
    if not listing.complete:
        left.append(f"Some files were not copied: there are more than {MAX_FILES}.")
    return chosen, left


def _skip_reason(entry: FileEntry, name: bytes) -> str:
    if entry.kind not in ("file", "dir"):
        return "only files and folders are copied out"
    if name.count(b"/") >= MAX_DEPTH:
        return f"it is more than {MAX_DEPTH} folders deep"
    return ""


def _size(size: int) -> str:
    """Return a number of bytes in the largest unit in which it is 10 or more, or else in bytes."""
    units = (("GiB", 30), ("MiB", 20), ("KiB", 10))
    return next(
        (f"{size >> bits} {unit}" for unit, bits in units if size >> bits >= 10),
        f"{size} bytes",
    )
