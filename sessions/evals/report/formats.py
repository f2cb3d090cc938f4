"""The formats of reports and of comparisons: a function each, and a line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from sandbox_tui.core.evals.reporting.comparison import EvalComparison
from sandbox_tui.sessions.evals.report.compare import comparison_html, comparison_markdown
from sandbox_tui.sessions.evals.report.csv import cells_csv, samples_csv
from sandbox_tui.sessions.evals.report.html import html_report
from sandbox_tui.sessions.evals.report.markdown import markdown_report
from sandbox_tui.sessions.evals.report.report import EvalReport

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ReportFormat(Generic[T]):
    """A format.

    Attributes:
        suffix: end of its file's name.
        about: what it is for, in a few words.
        write: makes its text; lines end as they are to end in the file.
    """

    suffix: str
    about: str
    write: Callable[[T], str]


REPORT_FORMATS: dict[str, ReportFormat[EvalReport]] = {
    "markdown": ReportFormat(".md", "for a repository or an issue", markdown_report),
    "html": ReportFormat(".html", "one page with plots and every sample", html_report),
    "csv": ReportFormat(".csv", "a line per sample", samples_csv),
    "csv-cells": ReportFormat(".csv", "a line per domain and mode", cells_csv),
}
"""Of the report of one evaluation, by name."""

COMPARISON_FORMATS: dict[str, ReportFormat[EvalComparison]] = {
    "markdown": ReportFormat(".md", "for a repository or an issue", comparison_markdown),
    "html": ReportFormat(".html", "one page", comparison_html),
}
"""Of the comparison of two, by name."""
