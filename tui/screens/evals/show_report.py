"""Shows the report of an evaluation outside of the program, and the comparison of two in it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

from textual.screen import Screen

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.base.typed_path import free_path, working_directory
from sandbox_tui.core.base.write_file import write_file
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.terminal_io.open_external import open_outside, opener
from sandbox_tui.tui.textual_support.toasts import RESULT_SECONDS
from sandbox_tui.tui.textual_support.typed_app import app_of


async def show_report(screen: Screen[Any], store: Store, eval_id: str) -> None:
    """Write the report into the current folder, open it, and say where it is."""
    try:
        path = await asyncio.to_thread(_write, store, eval_id)
        words = f"Wrote {path}."
        if opener(os.environ, page=True) is not None:
            open_outside(path)
            words += " Your browser opens it."
    except SandboxTuiError as error:
        screen.notify(sanitize_line(str(error)), severity="error", markup=False)
    else:
        screen.notify(sanitize_line(words), markup=False, timeout=RESULT_SECONDS)


async def show_comparison(
    screen: Screen[Any], store: Store, left: EvalInfo, right: EvalInfo
) -> None:
    """Show two evaluations paired by task and mode, as `eval compare` prints them."""
    from sandbox_tui.sessions.evals.report.recorded_comparison import recorded_comparison
    from sandbox_tui.tui.screens.evals.comparison_pager import ComparisonPager

    try:
        found = await asyncio.to_thread(recorded_comparison, store, left, right)
    except SandboxTuiError as error:
        screen.notify(sanitize_line(str(error)), severity="error", markup=False)
    else:
        app_of(screen).push_screen(ComparisonPager(found, store, screen.size.width))


def _write(store: Store, eval_id: str) -> Path:
    from sandbox_tui.sessions.evals.report.html import html_report
    from sandbox_tui.sessions.evals.report.recorded_report import recorded_report
    from sandbox_tui.sessions.interchange.known_secrets import known_secrets
    from sandbox_tui.sessions.interchange.redaction import Redactor

    info = ledger.summary(store, eval_id).info
    report = recorded_report(store, info, ledger.results(store, eval_id))
    page = Redactor(known_secrets()).text(html_report(report))
    path = free_path(working_directory() / f"{eval_id}.html")
    write_file(path, page.encode("utf-8", "replace"))
    return path
