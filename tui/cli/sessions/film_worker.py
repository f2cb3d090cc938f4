"""Draws one film or screenshot of the cockpit, for a program that shows a screen meanwhile.

    python -m sandbox_tui.tui.cli.sessions.film_worker REQUEST

REQUEST is a `FilmRequest` as JSON. The program writes a `FilmReport` as a line of JSON per frame,
and the picture after the last one.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.interchange.export_files import make_export
from sandbox_tui.tui.cli.sessions.cockpit_exporters import film_exporter, screenshot_exporter
from sandbox_tui.tui.film.film_process import FilmReport, FilmRequest


def draw(request: FilmRequest) -> None:
    """Draw the film or screenshot, and write reports and picture to stdout."""
    total = 0

    def drawn(frames: int, of: int) -> None:
        nonlocal total
        total = of
        _report(FilmReport(frames=frames, total=of))

    if request.at:
        exporter = screenshot_exporter(request.at, request.size, request.theme)
    else:
        exporter = film_exporter(request.size, request.theme, drawn)
    with Store.open_readonly_if_needed(Path(request.database)) as store:
        export = make_export(store, store.run(request.run_id), exporter, redact=request.redact)
    (picture,) = export.parts
    report = FilmReport(frames=total, total=total, size=len(picture.data), redacted=export.redacted)
    _report(report, picture.data)


def _report(report: FilmReport, picture: bytes = b"") -> None:
    assert sys.__stdout__ is not None  # the app replaces `sys.stdout` while it runs
    sys.__stdout__.buffer.write(msgspec.json.encode(report) + b"\n" + picture)
    sys.__stdout__.flush()


if __name__ == "__main__":
    try:
        draw(msgspec.json.decode(sys.argv[1], type=FilmRequest))
    except SandboxTuiError as error:
        _report(FilmReport(error=str(error)))
