"""The files as a call left them, although its changes are found and recorded only after its end."""

from __future__ import annotations

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions.playback.playback_state import PlaybackState
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.file_changes import next_changes

MAX_LOOKED_AT = 4
"""Number of recorded changes of files after a position among which those of its calls are."""


def apply_trailing_changes(store: Store, run_id: str, playback: PlaybackState) -> bool:
    """Apply to the files what calls changed that have ended at the position of `playback`, but that
    was recorded later; return whether there was anything.

    Raises:
        StoreError: the database cannot be read.
        EventDecodeError: an event was written by a newer version.
    """
    state = playback.state
    seqs = next_changes(store, run_id, playback.seq, MAX_LOOKED_AT)
    position = state.seq, state.t
    found = False
    for _, event in sorted(store.events_at(run_id, seqs).items()):
        if not isinstance(event, e.FilesChanged) or event.call is None:
            continue
        call = state.calls.get(event.call)
        if call is not None and call.finished is not None:
            state.apply(event)
            found = True
    state.seq, state.t = position
    return found
