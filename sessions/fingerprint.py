"""One digest for all events of a session, to tell whether they are still what they were."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from ..core.events import AnyEvent, to_json


def fingerprint(events: Iterable[AnyEvent]) -> str:
    """Hex sha256 of the events, each as its line of JSON."""
    digest = hashlib.sha256()
    for event in events:
        digest.update(to_json(event))
        digest.update(b"\n")
    return digest.hexdigest()
