"""Where in one session some words stand, in the order in which it came to pass."""

from __future__ import annotations

from collections.abc import Callable

from ..core import events as e
from .packing import unpack
from .search_index import texts_of
from .store import Store

PAGE = 200
"""Events looked at in a row."""

KINDS = (
    e.ModelReplied,
    e.CallProposed,
    e.CallFinished,
    e.HumanMessage,
    e.HumanCommand,
    e.HumanCommandFinished,
)
"""Events whose text the list of calls shows."""


def occurrences(
    store: Store, run_id: str, words: str, *, rest: Callable[[], bool] = lambda: True
) -> list[int]:
    """Numbers of the events that hold the words; capitals count only where some are typed.

    Args:
        store: where the session is.
        run_id: its id.
        words: to look for, as they stand.
        rest: called after every page; may wait, and ends the search by False.

    Raises:
        StoreError: the file cannot be read.
        EventDecodeError: an event was written by a newer version.
    """
    minds_case = words != words.casefold()
    wanted = words if minds_case else words.casefold()
    marks = ", ".join("?" for _ in KINDS)
    found: list[int] = []
    after = 0
    while words and rest():
        rows = store.rows(
            "SELECT seq, packed, body FROM events WHERE run_id = ? AND seq > ?"
            f" AND kind IN ({marks}) ORDER BY seq LIMIT ?",
            [run_id, after, *(kind.__name__ for kind in KINDS), PAGE],
        )
        for row in rows:
            event = e.from_json(unpack(row["packed"], row["body"]))
            text = "\n".join(body for _, _, body in texts_of(event))
            if wanted in (text if minds_case else text.casefold()):
                found.append(row["seq"])
        if len(rows) < PAGE:
            break
        after = rows[-1]["seq"]
    return found
