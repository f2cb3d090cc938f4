"""The dialog to choose a model from the servers on this machine."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import ClassVar

import msgspec
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.dialog import Dialog
from sandbox_tui.tui.screens.home.find_offers import find_offers
from sandbox_tui.tui.widgets.sessions.model_offers import ModelOffers, Offer

TITLE = "choose a model"


class ChooseModelDialog(Dialog[Offer | None]):
    """Finds servers and lists their models; dismisses with the chosen one.

    Args:
        settings: the server to ask first, the ports to query, and the API key that may be set.
        for_good: whether the caller saves the choice to the config file.
        also: addresses of other servers to ask.
    """

    CSS = """
    ChooseModelDialog { background: $background 60%; }
    ChooseModelDialog .dialog { width: 100; max-width: 96%; max-height: 90%; padding: 1 1 0 1; }
    ChooseModelDialog ModelOffers {
        height: auto; max-height: 12; border: none; background: $surface;
    }
    ChooseModelDialog ModelOffers:focus { border: none; }
    ChooseModelDialog Static { color: $role-dim; padding: 1 2; height: auto; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("choose_model.look", "look"),
        binding("choose_model.leave", "dismiss(None)"),
    ]

    def __init__(
        self, settings: ModelSettings, *, for_good: bool = True, also: Sequence[str] = ()
    ) -> None:
        super().__init__()
        self._settings = settings
        self._for_good = for_good
        self._also = also

    @classmethod
    def at(cls, settings: ModelSettings, url: str, last: str = "") -> ChooseModelDialog:
        """Return the dialog for a form whose server field holds this URL: it lists the models of
        that server, of the one in the form's settings, and of the last run's."""
        named = msgspec.structs.replace(settings, base_url=url.strip())
        return cls(named, for_good=False, also=(settings.base_url, last))

    def compose(self) -> ComposeResult:
        """Yield the offers, and the effect of choosing one."""
        with Vertical(classes="dialog") as box:
            box.border_title = TITLE
            yield ModelOffers(self._advice, id="offers")
            yield Static(
                "Your choice is saved in config.toml; API keys never are."
                if self._for_good
                else "Your choice fills in the form; config.toml is not changed."
            )

    @property
    def _advice(self) -> tuple[str, str]:
        models = hint("new_run.models")
        where = (
            f"a new run ({self._keys_to_form})" if self._for_good else f"the form, then {models}"
        )
        return (
            f"· start one, such as ollama serve, then {hint('choose_model.look')}",
            f"· for one elsewhere, enter its URL in {where}",
        )

    @property
    def _keys_to_form(self) -> str:
        return f"{hint('choose_model.leave')}, then {hint('home.new')}"

    @on(ModelOffers.Looked)
    def _name_keys(self) -> None:
        """Name the keys that do something now."""
        offers = self.query_one(ModelOffers)
        self.choice_words = "choose" if offers.has_model else ""
        self.refresh_bindings()
        keys = [f"{hint('list.open')} choose"] if offers.has_model else []
        keys += [f"{hint('choose_model.look')} refresh", f"{hint('choose_model.leave')} cancel"]
        self.query_one(".dialog").border_subtitle = " · ".join(keys)
        self.query_one(Static).display = offers.has_model

    def on_mount(self) -> None:
        """Start the search."""
        self._name_keys()
        self._search()

    def action_look(self) -> None:
        """Query the ports again, and say so: often nothing else on the screen changes."""
        self._show_title("looking for servers …")
        self._search(again=True)

    @work(exclusive=True, group="look")
    async def _search(self, *, again: bool = False) -> None:
        offers = await find_offers(self._settings, self._also)
        self.query_one(ModelOffers).show(offers, self._settings.local_ports)
        if again:
            self._show_title(f"refreshed at {time.strftime('%H:%M:%S')}")

    def _show_title(self, state: str) -> None:
        self.query_one(".dialog").border_title = f"{TITLE} · {state}"

    @on(ModelOffers.Selected)
    def _chosen(self) -> None:
        offer = self.query_one(ModelOffers).current
        if offer is None:
            return
        if offer.model:
            self.dismiss(offer)
        else:
            self.notify(f"No model to choose here: {offer.words}.", markup=False)
