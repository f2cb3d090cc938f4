"""What a model server says about the model and the address that were typed into a form."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from sandbox_tui.core.base.errors import ModelError, ServerUnreachable
from sandbox_tui.core.config.model_names import split_models
from sandbox_tui.core.config.settings import ModelSettings, api_key
from sandbox_tui.core.config.valid_values import is_server_address
from sandbox_tui.core.models.discovery import ask_for_models, is_unlisted
from sandbox_tui.core.models.error_mapping import without_secrets

UNREACHABLE = "does not answer now"
"""The note at a server; a run can be started all the same."""

NOT_LISTED = "the server lists no such model"
"""The note at a model; a server may load it on request."""


@dataclass(frozen=True, slots=True)
class ServerCheck:
    """The answer of a server.

    Attributes:
        url: the address that was asked.
        answers: whether it answered.
        models: the models that it lists; empty if it has no list, or shows it to nobody.
        reason: why it does not answer: words that follow its name.
    """

    url: str = ""
    answers: bool = True
    models: tuple[str, ...] = ()
    reason: str = ""

    def note(self, name: str, model: str, url: str) -> str:
        """Return what speaks against the text of a field, `model` or `url`; empty if nothing."""
        if url != self.url:
            return ""
        if name == "url":
            return "" if self.answers else UNREACHABLE
        unlisted = self.unlisted(model)
        is_one_of_several = unlisted and len(split_models(model)) > 1
        named = f"{', '.join(unlisted)}: " if is_one_of_several else ""
        return f"{named}{NOT_LISTED}" if unlisted else ""

    def doubt(self, model: str) -> str:
        """Return what speaks against starting runs of the models in a field, as a sentence; empty
        if nothing does."""
        where = f"The server at {without_secrets(self.url)}"
        if not self.answers:
            return f"{where} {self.reason or 'does not answer.'}"
        unlisted = ", ".join(self.unlisted(model))
        return f"{where} lists no such model: {unlisted}." if unlisted else ""

    def unlisted(self, model: str) -> list[str]:
        """Return which of the models in a field the server does not list; none if it has no
        list."""
        return [one for one in split_models(model) if is_unlisted(one, self.models)]


async def check_server(settings: ModelSettings, url: str) -> ServerCheck:
    """Ask a server for its models.

    Args:
        settings: those of the form before it was changed; only their server gets the key.
        url: the address in the form.
    """
    if not is_server_address(url):
        return ServerCheck()
    key = api_key(settings) if url == settings.base_url else None
    try:
        found = await ask_for_models(msgspec.structs.replace(settings, base_url=url), key)
    except ServerUnreachable as error:
        where = without_secrets(url.rstrip("/"))
        return ServerCheck(url, answers=False, reason=str(error).removeprefix(f"{where} "))
    except ModelError:
        return ServerCheck(url)
    return ServerCheck(url, models=found.models)
