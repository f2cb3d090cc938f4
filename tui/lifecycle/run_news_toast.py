"""A toast about runs that have ended or wait for the user in the background."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from textual.screen import Screen

from sandbox_tui.sessions.recording.run_registry import ENDED_BY_USER
from sandbox_tui.tui.format.titles import cut_title, task_line
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.terminal_io.external_editor import is_editor_open
from sandbox_tui.tui.terminal_io.notifications import Notices, failed, news_words
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.textual_support.toasts import DedupedToasts

if TYPE_CHECKING:
    from sandbox_tui.sessions import RunRegistry, RunWorker, Store

TIMEOUT_SECONDS = 10.0
"""Seconds for which the toast is shown, from its latest news on."""

ADDING_SECONDS = 0.3
"""Seconds after which a toast is on the screen, unless it was put away."""

MAX_TITLE_CHARACTERS = 60
"""Characters of a run's title in the toast."""


@runtime_checkable
class ListsRuns(Protocol):
    """A screen with a list of runs, where a run in the background changes only its row."""

    def listed_title(self, run: RunWorker) -> str:
        """Return the title of a run in the list."""
        ...

    def opens_on_enter(self, run_id: str) -> bool:
        """Return whether enter opens this run now."""
        ...


@runtime_checkable
class ShowsSession(Protocol):
    """A screen about one session; if that is a live run, the screen itself tells what is new."""

    @property
    def session(self) -> tuple[Store, str]:
        """The store, and the session's id."""
        ...


@runtime_checkable
class ShowsRuns(Protocol):
    """A screen that shows several runs side by side."""

    def shows_run(self, run_id: str) -> bool:
        """Return whether a run is one of them."""
        ...


class News(NamedTuple):
    """What is new about a run, in words."""

    run: RunWorker
    words: str

    @property
    def is_true(self) -> bool:
        """Whether the run is still as the words say."""
        return news_words(self.run) == self.words

    @property
    def is_known(self) -> bool:
        """Whether the user has just ended the run."""
        finished = self.run.state.finished
        return finished is not None and finished.error == ENDED_BY_USER


class RunNewsToast:
    """Tells on every screen which other runs of this program have ended or begun to wait. What was
    told elsewhere is told once more on the home screen, where the runs can be opened, unless their
    own screens have been shown since.

    Args:
        app: shows the toast.
        runs: the runs of this program.
    """

    def __init__(self, app: DedupedToasts[int], runs: RunRegistry) -> None:
        self._app = app
        self._runs = runs
        self._notices = Notices()
        self._stack: Sequence[Screen[Any]] = ()
        self._untold: dict[str, News] = {}  # on the home screen
        self._shown: dict[str, News] = {}
        self._message = ""
        self._asked_at = self._until = 0.0

    def begin(self) -> None:
        """Also look whenever the screen changes: what the left screen has shown is no news."""
        self._app.screen_change_signal.subscribe(  # pyright: ignore[reportUnknownMemberType]
            self._app, self._screen_changed, immediate=True
        )

    def _screen_changed(self, _: Screen[Any]) -> None:
        self.look()

    def look(self) -> None:
        """Look at the runs; show what is new, and put away what is no longer true. News wait while
        an editor has the terminal."""
        if is_editor_open():
            return
        stack: Sequence[Screen[Any]] = [one for one in self._app.screen_stack if not one.is_modal]
        before, self._stack = self._stack, stack
        away = self._runs.samples.union(self._runs.detached)
        own = [run for run_id, run in self._runs.all.items() if run_id not in away]
        found = {run.run_id: News(run, words) for run, words in self._notices.take_news(own)}
        new = {
            run_id: news
            for run_id, news in found.items()
            if not (_is_shown(run_id, before) or news.is_known)
        }
        self._untold = _still_new(self._untold | new, stack)
        new = _still_new(new, stack)
        if stack and isinstance(stack[-1], ListsRuns):
            new, self._untold = self._untold, {}
        self._show(_still_new(self._shown if self._is_up else {}, stack) | new, bool(new))

    @property
    def _is_up(self) -> bool:
        """Whether the toast is shown, or about to be."""
        now = time.monotonic()
        is_shown = any(toast.message == self._message for toast in shown_toasts(self._app))
        return now < self._until and (is_shown or now < self._asked_at + ADDING_SECONDS)

    def _show(self, news: dict[str, News], is_new: bool) -> None:
        """Replace the toast if its words change; they are shown as long as before unless some are
        new."""
        self._shown = news
        before, self._message = self._message, self._words(list(news.values()))
        if before and (before != self._message or is_new):
            self._app.remove_shown_toast(before, "")
        now = time.monotonic()
        if is_new:
            self._until = now + TIMEOUT_SECONDS
        if self._message and (before != self._message or is_new):
            self._asked_at = now
            self._app.notify(self._message, markup=False, timeout=self._until - now)

    def _words(self, news: Sequence[News]) -> str:
        """Return the text of the toast; it names a key only where that leads to the run."""
        if len(news) != 1:
            return counted([one.run for one in news])
        ((run, words),) = news
        home = next((one for one in self._stack if isinstance(one, ListsRuns)), None)
        title = task_line(run.request.task) if home is None else home.listed_title(run)
        told = f"{cut_title(title, MAX_TITLE_CHARACTERS)}: {words}"
        if self._app.screen is not self._stack[-1]:
            return told  # a dialog takes the keys
        if home is None or self._stack[-1] is not home:
            return f"{told} · {hint('app.palette')} finds it"
        return f"{told} · enter opens it" if home.opens_on_enter(run.run_id) else told


def counted(runs: Sequence[RunWorker]) -> str:
    """Return how many of these runs have ended, and how many wait for the user."""
    ended = sum(run.state.finished is not None or bool(failed(run)) for run in runs)
    waiting = len(runs) - ended
    parts = (
        f"{ended} {'run has' if ended == 1 else 'runs have'} ended" if ended else "",
        f"{waiting} {'run waits' if waiting == 1 else 'runs wait'} for you" if waiting else "",
    )
    return " · ".join(part for part in parts if part)


def _still_new(news: dict[str, News], stack: Sequence[Screen[Any]]) -> dict[str, News]:
    """Return what is still true, and is not shown by one of these screens."""
    return {
        run_id: one for run_id, one in news.items() if one.is_true and not _is_shown(run_id, stack)
    }


def _is_shown(run_id: str, stack: Sequence[Screen[Any]]) -> bool:
    """Return whether the screens, of which the last one is visible, tell what is new about a run: a
    live run tells it even while another screen covers it."""
    sessions: Iterable[ShowsSession] = (one for one in stack if isinstance(one, ShowsSession))
    if any(one.session[1] == run_id for one in sessions):
        return True
    return bool(stack) and isinstance(stack[-1], ShowsRuns) and stack[-1].shows_run(run_id)
