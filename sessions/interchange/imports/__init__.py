"""Import formats: one module each, listed here.

The format of a file is detected from its content, not from its name.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from sandbox_tui.core.base.errors import (
    AlreadyImported,
    ImportRefused,
    NoRecording,
    SandboxTuiError,
)
from sandbox_tui.core.events.run_state import fold
from sandbox_tui.core.events.types import (
    AnyEvent,
    ModelReplied,
    RunStarted,
    TerminalOpened,
    TerminalResized,
)
from sandbox_tui.core.run.run_labels import SAMPLE, SAMPLES
from sandbox_tui.core.run.task_title import title_line
from sandbox_tui.sessions.interchange.fingerprint import fingerprint
from sandbox_tui.sessions.interchange.imports import (
    asciicast,
    atif,
    bundle,
    mini_swe_agent,
    swe_agent,
    trajectory,
)
from sandbox_tui.sessions.interchange.imports.base import (
    Imported,
    Importer,
    Opened,
    check_depth,
    open_source,
)
from sandbox_tui.sessions.store.ids import new_id
from sandbox_tui.sessions.store.run_summary import RunSummary
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.annotations import add_note, add_tag
from sandbox_tui.sessions.store.tables.source_documents import (
    keep_source_document,
    runs_imported_from,
)

IMPORTERS: tuple[Importer, ...] = (
    *(module.IMPORTER for module in (bundle, atif, trajectory, mini_swe_agent, swe_agent)),
    *(asciicast.IMPORTER_V2, asciicast.IMPORTER_V3),
)
"""In the order in which they are tried."""

KNOWN_FORMATS = f"Known formats: {', '.join(importer.name for importer in IMPORTERS)}."

TO_READ = (".html", ".md", ".jsonl", ".svg")
"""Endings of our exports that are for people or for training, and hold only part of a session."""

MAX_TERMINAL_SIDE = 2000
"""Maximum number of columns or lines of a terminal."""


def import_file(store: Store, path: Path) -> list[str]:
    """Import the sessions in a file, all or none; return their ids.

    Raises:
        ImportRefused: the file is not a recording, or is damaged; nothing was changed.
        StoreError: the sessions could not be written; nothing was changed.
    """
    opened, importer, sessions = _read(path)
    with store.transaction():
        for session in sessions:
            _refuse_known(store, session)
        run_ids = [_keep(store, session) for session in sessions]
        for run_id in run_ids:
            store.mark_imported(run_id, opened.source.name, importer.short)
    return run_ids


def read_file(path: Path) -> Sequence[Imported]:
    """Return the sessions in a file, validated but not yet written.

    Raises:
        ImportRefused: the file is not a recording, or is damaged.
    """
    return _read(path)[2]


def _read(path: Path) -> tuple[Opened, Importer, Sequence[Imported]]:
    """Return a file, its importer and the sessions in it."""
    opened = open_source(path)
    importer = _importer(opened)
    try:
        sessions = importer.read(opened)
        for session in sessions:
            _check(session.events)
    except ImportRefused:
        raise
    except SandboxTuiError as error:
        raise ImportRefused(f"{opened.source.name} is damaged: {error}") from error
    except (ValueError, KeyError, OverflowError, RecursionError) as error:
        raise ImportRefused(f"{opened.source.name} is damaged: {error}.") from error
    except MemoryError as error:
        raise ImportRefused(f"{opened.source.name} does not fit into memory.") from error
    return opened, importer, sessions


def format_found(run: RunSummary) -> str:
    """Return the format that a session was imported from, what it lacks and where it was cut off,
    in words; empty if the format was not recorded."""
    for importer in IMPORTERS:
        if importer.short == run.import_format:
            without = f", without {importer.lacks}" if importer.lacks else ""
            cut = (
                f", {run.error}"
                if run.is_rebuilt and run.outcome == "imported" and run.error
                else ""
            )
            return f"{importer.name}{without}{cut}"
    former = run.import_format == asciicast.FORMAT  # its version was not recorded
    return f"{asciicast.FORMAT}, without {asciicast.LACKS}" if former else ""


def _importer(opened: Opened) -> Importer:
    with contextlib.suppress(NoRecording):  # it is no JSON
        for importer in IMPORTERS:
            if importer.recognises(opened):
                return importer
    name = opened.source.name
    advice = KNOWN_FORMATS
    if Path(name).suffix in TO_READ:
        advice = "An export to read cannot be imported: export the session as a bundle (.sbx)."
    raise NoRecording(f"{name} is not a recording in a format that can be imported. {advice}")


def _check(events: Sequence[AnyEvent]) -> None:
    """Check that a screen can show these events.

    Raises:
        ValueError, KeyError: it cannot.
    """
    if not events or not isinstance(events[0], RunStarted):
        raise ValueError("it does not begin with the start of a run")
    last = -1.0
    for seq, event in enumerate(events, 1):
        if event.seq != seq or not last <= event.t < 1e10:
            raise ValueError(f"event {seq} is out of order")
        last = event.t
        _check_one(event)
    fold(events)


def _check_one(event: AnyEvent) -> None:
    """Check what types cannot express: that the event fits on a screen and into memory."""
    match event:
        case TerminalOpened(cols=cols, rows=rows) | TerminalResized(cols=cols, rows=rows):
            if not (0 < cols <= MAX_TERMINAL_SIDE and 0 < rows <= MAX_TERMINAL_SIDE):
                raise ValueError(f"a terminal of {cols} columns and {rows} lines")
        case ModelReplied(message=message):
            check_depth(message)
        case RunStarted():
            check_depth([event.model_params, msgspec.to_builtins(event.settings)])
            if not 0 <= event.started_at < 1e10:
                raise ValueError("its start time is not valid")
        case _:
            pass


def _keep(store: Store, session: Imported) -> str:
    run_id = _free_id(store, session)
    first = msgspec.structs.replace(session.events[0], run_id=run_id)
    is_copy = isinstance(first, RunStarted) and _has_sample(store, first)
    store.append(run_id, [first, *session.events[1:]])
    if is_copy:
        store.leave_samples(run_id)
    for content in session.contents:
        store.put_blob(run_id, content)
    if title := _title(first, session.title, is_copy=is_copy):
        store.rename(run_id, title)
    for tag in session.tags:
        add_tag(store, run_id, tag)
    for step, text, written_at in session.notes:
        add_note(store, run_id, step, text, written_at=written_at)
    if session.original is not None:
        keep_source_document(store, run_id, session.original)
    return run_id


def _has_sample(store: Store, first: RunStarted) -> bool:
    """Return whether the sample of this number of the same task is already in the database."""
    labels = {} if first.settings is None else first.settings.labels
    name, number = labels.get(SAMPLES), labels.get(SAMPLE)
    return name is not None and any(
        number is None or run.sample is None or str(run.sample) == number
        for run in store.samples_of(name)
    )


def _title(first: AnyEvent, title: str | None, *, is_copy: bool) -> str | None:
    """Return the title of an imported session, which tells a copy from its original."""
    if not is_copy or not isinstance(first, RunStarted):
        return title
    return f"{title or title_line(first.task)} (imported copy)"


def _refuse_known(store: Store, session: Imported) -> None:
    """Keep a session from being imported twice.

    Raises:
        AlreadyImported: exactly this session is already in the database.
    """
    mark = fingerprint(session.events)
    here = runs_imported_from(store, mark)
    first, last = session.events[0], session.events[-1]
    if isinstance(first, RunStarted):  # a copy has an id of its own
        same = store.runs_alike(first.started_at, last.seq)
        here += [run_id for run_id in same if fingerprint(store.events(run_id)) == mark]
    if here:
        raise AlreadyImported(f"This session is already here: {here[0]}.")


def _free_id(store: Store, session: Imported) -> str:
    """Return the session's former id, so that forks still find their parents; a new id if it is in
    use."""
    if session.run_id is None or store.has_run(session.run_id):
        return new_id()
    return session.run_id


__all__ = ["IMPORTERS", "Imported", "Importer", "format_found", "import_file", "read_file"]
