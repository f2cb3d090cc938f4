"""Ignores lookups that fail because a screen or the app is closing; these are not bugs.

Textual removes widgets while handlers and workers of their screen may still run, which then do not
find their own widgets. By then there is nothing left to show.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from textual.app import App
from textual.css.query import NoMatches
from textual.worker import WorkerFailed

from sandbox_tui.tui.textual_support.private_api import (
    current_node,
    current_worker,
    is_closing,
    is_exiting,
)

Result = TypeVar("Result")


class IgnoresLookupsAtExit(App[Result], Generic[Result]):
    """An app that ignores failed lookups while it exits or closes a screen."""

    def _handle_exception(self, error: Exception) -> None:
        cause = error.error if isinstance(error, WorkerFailed) else error
        is_expected = is_exiting(self) or _works_for_closing_screen()
        if not (isinstance(cause, NoMatches) and is_expected):
            super()._handle_exception(error)


def _works_for_closing_screen() -> bool:
    """Return whether the screen of the current worker, handler or callback is being removed."""
    worker = current_worker()
    node = current_node() if worker is None else worker.node
    return node is not None and any(map(is_closing, node.ancestors_with_self))
