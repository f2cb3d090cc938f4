"""Keyframes: moments that are stored, so that any other is one of them and a few events more.

A jump reads the last keyframe at or before the moment and folds the events after it. That costs
the same wherever one is, as long as (1) few events follow and (2) a keyframe is read at once:

1. A keyframe is due after `LIGHT` weight at the next end of a call, after `HEAVY` in any case. An
   event weighs 1 and terminal output besides 1 per `BYTES` of it, so that weight is time.
2. A keyframe holds only what is small. What grows with the session stays in the database until
   somebody looks at it:
   - `items` (`kept_items`): one row for each keyframe at which an item was new or different. An
     item is done with once its call, reply or command is; the list on the screen looks at the last.
   - scrollback (`kept_screens`): not stored at all. The screens at two keyframes and the output
     between them say what scrolled away.
   - `files` (`kept_files`): what changed since the keyframe before; all of them once a quarter has
     changed, so that a jump reads a quarter more than there is. Histories are in `changes`.

So all keyframes together grow as the session does: each event changes a bounded number of items and
files, what they hold of events they only name, and screens are bounded by their size in cells.

The recording side makes them while the model thinks (`Follower`), on a thread of its own that
rests as long as it works; a session that has none, or not all, gets them when it is opened
(`catch_up`). Both read stored events and change none. None of it is believed: a keyframe that
cannot be read is passed over for the one before it, in the end for the first event.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from sqlite3 import Connection
from typing import Any, TypeVar

import msgspec

from ..core import events as e
from ..core.errors import StoreError
from ..core.state import CallItem, HumanItem, Item, ReplyItem, RunState
from .beside import make_room
from .kept_files import KeptFiles, Touched, files_as_bytes
from .kept_items import ItemRows, Items, Numbered, row_of
from .kept_screens import Place, go_on, restored
from .landmarks import Landmark, Landmarks, landmark
from .moments import Moment, Origin, beginning
from .packed_items import Damaged, Packed, events_at, put_together, take_apart
from .packing import pack, unpack
from .store import Store

FORMAT = 1
"""Keyframes of another format are passed over."""

LIGHT, HEAVY, BYTES = 100, 1500, 200
"""See the module's text. `HEAVY` is about 20 ms of work."""

FEW_FILES = 64
"""So many changed files are not worth storing all of them again."""

MOST_AFTER = 2 * HEAVY
"""Events that can follow the last keyframe of a session that has them all."""

_APART = frozenset({"items", "calls", "humans", "open_calls", "files", "reply"})
"""Fields of `RunState` that are not stored as they are."""


class _Head(msgspec.Struct, array_like=True):
    """A keyframe, without what stays where it is.

    Attributes:
        format: `FORMAT`.
        state: the fields of `RunState` but those in `_APART`.
        items, calls, humans: how many there are.
        open_calls: number and item of each.
        reply: item of the reply that is being written.
        tree, changed_files, listed: see `Origin`.
        screens: name, `born` and keyframe of each terminal.
    """

    format: int
    state: Packed
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


def moment_at(store: Store, run_id: str, seq: int) -> Moment:
    """The moment after event `seq`; its state and screens are the caller's to go on with.

    Raises:
        StoreError: the file cannot be read.
        EventDecodeError: an event was written by a newer version.
    """
    moment = keyframe_before(store, run_id, seq)
    for event in store.events(run_id, after=moment.seq, until=seq):
        moment.apply(event)
    return moment


def keyframe_before(store: Store, run_id: str, seq: int) -> Moment:
    """The last keyframe at or before `seq` that can be read, or the beginning."""
    until = seq
    while True:
        rows = store.rows(
            "SELECT seq, data FROM keyframes WHERE run_id = ? AND kind = 'head' AND seq <= ?"
            " ORDER BY seq DESC LIMIT 1",
            [run_id, until],
        )
        if not rows:
            return beginning(store, run_id)
        until = int(rows[0]["seq"])
        try:
            return _read(store, run_id, until, rows[0]["data"])
        except Damaged:
            until -= 1


def _read(store: Store, run_id: str, seq: int, data: Any) -> Moment:
    """See `keyframe_before`.

    Raises:
        Damaged: this is no keyframe.
    """
    try:
        head = _DECODER.decode(unpack(data[0], data[1:]))
        if head.format != FORMAT:
            raise Damaged(f"format {head.format}")
    except (TypeError, IndexError, zlib.error, msgspec.MsgspecError) as error:
        raise Damaged(f"This is no keyframe: {error!r}") from error
    events = events_at(store, run_id, head.state.numbers())
    state = put_together(RunState, head.state, events)
    moment = beginning(store, run_id)
    moment.origin = Origin(seq, head.tree, head.changed_files, head.listed)
    for name, born, at in head.screens:
        place = Place(name, born, at)
        moment.screens.by_name[name] = restored(store, run_id, place)
        moment.screens.born[name], moment.origin.screens[name] = born, place
    moment.screens.touched.clear()
    moment.state = _with_its_parts(store, run_id, seq, head, state)
    return moment


def _with_its_parts(store: Store, run_id: str, seq: int, head: _Head, state: RunState) -> RunState:
    rows = ItemRows(store, run_id, seq)
    state.items = items = Items(rows, head.items)
    state.calls = Numbered(items, rows, CallItem, head.calls)
    state.humans = Numbered(items, rows, HumanItem, head.humans)
    state.files = KeptFiles(store, run_id, listed=head.listed, seq=seq).read(head.tree)
    try:
        for number, place in head.open_calls:
            state.open_calls[number] = _of(CallItem, items[place])
        if head.reply is not None:
            state.reply = _of(ReplyItem, items[head.reply])
    except IndexError as error:
        raise Damaged("An item is not there.") from error
    return state


def _of(kind: type[_Kind], item: Item) -> _Kind:
    if not isinstance(item, kind):
        raise Damaged(f"This item is no {kind.__name__}")
    return item


def landmarks_of(store: Store, run_id: str) -> Landmarks:
    """The places one goes to, as far as keyframes have been made, and those after the last one.

    Raises:
        StoreError: the file cannot be read.
        EventDecodeError: an event was written by a newer version.
    """
    rows = store.rows(
        "SELECT seq, t, kind, step FROM landmarks WHERE run_id = ? ORDER BY seq", [run_id]
    )
    places = [Landmark(row["seq"], row["t"], row["kind"], row["step"]) for row in rows]
    after = last_keyframe(store, run_id)
    for event in store.events(run_id, after=after, until=after + MOST_AFTER):
        place = landmark(event)
        if place is not None:
            places.append(place)
    return Landmarks(places)


def last_keyframe(store: Store, run_id: str) -> int:
    """Number of the last keyframe, 0 where there is none."""
    rows = store.rows(
        "SELECT max(seq) AS seq FROM keyframes WHERE run_id = ? AND kind = 'head'", [run_id]
    )
    return rows[0]["seq"] or 0


# --- writing


def catch_up(
    store: Store,
    run_id: str,
    *,
    rest: Callable[[], bool] = lambda: True,
    made: Callable[[int], None] = lambda seq: None,
) -> None:
    """Make the keyframes that a session lacks; in memory, where the file cannot be written.

    Args:
        store: where it is.
        run_id: its id.
        rest: called after every event, from this thread; may wait, and ends it by False.
        made: called with the number of each keyframe once it is stored.

    Raises:
        StoreError: the file cannot be read or written.
        EventDecodeError: an event was written by a newer version.
    """
    if not store.writable:
        make_room(store, run_id)
    moment = keyframe_before(store, run_id, 2**62)
    weight = 0
    places: list[Landmark] = []
    for event in store.events(run_id, after=moment.seq):
        moment.apply(event)
        place = landmark(event)
        if place is not None:
            places.append(place)
        weight += _weight(event)
        if weight >= HEAVY or (weight >= LIGHT and isinstance(event, _ENDS)):
            moment = _write(store, run_id, moment, places)
            weight, places = 0, []
            made(moment.seq)
        if not rest():
            return


_ENDS = (e.CallFinished, e.HumanCommandFinished)


def _weight(event: e.AnyEvent) -> int:
    return 1 + (len(event.data) // BYTES if isinstance(event, e.TerminalOutput) else 0)


def _write(store: Store, run_id: str, moment: Moment, places: list[Landmark]) -> Moment:
    """Store a keyframe; the same moment, with nothing in memory that is stored now."""
    state, screens, seq = moment.state, moment.screens, moment.seq
    with store.transaction() as connection:
        if not connection.execute("SELECT 1 FROM runs WHERE id = ?", [run_id]).fetchone():
            raise StoreError(f"The session {run_id} has been deleted.")
        origin = Origin(seq, listed=moment.origin.listed, screens=dict(moment.origin.screens))
        _write_items(connection, run_id, moment)
        _write_files(connection, run_id, moment, origin)
        _write_screens(connection, run_id, moment, origin)
        data = _head(state, origin)
        connection.execute(
            "INSERT OR REPLACE INTO keyframes VALUES (?, ?, 'head', ?)", [run_id, seq, data]
        )
        connection.executemany(
            "INSERT OR REPLACE INTO landmarks VALUES (?, ?, ?, ?, ?)",
            [(run_id, *place) for place in places],
        )
    for name in screens.touched:
        screen = screens.by_name[name]
        go_on(screen, store, run_id, origin.screens[name], len(screen.history))
    screens.touched.clear()
    head = _DECODER.decode(unpack(data[0], data[1:]))
    events = events_at(store, run_id, head.state.numbers())
    state = put_together(RunState, head.state, events)
    return Moment(_with_its_parts(store, run_id, seq, head, state), screens, origin)


def _write_items(connection: Connection, run_id: str, moment: Moment) -> None:
    items = _items(moment.state)
    connection.executemany(
        "INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?, ?, ?, ?)",
        [row_of(run_id, moment.seq, *changed) for changed in items.changed()],
    )


def _write_files(connection: Connection, run_id: str, moment: Moment, origin: Origin) -> None:
    files, before = moment.state.files, moment.origin
    changed = list(files.paths) if isinstance(files, Touched) and before.tree else None
    most = max(FEW_FILES, len(files) // 4)
    if changed is None or before.changed_files + len(changed) > most:
        kind, data, origin.tree = "tree", files_as_bytes(files.values()), moment.seq
    elif changed:
        kind, data = "files", files_as_bytes(files[path] for path in changed)
        origin.tree, origin.changed_files = before.tree, before.changed_files + len(changed)
    else:
        origin.tree, origin.changed_files = before.tree, before.changed_files
        return
    connection.execute(
        "INSERT OR REPLACE INTO keyframes VALUES (?, ?, ?, ?)", [run_id, moment.seq, kind, data]
    )


def _write_screens(connection: Connection, run_id: str, moment: Moment, origin: Origin) -> None:
    screens = moment.screens
    for name in screens.touched:
        screen = screens.by_name[name]
        origin.screens[name] = place = Place(name, screens.born[name], moment.seq)
        connection.execute(
            "INSERT OR REPLACE INTO screens VALUES (?, ?, ?, ?, ?, ?, ?)",
            [run_id, *place, screen.scrolled, len(screen.history), screen.keyframe(0)],
        )
    origin.screens = {name: origin.screens[name] for name in screens.by_name}


def _head(state: RunState, origin: Origin) -> bytes:
    items = _items(state)
    head = _Head(
        format=FORMAT,
        state=take_apart(state, _APART),
        items=len(items),
        calls=len(state.calls),
        humans=len(state.humans),
        open_calls=[(number, _place(items, item)) for number, item in state.open_calls.items()],
        reply=None if state.reply is None else _place(items, state.reply),
        tree=origin.tree,
        changed_files=origin.changed_files,
        listed=origin.listed,
        screens=[(name, born, seq) for name, born, seq in origin.screens.values()],
    )
    packed, data = pack(msgspec.msgpack.encode(head))
    return bytes([packed]) + data


def _items(state: RunState) -> Items:
    if not isinstance(state.items, Items):
        raise TypeError("Only a state that was begun from a keyframe can be made into one.")
    return state.items


def _place(items: Items, item: Item) -> int:
    place = items.place_of(item)
    if place is None:
        raise ValueError("An item of the state is not in its list.")
    return place
