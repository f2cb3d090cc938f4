"""Preview of binary files: type, duration or size if cheap to read, and the first bytes."""

from __future__ import annotations

import io
import re
import struct
import zipfile
from collections.abc import Callable, Sequence

from rich.text import Text
from typing_extensions import override

from sandbox_tui.core.base.durations import short_duration
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.preview.code import wrapped
from sandbox_tui.tui.widgets.preview.document import Document, Kind, Source, count_of

HEX_BYTES = 512
MAX_NAMES = 200

MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"%PDF-", "PDF"),
    (0, b"PK\x03\x04", "zip archive"),
    (0, b"\x1f\x8b", "gzip archive"),
    (0, b"BZh", "bzip2 archive"),
    (0, b"\xfd7zXZ\0", "xz archive"),
    (0, b"\x28\xb5\x2f\xfd", "zstd archive"),
    (257, b"ustar", "tar archive"),
    (0, b"\x7fELF", "ELF program"),
    (0, b"SQLite format 3\0", "SQLite database"),
    (8, b"WAVE", "WAV sound"),
    (0, b"fLaC", "FLAC sound"),
    (0, b"OggS", "Ogg sound or film"),
    (0, b"ID3", "MP3 sound"),
    (0, b"\xff\xfb", "MP3 sound"),
    (0, b"\xff\xf3", "MP3 sound"),
    (0, b"\xff\xf2", "MP3 sound"),
    (4, b"ftyp", "MP4 film or sound"),
    (0, b"\x1aE\xdf\xa3", "Matroska or WebM film"),
    (8, b"AVI ", "AVI film"),
    (0, b"\x93NUMPY", "NumPy array"),
    (0, b"PAR1", "Parquet table"),
    (0, b"\x89HDF", "HDF5 data"),
    (0, b"\x89PNG", "PNG picture"),
    (0, b"\xff\xd8\xff", "JPEG picture"),
    (0, b"\xca\xfe\xba\xbe", "Java class"),
    (0, b"\0asm", "WebAssembly"),
    (0, b"wOF2", "font"),
)
"""Offset, magic number and name of each type."""

DURATION_IN_HEADER = (b"RIFF", b"fLaC")
"""Magic numbers of sounds whose header contains their duration."""

OPENED_EXTERNALLY = ("PDF", "sound", "film", "picture")


class BinaryDocument(Document):
    """Facts, then a hex dump of the first bytes."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._kind = kind_of(source.data)
        details = _details(self._kind, source)
        self.facts = " · ".join([self._kind, *details])
        self._names = _names(source) if self._kind == "zip archive" else []

    @override
    def lines(self, width: int, palette: Palette) -> Sequence[Text]:
        head = Text(no_wrap=True)
        head.append(self.facts, style=palette.text)
        head.append(f"  {numbers.size(self._source.size)}", style=palette.dim)
        ways = f"{hint('file.pull')} copies it out"
        if self._kind.endswith(OPENED_EXTERNALLY):
            ways += f" · {hint('file.outside')} opens it in another program"
        lines = [head, *wrapped(ways, width, palette.dim), Text()]
        if self._names:
            return lines + [Text(sanitize_line(name), style=palette.text) for name in self._names]
        dump = _hexdump(self._source.data[:HEX_BYTES], width, palette)
        more = self._source.size - HEX_BYTES
        rest = [Text(f"… {numbers.size(more)} more", style=palette.dim)] if more > 0 else []
        return [*lines, *dump, *rest]


def kind_of(data: bytes) -> str:
    """Return the type of the content, by its magic number."""
    for offset, magic, name in MAGIC:
        if data[offset : offset + len(magic)] == magic:
            return name
    return "binary"


def _details(kind: str, source: Source) -> list[str]:
    ask = _ASK.get(kind)
    if ask is None:
        return []
    try:
        answer = ask(source)
    except Exception:  # noqa: BLE001 - broken or malicious: no details
        return []
    return [answer] if answer else []


def _sound(source: Source) -> str:
    """Return duration and sample rate; some formats need the whole file."""
    from tinytag import TinyTag  # not needed at startup

    if source.cut and not source.data.startswith(DURATION_IN_HEADER):
        return ""
    sound = TinyTag.get(file_obj=io.BytesIO(source.data), tags=False)
    rate = f" · {sound.samplerate} Hz" if sound.samplerate else ""
    return f"{short_duration(sound.duration)}{rate}" if sound.duration else ""


def _mp4(source: Source) -> str:
    at = source.data.index(b"mvhd") + 4
    if source.data[at]:
        scale, length = struct.unpack_from(">IQ", source.data, at + 20)
    else:
        scale, length = struct.unpack_from(">II", source.data, at + 12)
    return short_duration(length / scale)


def _pdf(source: Source) -> str:
    version = source.data[5:8].decode("ascii")
    pages = len(re.findall(rb"/Type\s*/Page\b(?!s)", source.data))
    return f"{version} · {count_of(pages, 'page')}" if pages and not source.cut else version


def _zip(source: Source) -> str:
    return "" if source.cut else count_of(len(_names(source)), "name")


def _names(source: Source) -> list[str]:
    """Return the names in the archive's directory; nothing is unpacked."""
    if source.cut:
        return []
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            return archive.namelist()[:MAX_NAMES]
    except Exception:  # noqa: BLE001 - broken or malicious: no names
        return []


_ASK: dict[str, Callable[[Source], str]] = {
    "WAV sound": _sound,
    "FLAC sound": _sound,
    "Ogg sound or film": _sound,
    "MP3 sound": _sound,
    "MP4 film or sound": _mp4,
    "PDF": _pdf,
    "zip archive": _zip,
}


def _hexdump(data: bytes, width: int, palette: Palette) -> list[Text]:
    """Draw offset, bytes and characters, as many per row as fit."""
    per_row = 16 if width >= 8 + 16 * 4 else 8 if width >= 8 + 8 * 4 else 4
    lines: list[Text] = []
    for at in range(0, len(data), per_row):
        row = data[at : at + per_row]
        line = Text(f"{at:04x}  ", style=palette.faint, no_wrap=True)
        line.append(f"{row.hex(' '):<{per_row * 3}} ", style=palette.text)
        shown = "".join(chr(byte) if 32 <= byte < 127 else "·" for byte in row)
        line.append(shown, style=palette.dim)
        lines.append(line)
    return lines


def _is_known(source: Source) -> bool:
    kind = kind_of(source.data)
    return kind == "PDF" or (kind != "binary" and source.text is None)


KIND = Kind("facts", _is_known, BinaryDocument)
