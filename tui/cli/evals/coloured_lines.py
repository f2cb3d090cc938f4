"""Writes the lines of a report to standard output, in colour if it is a terminal."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from typing import Any

import click

from sandbox_tui.core.evals.reporting.table import EvalTable
from sandbox_tui.sessions.interchange.known_secrets import known_secrets
from sandbox_tui.sessions.interchange.redaction import Redactor
from sandbox_tui.tui.format.column_blocks import Line
from sandbox_tui.tui.format.evals.eval_table import outcome_lines

COLOURS: dict[str, dict[str, Any]] = {
    "head": {"dim": True},
    "better": {"fg": "green"},
    "worse": {"fg": "red"},
}
"""Style by kind of line."""


def may_colour() -> bool | None:
    """Return what click takes as `color`: None, colour on a terminal, unless `NO_COLOR` is set."""
    return False if os.environ.get("NO_COLOR") else None


def write_lines(lines: Iterable[Line], redactor: Redactor) -> None:
    """Write lines, without colour if `NO_COLOR` is set (no-color.org)."""
    for line in lines:
        label, text = (redactor.text(part) for part in (line.label, line.text.rstrip()))
        style = COLOURS.get(line.kind)
        words = f"{label}{click.style(text, **style) if style else text}"
        click.echo(words.rstrip(), color=may_colour())


def write_outcome(table: EvalTable) -> None:
    """Write the results of an evaluation: domains by modes, and what the figures leave out."""
    width = shutil.get_terminal_size().columns
    write_lines(outcome_lines(table, width), Redactor(known_secrets()))
