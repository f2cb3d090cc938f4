"""The part of the form for new runs that looks for models on this machine if none is set yet."""

from __future__ import annotations

from textual import work
from typing_extensions import override

from sandbox_tui.core.config import settings as config
from sandbox_tui.core.models.discovery import find_local_servers
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.screens.dialogs.dialog import Result
from sandbox_tui.tui.screens.dialogs.form import Texts
from sandbox_tui.tui.screens.home.model_form import ModelForm
from sandbox_tui.tui.widgets.sessions.model_offers import Offer, offers_of


class LooksForModels(ModelForm[Result]):
    """A form with the fields `#model` and `#url`, which takes the only model of this machine."""

    _at_first: Texts
    _models_found = 0
    _only_found: Offer | None = None

    @property
    def has_draft_of_model(self) -> bool:
        """Whether model or server are of a draft."""
        raise NotImplementedError

    @property
    def has_only_found(self) -> bool:
        """Whether model and server are the only ones found on this machine."""
        only, typed = self._only_found, self.typed()
        return only is not None and (typed["model"], typed["url"]) == (only.model, only.base_url)

    @override
    def beside_mistake(self, name: str) -> str:
        if name != "model" or not self._models_found:
            return ""
        return f"{self._models_found} found, {hint('new_run.models')} chooses"

    @work(exclusive=True, group="look")
    async def look_for_models(self) -> None:
        """If no model is set yet, show that this machine has models; take the only one."""
        model = self._settings.model
        offers = offers_of(await find_local_servers(model.local_ports), model)
        found = [offer for offer in offers if offer.model]
        self._models_found = len(found)
        typed = self.typed()
        is_untouched = not (typed["model"] or typed["url"] or self.has_draft_of_model)
        if len(found) == 1 and is_untouched:
            self._take_only(found[0])
        if "model" in self._mistakes:
            self._fit("model")
            self._explain(self._field_of(self.focused))
        else:
            self.query_one("#model").border_subtitle = self.note_of("model")

    def _take_only(self, offer: Offer) -> None:
        """Start from this model: it counts as a setting, not as typed."""
        named = {"model.name": offer.model, "model.base_url": offer.base_url}
        self._settings = config.changed(self._settings, named)
        self._only_found = offer
        self._at_first |= {"model": offer.model, "url": offer.base_url}
        self.take_model(offer)
