"""Types that every importer shares, and helpers to read untrusted JSON.

A file is read once, as a whole and within limits; nothing in it is executed. A session is built
completely before any of it is written, so that a damaged file changes nothing.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from sandbox_tui.core.base.errors import ImportRefused, NoRecording
from sandbox_tui.core.events.types import AnyEvent
from sandbox_tui.sessions.store.tables.source_documents import SourceDocument

MAX_DOCUMENT_BYTES = 64 << 20
"""Maximum size of a text file; a bundle may be larger (see `bundle_format`)."""

MAX_BUNDLE_BYTES = 2 << 30
MAX_DEPTH = 100
"""Maximum nesting depth of objects and lists."""

MAX_VALUES = 4_000_000
"""Maximum number of values in one JSON text: an empty list of three bytes takes seventy in
memory."""

MAX_NUMBER = 1 << 40
"""Largest number in an event: the sum of millions of them still fits into a column."""

MAX_STEPS = 50_000
SQLITE = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file to import.

    Attributes:
        path: its path.
        modified: modification time, in seconds since the epoch.
        data: its content; for a database only the beginning.
    """

    path: Path
    modified: float
    data: bytes

    @property
    def name(self) -> str:
        """The file's name, which need not be UTF-8."""
        return well_formed(self.path.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text file, decoded once for all importers.

    Attributes:
        value: the JSON value; for JSON lines, the value of the first line.
        lines: all lines if the file is in JSON lines, else None.
    """

    value: Any
    lines: Sequence[str] | None = None


class Opened:
    """A source file and its JSON, parsed on first use."""

    def __init__(self, source: Source) -> None:
        self.source = source

    @property
    def is_database(self) -> bool:
        """Whether it is a SQLite file."""
        return self.source.data.startswith(SQLITE)

    @cached_property
    def document(self) -> Document | None:
        """The JSON of the file; None for a database.

        Raises:
            ImportRefused: the file is neither JSON nor JSON lines.
        """
        return None if self.is_database else _document(self.source)


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A session built from a file.

    Attributes:
        events: numbered and timed, starting with `RunStarted`.
        contents: file contents that events refer to by digest.
        original: the document, if an export to its format must return it.
        run_id: its former id, if it had one.
        title: given by a user.
        tags: added by users.
        notes: step, text and time of writing.
    """

    events: Sequence[AnyEvent]
    contents: Sequence[bytes] = ()
    original: SourceDocument | None = None
    run_id: str | None = None
    title: str | None = None
    tags: Sequence[str] = ()
    notes: Sequence[tuple[int, str, float]] = field(default=())


@dataclass(frozen=True, slots=True)
class Importer:
    """An import format.

    Attributes:
        name: of the format.
        short: its short name, as recorded with a session.
        lacks: what of a session the format does not hold, in words; empty if it holds everything.
        recognises: whether a file's content has this format.
        read: returns the sessions in it; raises ImportRefused.
    """

    name: str
    short: str
    lacks: str
    recognises: Callable[[Opened], bool]
    read: Callable[[Opened], Sequence[Imported]]


def open_source(path: Path) -> Opened:
    """Read a regular file; never blocks on a pipe or device.

    Raises:
        ImportRefused: the file is missing, not a regular file, or too large.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise ImportRefused(f"{path} cannot be read: {error.strerror}.") from error
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise ImportRefused(f"{path} is not a file.")
    with os.fdopen(handle, "rb") as stream:
        try:
            data = stream.read(len(SQLITE))
            most = MAX_BUNDLE_BYTES if data == SQLITE else MAX_DOCUMENT_BYTES
            if status.st_size > most:
                raise ImportRefused(f"{path} is too large: at most {most >> 20} MB are imported.")
            if data != SQLITE:
                data += stream.read(MAX_DOCUMENT_BYTES)
        except OSError as error:
            raise ImportRefused(f"{path} cannot be read: {error.strerror}.") from error
    return Opened(Source(path=path, modified=status.st_mtime, data=data))


def _document(source: Source) -> Document:
    try:
        text = source.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unknown(source) from error
    if not text.strip():
        raise ImportRefused(f"{source.name} is empty.")
    try:
        return Document(value=parse(text))
    except ValueError as whole:
        lines = text.split("\n")
        try:
            return Document(value=parse(lines[0]), lines=lines)
        except ValueError:
            if text.lstrip()[:1] in ("{", "["):
                raise ImportRefused(f"{source.name} is damaged: {whole}.") from whole
            raise _unknown(source) from whole


def _unknown(source: Source) -> NoRecording:
    return NoRecording(f"{source.name} is not a recording in a format that can be imported.")


def parse(text: str) -> Any:
    """Parse a JSON text within limits.

    Raises:
        ValueError: it is not JSON, is nested too deeply, or would take too much memory.
    """
    if count_values(text) > MAX_VALUES:
        raise ValueError(f"it holds more than {MAX_VALUES} values")
    try:
        value: Any = json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    check_depth(value)
    return value


_STRING = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)', re.DOTALL)


def count_values(text: str) -> int:
    """Return an upper bound on the number of values in a JSON text, without parsing it."""
    count = _marks(text)
    return count if count <= 10_000 else _marks(_STRING.sub("", text))


def _marks(text: str) -> int:
    return 1 + text.count(",") + text.count("[") + text.count("{")


def check_numbers(value: Any) -> None:
    """Check that no number breaks sums, dates or columns.

    Raises:
        ValueError: a number does.
    """
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += cast(dict[str, Any], item).values()
        elif isinstance(item, list):
            waiting += cast(list[Any], item)
        elif isinstance(item, int | float) and not -MAX_NUMBER <= item <= MAX_NUMBER:
            raise ValueError("it holds a number that is too large")


def check_depth(value: Any) -> None:
    """Check that objects and lists are not nested too deeply.

    Raises:
        ValueError: they are.
    """
    level = [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below += cast(dict[str, Any], item).values()
            elif isinstance(item, list):
                below += cast(list[Any], item)
        if not below:
            return
        level = below
    raise ValueError("it is nested too deeply")


# --- reading untrusted JSON


def text_of(value: Any) -> str:
    """Return the text of a value: the string itself, the text parts of a message, or JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, list):
        parts = objects_of(value)
        texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
        if len(texts) == len(cast(list[Any], value)):
            return well_formed("\n".join(texts))
    return well_formed(json.dumps(value, ensure_ascii=False))


def well_formed(text: str) -> str:
    """Return the text without lone surrogates, which UTF-8 cannot encode."""
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def number_of(value: Any, default: float = 0.0, *, most: float = 1e9) -> float:
    """Return a number from 0 to `most`; `default` if the value is not one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    return float(value) if 0 <= value <= most else default


def object_of(value: Any) -> dict[str, Any]:
    """Return the value if it is an object, else an empty one."""
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def objects_of(value: Any) -> list[dict[str, Any]]:
    """Return the objects in a list; empty if the value is not a list."""
    if not isinstance(value, list):
        return []
    return [cast(dict[str, Any], i) for i in cast(list[Any], value) if isinstance(i, dict)]
