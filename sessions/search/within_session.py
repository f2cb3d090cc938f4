"""Finds the events of one session whose text contains given words, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sandbox_tui.sessions.playback.cut_off_output import cut_off_output
from sandbox_tui.sessions.store.store import Store

PAGE = 200
"""Number of texts read at a time."""

_TEXTS = (
    ("steps", "number", "seq", "text || char(10) || reasoning", "1"),
    ("calls", "number", "proposed_seq", "input", "proposed_seq IS NOT NULL"),
    ("calls", "number", "finished_seq", "observation", "finished_seq IS NOT NULL"),
    ("messages", "seq", "seq", "text", "kind IN ('task', 'message', 'command', 'observation')"),
)
"""Texts in the call list: table, key within the session, number of the event, text, and condition
on the rows."""


def occurrences(
    store: Store, run_id: str, words: str, *, rest: Callable[[], bool] = lambda: True
) -> list[int]:
    """Return the numbers of the events whose text contains `words`.

    The search is case-sensitive only if `words` contains a capital. What a call had printed when
    its program was killed is found at the last event, where its row shows it.

    Args:
        store: the database.
        run_id: the session.
        words: the text to find, literally.
        rest: called after every page; may wait, and ends the search by returning False.

    Raises:
        StoreError: the database cannot be read.
    """
    case_sensitive = words != words.casefold()
    needle = words if case_sensitive else words.casefold()
    found: list[int] = []
    for seq, text in _texts(store, run_id, rest) if words else ():
        if needle in (text if case_sensitive else text.casefold()):
            found.append(seq)
    return sorted(set(found))


def _texts(store: Store, run_id: str, rest: Callable[[], bool]) -> Iterator[tuple[int, str]]:
    """Yield a session's texts, each with the number of its event, read a page at a time."""
    for table, key, seq, text, which in _TEXTS:
        last = -1
        while True:
            if not rest():
                return
            rows = store.rows(
                f"SELECT {key} AS key, {seq} AS seq, {text} AS text FROM {table}"
                f" WHERE run_id = ? AND {key} > ? AND {which} ORDER BY {key} LIMIT {PAGE}",
                [run_id, last],
            )
            yield from ((int(row["seq"]), str(row["text"])) for row in rows)
            if len(rows) < PAGE:
                break
            last = int(rows[-1]["key"])
    run = store.run(run_id)
    if run.outcome == "interrupted" and rest():
        yield from ((run.last_seq, text) for text in cut_off_output(store, run_id).values())
