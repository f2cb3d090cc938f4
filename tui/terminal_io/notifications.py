"""Notifications for a user who is not watching: a run needs attention, or has ended."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from sandbox_tui.tui.format.titles import cut_title, first_line

if TYPE_CHECKING:
    from sandbox_tui.core.events.run_state import RunState
    from sandbox_tui.sessions import RunWorker
    from sandbox_tui.sessions.remote.run_handle import FoldedRun

MAX_NOTIFICATION_CHARACTERS = 120
"""Maximum length of a notification's text; desktops cut longer ones anyway."""


class Notice(NamedTuple):
    """A notification in our own words; text taken from a run is sanitized and cut."""

    title: str
    text: str


class Notices:
    """Checks runs for news; each item is reported once."""

    def __init__(self) -> None:
        self._reported: dict[str, str] = {}

    def take_new(self, workers: Iterable[RunWorker]) -> list[Notice]:
        """Return what is new since the last call."""
        return [
            Notice(f"sandbox-tui: {words}", cut(worker.request.task))
            for worker, words in self.take_news(workers)
        ]

    def take_news(self, workers: Iterable[RunWorker]) -> list[tuple[RunWorker, str]]:
        """Return the runs with something new since the last call, and in words what that is."""
        found: list[tuple[RunWorker, str]] = []
        for worker in workers:
            words = failed(worker) or notification_text(worker.state)
            if words != self._reported.get(worker.run_id, ""):
                self._reported[worker.run_id] = words
                if words:
                    found.append((worker, news_words(worker)))
        return found


def news_words(worker: FoldedRun) -> str:
    """Return what the user has to know about a run now, in words; empty if nothing."""
    return (failed(worker) or notification_text(worker.state)).partition(":")[0]


def failed(worker: FoldedRun) -> str:
    """Return that a run could not start or could not be recorded completely; otherwise empty."""
    if worker.failure is None:
        return ""
    return "is no longer recorded" if worker.state.seq else "could not start"


def notification_text(state: RunState) -> str:
    """Return a run's news for the user, or empty. The part after the colon tells similar news
    apart."""
    finished = state.finished
    if finished is not None:
        return finished.reason.replace("_", " ")
    if state.pending is not None:
        return f"a call waits for you:{state.pending.call.number}"
    if state.awaited is not None:
        return f"a command waits for input:{state.awaited.seq}"
    return ""


def waits(worker: FoldedRun) -> bool:
    """Return whether a run waits for the user now: for a decision or for input."""
    state = worker.state
    return state.finished is None and bool(news_words(worker)) and not failed(worker)


def cut(text: str) -> str:
    """Return the first line of an untrusted text, sanitized and cut for a notification or a
    title."""
    return cut_title(first_line(text), MAX_NOTIFICATION_CHARACTERS)
