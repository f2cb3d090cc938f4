"""Tells whether a server lists a model, before anything depends on it."""

from __future__ import annotations

import difflib

from sandbox_tui.core.base.errors import ModelError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import ModelSettings, api_key
from sandbox_tui.core.models.discovery import ask_for_models, is_unlisted
from sandbox_tui.core.models.error_mapping import redacted, without_secrets

ANY_NAME = "llama.cpp"
"""A kind of server that answers with its one model, whatever name it is asked for."""

MAX_NAMED = 3
"""Maximum number of listed models that are named if none is close."""

NEAR = 0.4
"""Minimum similarity, from 0 to 1, of a name that is worth a mention."""


async def unlisted_warning(settings: ModelSettings) -> str:
    """Return a sentence that a server lists no such model, with the closest one that it lists;
    empty if it lists it, has no list or does not answer."""
    if not settings.base_url or not settings.name:
        return ""
    key = api_key(settings)
    try:
        server = await ask_for_models(settings, key)
    except ModelError:
        return ""  # the run says what is wrong
    if server.kind == ANY_NAME or not is_unlisted(settings.name, server.models):
        return ""
    closest = difflib.get_close_matches(settings.name, server.models, 1, NEAR)
    where = without_secrets(settings.base_url)
    some = ", ".join(server.models[:MAX_NAMED]) + (", …" if len(server.models) > MAX_NAMED else "")
    instead = f"; the closest is {closest[0]}" if closest else f", but {some}"
    words = f"{where} lists no model {settings.name}{instead}."
    return sanitize_line(redacted(words, key or ""))  # a proxy may echo the key as a name
