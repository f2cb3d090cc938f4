"""Imports asciicast v2 and v3 (docs.asciinema.org/manual/asciicast): terminal output only.

The recording becomes a session without a model and with one terminal named `shell`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, cast

import msgspec

from sandbox_tui.core.base.defaults import TERMINAL_SIZE
from sandbox_tui.core.base.errors import ImportRefused
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.kinds.values import REBUILT
from sandbox_tui.sessions.interchange.fingerprint import fingerprint
from sandbox_tui.sessions.interchange.imports.base import (
    Imported,
    Importer,
    Opened,
    number_of,
    object_of,
    parse,
    text_of,
    well_formed,
)
from sandbox_tui.sessions.store.tables.source_documents import SourceDocument

FORMAT = "asciicast"
TERMINAL = "shell"
MAX_LINES = 2_000_000
MAX_SIZES = 2_000
"""Maximum number of resizes; each one reflows a whole screen, here and in every export."""


def recognises_v2(opened: Opened) -> bool:
    """Return whether a file is an asciicast v2."""
    return _has_version(opened, 2)


def recognises_v3(opened: Opened) -> bool:
    """Return whether a file is an asciicast v3."""
    return _has_version(opened, 3)


def _has_version(opened: Opened, version: int) -> bool:
    header = object_of(opened.document.value if opened.document else None)
    return header.get("version") == version and _size(header) is not None


def read(opened: Opened) -> Sequence[Imported]:
    """Return the sessions in a file.

    Raises:
        ImportRefused: the file cannot be used; the message says why.
    """
    document, source = opened.document, opened.source
    header = object_of(document.value if document else None)
    size = _size(header) or TERMINAL_SIZE
    lines = (document.lines if document else None) or ()
    if len(lines) > MAX_LINES:
        raise ImportRefused(f"{source.name} has more than {MAX_LINES} lines.")
    lines, cut = _whole_lines(lines)
    events: list[e.AnyEvent] = [_started(header, source.modified)]
    events.append(e.TerminalOpened(terminal=TERMINAL, cols=size[0], rows=size[1]))
    last = 0.0
    sizes = 0
    for t, event in _entries(source.name, lines, relative=header["version"] == 3):
        last = max(last, t)
        sizes += isinstance(event, e.TerminalResized)
        if sizes > MAX_SIZES:
            raise ImportRefused(f"{source.name} changes its size more than {MAX_SIZES} times.")
        events.append(msgspec.structs.replace(event, t=round(last, 6)))
    totals = e.Totals(seconds=last)
    events.append(e.RunFinished(t=round(last, 6), reason="imported", error=cut, totals=totals))
    events = _numbered(events)
    original = SourceDocument(
        format=FORMAT, name=source.name, fingerprint=fingerprint(events), data=source.data
    )
    notes = [(0, f"{source.name} was {cut}.", time.time())] if cut else []
    return [Imported(events=events, original=original, notes=notes)]


def _whole_lines(lines: Sequence[str]) -> tuple[Sequence[str], str | None]:
    """Return the lines without a last one that is not JSON, and that the file was cut off there.

    Its recorder was killed while it wrote, or the file was not copied to its end.
    """
    last = lines[-1] if len(lines) > 1 else ""
    if not last.strip() or last.startswith("#"):
        return lines, None
    try:
        parse(last)
    except ValueError:
        return lines[:-1], f"cut off in line {len(lines)}"
    return lines, None


def _started(header: dict[str, Any], modified: float) -> e.RunStarted:
    title = text_of(header.get("title")) or text_of(header.get("command"))
    return e.RunStarted(
        schema=e.SCHEMA_VERSION,
        run_id="",
        started_at=number_of(header.get("timestamp"), modified, most=4e9),
        task=title or "A recording of a terminal",
        model="",
        model_params={},
        sandbox=REBUILT,
        sandbox_info={"format": f"asciicast v{header['version']}"},
        prompt_pack="",
        system_prompt="",
        instance_prompt="",
        working_dir="/",
        input_dir="/",
        output_dir="/",
        limits=e.Limits(),
    )


def _size(header: dict[str, Any]) -> tuple[int, int] | None:
    term = object_of(header.get("term"))
    three = header.get("version") == 3
    cols, rows = (
        (term.get("cols"), term.get("rows"))
        if three
        else (
            header.get("width"),
            header.get("height"),
        )
    )
    return _checked(cols, rows)


def _checked(cols: Any, rows: Any) -> tuple[int, int] | None:
    are_integers = all(isinstance(n, int) and not isinstance(n, bool) for n in (cols, rows))
    return (cols, rows) if are_integers and 0 < cols <= 1000 and 0 < rows <= 1000 else None


def _entries(
    name: str, lines: Sequence[str], *, relative: bool
) -> Iterator[tuple[float, e.AnyEvent]]:
    """Yield the time and the event of each line."""
    now = 0.0
    for number, line in enumerate(lines[1:], 2):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            entry = parse(line)
        except ValueError as error:
            raise ImportRefused(f"{name} is damaged: line {number} is not JSON.") from error
        parts = cast(list[Any], entry) if isinstance(entry, list) else []
        if len(parts) != 3 or not isinstance(parts[1], str) or _time(parts[0]) is None:
            raise ImportRefused(f"{name} is damaged: line {number} is not an event.")
        seconds = _time(parts[0]) or 0.0
        now = now + seconds if relative else seconds
        event = _event(parts[1], parts[2])
        if event is not None:
            yield min(now, 1e9), event


def _time(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= 1e9 else None


def _event(code: str, data: Any) -> e.AnyEvent | None:
    """Return the event of a line; None for unknown codes, which readers must skip."""
    text = well_formed(data) if isinstance(data, str) else ""
    match code:
        case "o":
            return e.TerminalOutput(terminal=TERMINAL, data=text.encode()) if text else None
        case "i":
            return e.TerminalInput(terminal=TERMINAL, data=text.encode()) if text else None
        case "r":
            cols, _, rows = text.partition("x")
            small = len(cols) < 5 and len(rows) < 5
            size = _checked(int(cols), int(rows)) if small and _digits(cols, rows) else None
            return (
                e.TerminalResized(terminal=TERMINAL, cols=size[0], rows=size[1]) if size else None
            )
        case "x":
            good = _digits(text) and len(text) < 6
            return e.TerminalClosed(terminal=TERMINAL, exit_code=int(text) if good else None)
        case _:
            return None


def _digits(*texts: str) -> bool:
    return all(text.isascii() and text.isdigit() for text in texts)


def _numbered(events: list[e.AnyEvent]) -> list[e.AnyEvent]:
    return [msgspec.structs.replace(event, seq=seq) for seq, event in enumerate(events, 1)]


LACKS = "calls, tokens and files"
IMPORTER_V2 = Importer(
    name="asciicast v2", short="asciicast v2", lacks=LACKS, recognises=recognises_v2, read=read
)
IMPORTER_V3 = Importer(
    name="asciicast v3", short="asciicast v3", lacks=LACKS, recognises=recognises_v3, read=read
)
