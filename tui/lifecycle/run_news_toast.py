"""A toast on the home screen about runs that have ended or wait for the user in the background."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from textual.app import App
from textual.screen import Screen

from sandbox_tui.tui.format.titles import cut_title
from sandbox_tui.tui.terminal_io.notifications import Notices, failed
from sandbox_tui.tui.textual_support.toasts import DedupedToasts

if TYPE_CHECKING:
    from sandbox_tui.sessions import RunRegistry, RunWorker

TIMEOUT_SECONDS = 10
"""Seconds for which the toast is shown."""

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


class RunNewsToast:
    """Tells on the home screen which runs of this program have ended or begun to wait. What happens
    while another screen is shown is not told later: the rows say it.

    Args:
        app: shows the toast.
        runs: the runs of this program.
    """

    def __init__(self, app: DedupedToasts[int], runs: RunRegistry) -> None:
        self._app = app
        self._runs = runs
        self._notices = Notices()
        self._was_home = False
        self._offered: tuple[str, str] = ("", "")

    def begin(self) -> None:
        """Also look whenever the screen changes: what the left screen has shown is no news."""
        self._app.screen_change_signal.subscribe(  # pyright: ignore[reportUnknownMemberType]
            self._app, self._screen_changed, immediate=True
        )

    def _screen_changed(self, _: Screen[Any]) -> None:
        self.look()

    def look(self) -> None:
        """Look at the runs; show a toast about what is new."""
        away = self._runs.samples.union(self._runs.detached)
        own = [run for run_id, run in self._runs.all.items() if run_id not in away]
        news = self._notices.take_news(own)
        home = _home_of(self._app)
        self._withdraw_offer(home)
        was_home, self._was_home = self._was_home, home is not None
        if home is None or not was_home or not news:
            return
        if len(news) > 1:
            self._tell(counted([run for run, _ in news]))
            return
        ((run, words),) = news
        title = cut_title(home.listed_title(run), MAX_TITLE_CHARACTERS)
        if home.opens_on_enter(run.run_id):
            self._offered = run.run_id, f"{title}: {words} · enter opens it"
            self._tell(self._offered[1])
        else:
            self._tell(f"{title}: {words}")

    def _withdraw_offer(self, home: ListsRuns | None) -> None:
        """Remove the toast that offers enter once this key opens something else."""
        run_id, message = self._offered
        if message and (home is None or not home.opens_on_enter(run_id)):
            self._offered = "", ""
            self._app.remove_shown_toast(message, "")

    def _tell(self, words: str) -> None:
        self._app.notify(words, markup=False, timeout=TIMEOUT_SECONDS)


def counted(runs: Sequence[RunWorker]) -> str:
    """Return how many of these runs have ended, and how many wait for the user."""
    ended = sum(run.state.finished is not None or bool(failed(run)) for run in runs)
    waiting = len(runs) - ended
    parts = (
        f"{ended} {'run has' if ended == 1 else 'runs have'} ended" if ended else "",
        f"{waiting} {'run waits' if waiting == 1 else 'runs wait'} for you" if waiting else "",
    )
    return " · ".join(part for part in parts if part)


def _home_of(app: App[int]) -> ListsRuns | None:
    """Return the screen with the list of runs, unless another one than a dialog covers it."""
    stack: Sequence[Screen[object]] = app.screen_stack
    top = next((screen for screen in reversed(stack) if not screen.is_modal), None)
    return top if isinstance(top, ListsRuns) else None
