"""Exports, imports and searches sessions, for `sandbox-tui sessions`."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import json
import re
import sys
import tempfile
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sandbox_tui.core.base.errors import AlreadyImported, ConfigError, ImportRefused, StoreError
from sandbox_tui.core.base.sanitize import sanitize, sanitize_line
from sandbox_tui.core.base.write_file import is_stdout
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.search.across_sessions import Hit
from sandbox_tui.sessions.store.maintenance import Report
from sandbox_tui.tui.cli.sessions.session_table import sample_words
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import cut_title, task_line, task_title

if TYPE_CHECKING:
    from sandbox_tui.sessions.interchange.export_files import Export
    from sandbox_tui.sessions.interchange.exports import Exporter

NAMED = ("session", "task", "title")
"""Kinds of matches whose text already says which session it is."""

MAX_TITLE = 30
"""Maximum columns of a title in front of a match."""

_SPACE = re.compile(r"\s+")

_USUAL_NAMES = {
    "json": ("trajectory", "chat-jsonl"),
    "txt": ("markdown",),
    "text": ("markdown",),
    "htm": ("html",),
    "zip": ("bundle",),
    "png": ("svg",),
    "gif": ("film",),
    "mp4": ("film",),
    "video": ("film",),
}
"""Formats that are closest to a usual name of others, or to the ending of a file."""


def unknown_format(name: str, known: Sequence[str]) -> str:
    """Return what to say about a format that does not exist: the closest ones, and all."""
    close = _USUAL_NAMES.get(name.lower().lstrip(".")) or difflib.get_close_matches(name, known, 2)
    meant = f" Did you mean {' or '.join(close)}?" if close else ""
    return f"There is no format {name!r}.{meant} Known formats: {', '.join(known)}."


def export_session(
    store: Store,
    run: RunSummary,
    exporter: Exporter,
    output: Path | None,
    *,
    redact: bool,
    force: bool,
) -> None:
    """Write the files of a session's export; `-` is standard output.

    Raises:
        ConfigError: a file already exists, or cannot be written.
        StoreError: the session has nothing to export in this format.
    """
    from sandbox_tui.sessions.interchange.export_files import make_export, redacted_words

    export = make_export(store, run, exporter, redact=redact)
    if output is not None and is_stdout(output):
        _to_stdout(export)
    else:
        for path, size in export.write(output, overwrite=force):
            click.echo(f"{path}  {numbers.size(size)}")
    if run.outcome == "running":
        click.echo(f"{run.id} is still running: exported as recorded so far.", err=True)
    if export.redacted:
        click.echo(f"{redacted_words(export)}; --no-redact keeps them.", err=True)


def export_sessions(
    store: Store,
    runs: Sequence[RunSummary],
    exporter: Exporter,
    folder: Path | None,
    *,
    redact: bool,
    force: bool,
) -> bool:
    """Write the files of several sessions' exports to a folder, which may be new; print why one
    could not be written, and return False then.

    Raises:
        ConfigError: the folder is a file or standard output, or cannot be made.
    """
    from sandbox_tui.sessions.interchange.export_files import make_folder

    if folder is not None and is_stdout(folder):
        raise ConfigError("stdout takes one session: name a folder with --output.")
    if folder is not None:
        make_folder(folder)
    good = True
    for run in runs:
        try:
            export_session(store, run, exporter, folder, redact=redact, force=force)
        except (ConfigError, StoreError) as error:
            good = False
            words = sanitize(str(error))
            which = "" if run.id in words else f"{run.id}: "
            click.echo(f"sandbox-tui: {which}{words}", err=True)
    return good


def _to_stdout(export: Export) -> None:
    """Write the one file of an export to stdout; to a terminal, text without control sequences.

    Raises:
        ConfigError: there are several files, or the file is not suitable for a terminal.
    """
    first, *others = export.parts
    if others:
        raise ConfigError(
            f"This export has {len(export.parts)} files, one for each terminal, and stdout takes "
            "one: name a folder with --output."
        )
    data = first.data
    if sys.stdout.isatty():
        try:
            data = sanitize(data.decode("utf-8")).encode()
        except UnicodeDecodeError as error:
            raise ConfigError(
                "This format is not text: write it to a file with > or --output."
            ) from error
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


@contextlib.contextmanager
def _file_of(path: Path) -> Generator[Path]:
    """Yield a file to import; `-` is standard input, copied to a file that lasts as long.

    Raises:
        ImportRefused: standard input is a terminal, too large, or cannot be copied.
    """
    if str(path) != "-":
        yield path
        return
    if sys.stdin.isatty():
        raise ImportRefused("stdin is a terminal: name a file, or pipe a session in.")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "stdin"
        try:
            _copy_stdin(copy)
        except OSError as error:
            raise ImportRefused(f"stdin cannot be copied to {folder}: {error.strerror}.") from error
        yield copy


def _copy_stdin(copy: Path) -> None:
    from sandbox_tui.sessions.interchange.imports.base import MAX_BUNDLE_BYTES

    left = MAX_BUNDLE_BYTES
    with copy.open("wb") as target:
        while data := sys.stdin.buffer.read(1 << 20):
            left -= len(data)
            if left < 0:
                most = MAX_BUNDLE_BYTES >> 20
                raise ImportRefused(f"stdin is too large: at most {most} MB are imported.")
            target.write(data)


def import_files(store: Store, files: Sequence[Path]) -> bool:
    """Import each file, and of a folder those that can be imported, and print the result, with the
    file's name if there are several; return False if one failed. It is no failure that a session is
    already here."""
    from sandbox_tui.sessions.interchange.importable_files import files_to_import
    from sandbox_tui.sessions.interchange.imports import KNOWN_FORMATS, format_found, import_file

    good, lists_formats = True, False
    found: list[Path] = []
    for path in files:
        try:
            found += files_to_import(path)
        except ImportRefused as error:
            good = False
            click.echo(f"sandbox-tui: {sanitize(str(error))}", err=True)
    for path in found:
        which = f"{sanitize_line(str(path))}: " if len(found) > 1 else ""
        try:
            with _file_of(path) as file:
                run_ids = import_file(store, file)
            for run_id in run_ids:
                run = store.run(run_id)
                task = cut_title(task_line(run.task), 60)
                steps = numbers.counted(run.steps, "step")
                click.echo(f"{which}{run.id}  {steps}  {task} · {format_found(run)}")
        except (ImportRefused, StoreError) as error:
            good = good and isinstance(error, AlreadyImported)
            words = sanitize(str(error))
            if words.endswith(KNOWN_FORMATS):  # which are listed once
                words = words.removesuffix(KNOWN_FORMATS).rstrip() if lists_formats else words
                lists_formats = True
            click.echo(f"sandbox-tui: {_about_file(words, path, which)}", err=True)
    return good


def _about_file(words: str, path: Path, which: str) -> str:
    """Return an error of a file with the file's name once: the error may begin with its path, or
    with its name, which is then written as that of one of several files.

    Args:
        words: the error.
        path: of the file.
        which: names the file before the error if there are several; otherwise empty.
    """
    if words.startswith(sanitize_line(str(path))):
        return words
    name = sanitize(path.name)
    if which and words.startswith(name):
        return f"{which.removesuffix(': ')}{words.removeprefix(name)}"
    return f"{which}{words}"


def print_hits(hits: Sequence[Hit], limit: int, remarks: Sequence[str], *, as_json: bool) -> None:
    """Print one line per match: session, step, kind, on a terminal the title of the session if the
    match is in something else, and the text around the words; at most `limit`, and then whether
    there are more."""
    for remark in remarks:
        click.echo(f"sandbox-tui: {sanitize_line(remark)}", err=True)
    if not hits and not as_json:
        click.echo("No matches.", err=True)
    for hit in hits[:limit]:
        click.echo(json.dumps(dataclasses.asdict(hit)) if as_json else _line_of(hit))
    if len(hits) > limit and not as_json:
        first = "The first match" if limit == 1 else f"The first {limit} matches"
        click.echo(f"{first}; --limit N shows more.", err=True)


def _line_of(hit: Hit) -> str:
    step = f"step {hit.step}" if hit.step else ""
    words = " ".join(_marked(hit).split())
    if hit.kind in ("session", "task") and (sample := sample_words(hit.run)):
        words = f"{sample} · {words}"
    elif hit.kind not in NAMED and _is_on_terminal():
        words = f"{cut_title(task_title(hit.run), MAX_TITLE)} · {words}"
    return f"{hit.run.id}  {step:<8}  {hit.kind:<11}  {words}"


def _is_on_terminal() -> bool:
    return sys.stdout.isatty()


def _marked(hit: Hit) -> str:
    """Return the snippet, with matching words in bold on a terminal."""
    text, at = "", 0
    for start, end in hit.marks:
        text += _on_one_line(hit.snippet[at:start])
        text += click.style(_on_one_line(hit.snippet[start:end]), bold=True)
        at = end
    return text + _on_one_line(hit.snippet[at:])


def _on_one_line(text: str) -> str:
    return sanitize_line(_SPACE.sub(" ", text))


def print_report(report: Report) -> None:
    """Print the result of an integrity check."""
    for problem in report.problems:
        click.echo(f"✗ {sanitize_line(problem)}")
    if not report.problems:
        click.echo("✓ the session database is whole")
    click.echo(
        f"  {report.sessions} sessions, {report.events} events, {report.contents} saved files, "
        f"{numbers.size(report.bytes)}, {numbers.size(report.free)} of it free"
    )
