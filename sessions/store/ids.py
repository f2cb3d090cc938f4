"""Session ids: sortable by time, easy to type, unique."""

from __future__ import annotations

import datetime
import secrets
import threading

_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
"""Letters and digits of ids, without 0 and o, and without 1, i and l, which are easily misread."""

BEGINNING = "substr(id, 1, length(?1)) = ?1"
"""SQL condition: the id begins with the first parameter."""

PARTS = (BEGINNING, "substr(id, -length(?1)) = ?1", "instr(id, ?1) > 0")
"""SQL conditions for a part of an id; a later one counts only if no id fits an earlier one."""

EITHER_END = f"({PARTS[0]} OR {PARTS[1]})"
"""SQL condition: the id begins or ends with the first parameter."""

END_OF_A_PART = "(instr('-' || id, '-' || ?1) > 0 OR instr(id || '-', ?1 || '-') > 0)"
"""SQL condition: a part of the id (between hyphens) begins or ends with the first parameter."""

_TAIL = 5
"""Characters of an id after its time."""

_MAX_STEP = 1000
"""Maximum difference of the tails of two ids that a program makes one after the other."""


class _Tails:
    """The ends of ids: those of one second ascend, so that later ids of a program sort last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._second = ""
        self._number = 0

    def next_in(self, second: str) -> str:
        """Return the end of an id that is made in a second."""
        with self._lock:
            if second == self._second:
                self._number += 1 + secrets.randbelow(_MAX_STEP)
            else:  # the upper half is room for those that follow
                self._number = secrets.randbelow(len(_LETTERS) ** _TAIL // 2)
            self._second = second
            number = self._number
        letters = ""
        for _ in range(_TAIL):
            number, place = divmod(number, len(_LETTERS))
            letters = _LETTERS[place] + letters
        return letters


_tails = _Tails()


def new_id() -> str:
    """Return an id such as 20261121-104238-7fk2p; later ones of a program sort after it."""
    second = f"{datetime.datetime.now(tz=datetime.UTC):%Y%m%d-%H%M%S}"
    return f"{second}-{_tails.next_in(second)}"


def time_of(session_id: str) -> float | None:
    """Return the time encoded in an id, in seconds since the epoch; None for ids of another
    format."""
    try:
        made = datetime.datetime.strptime(f"{session_id[:15]} +0000", "%Y%m%d-%H%M%S %z")
    except ValueError:
        return None
    return made.timestamp()
