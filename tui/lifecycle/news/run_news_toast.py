"""A toast about runs that have ended or wait for the user in the background."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from rich.cells import cell_len
from textual.screen import Screen

from sandbox_tui.core.run.run_labels import SAMPLE, SAMPLES
from sandbox_tui.sessions.recording.run_registry import ENDED_BY_USER
from sandbox_tui.tui.format.answers import short_answer
from sandbox_tui.tui.format.titles import cut_title, task_line
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.screens.palette.shown_runs import is_shown, without_dialogs
from sandbox_tui.tui.terminal_io.counted_runs import counted
from sandbox_tui.tui.terminal_io.external_editor import is_editor_open
from sandbox_tui.tui.terminal_io.notifications import Notices, news_words, waits
from sandbox_tui.tui.textual_support.private_api import shown_toasts
from sandbox_tui.tui.textual_support.toasts import AROUND, DedupedToasts

if TYPE_CHECKING:
    from sandbox_tui.sessions import RunRegistry, RunWorker

TIMEOUT_SECONDS = 10.0
"""Seconds for which the toast is shown, from its latest news on."""

ADDING_SECONDS = 0.3
"""Seconds after which a toast is on the screen, unless it was put away."""

READING_SECONDS = 3.0
"""A toast that has been shown for this long has been read: the next one no longer counts the ends
of which it told. What waits stays in it."""

MAX_TITLE_CHARACTERS = 60
"""Characters of a run's title in the toast."""

MIN_TITLE_CHARACTERS = 12
"""Characters that are kept of a title even if the toast then needs a second line."""


@runtime_checkable
class ListsRuns(Protocol):
    """A screen with a list of runs, where a run in the background changes only its row."""

    def listed_title(self, run: RunWorker) -> str:
        """Return the title of a run in the list."""
        ...

    def opens_on_enter(self, run_id: str) -> bool:
        """Return whether enter opens this run now."""
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
    def is_end(self) -> bool:
        """Whether the run has ended, so that there is nothing to do."""
        return not waits(self.run)

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
        self._ended_told: set[str] = set()
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
        stack: Sequence[Screen[Any]] = without_dialogs(self._app.screen_stack)
        before, self._stack = self._stack, stack
        away = self._runs.samples.union(self._runs.detached)
        own = [run for run_id, run in self._runs.all.items() if run_id not in away]
        found = {run.run_id: News(run, words) for run, words in self._notices.take_news(own)}
        new = {
            run_id: news
            for run_id, news in found.items()
            if not (is_shown(run_id, before) or news.is_known)
        }
        self._untold = _still_new(self._untold | new, stack)
        new = _still_new(new, stack)
        if stack and isinstance(stack[-1], ListsRuns):
            new, self._untold = self._untold, {}
        kept = {run_id: one for run_id, one in self._shown.items() if run_id in self._runs.all}
        shown = _still_new(kept if self._is_up else {}, stack)  # the others were deleted
        if new and time.monotonic() - self._asked_at >= READING_SECONDS:
            shown = {run_id: one for run_id, one in shown.items() if not one.is_end}
        self._show(shown | new, bool(new))

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
        told = [
            run
            for run_id, run in self._runs.all.items()
            if run_id in self._ended_told and run_id not in news
        ]
        self._ended_told |= {run_id for run_id, one in news.items() if one.is_end}
        before, self._message = self._message, self._words(list(news.values()), told)
        if before and (before != self._message or is_new):
            self._app.remove_shown_toast(before, "")
        now = time.monotonic()
        if is_new:
            self._until = now + TIMEOUT_SECONDS
        if self._message and (before != self._message or is_new):
            self._asked_at = now
            self._app.notify_news(self._message, self._until - now)

    def _words(self, news: Sequence[News], told: Sequence[RunWorker]) -> str:
        """Return the text of the toast; it names a key only where that leads to the runs.

        Args:
            news: what it tells.
            told: the runs of which earlier toasts have told that they ended.
        """
        if not news:
            return ""
        home = next((one for one in self._stack if isinstance(one, ListsRuns)), None)
        is_covered = self._app.screen is not self._stack[-1]  # by a dialog, which takes the keys
        is_elsewhere = home is None or self._stack[-1] is not home
        if len(news) > 1:
            words = counted([one.run for one in news], told)
            finds = not is_covered and is_elsewhere
            return f"{words} · {hint('app.palette')} finds them" if finds else words
        ((run, words),) = news
        title = task_line(run.request.task) if home is None else home.listed_title(run)
        leads_to_it = ""
        if home is None or is_elsewhere:
            leads_to_it = f" · {hint('app.palette')} finds it"
        elif home.opens_on_enter(run.run_id):
            leads_to_it = " · enter opens it"
        key = "" if is_covered else leads_to_it
        which, then = self._which_sample(run), f": {words}{key}"
        with_answer = f": {words}{_answer(run)}{key}"
        if self._room(which, with_answer) >= min(MIN_TITLE_CHARACTERS, cell_len(title)):
            then = with_answer
        return self._on_one_line(which, title, then)

    def _which_sample(self, run: RunWorker) -> str:
        """Return what tells a sample apart from the others of its task; empty if it is none."""
        labels = run.request.labels
        others = (one.request.labels for one in self._runs.all.values() if one is not run)
        is_one_of_several = SAMPLES in labels and any(
            one.get(SAMPLES) == labels[SAMPLES] for one in others
        )
        return f"sample {labels[SAMPLE]} of " if is_one_of_several and SAMPLE in labels else ""

    def _on_one_line(self, before: str, title: str, then: str) -> str:
        """Return a title between other words; it is cut so that all fit one line. Where there is no
        room for it, a sample is named by its number alone."""
        room = self._room(before, then)
        if before and room < MIN_TITLE_CHARACTERS:
            return f"{before.removesuffix(' of ')}{then}"
        shown = min(MAX_TITLE_CHARACTERS, max(MIN_TITLE_CHARACTERS, room))
        return f"{before}{cut_title(title, shown)}{then}"

    def _room(self, before: str, then: str) -> int:
        """Return the columns left for a title between other words on one line."""
        return self._app.size.width - AROUND - cell_len(before) - cell_len(then)


def _answer(run: RunWorker) -> str:
    """Return the answer that a run has submitted, short, after a space; empty without one."""
    finished = run.state.finished
    if finished is None or finished.reason != "submitted" or not finished.answer:
        return ""
    return f" {short_answer(finished.answer)}"


def _still_new(news: dict[str, News], stack: Sequence[Screen[Any]]) -> dict[str, News]:
    """Return what is still true, and is not shown by one of these screens."""
    return {
        run_id: one for run_id, one in news.items() if one.is_true and not is_shown(run_id, stack)
    }
