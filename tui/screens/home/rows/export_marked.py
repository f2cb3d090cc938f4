"""Exports several sessions to a folder: one format for all, asked for once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from typing_extensions import override

from sandbox_tui.core.base.errors import ConfigError, SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.typed_path import is_there, working_directory
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.interchange.export_files import Export, make_folder
from sandbox_tui.tui.film.export_formats import SUFFIXES, refuse_name_of_file
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import cut_title, task_title
from sandbox_tui.tui.screens.dialogs.export_session import SO_FAR, ExportDialog

MAX_TITLE_CHARACTERS = 30
"""Maximum characters of the title of the session whose film is being drawn."""


class ExportMarkedDialog(ExportDialog):
    """Writes the files of several sessions to a folder; dismisses with a sentence about them.

    Args:
        runs: the sessions; at least one.
        store: the store that contains them.
    """

    destination = names = "folder"

    def __init__(self, runs: Sequence[RunSummary], store: Store) -> None:
        super().__init__(runs[0], store)
        self._runs = runs
        self._number = 0
        self._done: list[Export] = []
        self._folder = working_directory()

    @property
    @override
    def what(self) -> str:
        return f"{numbers.counted(len(self._runs), 'session')}, each in files of its own"

    @property
    @override
    def title_words(self) -> str:
        return f"export{_so_far(self._runs)}"

    @property
    @override
    def file_typed(self) -> None:
        return None

    @override
    def proposal(self, suffix: str) -> str:
        return "a folder, which may be new"

    @override
    def target(self, typed: Path, suffix: str) -> Path:
        return typed

    @property
    @override
    def drawn_film(self) -> str:
        title = cut_title(task_title(self._runs[self._number - 1]), MAX_TITLE_CHARACTERS)
        return sanitize_line(f"film {self._number} of {len(self._runs)} ({title})")

    @override
    def given_up(self) -> str:
        if not self._done:
            return super().given_up()
        left = numbers.counted(len(self._runs) - len(self._done), "session")
        words = _sentences(self._done, (), self._folder)
        return sanitize_line(f"{' '.join(words)} {left} not written: you left before.")

    @override
    async def write_files(self, name: str, output: Path | None, *, redact: bool) -> str:
        if not self.names_folder:
            refuse_name_of_file(output, len(self._runs))
        folder = working_directory() if output is None else output
        await asyncio.to_thread(make_folder, folder)
        names = [folder / f"{run.id}{SUFFIXES[name]}" for run in self._runs]
        existing = sum(map(is_there, names))
        found = numbers.counted(existing, "file")
        question = f"{folder} already has {found} of these names. Overwrite?"
        if existing and not await self.may_overwrite(question):
            return ""
        self._done, self._folder = [], folder
        refused: list[str] = []
        for number, run in enumerate(self._runs, 1):
            self._number = number
            try:
                export = await self.export(run, name, redact=redact)
                await asyncio.to_thread(export.write, folder, overwrite=bool(existing))
            except SandboxTuiError as error:
                refused.append(str(error))
            else:
                self._done.append(export)
        if not self._done:
            raise ConfigError(refused[0])
        return sanitize_line(" ".join(_sentences(self._done, refused, folder)))


def _sentences(done: Sequence[Export], refused: Sequence[str], folder: Path) -> list[str]:
    """Return what was written and where, how many secrets were redacted, and what was not
    written."""
    files = numbers.counted(sum(len(export.parts) for export in done), "file")
    sessions = numbers.counted(len(done), "session")
    so_far = _so_far([export.run for export in done])
    words = [f"Wrote {sessions} ({files}) to {folder.absolute()}{so_far}.", _redacted(done)]
    if refused:
        words.append(f"{numbers.counted(len(refused), 'session')} not written: {refused[0]}")
    return words


def _so_far(runs: Sequence[RunSummary]) -> str:
    """Return a clause on sessions that are still running; empty if there is none."""
    running = sum(run.outcome == "running" for run in runs)
    if not running:
        return ""
    which = "" if running == len(runs) else "one " if running == 1 else f"{running} of them "
    return f", {which}{SO_FAR}"


def _redacted(done: Sequence[Export]) -> str:
    counts = [export.redacted for export in done if export.redacted is not None]
    if not counts:
        return "Any secrets in them were kept."
    return (
        f"Secrets redacted in {numbers.counted(sum(counts), 'place')}."
        if sum(counts)
        else ("No secrets found.")
    )
