"""Finds models to offer: those of the server that is named, and of servers on this machine."""

from __future__ import annotations

import asyncio

from sandbox_tui.core.base.errors import ModelError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import ModelSettings, api_key
from sandbox_tui.core.models.discovery import ask_for_models, find_local_servers
from sandbox_tui.tui.format.setting_text import mistake_of_server
from sandbox_tui.tui.widgets.sessions.model_offers import Offer, offers_of


async def find_offers(settings: ModelSettings) -> list[Offer]:
    """Return the offers of the server that the settings name, or what is wrong with it; then those
    of the other servers that answer on the ports of this machine."""
    found = find_local_servers(settings.local_ports)
    first, servers = await asyncio.gather(_ask_named(settings), found)
    asked = {_here(offer.base_url) for offer in first}
    others = [server for server in servers if server.base_url not in asked]
    return [*first, *offers_of(others, settings)]


async def _ask_named(settings: ModelSettings) -> list[Offer]:
    url = settings.base_url.strip()
    if not url:
        return []
    if words := mistake_of_server(url):
        return [Offer("", url, f"server {sanitize_line(url)}: {words}")]
    try:
        server = await ask_for_models(settings, api_key(settings))
    except ModelError as error:
        return [Offer("", url, str(error))]
    return offers_of([server], None)


def _here(url: str) -> str:
    """Return a URL as `find_local_servers` writes it if it is of this machine."""
    return url.replace("//localhost", "//127.0.0.1").rstrip("/")
