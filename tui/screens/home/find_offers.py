"""Finds models to offer: those of the server that is named, and of servers on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from sandbox_tui.core.base.errors import ModelError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.config.settings import ModelSettings, api_key
from sandbox_tui.core.models.discovery import ask_for_models, find_local_servers
from sandbox_tui.tui.format.setting_text import mistake_of_server
from sandbox_tui.tui.widgets.sessions.model_offers import Offer, offers_of


async def find_offers(settings: ModelSettings, also: Sequence[str] = ()) -> list[Offer]:
    """Return the offers of the server that the settings name, or what is wrong with it; then those
    of other servers.

    Args:
        settings: the server to ask first, the ports of this machine to query, and the API key.
        also: addresses to ask besides, such as that of the last run; empty ones are left out.
    """
    urls = _others(settings, also)
    found = find_local_servers(settings.local_ports)
    others = asyncio.gather(*(_ask_other(settings, url) for url in urls))
    first, servers, lists = await asyncio.gather(_ask_named(settings), found, others)
    named = [*first, *(offer for offers in lists for offer in offers)]
    asked = {_here(offer.base_url) for offer in named}
    rest = [server for server in servers if server.base_url not in asked]
    return [*named, *offers_of(rest, settings)]


def _others(settings: ModelSettings, also: Sequence[str]) -> list[str]:
    """Return each address once that is not the server of the settings."""
    urls = {_here(url.strip()): url.strip() for url in also if url.strip()}
    urls.pop(_here(settings.base_url.strip()), None)
    return list(urls.values())


async def _ask_other(settings: ModelSettings, url: str) -> list[Offer]:
    return await _ask_named(msgspec.structs.replace(settings, base_url=url))


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
