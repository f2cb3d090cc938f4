"""Files between host and sandbox, as tar streams; nothing that comes out is trusted.

Only regular files and folders leave a sandbox. What is taken is chosen from a listing first, so
that a sparse giant is never read; then it is written to a fresh folder, and moved into place when
all of it is there, under names that are harmless on the host.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import posixpath
import shutil
import tarfile
import tempfile
from mmap import ACCESS_READ, mmap
from pathlib import Path, PurePosixPath
from typing import IO, Self

from ..errors import FileRefused
from ..paths import path_to_text
from ..text import clean_line
from .base import FileEntry, Listing, Stream
from .files import Files
from .scripts import quote

MOST_FILES = 20_000
MOST_BYTES = 4 << 30
MOST_DEPTH = 40
MOST_NAME = 200

SPARE_BYTES = 512 << 20
"""What a copy leaves free on the disk, or a tenth of a small one."""

BLOCK = 512
TAR_SLACK = 64 << 10
"""A tar's end, and what changed a little since it was listed."""

LONGEST_HEADER = 64 << 10
"""Bytes of a header that goes on after its block, which tarfile reads into memory."""


async def send(files: Files, source: Path, path: str) -> None:
    """See `Sandbox.copy_in`. Unpacked inside, where a link cannot lead to the host's files."""
    with await asyncio.to_thread(pack, source) as stream:
        payload = mmap(stream.fileno(), 0, access=ACCESS_READ)
        word = quote(path)
        command = b"mkdir -p -- %b && tar -xf - --no-same-owner -C %b" % (word, word)
        result = await files.stream(command, payload=payload)
        with contextlib.suppress(BufferError):  # still on its way when we were cancelled
            payload.close()
    if result.exit_code != 0:
        words = clean_line(result.stderr.decode("utf-8", "replace").strip()[-300:])
        raise FileRefused(f"The input could not be copied in: {words or 'the sandbox ended it.'}")


async def fetch(files: Files, path: str, target: Path) -> list[str]:
    """See `Sandbox.copy_out`."""
    entry = await files.stat(path)
    if entry is None or entry.kind not in ("file", "dir"):
        raise FileRefused(f"{path} is neither a folder nor a file of the sandbox.")
    if entry.kind == "file":
        folder, listing = posixpath.dirname(path), Listing(entries={entry.path: entry})
        root = posixpath.dirname(entry.path)
    else:
        folder, listing = path, await files.list(path, limit=MOST_FILES)
        root = entry.path
    chosen, left = choose(listing, root, await asyncio.to_thread(room_for, target))
    most = _tar_bytes(chosen, listing, root)
    grew: list[Stream] = []
    with tempfile.TemporaryFile() as spool:

        async def keep(stream: Stream, data: bytes) -> None:
            if stream != "stdout":
                return
            if spool.tell() + len(data) > most:
                grew.append(stream)
                raise OSError("this is more than was listed")  # ends the reading
            spool.write(data)

        command = b"tar -cf - --format=gnu --hard-dereference --no-recursion -C %b --null -T -"
        names = b"".join(b"./" + name + b"\0" for name in chosen)
        if names:
            result = await files.stream(command % quote(folder), payload=names, sink=keep)
            if grew:
                raise FileRefused(f"{path} could not be copied out: it grew while it was copied.")
            if not spool.tell():
                words = result.stderr.decode("utf-8", "replace").strip()[-300:]
                raise FileRefused(f"{path} could not be copied out: {clean_line(words)}")
        spool.seek(0)
        return left + await asyncio.to_thread(unpack, spool, target, len(chosen))


def room_for(target: Path) -> int:
    """Bytes that may be copied to a folder: what the disk has room for, first in the temporary
    folder and then in its place, without being filled."""
    there = next(folder for folder in (target, *target.absolute().parents) if folder.is_dir())
    spool = Path(tempfile.gettempdir())
    twice = spool.stat().st_dev == there.stat().st_dev
    room = min(_free(there), _free(spool)) // (2 if twice else 1)
    return max(0, min(MOST_BYTES, room))


def _free(folder: Path) -> int:
    disk = shutil.disk_usage(folder)
    return disk.free - min(SPARE_BYTES, disk.total // 10)


def _tar_bytes(chosen: list[bytes], listing: Listing, root: bytes) -> int:
    """What a tar of these can be at most: a sandbox that sends more is not believed."""
    above = root.rstrip(b"/") + b"/"
    contents = sum(listing.entries[above + name].size + BLOCK for name in chosen)
    return contents + sum(3 * BLOCK + 2 * len(name) for name in chosen) + TAR_SLACK


def choose(listing: Listing, root: bytes, room: int = MOST_BYTES) -> tuple[list[bytes], list[str]]:
    """What of a listing is worth copying: paths below `root`, and sentences for the rest.

    Args:
        listing: what there is.
        root: the folder that is copied.
        room: bytes that may be copied.
    """
    chosen: list[bytes] = []
    left: list[str] = []
    for path, entry in listing.entries.items():
        name = path[len(root.rstrip(b"/")) + 1 :]
        why = _why_not(entry, name, room)
        if why:
            left.append(f"{clean_line(path_to_text(name))} was left behind: {why}.")
        else:
            room -= entry.size
            chosen.append(name)
    if not listing.complete:
        left.append(f"Some files were left behind: there are more than {MOST_FILES}.")
    return chosen, left


def _why_not(entry: FileEntry, name: bytes, room: int) -> str:
    if entry.kind not in ("file", "dir"):
        return "only files and folders are copied out"
    if name.count(b"/") >= MOST_DEPTH:
        return f"it lies more than {MOST_DEPTH} folders deep"
    if entry.size > room:
        return (
            f"there is no room for its {entry.size >> 20} MiB (at most {MOST_BYTES >> 30} GiB are "
            "copied, and no disk is filled)"
        )
    return ""


def pack(source: Path) -> IO[bytes]:
    """A tar file of a host file, or of the content of a host folder, owned by root inside.

    Links that lead out of the folder are left out; devices and sockets too.

    Raises:
        FileRefused: the source cannot be read.
    """
    stream = tempfile.TemporaryFile()  # noqa: SIM115 - the caller's to close
    try:
        with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as tar:
            if source.is_file():
                tar.add(source.resolve(), arcname=source.name, filter=_owned_by_root)
            else:
                for member in sorted(source.iterdir()):
                    tar.add(member, arcname=member.name, filter=_owned_by_root)
        stream.flush()
    except OSError as error:
        stream.close()
        raise FileRefused(f"The input {source} cannot be read: {error.strerror}.") from error
    return stream


def _owned_by_root(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    if not (member.isreg() or member.isdir() or member.issym()):
        return None
    if member.issym() and (member.linkname.startswith("/") or ".." in member.linkname.split("/")):
        return None
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    return member


def unpack(stream: IO[bytes], target: Path, wanted: int = 1) -> list[str]:
    """Write what a tar stream from a sandbox holds into `target`; see the module's text.

    Args:
        stream: the tar, read once from beginning to end.
        target: host folder, made if missing; nothing in it is replaced.
        wanted: how many files and folders there should be.

    Returns:
        A sentence for each thing left behind.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        left_behind = _extract(stream, fresh, wanted)
        _move_into_place(fresh, target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return left_behind


def write_out(data: bytes, path: str, target: Path) -> Path:
    """Write a content that was kept into the host folder `target`; nothing there is replaced.

    Args:
        data: the content.
        path: where below `target`, as `core.paths` writes it.

    Returns:
        The file that was written.
    """
    names = [_host_name(part) for part in path.split("/") if part]
    folder = target.joinpath(*names[:-1])
    folder.mkdir(parents=True, exist_ok=True)
    wanted = _Names().free(folder / names[-1])
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(wanted, flags, 0o644), "wb") as file:
        file.write(data)
    return wanted


class _Header(tarfile.TarInfo):
    """A member whose header is no larger than any name needs."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """See `TarInfo.frombuf`."""
        found = super().frombuf(buf, encoding, errors)
        if found.type not in tarfile.REGULAR_TYPES and found.size > LONGEST_HEADER:
            raise tarfile.ReadError("a header is too long")
        return found


def _extract(stream: IO[bytes], fresh: Path, wanted: int) -> list[str]:
    left: list[str] = []
    files, size = 0, 0
    names = _Names()
    try:
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Header) as tar:
            for member in tar:
                parts = PurePosixPath(member.name).parts
                shown = clean_line("/".join(parts))
                files += 1
                size += max(0, member.size)
                if files > MOST_FILES or size > MOST_BYTES:
                    left.append(
                        f"{shown} and what follows was left behind: more than {MOST_FILES} files "
                        f"or {MOST_BYTES >> 30} GiB."
                    )
                    break
                why = _why_not_written(tar, member, fresh, names)
                if why:
                    left.append(f"{shown} was left behind: {why}.")
    except (tarfile.TarError, ValueError, OverflowError, EOFError):
        pass
    if files < wanted:
        left.append(
            f"{wanted - files} of {wanted} were left behind: the sandbox could not read them, or "
            "sent no whole archive."
        )
    return left


def _why_not_written(
    tar: tarfile.TarFile, member: tarfile.TarInfo, fresh: Path, names: _Names
) -> str:
    """Write one member; why that was not done, or nothing."""
    parts = PurePosixPath(member.name).parts
    if not _harmless(member, fresh) or len(parts) > MOST_DEPTH:
        return "only files and folders are copied out"
    path = fresh.joinpath(*map(_host_name, parts))
    try:
        _write(tar, member, path, names)
    except OSError as error:
        if error.errno not in (errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG):
            raise
        return "a file cannot have this name here"
    return ""


def _harmless(member: tarfile.TarInfo, fresh: Path) -> bool:
    """Whether it is a plain file or folder that stays inside, also by tarfile's own rules."""
    if not (member.isreg() or member.isdir()) or member.issparse() or member.size < 0:
        return False
    try:
        tarfile.data_filter(member, str(fresh))
    except (tarfile.FilterError, ValueError, OSError):
        return False
    return True


def _write(tar: tarfile.TarFile, member: tarfile.TarInfo, path: Path, names: _Names) -> None:
    if member.isdir():
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    source = tar.extractfile(member)
    if source is None:
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    mode = 0o755 if member.mode & 0o100 else 0o644
    with os.fdopen(os.open(names.free(path), flags, mode), "wb") as file:
        shutil.copyfileobj(source, file, 1 << 20)


def _host_name(name: str) -> str:
    """A file name without anything that could surprise a person or a program on the host."""
    safe = clean_line(name.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    safe = safe.replace("/", "_").replace("\\", "_")[:MOST_NAME]
    while len(safe.encode()) > MOST_NAME:
        safe = safe[:-1]
    return safe if safe not in ("", ".", "..") else "_"


def _move_into_place(fresh: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    names = _Names()
    for entry in sorted(fresh.iterdir()):
        entry.rename(names.free(target / entry.name))


class _Names:
    """Finds names that nothing has; quickly, also where thousands want to have the same."""

    def __init__(self) -> None:
        self._last: dict[Path, int] = {}

    def free(self, path: Path) -> Path:
        """The path, with a number before its suffix where something is there already."""
        number = self._last.get(path, 0)
        while True:
            number += 1
            name = path.name if number == 1 else f"{path.stem}-{number}{path.suffix}"
            candidate = path.with_name(name)
            if not os.path.lexists(candidate):
                self._last[path] = number
                return candidate
