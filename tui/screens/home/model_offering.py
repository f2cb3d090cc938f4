"""The choice of the model for new runs on the home screen, from models on this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.screen import Screen

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.sessions.relations.last_model import LastModel
from sandbox_tui.tui.format.titles import model_title
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.live_settings import LiveSettings
from sandbox_tui.tui.textual_support.toasts import complain_here, note_here
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.sessions.home_banner import HomeBanner
from sandbox_tui.tui.widgets.sessions.model_offers import ModelOffers, Offer


class ModelOffering:
    """Offers models on one screen, whose class `-no-model` means that none is chosen yet.

    They are listed while the screen has the class `-no-sessions` too; otherwise the banner says how
    many there are.

    Args:
        screen: contains `ModelOffers` and a `HomeBanner`.
        settings: where the chosen model is saved.
        on_chosen: called when a model has been chosen.
    """

    def __init__(
        self, screen: Screen[None], settings: LiveSettings, on_chosen: Callable[[], None]
    ) -> None:
        self._screen = screen
        self._settings = settings
        self._on_chosen = on_chosen
        self._last_model: LastModel | None = None
        self._has_looked = False

    @property
    def last_model(self) -> LastModel | None:
        """The model of the last run, with which the next one starts if none is chosen."""
        return self._last_model

    @last_model.setter
    def last_model(self, last: LastModel | None) -> None:
        self._last_model = last
        self._screen.query_one(HomeBanner).say_last_model(last)

    def show_whether_needed(self) -> None:
        """Show the offers only while no model is chosen."""
        self._screen.set_class(not self._settings.now.model.name, "-no-model")
        is_listed = self._screen.has_class("-no-sessions")
        offers, banner = self._screen.query_one(ModelOffers), self._screen.query_one(HomeBanner)
        if offers.is_looking and not is_listed:
            banner.say_looking()
        else:
            banner.say_found(None if is_listed else offers.model_count)

    def show_sessions(self, *, any_session: bool) -> None:
        """Make room for the sessions, if there are any."""
        self._screen.set_class(not any_session, "-no-sessions")
        self.show_whether_needed()

    def find(self) -> None:
        """If no model is chosen yet, look for models on this machine."""
        self.show_whether_needed()
        if not self._settings.now.model.name:
            self._has_looked = True
            self._screen.run_worker(self._find(), exclusive=True, group="offers")

    def find_once(self) -> None:
        """Show whether a model is needed; look for models unless that was done before."""
        if self._has_looked:
            self.show_whether_needed()
        else:
            self.find()

    async def _find(self) -> None:
        from sandbox_tui.tui.screens.home.find_offers import find_offers

        model = self._settings.now.model
        offers = self._screen.query_one(ModelOffers)
        offers.show(await find_offers(model), model.local_ports)

    def name_key(self) -> None:
        """Say in the border what the key does, now that it is known what there is."""
        offers = self._screen.query_one(ModelOffers)
        does = "choose · or click one" if offers.has_model else "look again"
        offers.border_subtitle = f"{hint('home.model')} {does}"
        self.show_whether_needed()

    def ask(self) -> None:
        """Open the dialog to choose a model."""
        from sandbox_tui.tui.screens.home.choose_model import ChooseModelDialog

        def chosen(offer: Offer | None) -> None:
            self.take(offer)
            self.find()  # what was found meanwhile is offered here as well

        app_of(self._screen).push_screen(ChooseModelDialog(self._settings.now.model), chosen)

    def take(self, offer: Offer | None) -> None:
        """Use this model from now on."""
        if offer is not None and set_model(self._screen, self._settings, offer):
            self._screen.remove_class("-no-model")
            self._on_chosen()


def set_model(screen: Screen[Any], settings: LiveSettings, offer: Offer) -> bool:
    """Use this model from now on and notify the user; return whether it could be saved."""
    try:
        path = settings.change({"model.name": offer.model, "model.base_url": offer.base_url})
    except ConfigError as error:
        complain_here(screen, str(error), seconds=20)
        return False
    note_here(screen, f"Model set to {model_title(offer.model)} (saved in {path}).")
    return True
