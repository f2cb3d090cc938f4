"""A form with fields for a model and its server, which can be chosen from a list."""

from __future__ import annotations

from textual import on
from textual.widgets import Input

from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.config.valid_values import with_scheme
from sandbox_tui.tui.screens.dialogs.dialog import Result
from sandbox_tui.tui.screens.dialogs.form import FormDialog
from sandbox_tui.tui.screens.home.choose_model import ChooseModelDialog
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.sessions.model_offers import Offer


class ModelForm(FormDialog[Result]):
    """A form whose fields `#model` and `#url` can be filled from a list of models."""

    _settings: Settings

    def complete_server(self) -> None:
        """Put `http://` before the address of a server nearby if that was left out."""
        url = self.typed()["url"].strip()
        if (whole := with_scheme(url)) != url:
            self.put("url", whole)

    @on(Input.Blurred, "#url")
    def _left_server(self) -> None:
        self.complete_server()

    def action_models(self) -> None:
        """Choose a model of the server in the form or of this machine, only for this form."""
        self.complete_server()
        dialog = ChooseModelDialog.at(self._settings.model, self.typed()["url"])
        app_of(self).push_screen(dialog, self._take)

    def _take(self, offer: Offer | None) -> None:
        if offer is not None:
            self.put("model", offer.model)
            self.put("url", offer.base_url)
