"""Files between host and sandbox, as tar streams; nothing that comes out is trusted.

Only regular files and folders leave a sandbox. What is taken is chosen from a listing first, so
that a sparse giant is never read; then it is written to a fresh folder, and moved into place when
all of it is there, under names that are harmless on the host.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import posixpath
import shutil
import tarfile
import tempfile
from mmap import ACCESS_READ, mmap
from pathlib import Path, PurePosixPath
from typing import IO

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
        chosen, left = choose(listing, posixpath.dirname(entry.path))
    else:
        folder, listing = path, await files.list(path, limit=MOST_FILES)
        chosen, left = choose(listing, entry.path)
    with tempfile.TemporaryFile() as spool:

        async def keep(stream: Stream, data: bytes) -> None:
            if stream == "stdout" and spool.tell() < 2 * MOST_BYTES:
                spool.write(data)

        command = b"tar -cf - --format=gnu --hard-dereference --no-recursion -C %b --null -T -"
        names = b"".join(b"./" + name + b"\0" for name in chosen)
        if names:
            result = await files.stream(command % quote(folder), payload=names, sink=keep)
            if not spool.tell():
                words = result.stderr.decode("utf-8", "replace").strip()[-300:]
                raise FileRefused(f"{path} could not be copied out: {clean_line(words)}")
        spool.seek(0)
        return left + await asyncio.to_thread(unpack, spool, target)


def choose(listing: Listing, root: bytes) -> tuple[list[bytes], list[str]]:
    """What of a listing is worth copying: paths below `root`, and sentences for the rest."""
    chosen: list[bytes] = []
    left: list[str] = []
    room = MOST_BYTES
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
        return f"with its {entry.size >> 20} MiB there would be more than {MOST_BYTES >> 30} GiB"
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


def unpack(stream: IO[bytes], target: Path) -> list[str]:
    """Write what a tar stream from a sandbox holds into `target`; see the module's text.

    Args:
        stream: the tar, read once from beginning to end.
        target: host folder, made if missing; nothing in it is replaced.

    Returns:
        A sentence for each thing left behind.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        left_behind = _extract(stream, fresh)
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
    wanted = _free_name(folder / names[-1])
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(wanted, flags, 0o644), "wb") as file:
        file.write(data)
    return wanted


def _extract(stream: IO[bytes], fresh: Path) -> list[str]:
    left: list[str] = []
    files, size = 0, 0
    try:
        with tarfile.open(fileobj=stream, mode="r|") as tar:
            for member in tar:
                parts = PurePosixPath(member.name).parts
                shown = clean_line("/".join(parts))
                files += 1
                size += member.size
                if files > MOST_FILES or size > MOST_BYTES:
                    left.append(
                        f"{shown} and what follows was left behind: more than {MOST_FILES} files "
                        f"or {MOST_BYTES >> 30} GiB."
                    )
                    break
                if _harmless(member, fresh) and len(parts) <= MOST_DEPTH:
                    _write(tar, member, fresh.joinpath(*map(_host_name, parts)))
                else:
                    left.append(f"{shown} was left behind: only files and folders are copied out.")
    except tarfile.ReadError:
        if files:
            left.append("The end was left behind: the sandbox stopped sending.")
    return left


def _harmless(member: tarfile.TarInfo, fresh: Path) -> bool:
    """Whether it is a plain file or folder that stays inside, also by tarfile's own rules."""
    if not (member.isreg() or member.isdir()) or member.issparse():
        return False
    try:
        tarfile.data_filter(member, str(fresh))
    except (tarfile.FilterError, ValueError):
        return False
    return True


def _write(tar: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> None:
    if member.isdir():
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    source = tar.extractfile(member)
    if source is None:
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    mode = 0o755 if member.mode & 0o100 else 0o644
    with os.fdopen(os.open(_free_name(path), flags, mode), "wb") as file:
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
    for entry in sorted(fresh.iterdir()):
        destination = _free_name(target / entry.name)
        entry.rename(destination)


def _free_name(path: Path) -> Path:
    """The path, with a number before its suffix where something is there already."""
    candidate, number = path, 1
    while os.path.lexists(candidate):
        number += 1
        candidate = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return candidate
