"""Checks before runs without a screen that the model's server accepts connections, so that a wrong
address does not cost minutes of retries, once for each sample."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any
from urllib.request import getproxies

from sandbox_tui.core.base.durations import format_duration
from sandbox_tui.core.base.errors import ServerUnreachable
from sandbox_tui.core.config.settings import ModelSettings
from sandbox_tui.core.models.error_mapping import without_secrets
from sandbox_tui.core.models.http.server_return import PROBE_SECONDS, accepts, host_and_port
from sandbox_tui.tui.cli.options import FIRST_SECONDS

START_SERVER = "start the model's server or correct --base-url"


def require_server(
    model: ModelSettings, options: Mapping[str, Any], *, fix: str = START_SERVER, then: str = ""
) -> None:
    """Wait until the model's server accepts a connection; nothing is sent to it.

    A server behind a proxy is not checked: the proxy reports whether it answers.

    Args:
        model: with the server's address.
        options: of the command, one of which may be `--wait-for-server`.
        fix: what to do if it accepts none.
        then: a sentence about how to continue later.

    Raises:
        ServerUnreachable: it accepts none in time.
    """
    server = host_and_port(model.base_url) if model.base_url else None
    if server is None or getproxies():
        return
    seconds: float = options.get("wait_for_server") or FIRST_SECONDS
    if not asyncio.run(_accepts_within(seconds, server)):
        words = (
            f"{without_secrets(model.base_url)} has accepted no connection for "
            f"{format_duration(seconds)}: {fix}; "
            "--wait-for-server 10m waits longer."
        )
        raise ServerUnreachable(f"{words} {then}".rstrip())


async def _accepts_within(seconds: float, server: tuple[str, int]) -> bool:
    deadline = time.monotonic() + seconds
    while not await accepts(server):
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        await asyncio.sleep(min(PROBE_SECONDS, left))
    return True
