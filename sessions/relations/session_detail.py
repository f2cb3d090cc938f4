"""Details of a session, shown before it is opened."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sandbox_tui.core.events.types import ModelAsked, RunStarted
from sandbox_tui.sessions.relations.awaiting_person import waiting_since
from sandbox_tui.sessions.relations.fork_origin import (
    ForkOrigin,
    clocks_began_at,
    own_part,
    read_origin,
    shared_part,
)
from sandbox_tui.sessions.relations.started_with import started_with
from sandbox_tui.sessions.store.answers import other_answer_in_call
from sandbox_tui.sessions.store.run_summary import RunSummary, has_lost_sandbox
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.annotations import Note, notes_of, tags_of
from sandbox_tui.sessions.store.tables.calls import CallRow, interrupted_calls_of, submit_arguments
from sandbox_tui.sessions.store.tables.events import last_of_kind

MAX_FILES = 200
"""Maximum number of files that are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFile:
    """A file that a run produced.

    Attributes:
        name: path relative to the results folder, or the path in the sandbox.
        size: bytes; None if it is not known, as in a session that was rebuilt from another kind of
            recording.
    """

    name: str
    size: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionDetail:
    """A session with the details that do not fit into its row.

    Attributes:
        run: the session.
        last_call: the most recently proposed call.
        interrupted_calls: how many of its calls were interrupted, which do not count as failed.
        files: its results on this machine; if there are none, its changes in the sandbox.
        folder: of the results on this machine; None if the files were only in the sandbox.
        tags, notes: the user's annotations.
        origin: where it was forked from; None if it is not a fork.
        own: the session with the time, tokens and cost of its own part only; `run` if it is not a
            fork.
        waits_since: since when a call waits for the user, in seconds since the epoch; None if none
            does.
        has_lost_sandbox: whether it could be resumed if its sandbox still existed.
        interrupted_in: the step in which its program was killed; 0 if it was not, or before the
            first one.
        sandbox_until: about until when its sandbox is kept although its program was killed, in
            seconds since the epoch; None if it was not killed, or if that is unknown.
        settings: what it was started with, in words, by name.
        said_otherwise: the answer in its call of `submit` if its file holds another; else empty.
    """

    run: RunSummary
    last_call: CallRow | None
    files: tuple[ResultFile, ...]
    folder: Path | None
    tags: tuple[str, ...]
    notes: tuple[Note, ...]
    origin: ForkOrigin | None
    own: RunSummary
    waits_since: float | None = None
    has_lost_sandbox: bool = False
    interrupted_in: int = 0
    sandbox_until: float | None = None
    interrupted_calls: int = 0
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    said_otherwise: str = ""


def read_detail(store: Store, run: RunSummary) -> SessionDetail:
    """Read the details of a session.

    Raises:
        StoreError: the database cannot be read.
    """
    folder = results_folder(store, run)
    results = () if folder is None else _files_below(folder)
    running = [run] if run.outcome == "running" else []
    return SessionDetail(
        run=run,
        last_call=store.last_call(run.id),
        files=results or _changed(store, run.id),
        folder=folder if results else None,
        tags=tuple(tags_of(store, run.id)),
        notes=tuple(notes_of(store, run.id)),
        origin=read_origin(store, run),
        own=own_part(run, shared_part(store, run)),
        waits_since=waiting_since(store, running).get(run.id),
        has_lost_sandbox=has_lost_sandbox(run),
        interrupted_in=_interrupted_in(store, run),
        sandbox_until=_sandbox_until(store, run),
        interrupted_calls=interrupted_calls_of(store, run.id),
        settings=started_with(store, run.id),
        said_otherwise=_said_otherwise(store, run),
    )


def _said_otherwise(store: Store, run: RunSummary) -> str:
    if run.outcome != "submitted" or not run.answer:
        return ""
    return other_answer_in_call(submit_arguments(store, [run.id]).get(run.id, ""), run.answer)


def _interrupted_in(store: Store, run: RunSummary) -> int:
    asked = last_of_kind(store, run.id, "ModelAsked") if run.outcome == "interrupted" else None
    return asked.step if isinstance(asked, ModelAsked) else 0


def _sandbox_until(store: Store, run: RunSummary) -> float | None:
    """Return the time of the last event of a killed run plus the grace period of its sandbox."""
    if run.outcome != "interrupted" or run.imported or run.elsewhere:
        return None
    found = store.events_at(run.id, [1, run.last_seq])
    first, last = found.get(1), found.get(run.last_seq)
    settings = first.settings if isinstance(first, RunStarted) else None
    grace = None if settings is None else settings.sandbox.get("grace")
    if last is None or not isinstance(grace, (int, float)):
        return None
    return clocks_began_at(store, [run])[run.id] + last.t + grace


def results_folder(store: Store, run: RunSummary) -> Path | None:
    """Return the folder of the results, which may be gone; None if there were none, or if they
    are where an imported session was recorded.

    Older versions stored it relative to the folder in which the run was started, but its first
    event has the absolute path.

    Raises:
        StoreError: the database cannot be read.
    """
    if not run.results_dir or run.imported:
        return None
    folder = Path(run.results_dir)
    if folder.is_absolute():
        return folder
    first = next(store.events(run.id, until=1), None)
    settings = first.settings if isinstance(first, RunStarted) else None
    absolute = Path(settings.output) if settings is not None and settings.output else folder
    return absolute if absolute.parts[-len(folder.parts) :] == folder.parts else folder


def _files_below(folder: Path) -> tuple[ResultFile, ...]:
    """Return the files below a folder, without following links; empty if the folder does not
    exist."""
    found: list[ResultFile] = []
    for place, _, names in os.walk(folder):
        for name in sorted(names):
            path = Path(place) / name
            try:
                size = path.lstat().st_size
            except OSError:
                continue
            found.append(ResultFile(name=str(path.relative_to(folder)), size=size))
            if len(found) >= MAX_FILES:
                return tuple(found)
    return tuple(found)


def _changed(store: Store, run_id: str) -> tuple[ResultFile, ...]:
    """Return the files that a run created or changed and did not delete, in their final state."""
    last = {change.path: change for change in store.file_changes(run_id)}
    kept = [one for one in last.values() if one.kind == "file" and one.change != "deleted"]
    touched = [one for one in kept if one.step > 0]
    return tuple(
        ResultFile(name=one.path, size=one.size if one.size or one.digest else None)
        for one in touched[:MAX_FILES]
    )
