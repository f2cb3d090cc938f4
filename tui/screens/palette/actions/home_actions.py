"""The actions of the home screen that the palette of another screen offers: those that need no
session under the cursor. They work without a home screen, too."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from textual.app import App
from textual.binding import Binding
from textual.screen import ModalScreen, Screen

from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
from sandbox_tui.tui.keys.default_keys import ACTIONS
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.key_sequencer import keys_for_dialog
from sandbox_tui.tui.keys.synonyms import synonyms
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.palette.entry import Entry
from sandbox_tui.tui.screens.palette.sources import END

if TYPE_CHECKING:  # imported when first shown
    from sandbox_tui.tui.screens.new_run.new_run_anywhere import NewRunAnywhere

PROGRAM_WIDE = ("home.new", "home.evals", "home.trainings", "home.wall", "home.settings")
"""Actions that need no session under the cursor."""

OWN_NAMES = ("home.new",)
"""Actions that are not those with the same purpose elsewhere: other lists have other news."""

SHOWN = {
    "home.new": "new_run.start",
    "home.settings": "settings.save",
    "home.evals": "evals.new",
    "home.trainings": "trainings.leave",
    "home.wall": "wall.leave",
}
"""Actions that open a screen, and an action by which that screen is known: it needs no other."""

IN_DIALOG = "close the dialog first"
"""Why the actions are off while a dialog is open, which would lose its answer."""

_NO_RUNS = "no run was started here yet", "this program has one run only"
"""Why none of its runs, or a single one, are not shown side by side."""

_NOTHING_RUNS = "no run that goes on is under the cursor"


class HomeActions:
    """What the palette offers of the home screen elsewhere.

    Args:
        app: the program.
        settings: the current settings.
        evals: the evaluations and runs of this program.
        open_settings: opens the settings.
    """

    def __init__(
        self,
        app: App[int],
        settings: LiveSettings,
        evals: EvalRegistry,
        open_settings: Callable[[], object],
    ) -> None:
        self._app = app
        self._settings = settings
        self._evals = evals
        self._without_home: Mapping[str, Callable[[], object]] = {
            "home.new": self._ask_for_run,
            "home.evals": self._open_evaluations,
            "home.settings": open_settings,
            "home.wall": self._open_wall,
        }

    def entries(self, below: Screen[object], listed: Collection[Entry]) -> Sequence[Entry]:
        """Return the actions of the home screen that a screen does not have.

        Args:
            below: the screen from which the palette was opened.
            listed: the entries of that screen.
        """
        if isinstance(below, HomeScreen):
            return _end_of_run(below, listed)
        stack = self._app.screen_stack
        home = next((one for one in stack if isinstance(one, HomeScreen)), None)
        here = {one.name.partition(".")[2] for one in listed} | {one.words for one in listed}
        names = {one.name for one in listed}
        entries: list[Entry] = []
        for binding in HomeScreen.BINDINGS:
            if not isinstance(binding, Binding) or binding.id not in PROGRAM_WIDE:
                continue
            purpose, words = binding.id.partition(".")[2], ACTIONS[binding.id].title
            words = words[:1].upper() + words[1:]
            if here & {"" if binding.id in OWN_NAMES else purpose, words}:
                continue
            if SHOWN[binding.id] in names:
                entries.append(_shown_already(binding.id, words))
            else:
                entries += self._entry(home, binding.id, binding.action, words)
        if isinstance(below, ModalScreen):
            return [replace(entry, off=entry.off or IN_DIALOG) for entry in entries]
        return entries

    def _entry(
        self, home: HomeScreen | None, name: str, action: str, words: str
    ) -> Sequence[Entry]:
        also = synonyms(name)
        if home is None:
            run = self._without_home.get(name)
            off = self._why_no_wall if name == "home.wall" else ""
            return () if run is None else (Entry("Actions", name, words, "", run, off, also),)

        async def run_there() -> None:
            if home in self._app.screen_stack:  # it may have closed while the user was choosing
                await self._app.run_action(action, home)

        off, where = home.why_unavailable(action, ()), f"home: {hint(name)}"
        return (Entry("Actions", name, words, where, run_there, off, also),)

    @cached_property
    def _new_run(self) -> NewRunAnywhere:
        from sandbox_tui.tui.screens.new_run.new_run_anywhere import NewRunAnywhere

        return NewRunAnywhere(self._app, self._settings, self._evals.runs)

    def _ask_for_run(self) -> None:
        asking = keys_for_dialog(self._app, self._new_run.ask())
        self._app.run_worker(asking, exclusive=True, group="new_run")

    @property
    def _why_no_wall(self) -> str:
        count = len(self._evals.runs.own)
        return "" if count > 1 else _NO_RUNS[count]

    def _open_wall(self) -> None:
        from sandbox_tui.tui.screens.wall.open_wall import open_wall_of

        runs = self._evals.runs
        open_wall_of(self._app.screen, runs.own, runs, lambda _: None)

    def _open_evaluations(self) -> Awaitable[object]:
        from sandbox_tui.tui.screens.evals.open_eval import open_list

        return open_list(self._app, self._evals, self._settings)


def _shown_already(name: str, words: str) -> Entry:
    return Entry("Actions", name, words, "", lambda: None, "it is open", synonyms(name))


def _end_of_run(home: HomeScreen, listed: Collection[Entry]) -> Sequence[Entry]:
    """Return why no run can be ended on the home screen, if none can."""
    if any(one.name == END for one in listed):
        return ()
    runs = home.sessions_chosen
    off = _elsewhere() if any(run.outcome == "running" for run in runs) else _NOTHING_RUNS
    return (Entry("Actions", END, "End the run", "", lambda: None, off, synonyms(END)),)


def _elsewhere() -> str:
    keys = hint("home.open"), hint("live.steer"), hint("live.end")
    words = "another program runs it: {} watches it, there {} takes control and {} ends it"
    return words.format(*keys)
