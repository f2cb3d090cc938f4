"""Keyframes: stored playback states. Any other state is a keyframe plus a few events.

A jump reads the last keyframe at or before the target and folds the events after it. The cost does
not depend on the position as long as (1) few events follow and (2) keyframes are quick to read:

1. After `MIN_WEIGHT` a keyframe is due at the next end of a call, after `MAX_WEIGHT` in any case.
   An event weighs 1, and terminal output 1 more per `BYTES_PER_WEIGHT`: weight approximates time.
2. A keyframe holds only what is small. Data that grows with the session stays in the database until
   it is accessed:
   - `items` (`lazy_items`): one row for each keyframe at which an item was new or had changed. An
     item stops changing when its call, reply or command has ended.
   - scrollback (`lazy_scrollback`): not stored at all. The screens at two keyframes and the output
     between them reproduce the lines that scrolled away.
   - `files` (`lazy_files`): the changes since the previous keyframe; the whole tree after a quarter
     of it has changed, so that a jump reads at most a quarter too much. Histories are in
     `file_changes`.

Together, keyframes therefore grow linearly with the session: each event changes a bounded number of
items and files, events are referenced instead of copied, and screens are bounded by their size.

While a run is recorded, `KeyframeWriter` writes keyframes while the model thinks, on a throttled
thread; a session that lacks some gets them when it is opened (`catch_up`). Both read stored events
and change none. Keyframes are untrusted: if one cannot be decoded, the one before it is used, and
in the last resort the first event.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import CallItem, HumanItem, Item, ReplyItem, RunState
from sandbox_tui.sessions.playback.lazy_files import KeyframeFiles, TrackedFiles, files_as_bytes
from sandbox_tui.sessions.playback.lazy_items import ItemRows, ItemsByNumber, LazyItems, row_of
from sandbox_tui.sessions.playback.lazy_scrollback import (
    ScreenKey,
    detach_scrollback,
    restored_screen,
)
from sandbox_tui.sessions.playback.markers import Marker, MarkerIndex, marker_of
from sandbox_tui.sessions.playback.playback_state import (
    KeyframeRef,
    PlaybackState,
    initial_playback_state,
)
from sandbox_tui.sessions.playback.state_codec import (
    CorruptKeyframe,
    EncodedState,
    decode_state,
    encode_state,
)
from sandbox_tui.sessions.store.compression import compress, decompress
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.keyframes import MarkerRow, ScreenRow

FORMAT = 4
"""Keyframes with another format are not read; `catch_up` replaces them. It is raised when the same
events add up to another state, which older keyframes do not have: 4, since all kinds of decisions
on calls are counted."""

MIN_WEIGHT, MAX_WEIGHT, BYTES_PER_WEIGHT = 100, 1500, 200
"""See the module docstring. `MAX_WEIGHT` is about 20 ms of work."""

MAX_CHANGED_FILES = 64
"""Up to this many changed files, storing the whole tree again is not worthwhile."""

MAX_EVENTS_AFTER_KEYFRAME = 2 * MAX_WEIGHT
"""Maximum number of events after the last keyframe of a session that has all of them."""

_LAST = 2**62
"""After every event."""

_APART = frozenset({"items", "calls", "humans", "open_calls", "files", "reply"})
"""Fields of `RunState` that are stored separately or not at all."""


class _Head(msgspec.Struct, array_like=True):
    """The part of a keyframe that is stored in one row.

    Attributes:
        format: `FORMAT`.
        state: the fields of `RunState` except those in `_APART`.
        items, calls, humans: number of each.
        open_calls: number and item of each.
        reply: item of the reply being written.
        tree, changed_files, listed: see `KeyframeRef`.
        screens: name, `opened_seq` and keyframe of each terminal.
    """

    format: int
    state: EncodedState
    items: int
    calls: int
    humans: int
    open_calls: list[tuple[int, int]]
    reply: int | None
    tree: int
    changed_files: int
    listed: int
    screens: list[tuple[str, int, int]]


_DECODER = msgspec.msgpack.Decoder(_Head)
_Kind = TypeVar("_Kind", CallItem, ReplyItem)


# --- reading


def playback_state_at(store: Store, run_id: str, seq: int) -> PlaybackState:
    """Return the state after event `seq`, which the caller may modify.

    Raises:
        StoreError: the database cannot be read.
        EventDecodeError: an event was written by a newer version.
    """
    playback = keyframe_before(store, run_id, seq)
    for event in store.events(run_id, after=playback.seq, until=seq):
        playback.apply(event)
    return playback


def keyframe_before(store: Store, run_id: str, seq: int) -> PlaybackState:
    """Return the last readable keyframe at or before `seq`, or the initial state."""
    until = seq
    while True:
        found = store.keyframes(run_id).head_until(until)
        if found is None:
            return initial_playback_state(store, run_id)
        until, data = found
        try:
            return _read(store, run_id, until, data)
        except CorruptKeyframe:
            until -= 1


def _read(store: Store, run_id: str, seq: int, data: Any) -> PlaybackState:
    """Decode the keyframe stored at `seq`.

    Raises:
        CorruptKeyframe: it cannot be decoded.
    """
    try:
        head = _DECODER.decode(decompress(data[0], data[1:]))
        if head.format != FORMAT:
            raise CorruptKeyframe(f"format {head.format}")
    except (TypeError, IndexError, zlib.error, msgspec.MsgspecError) as error:
        raise CorruptKeyframe(f"This is not a keyframe: {error!r}") from error
    events = store.events_at(run_id, head.state.numbers())
    state = decode_state(RunState, head.state, events)
    playback = initial_playback_state(store, run_id)
    playback.keyframe = KeyframeRef(seq, head.tree, head.changed_files, head.listed)
    for name, opened_seq, at in head.screens:
        place = ScreenKey(name, opened_seq, at)
        playback.screens.by_name[name] = restored_screen(store, run_id, place)
        playback.screens.opened_seq[name], playback.keyframe.screens[name] = opened_seq, place
    playback.screens.touched.clear()
    playback.state = _with_its_parts(store, run_id, seq, head, state)
    return playback


def _with_its_parts(store: Store, run_id: str, seq: int, head: _Head, state: RunState) -> RunState:
    rows = ItemRows(store, run_id, seq)
    if not rows.has_exactly(head.items):
        raise CorruptKeyframe(f"{head.items} items were expected")
    state.items = items = LazyItems(rows, head.items)
    state.calls = ItemsByNumber(items, rows, CallItem, head.calls)
    state.humans = ItemsByNumber(items, rows, HumanItem, head.humans)
    state.files = KeyframeFiles(store, run_id, listed=head.listed, seq=seq).read(head.tree)
    try:
        for number, place in head.open_calls:
            call = _of(CallItem, items[place])
            if call.call.number != number or call.finished is not None:
                raise CorruptKeyframe(f"Call {number} is not open.")
            state.open_calls[number] = call
        if head.reply is not None:
            state.reply = _of(ReplyItem, items[head.reply])
    except IndexError as error:
        raise CorruptKeyframe("An item is missing.") from error
    return state


def _of(kind: type[_Kind], item: Item) -> _Kind:
    if not isinstance(item, kind):
        raise CorruptKeyframe(f"This item is no {kind.__name__}")
    return item


def markers_of(store: Store, run_id: str, known: MarkerIndex | None = None) -> MarkerIndex:
    """Return all markers of a session, including those after the last keyframe.

    Args:
        store: the database.
        run_id: the session.
        known: the result of an earlier call; only what follows is read.

    Raises:
        StoreError: the database cannot be read.
        EventDecodeError: an event was written by a newer version.
    """
    known = known or MarkerIndex()
    rows = store.keyframes(run_id).markers(after=known.last)
    places = [*known.all, *(Marker(*row) for row in rows)]
    last = last_keyframe(store, run_id)
    until = last + MAX_EVENTS_AFTER_KEYFRAME
    for event in store.events(run_id, after=max(last, known.last), until=until, output=False):
        place = marker_of(event)
        if place is not None:
            places.append(place)
    return MarkerIndex(places)


def last_readable_keyframe(store: Store, run_id: str) -> int:
    """Return the number of the last keyframe that can be read; 0 if there is none."""
    return keyframe_before(store, run_id, _LAST).seq


def last_keyframe(store: Store, run_id: str) -> int:
    """Return the number of the last keyframe; 0 if there is none."""
    return store.keyframes(run_id).last()


# --- writing


def catch_up(
    store: Store,
    run_id: str,
    *,
    should_continue: Callable[[], bool] = lambda: True,
    on_keyframe: Callable[[int], None] = lambda seq: None,
) -> None:
    """Write the keyframes that a session lacks, in place of those of an earlier version.

    They are in memory if the file is read-only.

    Args:
        store: the database.
        run_id: the session.
        should_continue: called after every event, in this thread; may wait, and stops the work by
            returning False.
        on_keyframe: called with the number of each keyframe after it is stored.

    Raises:
        StoreError: the database cannot be read or written.
        EventDecodeError: an event was written by a newer version.
    """
    if not store.writable:
        store.keyframes(run_id).make_temporary()
    playback = keyframe_before(store, run_id, _LAST)
    if playback.seq == 0 and last_keyframe(store, run_id) > 0:
        store.keyframes(run_id).clear()
    weight = 0
    places: list[Marker] = []
    for event in store.events(run_id, after=playback.seq):
        playback.apply(event)
        place = marker_of(event)
        if place is not None:
            places.append(place)
        weight += _weight(event)
        if weight >= MAX_WEIGHT or (weight >= MIN_WEIGHT and isinstance(event, _ENDS)):
            playback = _write(store, run_id, playback, places)
            weight, places = 0, []
            on_keyframe(playback.seq)
        if not should_continue():
            return


_ENDS = (e.CallFinished, e.HumanCommandFinished)


def _weight(event: e.AnyEvent) -> int:
    return 1 + (len(event.data) // BYTES_PER_WEIGHT if isinstance(event, e.TerminalOutput) else 0)


def _write(
    store: Store, run_id: str, playback: PlaybackState, places: list[Marker]
) -> PlaybackState:
    """Store a keyframe; return the same state, without holding stored parts in memory."""
    state, screens, seq = playback.state, playback.screens, playback.seq
    keyframe = KeyframeRef(
        seq, listed=playback.keyframe.listed, screens=dict(playback.keyframe.screens)
    )
    items = [row_of(seq, *changed) for changed in _items(state).changed()]
    files = _file_parts(playback, keyframe)
    rows = _screen_rows(playback, keyframe)
    data = _head(state, keyframe)
    marked = [MarkerRow(*place) for place in places]
    store.keyframes(run_id).write(seq, [("head", data), *files], items, rows, marked)
    for name in screens.touched:
        screen = screens.by_name[name]
        detach_scrollback(screen, store, run_id, keyframe.screens[name], len(screen.history))
    screens.touched.clear()
    head = _DECODER.decode(decompress(data[0], data[1:]))
    events = store.events_at(run_id, head.state.numbers())
    state = decode_state(RunState, head.state, events)
    return PlaybackState(_with_its_parts(store, run_id, seq, head, state), screens, keyframe)


def _file_parts(playback: PlaybackState, keyframe: KeyframeRef) -> list[tuple[str, bytes]]:
    """Return the kind and bytes of the files to store with a keyframe; update `keyframe`."""
    files, before = playback.state.files, playback.keyframe
    changed = list(files.paths) if isinstance(files, TrackedFiles) and before.tree else None
    most = max(MAX_CHANGED_FILES, len(files) // 4)
    if changed is None or before.changed_files + len(changed) > most:
        keyframe.tree = playback.seq
        return [("tree", files_as_bytes(files.values()))]
    keyframe.tree, keyframe.changed_files = before.tree, before.changed_files + len(changed)
    return [("files", files_as_bytes(files[path] for path in changed))] if changed else []


def _screen_rows(playback: PlaybackState, keyframe: KeyframeRef) -> list[ScreenRow]:
    """Return the rows of the screens to store with a keyframe; update `keyframe`."""
    screens = playback.screens
    rows: list[ScreenRow] = []
    for name in screens.touched:
        screen = screens.by_name[name]
        keyframe.screens[name] = key = ScreenKey(name, screens.opened_seq[name], playback.seq)
        rows.append(ScreenRow(*key, screen.scrolled, len(screen.history), screen.keyframe(0)))
    keyframe.screens = {name: keyframe.screens[name] for name in screens.by_name}
    return rows


def _head(state: RunState, keyframe: KeyframeRef) -> bytes:
    items = _items(state)
    head = _Head(
        format=FORMAT,
        state=encode_state(state, _APART),
        items=len(items),
        calls=len(state.calls),
        humans=len(state.humans),
        open_calls=[(number, _place(items, item)) for number, item in state.open_calls.items()],
        reply=None if state.reply is None else _place(items, state.reply),
        tree=keyframe.tree,
        changed_files=keyframe.changed_files,
        listed=keyframe.listed,
        screens=[(name, opened_seq, seq) for name, opened_seq, seq in keyframe.screens.values()],
    )
    packed, data = compress(msgspec.msgpack.encode(head))
    return bytes([packed]) + data


def _items(state: RunState) -> LazyItems:
    if not isinstance(state.items, LazyItems):
        raise TypeError("Only a state that was started from a keyframe can be made into one.")
    return state.items


def _place(items: LazyItems, item: Item) -> int:
    place = items.place_of(item)
    if place is None:
        raise ValueError("An item of the state is not in its list.")
    return place
