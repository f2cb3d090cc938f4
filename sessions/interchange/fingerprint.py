"""One digest of all events of a session, to detect changes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import msgspec

from sandbox_tui.core.events.types import AnyEvent, RunStarted, to_json


def fingerprint(events: Iterable[AnyEvent]) -> str:
    """Hex sha256 of the events, each as its line of JSON; the session's id does not count."""
    digest = hashlib.sha256()
    for event in events:
        if isinstance(event, RunStarted):
            event = msgspec.structs.replace(event, run_id="")
        digest.update(to_json(event))
        digest.update(b"\n")
    return digest.hexdigest()
