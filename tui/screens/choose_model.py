# pyright: reportUnknownMemberType=false
"""Choosing a model among those that servers on this machine have."""

from __future__ import annotations

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from ...core.config import ModelSettings
from ...core.models.local_servers import find_local_servers
from ..keymap import hint
from ..widgets.model_offers import ModelOffers, Offer, offers_of


class ChooseModel(ModalScreen[Offer | None]):
    """Looks for servers, lists their models; dismisses with the one that was taken.

    Args:
        settings: which ports to ask, and which key may be set.
    """

    CSS = """
    ChooseModel { align: center middle; background: $background 60%; }
    ChooseModel Vertical {
        width: 84; max-width: 96%; height: auto; max-height: 90%; padding: 1 1 0 1;
        border: round $accent; background: $surface;
        border-title-color: $accent; border-subtitle-color: $role-dim;
    }
    ChooseModel ModelOffers {
        height: auto; max-height: 12; border: none; background: $surface;
    }
    ChooseModel ModelOffers:focus { border: none; }
    ChooseModel Static { color: $role-dim; padding: 1 2; height: auto; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r,f5", "look", "look again", id="choose_model.look"),
        Binding("escape,q", "dismiss(None)", "back", id="choose_model.leave"),
    ]

    def __init__(self, settings: ModelSettings) -> None:
        super().__init__()
        self._settings = settings

    def compose(self) -> ComposeResult:
        """The offers, and what choosing does."""
        with Vertical() as box:
            box.border_title = "a model to work with"
            box.border_subtitle = (
                f"{hint('list.open')} chooses · {hint('choose_model.look')} looks again · "
                f"{hint('choose_model.leave')} goes back"
            )
            yield ModelOffers(id="offers")
            yield Static("What you choose is written to config.toml; keys never are.")

    def on_mount(self) -> None:
        """Begin to look."""
        self.action_look()

    @work(exclusive=True, group="look")
    async def action_look(self) -> None:
        """Ask the ports."""
        ports = self._settings.local_ports
        offers = offers_of(await find_local_servers(ports), self._settings)
        self.query_one(ModelOffers).show(offers, ports)

    @on(ModelOffers.Chosen)
    def _chosen(self) -> None:
        offer = self.query_one(ModelOffers).current
        if offer is None:
            return
        if offer.model:
            self.dismiss(offer)
        else:
            self.notify(f"There is no model to choose here: {offer.words}.", markup=False)
