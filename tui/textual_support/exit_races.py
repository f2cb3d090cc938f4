"""Ignores lookups that fail because a screen or the app is closing; these are not bugs.

Textual removes widgets while handlers and workers of their screen may still run, which then do not
find their own widgets. By then there is nothing left to show.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from textual.app import App
from textual.css.query import NoMatches
from textual.worker import WorkerFailed

from sandbox_tui.tui.textual_support.private_api import is_exiting

Result = TypeVar("Result")


class IgnoresLookupsAtExit(App[Result], Generic[Result]):
    """An app that exits as requested, whatever lookups of its screens fail in the meantime."""

    def _handle_exception(self, error: Exception) -> None:
        cause = error.error if isinstance(error, WorkerFailed) else error
        if not (is_exiting(self) and isinstance(cause, NoMatches)):
            super()._handle_exception(error)
