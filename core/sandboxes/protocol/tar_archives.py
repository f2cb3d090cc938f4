"""Packs tar files for a sandbox, and unpacks those that it returns.

Returned files are untrusted: they are written to a temporary folder and moved into place once they
are complete, under names that are safe on the host.
"""

from __future__ import annotations

import errno
import os
import shutil
import tarfile
import tempfile
from pathlib import Path, PurePosixPath
from typing import IO, Self

from typing_extensions import override

from sandbox_tui.core.base.errors import FileRefused
from sandbox_tui.core.base.sanitize import sanitize_line

MAX_FILES = 20_000
MAX_BYTES = 4 << 30
MAX_DEPTH = 40
MAX_NAME_BYTES = 200

MAX_HEADER_BYTES = 64 << 10
"""Maximum bytes of an extended header, which tarfile reads into memory."""


def pack(source: Path) -> IO[bytes]:
    """Return a tar file of a host file, or of the content of a host folder, with root as the owner.

    Links that lead out of the folder, devices and sockets are left out.

    Raises:
        FileRefused: the source cannot be read.
    """
    stream = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
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


def disk_error(error: OSError) -> str:
    """Return a disk error on this machine, as the end of a sentence."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "no space left on this machine's disk"
    return f"this machine's disk could not be written ({error.strerror or error})"


def unpack(stream: IO[bytes], target: Path, expected: int = 1, why: str = "") -> list[str]:
    """Unpack a tar stream from a sandbox into `target`.

    Only complete files are written; truncated ones are left out.

    Args:
        stream: the tar, read once from start to end.
        target: host folder, created if there is something to write; nothing in it is replaced.
        expected: the expected number of files and folders.
        why: an earlier failure; empty if there was none.

    Returns:
        A sentence for each entry that was not written.
    """
    if not expected:
        return []
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        left_behind = _extract(stream, fresh, expected, why)
        _move_into_place(fresh, target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return left_behind


def write_out(data: bytes, path: str, target: Path) -> Path:
    """Write stored content into the host folder `target`; nothing there is replaced.

    Args:
        data: the content.
        path: the path below `target`, in the encoding of `core.base.path_codec`.

    Returns:
        The written file.
    """
    names = [_host_name(part) for part in path.split("/") if part]
    folder = target.joinpath(*names[:-1])
    folder.mkdir(parents=True, exist_ok=True)
    file_path = _Names().free(folder / names[-1])
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(file_path, flags, 0o644), "wb") as file:
        file.write(data)
    return file_path


class _Header(tarfile.TarInfo):
    """A member that rejects headers longer than the longest name needs."""

    @override
    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        found = super().frombuf(buf, encoding, errors)
        if found.type not in tarfile.REGULAR_TYPES and found.size > MAX_HEADER_BYTES:
            raise tarfile.ReadError("a header is too long")
        return found


def _extract(stream: IO[bytes], fresh: Path, expected: int, why: str) -> list[str]:
    left: list[str] = []
    files, size = 0, 0
    names = _Names()
    try:
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Header) as tar:
            for member in tar:
                shown = sanitize_line("/".join(PurePosixPath(member.name).parts))
                size += max(0, member.size)
                if files >= MAX_FILES or size > MAX_BYTES:
                    left.append(
                        f"{shown} and what follows were not copied: more than {MAX_FILES} files "
                        f"or {MAX_BYTES >> 30} GiB."
                    )
                    if files < expected:
                        why = why or "there are more than can be copied"
                    break
                reason = _why_not_written(tar, member, fresh, names)
                files += 1
                if reason:
                    left.append(f"{shown} was not copied: {reason}.")
    except OSError as error:
        why = disk_error(error)
    except (tarfile.TarError, ValueError, OverflowError, EOFError):
        if files < expected:
            why = why or "the sandbox sent an incomplete archive"
    if files < expected:
        why = why or "the sandbox could not read them"
        left.append(f"{expected - files} of {expected} were not copied: {why}.")
    elif why:
        left.append(f"Some files may be incomplete: {why}.")
    return left


def _why_not_written(
    tar: tarfile.TarFile, member: tarfile.TarInfo, fresh: Path, names: _Names
) -> str:
    """Write one member; returns why it was not written, or an empty string."""
    parts = PurePosixPath(member.name).parts
    if not _harmless(member, fresh) or len(parts) > MAX_DEPTH:
        return "only files and folders are copied out"
    path = fresh.joinpath(*map(_host_name, parts))
    try:
        _write(tar, member, path, names)
    except OSError as error:
        if error.errno not in (errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG):
            raise
        return "this machine does not allow a file of this name"
    return ""


def _harmless(member: tarfile.TarInfo, fresh: Path) -> bool:
    """Return whether a member is a plain file or folder that stays below `fresh`.

    Whether it stays there is decided as by `tarfile.data_filter` (PEP 706, since Python 3.11.4).
    """
    if not (member.isreg() or member.isdir()) or member.issparse() or member.size < 0:
        return False
    try:
        whole = fresh.resolve()
        return (whole / member.name.lstrip("/")).resolve().is_relative_to(whole)
    except (ValueError, OSError, RuntimeError):  # an invalid name, or a loop of links
        return False


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
    made = names.free(path)
    try:
        with os.fdopen(os.open(made, flags, mode), "wb") as file:
            shutil.copyfileobj(source, file, 1 << 20)
    except (OSError, tarfile.TarError):  # a partial file must not look complete
        made.unlink(missing_ok=True)
        raise


def _host_name(name: str) -> str:
    """Remove anything from a file name that could mislead a user or a program on the host."""
    safe = sanitize_line(name.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    safe = safe.replace("/", "_").replace("\\", "_")[:MAX_NAME_BYTES]
    while len(safe.encode()) > MAX_NAME_BYTES:
        safe = safe[:-1]
    return safe if safe not in ("", ".", "..") else "_"


def _move_into_place(fresh: Path, target: Path) -> None:
    names, entries = _Names(), sorted(fresh.iterdir())
    if entries:
        target.mkdir(parents=True, exist_ok=True)
    for entry in entries:
        entry.rename(names.free(target / entry.name))


class _Names:
    """Finds unused names; fast even if thousands of files have the same name."""

    def __init__(self) -> None:
        self._last: dict[Path, int] = {}

    def free(self, path: Path) -> Path:
        """Return the path, with a number before its suffix if the name is taken."""
        number = self._last.get(path, 0)
        while True:
            number += 1
            name = path.name if number == 1 else f"{path.stem}-{number}{path.suffix}"
            candidate = path.with_name(name)
            if not os.path.lexists(candidate):
                self._last[path] = number
                return candidate
