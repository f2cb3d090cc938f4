"""Why a container ended, from the engine's events."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, cast

from sandbox_tui.core.sandboxes.docker.engine import describe_error


def exit_cause(client: Any, only: dict[str, str], since: float) -> str:
    """Return why a container ended, as the end of a sentence, from the engine's events.

    Args:
        client: for the engine.
        only: an event filter that matches only the container.
        since: start of the events, in seconds since the epoch.
    """
    found: dict[str, dict[str, str]] = {}
    try:
        events = client.api.events(
            since=int(since),
            until=int(time.time()) + 1,
            filters={"type": "container", **only},
            decode=True,
        )
        for event in cast(Iterable[dict[str, Any]], events):
            found[str(event.get("Action", ""))] = event.get("Actor", {}).get("Attributes", {})
    except Exception as error:  # noqa: BLE001 - docker-py passes on errors of requests
        return f"it ended, and the engine does not report why ({describe_error(error)[:-1]})"
    code = found.get("die", {}).get("exitCode", "?")
    if "oom" in found and code == "137":
        return "it ran out of memory"
    if "kill" in found:
        return f"it was killed or removed from outside (signal {found['kill'].get('signal', '?')})"
    if "stop" in found:
        return "it was stopped from outside"
    if code == "0":
        return "its program ended, and its grace period ran out"
    if "die" not in found:
        return "the engine no longer has its container and keeps no record of what happened"
    return f"it was removed, or its first process ended (exit code {code})"
