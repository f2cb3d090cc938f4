"""Session ids: sortable by time, easy to type, unique."""

from __future__ import annotations

import datetime
import secrets

_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
"""Letters and digits of ids, without 0 and o, and without 1, i and l, which are easily misread."""

BEGINNING = "substr(id, 1, length(?1)) = ?1"
"""SQL condition: the id begins with the first parameter."""

PARTS = (BEGINNING, "substr(id, -length(?1)) = ?1", "instr(id, ?1) > 0")
"""SQL conditions for a part of an id; a later one counts only if no id fits an earlier one."""


def new_id() -> str:
    """Return an id such as 20261121-104238-7fk2p."""
    now = datetime.datetime.now(tz=datetime.UTC)
    tail = "".join(secrets.choice(_LETTERS) for _ in range(5))
    return f"{now:%Y%m%d-%H%M%S}-{tail}"


def time_of(session_id: str) -> float | None:
    """Return the time encoded in an id, in seconds since the epoch; None for ids of another
    format."""
    try:
        made = datetime.datetime.strptime(f"{session_id[:15]} +0000", "%Y%m%d-%H%M%S %z")
    except ValueError:
        return None
    return made.timestamp()
