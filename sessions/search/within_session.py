"""Finds the places in one session where some words stand, in the order of their events."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sandbox_tui.sessions.store.store import Store

PAGE = 200
"""Texts read at a time."""

_TEXTS = (
    ("steps", "number", "seq", "text || char(10) || reasoning", "1"),
    ("calls", "number", "proposed_seq", "input", "proposed_seq IS NOT NULL"),
    ("calls", "number", "finished_seq", "observation", "finished_seq IS NOT NULL"),
    ("messages", "seq", "seq", "text", "kind IN ('message', 'command', 'observation')"),
)
"""The texts that the list of calls shows: table, key within the session, number of the event, text,
and which rows."""


def occurrences(
    store: Store, run_id: str, words: str, *, rest: Callable[[], bool] = lambda: True
) -> list[int]:
    """Numbers of the events whose text holds the words, which match case only if one is a capital.

    Args:
        store: where the session is.
        run_id: its id.
        words: to look for, as they stand.
        rest: called after every page; may wait, and ends the search by False.

    Raises:
        StoreError: the database cannot be read.
    """
    minds_case = words != words.casefold()
    wanted = words if minds_case else words.casefold()
    found: list[int] = []
    for seq, text in _texts(store, run_id, rest) if words else ():
        if wanted in (text if minds_case else text.casefold()):
            found.append(seq)
    return sorted(found)


def _texts(store: Store, run_id: str, rest: Callable[[], bool]) -> Iterator[tuple[int, str]]:
    """A session's texts, each with the number of its event, read a page at a time."""
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
