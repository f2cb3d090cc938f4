"""The dialog to export a session: format, redaction of secrets, destination."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import DescendantFocus
from textual.widget import Widget
from textual.widgets import Button, Label, OptionList, Static
from textual.widgets.option_list import Option

from sandbox_tui.core.base.errors import ConfigError, SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.typed_path import free_path, is_there, working_directory
from sandbox_tui.core.base.write_file import is_special
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.interchange.export_files import (
    Export,
    make_export,
    make_folder,
    path_of,
    redacted_words,
    with_ending,
)
from sandbox_tui.sessions.interchange.exports import EXPORTERS
from sandbox_tui.tui.film.export_formats import (
    FORMATS,
    SUFFIXES,
    disagreement,
    formats_by_ending,
    renamed,
)
from sandbox_tui.tui.film.film_process import FILM, FilmRequest, film_export
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import task_title
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import as_sentence
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.choice import Choice
from sandbox_tui.tui.widgets.key_bar import KeyBar
from sandbox_tui.tui.widgets.path_input import PathInput

FIRST = "html"
"""The most common choice, because it opens anywhere."""

EMPTY, TYPED, IN_NEW_FOLDER = "if empty: in ", "writes ", "new folder: writes "
BORDER_COLUMNS = 4
"""Columns of a border that hold no words."""

REDACTED, KEPT = "redacted", "kept"

SO_FAR = "as recorded so far"
"""What is exported of a session that is still running."""


class ExportDialog(Dialog[str | None]):
    """Writes a session to files; dismisses with a sentence about them.

    Args:
        run: the session.
        store: the store that contains it.
    """

    SCOPED_CSS = False  # subclasses are styled, too

    CSS = """
    ExportDialog { background: $background 60%; }
    ExportDialog .dialog { width: 84; max-width: 96%; max-height: 96%; padding: 0 2; }
    ExportDialog #what { height: 1; color: $role-dim; }
    ExportDialog OptionList {
        height: auto; max-height: 11; border: round $border-blurred; background: transparent;
        text-wrap: nowrap; text-overflow: ellipsis;
        &:focus { border: round $accent; }
    }
    ExportDialog Label { height: 1; }
    ExportDialog .row { height: 1; margin: 0 1; }
    ExportDialog .row Label { width: 26; }
    ExportDialog #disagreement { height: auto; color: $warning; display: none; margin: 0 1; }
    ExportDialog.-disagrees #disagreement { display: block; }
    ExportDialog #problem { height: auto; color: $error; display: none; margin: 0 1; }
    ExportDialog.-wrong #problem { display: block; }
    ExportDialog #progress { height: 1; color: $role-dim; display: none; margin: 0 1; }
    ExportDialog.-drawing #progress { display: block; }
    ExportDialog #buttons { height: auto; align-horizontal: right; }
    ExportDialog.-low OptionList { max-height: 6; }
    ExportDialog.-low #buttons { display: none; }
    """

    VERTICAL_BREAKPOINTS = [(0, "-low"), (26, "-tall")]  # noqa: RUF012

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("export.write", "write", priority=True),
        binding("export.leave", "leave", priority=True),
    ]

    AUTO_FOCUS = "#formats"

    destination = "file or folder"
    """What the path names."""

    names = "file"
    """What it names most often."""

    def __init__(self, run: RunSummary, store: Store) -> None:
        super().__init__()
        self._run = run
        self._store = store
        self._format_shown = FIRST
        self._renamed = ""

    @property
    def other_fields(self) -> tuple[Widget, ...]:
        """The fields with keys of their own, which help lists."""
        return (self.query_one(Choice),)

    def start_with(self, format_name: str) -> None:
        """Begin at this format instead of the most common one; before the dialog is shown."""
        self._format_shown = format_name

    @property
    def what(self) -> str:
        """What is exported."""
        return task_title(self._run)

    @property
    def title_words(self) -> str:
        """What this dialog does, and with how much of a session that is still running."""
        return f"export, {SO_FAR}" if self._run.outcome == "running" else "export"

    def proposal(self, suffix: str) -> str:
        """Return the name that an empty path stands for, for files with this ending."""
        return free_path(Path(f"{self._run.id}{suffix}"), suffix).name

    def compose(self) -> ComposeResult:
        """Yield the form."""
        with Vertical(classes="dialog form") as box:
            box.border_title = self.title_words
            box.border_subtitle = f"{hint('export.write')} export · {hint('export.leave')} cancel"
            yield Static(self.what, id="what", markup=False)
            formats = OptionList(*(_option(name) for name in FORMATS), id="formats")
            formats.border_title = "format"
            formats.highlighted = list(FORMATS).index(self._format_shown)
            yield formats
            with Horizontal(classes="row"):
                yield Label("secrets")
                yield Choice((REDACTED, KEPT), REDACTED, id="secrets")
            yield PathInput(id="path")
            yield Static(id="disagreement", markup=False)
            yield Static(id="problem", markup=False)
            yield Static(id="progress", markup=False)
            with Horizontal(id="buttons"):
                yield Button("export", variant="primary", id="write")
        yield KeyBar()

    def on_mount(self) -> None:
        """Set the label and the default of the path."""
        path = self.query_one(PathInput)
        path.border_title = self.destination
        self.call_after_refresh(self._say_where)

    def on_resize(self) -> None:
        """Show as much of the destination as fits."""
        self.call_after_refresh(self._say_where)

    @on(PathInput.Changed)
    def _name_changed(self, event: PathInput.Changed) -> None:
        """Choose the format whose ending was typed, and show the destination."""
        fitting = formats_by_ending(self.file_typed)
        if event.value != self._renamed:  # typed by the user
            self._renamed = ""
            if len(fitting) == 1 and self._format not in fitting:
                self.query_one(OptionList).highlighted = list(FORMATS).index(fitting[0])
        self.call_after_refresh(self._say_where)

    @property
    def names_folder(self) -> bool:
        """Whether the path ends with a slash, as only the name of a folder does."""
        return self.query_one(PathInput).value.strip().endswith("/")

    @property
    def file_typed(self) -> Path | None:
        """The file that the path names; None if it is empty or names a folder."""
        return None if self.names_folder else self.query_one(PathInput).path

    def _say_where(self) -> None:
        """Show the default folder, or what is written; of a long path the end, which says most."""
        field = self.query_one(PathInput)
        typed = field.path
        is_new = typed is not None and self.names_folder and not is_there(typed)
        words = EMPTY if typed is None else IN_NEW_FOLDER if is_new else TYPED
        why = disagreement(self.file_typed, self._format)
        self.set_class(bool(why), "-disagrees")
        self.query_one("#disagreement", Static).update(sanitize_line(why))
        where = working_directory() if typed is None else self.target(typed, SUFFIXES[self._format])
        room = field.size.width - len(words) - BORDER_COLUMNS
        shown = sanitize_line(str(where))
        shown = shown if len(shown) <= room else f"…{shown[1 - max(2, room) :]}"
        field.border_subtitle = Content(f"{words}{shown}")

    def target(self, typed: Path, suffix: str) -> Path:
        """Return what is written to a typed path, for files with this ending."""
        if self.names_folder:
            return typed / path_of(self._run, suffix, None)
        return path_of(self._run, suffix, with_ending(typed, suffix))

    @property
    def _format(self) -> str:
        return list(FORMATS)[self.query_one(OptionList).highlighted or 0]

    @on(DescendantFocus)
    def _tell_enter(self, event: DescendantFocus) -> None:
        """Say in the key bar what enter does."""
        match event.widget:
            case OptionList():
                self.choice_words = f"name the {self.names}"
            case PathInput() | Button():
                self.choice_words = "export"
            case _:
                self.choice_words = ""
        self.refresh_bindings()

    @on(OptionList.OptionHighlighted)
    def _format_moved_to(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        event.option_list.border_subtitle = f"{event.option_index + 1} of {len(FORMATS)}"
        before, self._format_shown = self._format_shown, list(FORMATS)[event.option_index]
        field = self.query_one(PathInput)
        field.placeholder = self.proposal(SUFFIXES[self._format_shown])
        name = renamed(field.value, before, self._format_shown)
        if self.file_typed is not None and name != field.value:
            field.value = self._renamed = name
            field.cursor_position = len(name)
        self._say_where()

    @on(OptionList.OptionSelected)
    def _format_taken(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.query_one(PathInput).focus()

    @on(PathInput.Submitted)
    @on(Button.Pressed, "#write")
    def action_write(self) -> None:
        """Write the files, then close."""
        self._write()

    @work(exclusive=True, group="write")
    async def _write(self) -> None:
        name = self._format
        redact = self.query_one(Choice).value == REDACTED
        output = self.query_one(PathInput).path
        self._complain("")
        try:
            words = await self.write_files(name, output, redact=redact)
        except SandboxTuiError as error:
            self._complain(str(error))
            return
        if words:
            self.dismiss_when_on_top(words)

    async def write_files(self, name: str, output: Path | None, *, redact: bool) -> str:
        """Write the files of a format; return a sentence about them, empty if existing ones are to
        be kept.

        Raises:
            SandboxTuiError: they could not be made or written.
        """
        if output is not None and self.names_folder:
            await asyncio.to_thread(make_folder, output)
        export = await self.export(self._run, name, redact=redact)
        suffix = export.parts[0].suffix
        output = self._proposed(name) if output is None else with_ending(output, suffix)
        paths = export.paths(output)
        if any(map(is_special, paths)):  # whoever reads it may never come
            raise ConfigError("This is no file: `sessions export -o` writes to devices and pipes.")
        existing = [path for path in paths if is_there(path)]
        names = ", ".join(str(path) for path in existing)
        if existing and not await self.may_overwrite(f"{names} already exists. Overwrite it?"):
            return ""
        return _written(await asyncio.to_thread(export.write, output, overwrite=True), export)

    def _proposed(self, name: str) -> Path | None:
        """Return the file that the empty field proposes; None for the format's usual names."""
        proposed = self.query_one(PathInput).placeholder
        return None if proposed == f"{self._run.id}{SUFFIXES[name]}" else Path(proposed)

    async def export(self, run: RunSummary, name: str, *, redact: bool) -> Export:
        """Export a session to a format, in memory.

        Raises:
            StoreError: it has nothing to export in this format, or cannot be read.
        """
        if name != FILM:
            return await asyncio.to_thread(
                make_export, self._store, run, EXPORTERS[name], redact=redact
            )
        request = FilmRequest(
            database=str(self._store.path),
            run_id=run.id,
            theme=app_of(self).theme,
            redact=redact,
        )
        self._show_progress(0, 0)
        self.add_class("-drawing")
        try:
            return await film_export(request, run, self._show_progress)
        finally:
            self.remove_class("-drawing")

    def action_leave(self) -> None:
        """Close; a film that is being drawn is not written, which a sentence says."""
        self.dismiss(self.given_up() if self.has_class("-drawing") else None)

    def given_up(self) -> str:
        """Return what is not written if the dialog is left while a film is drawn."""
        return "Nothing was written: you left while the film was being drawn."

    @property
    def drawn_film(self) -> str:
        """The film that is being drawn."""
        return "the film"

    def _show_progress(self, frames: int, total: int) -> None:
        count = f"frame {frames} of {total}" if total else "starting"
        self.query_one("#progress", Static).update(f"Drawing {self.drawn_film}: {count}")

    async def may_overwrite(self, question: str) -> bool:
        """Ask whether to overwrite what exists."""
        return await app_of(self).push_screen_wait(ConfirmDialog(question))

    def _complain(self, words: str) -> None:
        self.set_class(bool(words), "-wrong")
        self.query_one("#problem", Static).update(sanitize_line(words))


def _option(name: str) -> Option:
    line = Text(f"{name:<12}", no_wrap=True)
    line.append(FORMATS[name], style="dim")
    return Option(line, id=name)


def _written(files: list[tuple[Path, int]], export: Export) -> str:
    names = ", ".join(f"{path.absolute()} ({numbers.size(size)})" for path, size in files)
    redacted = redacted_words(export)
    so_far = f", {SO_FAR}" if export.run.outcome == "running" else ""
    return sanitize_line(
        f"Wrote {names}{so_far}." + (f" {as_sentence(redacted)}" if redacted else "")
    )
