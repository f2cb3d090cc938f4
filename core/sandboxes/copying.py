"""Files between host and sandbox, as tar streams; nothing that comes out is trusted.

Only regular files and folders leave a sandbox. They are written to a fresh folder first and moved
into place when all of them are there, under names that are harmless on the host.
"""

from __future__ import annotations

import os
import shutil
import tarfile
import tempfile
from pathlib import Path, PurePosixPath
from typing import IO

from ..errors import FileRefused
from ..text import clean_line

MOST_FILES = 20_000
MOST_BYTES = 4 << 30
MOST_DEPTH = 40
MOST_NAME = 200


def pack(source: Path) -> IO[bytes]:
    """A tar stream of a host file, or of the content of a host folder, owned by root inside.

    Links that lead out of the folder are left out; devices and sockets too.

    Raises:
        FileRefused: the source cannot be read.
    """
    stream = tempfile.SpooledTemporaryFile(max_size=32 << 20)  # noqa: SIM115 - the caller's to close
    try:
        with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as tar:
            members = [source] if source.is_file() else sorted(source.iterdir())
            for member in members:
                tar.add(member, arcname=member.name, filter=_owned_by_root)
    except OSError as error:
        stream.close()
        raise FileRefused(f"The input {source} cannot be read: {error.strerror}.") from error
    stream.seek(0)
    return stream


def _owned_by_root(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    if not (member.isreg() or member.isdir() or member.issym()):
        return None
    if member.issym() and (member.linkname.startswith("/") or ".." in member.linkname.split("/")):
        return None
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    return member


def unpack(stream: IO[bytes], target: Path, *, strip: int = 0) -> list[str]:
    """Write what a tar stream from a sandbox holds into `target`; see the module's text.

    Args:
        stream: the tar, read once from beginning to end.
        target: host folder, made if missing; nothing in it is replaced.
        strip: leading path components to drop.

    Returns:
        A sentence for each thing left behind.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        left_behind = _extract(stream, fresh, strip)
        _move_into_place(fresh, target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return left_behind


def _extract(stream: IO[bytes], fresh: Path, strip: int) -> list[str]:
    left: list[str] = []
    written: dict[str, Path] = {}
    files, size = 0, 0
    with tarfile.open(fileobj=stream, mode="r|") as tar:
        for member in tar:
            parts = PurePosixPath(member.name).parts[strip:]
            shown = clean_line("/".join(parts))
            if not parts:
                continue
            original = written.get(member.linkname) if member.islnk() else None
            if not (member.isreg() or member.isdir() or original):
                left.append(f"{shown} was left behind: only files and folders are copied out.")
                continue
            if ".." in parts or len(parts) > MOST_DEPTH or member.issparse():
                left.append(f"{shown} was left behind: its name or form is not safe here.")
                continue
            files += 1
            size += original.stat().st_size if original else member.size
            if files > MOST_FILES or size > MOST_BYTES:
                left.append(
                    f"{shown} and what follows was left behind: more than {MOST_FILES} files or "
                    f"{MOST_BYTES >> 30} GiB."
                )
                break
            path = _place(fresh.joinpath(*map(_host_name, parts)), member)
            if original is not None:  # a second name of a file: a copy of its own
                shutil.copyfile(original, path)
            elif member.isreg():
                _write(tar, member, path)
            if not member.isdir():
                written[member.name] = path
    return left


def _place(path: Path, member: tarfile.TarInfo) -> Path:
    """Where a member goes, its folders made."""
    if member.isdir():
        path.mkdir(parents=True, exist_ok=True)
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    return _free_name(path)


def _write(tar: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> None:
    source = tar.extractfile(member)
    if source is None:
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    mode = 0o755 if member.mode & 0o100 else 0o644
    with os.fdopen(os.open(path, flags, mode), "wb") as file:
        shutil.copyfileobj(source, file, 1 << 20)


def _host_name(name: str) -> str:
    """A file name without anything that could surprise a person or a program on the host."""
    safe = clean_line(name.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    safe = safe.replace("/", "_").replace("\\", "_")[:MOST_NAME]
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
