"""A form with fields for a model and its server, which can be chosen from a list."""

from __future__ import annotations

from textual import on, work
from textual.markup import escape
from textual.widgets import Input
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import Settings
from sandbox_tui.core.config.valid_values import with_scheme
from sandbox_tui.tui.screens.dialogs.dialog import Result
from sandbox_tui.tui.screens.dialogs.form import FormDialog, when_filled
from sandbox_tui.tui.screens.home.choose_model import ChooseModelDialog
from sandbox_tui.tui.screens.home.server_check import ServerCheck, check_server
from sandbox_tui.tui.screens.home.start_anyway import StartAnywayDialog
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.sessions.model_offers import Offer

ASKED = "being asked …"
ASKED_HINT = "Before the start, the server is asked whether it serves the model …"
"""Note and hint at a server from which a start awaits an answer."""

CHANGED = "Not started: the form was changed while its server was asked."


class ModelForm(FormDialog[Result]):
    """A form whose fields `#model` and `#url` can be filled from a list of models."""

    _settings: Settings
    _check = ServerCheck()
    _asked = ""
    """The address of the server from which a start awaits an answer."""
    last_server = ""
    """The address of the last run's server, whose models can be chosen too; empty for none."""
    _completed = ""
    """The address before which `http://` or `https://` was put."""

    def complete_server(self) -> None:
        """Put `http://` or `https://` before the address of a server if that was left out; the note
        at the field says so."""
        url = self.typed()["url"].strip()
        if (whole := with_scheme(url)) != url:
            self._completed = whole
            field = self.query_one("#url", Input)
            behind = len(field.value) - field.cursor_position
            self.put("url", whole)
            field.cursor_position = len(whole) - behind  # it stays where it was in the text

    @on(Input.Blurred, "#model")
    @on(Input.Blurred, "#url")
    def _left_server(self) -> None:
        self.complete_server()
        if self.has_server:
            self._check_server(self.typed()["url"])

    @work(exclusive=True, group="server")
    async def _check_server(self, url: str) -> None:
        """Say at the fields that the server does not answer, or lists no such model."""
        self._check = await check_server(self._settings.model, url)
        self._show_notes()

    @property
    def has_server(self) -> bool:
        """Whether the form names a server that can be asked."""
        return bool(self.typed()["url"])

    @property
    def is_server_in_doubt(self) -> bool:
        """Whether the server has said, or failed to say, something that speaks against a start."""
        typed = self.typed()
        return self._check.url == typed["url"] and bool(self._check.doubt(typed["model"]))

    @property
    def has_unknown_server(self) -> bool:
        """Whether model or server were typed here: whether they work is not known."""
        typed, model = self.typed(), self._settings.model
        changed = (typed["model"], typed["url"]) != (model.name, model.base_url)
        return changed and bool(typed["url"])

    async def is_start_wanted(self) -> bool:
        """Ask before a start if the server does not answer, or lists no such model.

        A server that takes its time is waited for: whether it works decides on the question.
        """
        typed = self.typed()
        model, url = typed["model"], typed["url"]
        if self._check.url != url or self._check.doubt(model):
            await self._ask_server(url)
        if self.typed() != typed:
            self.notify(CHANGED, severity="warning", markup=False)
            return False
        doubt = self._check.doubt(model) if self._check.url == url else ""
        return not doubt or bool(await app_of(self).push_screen_wait(StartAnywayDialog(doubt)))

    async def _ask_server(self, url: str) -> None:
        """Ask a server, and say so meanwhile."""
        self._asked = url
        self._show_notes()
        self._explain(self._field_of(self.focused))
        self._check = await check_server(self._settings.model, url)
        self._asked = ""
        self._show_notes()
        self._explain(self._field_of(self.focused))

    def server_note(self, name: str) -> str:
        """Return what the server's answer means for a field, `model` or `url`, or what was added
        to its address, as markup."""
        typed = self.typed()
        if name == "url" and typed["url"] == self._asked != "":
            return ASKED
        note = escape(sanitize_line(self._check.note(name, typed["model"], typed["url"])))
        is_completed = name == "url" and typed["url"] == self._completed != ""
        added = f"{self._completed.partition('://')[0]}:// added" if is_completed else ""
        return " · ".join(filter(None, (note, added)))

    @override
    def doubt_about(self, name: str) -> str:
        typed = self.typed()
        if typed["url"] == self._asked != "":
            return ASKED_HINT
        if name not in ("model", "url") or not self._check.note(name, typed["model"], typed["url"]):
            return ""
        return sanitize_line(self._check.doubt(typed["model"]))

    @on(Input.Changed, "#model")
    @on(Input.Changed, "#url")
    def _show_notes(self) -> None:
        """Write the notes of both fields into their borders, unless they hold mistakes."""
        typed = self.typed()
        for name in ("model", "url"):
            field, is_wrong = self.query_one(f"#{name}"), name in self._mistakes
            doubt = self._check.note(name, typed["model"], typed["url"])
            field.set_class(bool(doubt), "-doubted")
            if not is_wrong:
                field.border_subtitle = self.note_of(name)
        if (focused := self._field_of(self.focused)) in ("model", "url"):
            self._explain(focused)

    @when_filled
    def action_models(self) -> None:
        """Choose a model, only for this form: of the server in it, of the settings or the last run,
        or of this machine."""
        self.complete_server()
        dialog = ChooseModelDialog.at(self._settings.model, self.typed()["url"], self.last_server)
        app_of(self).push_screen(dialog, self.take_model)

    def take_model(self, offer: Offer | None) -> None:
        """Fill the fields with a model that was chosen; None changes nothing."""
        if offer is not None:
            self.put("model", offer.model)
            self.put("url", offer.base_url)
