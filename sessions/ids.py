"""Session ids: they sort by time, can be typed, and do not collide."""

from __future__ import annotations

import datetime
import secrets

_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
"""Without what is easily misread: 0 and o, 1, i and l."""


def new_id() -> str:
    """An id such as 20261121-104238-7fk2p."""
    now = datetime.datetime.now(tz=datetime.UTC)
    tail = "".join(secrets.choice(_LETTERS) for _ in range(5))
    return f"{now:%Y%m%d-%H%M%S}-{tail}"
