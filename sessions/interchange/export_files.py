"""Writes the files of an export to disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.typed_path import is_folder, is_there
from sandbox_tui.core.base.write_file import would_overwrite, write_file
from sandbox_tui.sessions.interchange.exports.base import Exporter, Part, Recording
from sandbox_tui.sessions.interchange.known_secrets import known_secrets
from sandbox_tui.sessions.interchange.redaction import Redactor
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """An export in memory, not yet written to disk.

    Attributes:
        run: the session.
        format: name of the exporter.
        parts: the files.
        redacted: number of places in the files where a secret was redacted; None if redaction was
            off.
    """

    run: RunSummary
    format: str
    parts: tuple[Part, ...]
    redacted: int | None

    def paths(self, output: Path | None) -> list[Path]:
        """Return the path of each part: in a folder, at the given path, or in the working
        directory."""
        return [
            path_of(self.run, part.suffix, output, first=not n) for n, part in enumerate(self.parts)
        ]

    def write(self, output: Path | None, *, overwrite: bool) -> list[tuple[Path, int]]:
        """Write every part; return the paths with their sizes in bytes.

        Raises:
            ConfigError: a file already exists, in which case nothing was written, or a write
                failed.
        """
        paths = self.paths(output)
        for path in paths:
            if would_overwrite(path) and not overwrite:
                raise ConfigError(f"{path} already exists; --force overwrites it.")
        for path, part in zip(paths, self.parts, strict=True):
            write_file(path, part.data)
        return [(path, len(part.data)) for path, part in zip(paths, self.parts, strict=True)]


def make_export(store: Store, run: RunSummary, exporter: Exporter, *, redact: bool) -> Export:
    """Export a session to one format, in memory.

    Args:
        store: the database with the session.
        run: the session.
        exporter: the format.
        redact: whether to redact everything that looks like a secret.

    Raises:
        StoreError: the session has nothing to export in this format, or cannot be read.
    """
    redactor = Redactor(known_secrets()) if redact else None
    parts = tuple(exporter.write(Recording(store, run.id, redactor)))
    redacted = None if redactor is None else _masks(redactor, exporter, parts)
    return Export(run=run, format=exporter.name, parts=parts, redacted=redacted)


def _masks(redactor: Redactor, exporter: Exporter, parts: Sequence[Part]) -> int:
    if not redactor.found:
        return 0  # without unpacking what was just packed
    return sum(redactor.masks_in(piece) for part in parts for piece in exporter.unpack(part.data))


def with_ending(typed: Path, suffix: str) -> Path:
    """Return a typed path, with the ending of a format if it has none and is no folder."""
    if typed.suffix or not typed.name or is_folder(typed):
        return typed
    return typed.with_name(f"{typed.name}{suffix}")


def path_of(run: RunSummary, suffix: str, output: Path | None, *, first: bool = True) -> Path:
    """Return the path of the first or a further file of an export: in a folder, at the given path,
    or in the working directory."""
    if output is None:
        return Path(f"{run.id}{suffix}")
    if is_folder(output):
        return output / f"{run.id}{suffix}"
    return output if first else output.with_name(f"{output.stem}{_further(suffix, output)}")


def make_folder(folder: Path) -> None:
    """Make the folder for the exports of several sessions, unless there is one.

    Raises:
        ConfigError: there is a file of that name, or the folder cannot be made.
    """
    if is_there(folder) and not is_folder(folder):
        raise ConfigError(f"{folder} is a file: name a folder.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder} cannot be made: {error.strerror}.") from error


def redacted_words(export: Export) -> str:
    """Return a clause that counts the places with redacted secrets in the files, or says that there
    is none or that they were kept."""
    count = export.redacted
    if count is None:
        return "any secrets in it were kept"
    if not count:
        return "no secrets found"
    where = "this file" if len(export.parts) == 1 else "these files"
    places = "1 place" if count == 1 else f"{count:,} places"
    return f"secrets redacted in {places} of {where}"


def _further(suffix: str, output: Path) -> str:
    """Return the suffix of a further part, with the ending that the user gave the first one."""
    stem = suffix.rpartition(".")[0]
    return f"{stem}{output.suffix}" if stem and output.suffix else suffix
