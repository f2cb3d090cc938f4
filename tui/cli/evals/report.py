"""`sandbox-tui eval report` and `compare`: evaluations as text, Markdown, HTML, CSV and JSON."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.write_file import write_file
from sandbox_tui.core.evals.reporting.comparison import EvalComparison
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.evals.report.compare import comparison_html, comparison_markdown
from sandbox_tui.sessions.evals.report.csv import cells_csv, samples_csv
from sandbox_tui.sessions.evals.report.html import html_report
from sandbox_tui.sessions.evals.report.json import json_report
from sandbox_tui.sessions.evals.report.markdown import markdown_report
from sandbox_tui.sessions.evals.report.recorded_comparison import recorded_comparison
from sandbox_tui.sessions.evals.report.recorded_report import recorded_report
from sandbox_tui.sessions.evals.report.report import EvalReport
from sandbox_tui.sessions.evals.report.session_pages import write_session_pages
from sandbox_tui.sessions.interchange.known_secrets import known_secrets
from sandbox_tui.sessions.interchange.redaction import Redactor
from sandbox_tui.sessions.store.tables import eval_ledger
from sandbox_tui.tui.cli.evals.coloured_lines import write_lines
from sandbox_tui.tui.cli.evals.named_evaluation import evaluation_with_results
from sandbox_tui.tui.cli.evals.progress import say_progress
from sandbox_tui.tui.format.compared.eval_comparison import comparison_lines, comparison_text
from sandbox_tui.tui.format.evals.eval_table import report_lines, report_text

REPORTS: Mapping[str, Callable[[EvalReport], str]] = {
    "markdown": markdown_report,
    "html": html_report,
    "csv": samples_csv,
    "cells": cells_csv,
    "json": json_report,
}
"""Formats of a report by name, besides `text`."""

FILE_WIDTH = 400
"""Columns of text in a file or a pipe, where nothing has to be cut to fit a terminal."""

COMPARISONS: Mapping[str, Callable[[EvalComparison], str]] = {
    "markdown": comparison_markdown,
    "html": comparison_html,
}
"""Formats of a comparison by name, besides `text`."""


def write_report(
    store: Store,
    name: str,
    form: str,
    output: Path | None,
    *,
    sessions: bool,
    explain: bool = False,
) -> None:
    """Write the report of an evaluation.

    Args:
        store: the database.
        name: see `evaluation_with_results`.
        form: `text` or one of `REPORTS`.
        output: a file; None: standard output.
        sessions: whether to write a page for each session next to the report, with links.
        explain: whether text also says how each figure is computed, as pages always do.

    Raises:
        ConfigError: a file cannot be written, or pages are requested without an output file.
        StoreError: there is no such evaluation.
    """
    if sessions and (output is None or form not in ("html", "markdown")):
        raise ConfigError("--sessions needs --output, and the format html or markdown.")
    found = evaluation_with_results(store, name)
    results = eval_ledger.results(store, found.info.id)
    redactor = Redactor(known_secrets())
    links: dict[str, str] = {}
    if sessions and output is not None:
        links = _pages(store, [one.run_id for one in results if one.run_id], output, redactor)
    report = recorded_report(store, found.info, results, links)
    if form != "text":
        _write(REPORTS[form](report), output, redactor)
    elif output is None:
        lines = report_lines(report.table, _width(), explain=explain, unsolved=report.unsolved)
        write_lines(lines, redactor)
    else:
        text = report_text(report.table, FILE_WIDTH, explain=explain, unsolved=report.unsolved)
        _write(text, output, redactor)


def write_comparison(
    store: Store, left: str, right: str, form: str, output: Path | None, *, explain: bool
) -> None:
    """Write a comparison of two evaluations, paired by task and mode.

    Args:
        store: the database.
        left, right: see `evaluation_with_results`.
        form: `text` or one of `COMPARISONS`.
        output: a file; None: standard output.
        explain: whether text also says how each figure is computed, as the others always do.

    Raises:
        ConfigError: both are the same evaluation, or the file cannot be written.
        StoreError: there is no such evaluation.
    """
    one = evaluation_with_results(store, left)
    other = one if left == right else evaluation_with_results(store, right)
    if one.info.id == other.info.id:
        raise ConfigError(f"{left} and {right} are the same evaluation, {one.info.id}.")
    found = recorded_comparison(store, one.info, other.info)
    redactor = Redactor(known_secrets())
    if form != "text":
        _write(COMPARISONS[form](found), output, redactor)
    elif output is None:
        write_lines(comparison_lines(found, _width(), explain=explain), redactor)
    else:
        _write(comparison_text(found, FILE_WIDTH, explain=explain), output, redactor)


def _pages(store: Store, run_ids: list[str], output: Path, redactor: Redactor) -> dict[str, str]:
    links: dict[str, str] = {}
    try:
        for run_id, link in write_session_pages(store, run_ids, output.parent, redactor):
            links[run_id] = link
            say_progress(f"{len(links)} of {len(run_ids)} pages")
    except OSError as error:
        raise ConfigError(f"The page cannot be written: {error.strerror}.") from error
    say_progress("")
    return links


def _write(text: str, output: Path | None, redactor: Redactor) -> None:
    text = redactor.text(text)
    if output is None:
        click.echo(text.rstrip("\n"))
        return
    write_file(output, text.encode("utf-8", "replace"))
    click.echo(str(output))


def _width() -> int:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else FILE_WIDTH
