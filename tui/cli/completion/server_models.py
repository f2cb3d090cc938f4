"""Completes the models that a server on this machine lists. It is asked once per completion, and
one that does not answer at once completes nothing: nobody waits for a completion."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

MAX_WAIT_SECONDS = 0.7
"""Seconds that a completion waits for a server."""

_THIS_MACHINE = ("127.0.0.1", "localhost")


def listed_models(given: str, last: Callable[[], str]) -> Mapping[str, str]:
    """Return the models that a server on this machine lists; empty for another server, or without
    a list.

    Args:
        given: the server of the command line; empty for that of the settings.
        last: returns the server of the last run, for when the settings name none; empty without
            one.
    """
    from sandbox_tui.core.base.errors import SandboxTuiError
    from sandbox_tui.core.config.settings import load
    from sandbox_tui.core.models.discovery import find_local_servers

    with contextlib.suppress(SandboxTuiError, ValueError):
        server = urlsplit(given or load().model.base_url or last())
        if server.hostname in _THIS_MACHINE and server.port:
            found = asyncio.run(find_local_servers([server.port], wait=MAX_WAIT_SECONDS))
            words = f"listed by port {server.port}"
            return {name: words for one in found for name in one.models}
    return {}
