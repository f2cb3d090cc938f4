"""A digest over all events of a session, to detect changes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import msgspec

from sandbox_tui.core.events.types import AnyEvent, RunStarted, to_json


def fingerprint(events: Iterable[AnyEvent]) -> str:
    """Return the hex SHA-256 of the events as JSON lines; independent of the session's id."""
    digest = hashlib.sha256()
    for event in events:
        if isinstance(event, RunStarted):
            event = msgspec.structs.replace(event, run_id="")
        digest.update(to_json(event))
        digest.update(b"\n")
    return digest.hexdigest()
