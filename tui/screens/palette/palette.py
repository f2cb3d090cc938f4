"""The palette of the program: its entries, and the effect of choosing one."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from inspect import isawaitable

from textual.app import App
from textual.screen import Screen

from sandbox_tui.core.base.errors import ConfigError, StoreError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.sessions.evals.eval_registry import EvalRegistry
from sandbox_tui.sessions.relations.fork_origin import read_origins
from sandbox_tui.sessions.relations.last_model import last_model
from sandbox_tui.sessions.relations.running_summaries import up_to_now
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.sessions.store.tables.annotations import all_tags
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.reread_settings import reread_settings
from sandbox_tui.tui.screens.home.find_offers import find_offers
from sandbox_tui.tui.screens.home.home import HomeScreen
from sandbox_tui.tui.screens.home.import_sessions import ask_for_import
from sandbox_tui.tui.screens.home.model_form import ModelForm
from sandbox_tui.tui.screens.home.model_offering import set_model
from sandbox_tui.tui.screens.home.rows.session_opener import SessionOpener
from sandbox_tui.tui.screens.palette.actions.evaluation_actions import EvaluationActions
from sandbox_tui.tui.screens.palette.actions.form_fields import field_entries
from sandbox_tui.tui.screens.palette.actions.home_actions import IN_DIALOG, HomeActions
from sandbox_tui.tui.screens.palette.actions.pane_actions import pane_entries
from sandbox_tui.tui.screens.palette.actions.session_actions import session_entries
from sandbox_tui.tui.screens.palette.actions.typed_entries import typed_entries
from sandbox_tui.tui.screens.palette.entry import Entry
from sandbox_tui.tui.screens.palette.palette_screen import PaletteScreen
from sandbox_tui.tui.screens.palette.shown_runs import is_shown, without_dialogs
from sandbox_tui.tui.screens.palette.sources import (
    action_entries,
    evaluation_entry,
    model_entries,
    session_entry,
    setting_entries,
    theme_entries,
)
from sandbox_tui.tui.screens.settings import SettingsScreen
from sandbox_tui.tui.terminal_io.notifications import waits
from sandbox_tui.tui.textual_support.toasts import complain_here, note_here
from sandbox_tui.tui.theming.live_themes import LiveThemes
from sandbox_tui.tui.widgets.sessions.model_offers import Offer

MAX_SESSIONS = 1000
"""The newest sessions, which can be opened by name; the search of the home screen covers all."""

MAX_EVALUATIONS = 100
"""The newest evaluations, which can be opened by name."""


_ID = re.compile(r"[0-9a-z-]{5,}")
"""An id of a session, or its last part."""


class Palette:
    """Opens over the top screen.

    Args:
        app: the program.
        settings: the current settings.
        themes: the available themes.
        evals: the evaluations and runs of this program, and the store with all sessions.
    """

    def __init__(
        self, app: App[int], settings: LiveSettings, themes: LiveThemes, evals: EvalRegistry
    ) -> None:
        self._app = app
        self._settings = settings
        self._themes = themes
        self._evals = evals
        self._runs = evals.runs
        self._evaluations = EvaluationActions(app, evals, settings)
        self._home = HomeActions(app, settings, evals, self._open_settings)
        self._recent: list[str] = []

    def open(self) -> None:
        """Open the palette."""
        below = self._app.screen
        if isinstance(below, PaletteScreen):
            return
        reread_settings(self._app, self._settings)
        shown = partial(is_shown, stack=without_dialogs(self._app.screen_stack))
        waiting = [run_id for run_id in self._waiting_runs if not shown(run_id)]
        actions = partial(self._actions, below)
        known = [
            *self._waiting_entries(below, waiting),
            *actions(),
            *session_entries(self._app, below, self._runs),
            *field_entries(below),
            *self._import_entries(below),
            *self._evaluations.entries(below),
            *self._theme_entries(),
            *setting_entries(self._settings.now, self._open_settings),
        ]

        def chosen(entry: Entry | None) -> None:
            if entry is not None:
                self._app.call_later(self._choose, entry)

        later = partial(self._read, below, waiting, shown)
        for_typed = partial(self._typed_entries, below)
        again = partial(self._read_stored, below, waiting, shown)
        palette = PaletteScreen(known, later, self._recent, for_typed, actions, again)
        self._app.push_screen(palette, chosen)

    def _actions(self, below: Screen[object]) -> Sequence[Entry]:
        """Return what can be done on a screen now; nothing once it has closed."""
        if below not in self._app.screen_stack:
            return ()
        here = self._evaluations.opened_from_list(below, action_entries(self._app, below))
        panes = pane_entries(self._app, below, here)
        return [*here, *self._home.entries(below, here), *panes]

    def _waiting_entries(self, below: Screen[object], waiting: Sequence[str]) -> Sequence[Entry]:
        """Return runs of this program that wait for the user, which are known at once."""
        open_session = SessionOpener(below, self._runs).open
        try:
            runs = [self._runs.store.run(run_id) for run_id in waiting]
        except StoreError:  # reading all sessions complains about it
            return ()
        return [session_entry(replace(run, waits=True), open_session) for run in runs]

    @property
    def _waiting_runs(self) -> Sequence[str]:
        return [run.run_id for run in self._runs.own if waits(run)]

    def _theme_entries(self) -> Sequence[Entry]:
        dark = self._dark_by_theme()
        return theme_entries(dark, self._app.theme, self._apply_theme, self._themes.own)

    def _dark_by_theme(self) -> dict[str, bool]:
        """Return whether each theme is dark, by name."""
        known = self._app.available_themes
        names = self._themes.look_again()
        return {name: name not in known or known[name].dark for name in names}

    def _import_entries(self, below: Screen[object]) -> Sequence[Entry]:
        if isinstance(below, HomeScreen):  # there it is an action with a key
            return ()
        off = IN_DIALOG if below.is_modal else ""
        return (Entry("Actions", "import", "Import sessions from a file", "", self._import, off),)

    def _typed_entries(self, below: Screen[object], typed: str) -> Sequence[Entry]:
        """Return the entries that a typed text adds, among them the session with this id, which may
        be a sample of an evaluation or too old to be listed."""
        suites = self._evaluations.for_typed(below, typed)
        found = (*typed_entries(self._app, below, typed), *suites)
        if not _ID.fullmatch(typed.strip()):
            return found
        try:
            run = self._runs.store.run(typed.strip())
        except StoreError:
            return found
        return (*found, session_entry(run, SessionOpener(below, self._runs).open))

    async def _choose(self, entry: Entry) -> None:
        self._recent = [entry.name, *(name for name in self._recent if name != entry.name)]
        done = entry.choose()
        if isawaitable(done):
            await done

    async def _read(
        self, below: Screen[object], waiting: Sequence[str], shown: Callable[[str], bool]
    ) -> AsyncIterator[Sequence[Entry]]:
        """Yield sessions and evaluations, then models, while the user is already typing."""
        last = None
        try:
            async for more in self._read_stored(below, waiting, shown):
                yield more
            last = await asyncio.to_thread(last_model, self._runs.store)
        except StoreError as error:
            self._complain(error)
        offers = await find_offers(self._settings.now.model, [last.base_url] if last else ())
        yield model_entries(offers, self._settings.now, self._choose_model)

    async def _read_stored(
        self, below: Screen[object], waiting: Sequence[str], shown: Callable[[str], bool]
    ) -> AsyncIterator[Sequence[Entry]]:
        """Yield sessions and evaluations.

        Raises:
            StoreError: the database cannot be read.
        """
        from sandbox_tui.tui.screens.evals.open_eval import EvalOpener

        sessions = SessionOpener(below, self._runs)
        evaluations = EvalOpener(below, self._evals, self._settings)
        store = self._runs.store
        yield await asyncio.to_thread(_read_sessions, store, sessions.open, waiting, shown)
        yield await asyncio.to_thread(_read_evaluations, store, evaluations.open)

    # --- effects of a choice

    def _choose_model(self, offer: Offer) -> None:
        """Take a model for the form or the settings below, otherwise from now on."""
        screen = self._app.screen
        if isinstance(screen, ModelForm):
            screen.take_model(offer)
            screen.go_to_field("model")
        elif isinstance(screen, SettingsScreen):
            screen.take({"model.name": offer.model, "model.base_url": offer.base_url})
        else:
            set_model(screen, self._settings, offer)

    def _apply_theme(self, name: str) -> None:
        """Use a theme from now on; over the settings it is saved with the others."""
        if isinstance(self._app.screen, SettingsScreen):
            self._app.screen.take({"ui.theme": name})
            return
        self._app.theme = name
        try:
            path = self._settings.change({"ui.theme": name})
        except ConfigError as error:
            self._complain(error)
        else:
            note_here(self._app.screen, f"Theme set to {sanitize_line(name)} (saved in {path}).")

    def _import(self) -> None:
        def imported(run_id: str) -> None:
            for screen in self._app.screen_stack:
                if isinstance(screen, HomeScreen):
                    screen.show_imported(run_id)

        ask_for_import(self._app, self._runs.store, imported)

    def _open_settings(self, name: str = "ui.theme") -> None:
        stack = self._app.screen_stack
        settings = next((screen for screen in stack if isinstance(screen, SettingsScreen)), None)
        if settings is not None:  # perhaps below the question whether to leave it
            settings.pop_until_active()
            settings.go_to(name)
        else:
            self._app.push_screen(SettingsScreen(self._settings, self._themes, at=name))

    def _complain(self, error: Exception) -> None:
        complain_here(self._app, str(error))


def _read_sessions(
    store: Store,
    open_session: Callable[[RunSummary], object],
    waiting: Collection[str],
    shown: Callable[[str], bool],
) -> list[Entry]:
    """Return an entry for each of the newest sessions.

    Args:
        store: the database.
        open_session: opens one.
        waiting: ids of those that are known to wait for the user.
        shown: returns whether a screen shows one.

    Raises:
        StoreError: the database cannot be read.
    """
    runs = up_to_now(store, store.standalone_runs(MAX_SESSIONS))
    origins, tags = read_origins(store, runs), all_tags(store)
    return [
        session_entry(
            replace(run, waits=True) if run.id in waiting else run,
            open_session,
            origins.get(run.id),
            tags.get(run.id, ()),
            is_shown=shown(run.id),
        )
        for run in runs
    ]


def _read_evaluations(
    store: Store, open_evaluation: Callable[[EvalSummary], object]
) -> list[Entry]:
    """Return an entry for each of the newest evaluations.

    Raises:
        StoreError: the database cannot be read.
    """
    found = ledger.summaries(store, MAX_EVALUATIONS)
    return [evaluation_entry(summary, open_evaluation) for summary in found]
