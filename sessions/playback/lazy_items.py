"""Items of a state that stay in the session database until they are accessed.

An item has a row for every keyframe at which it differs from the previous one. At any position, the
valid row is the one with the greatest `seq` not after that position. An item changes a few times
and then never again, so there are about as many rows as items.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, MutableMapping, MutableSequence, Sequence
from typing import Generic, TypeVar, cast, overload

import msgspec
from typing_extensions import override

from sandbox_tui.core.base.errors import EventDecodeError
from sandbox_tui.core.events.run_state import CallItem, HumanItem, Item, NoteItem, ReplyItem, fold
from sandbox_tui.sessions.playback.state_codec import (
    CorruptKeyframe,
    EncodedState,
    decode_state,
    encode_state,
)
from sandbox_tui.sessions.store.compression import compress, decompress
from sandbox_tui.sessions.store.store import Store
from sandbox_tui.sessions.store.tables.keyframes import ItemRow

PAGE_ITEMS = 16
"""Number of items read at a time."""

APPEND_ONLY = "The items of a run are only ever appended."

KINDS: dict[str, type[Item]] = {
    "call": CallItem,
    "reply": ReplyItem,
    "human": HumanItem,
    "note": NoteItem,
}
_NAMES = {kind: name for name, kind in KINDS.items()}
_DECODER = msgspec.msgpack.Decoder(EncodedState)

_Numbered = TypeVar("_Numbered", CallItem, HumanItem)


class ItemRows:
    """The rows of one session as of one keyframe.

    Args:
        store: the database.
        run_id: the session.
        seq: of the keyframe.
    """

    def __init__(self, store: Store, run_id: str, seq: int) -> None:
        self._store = store
        self._run_id = run_id
        self._tables = store.keyframes(run_id)
        self._seq = seq

    def read(self, first: int, last: int) -> dict[int, tuple[Item, bytes]]:
        """Return items `first` to `last` (exclusive), each with its stored bytes.

        Raises:
            CorruptKeyframe: rows are missing or damaged.
        """
        rows = self._tables.items(first, last, self._seq)
        try:
            found = [
                (row.item, KINDS[row.kind], decompress(row.compressed, row.data)) for row in rows
            ]
            packed = [_DECODER.decode(data) for _, _, data in found]
            numbers = {number for one in packed for number in one.numbers()}
            events = self._store.events_at(self._run_id, numbers)
        except (KeyError, TypeError, zlib.error, msgspec.MsgspecError, EventDecodeError) as error:
            raise CorruptKeyframe(f"Items cannot be read: {error!r}") from error
        if len(found) != last - first:
            raise CorruptKeyframe(f"Items {first} to {last} are not all there")
        return {
            item: (decode_state(kind, one, events), data)
            for (item, kind, data), one in zip(found, packed, strict=True)
        }

    def has_exactly(self, count: int) -> bool:
        """Return whether there are exactly `count` items, judged by the last one and the one after
        it."""
        found = self._tables.which_of((count - 1, count), self._seq)
        return found == ([count - 1] if count > 0 else [])

    def fold_all(self) -> list[Item]:
        """Return all items, folded from the events."""
        return list(fold(self._store.events(self._run_id, until=self._seq)).items)

    def place(self, kind: type[Item], number: int) -> int | None:
        """Return the index of the item with this number: the last one, if there are several."""
        return self._tables.item_of(_NAMES[kind], number, self._seq)

    def places(self, kind: type[Item]) -> dict[int, int]:
        """Return the index of each numbered item, in the order in which the numbers appeared."""
        return self._tables.items_by_number(_NAMES[kind], self._seq)


class LazyItems(MutableSequence[Item]):
    """The items of a state; those up to a keyframe are read on access.

    Args:
        rows: of the keyframe.
        count: number of items at the keyframe.

    Attributes:
        recovered: whether the rows were damaged and the items were rebuilt from events.
    """

    def __init__(self, rows: ItemRows, count: int) -> None:
        self._rows = rows
        self._kept = count
        self._count = count
        self._known: dict[int, Item] = {}
        self._stored: dict[int, bytes] = {}
        self.recovered = False

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> MutableSequence[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | MutableSequence[Item]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(self._count))]
        place = index + self._count if index < 0 else index
        if not 0 <= place < self._count:
            raise IndexError(index)
        if place not in self._known:
            self._read(place)
        return self._known[place]

    def __iter__(self) -> Iterator[Item]:
        place = 0
        while place < self._count:
            yield self[place]
            place += 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(cast(Sequence[object], other))

    __hash__ = None  # type: ignore[assignment]

    def append(self, value: Item) -> None:
        """Add an item at the end."""
        self._known[self._count] = value
        self._count += 1

    @override
    def insert(self, index: int, value: Item) -> None:
        raise TypeError(APPEND_ONLY)

    @override
    def __setitem__(self, index: int | slice, value: Item | Iterable[Item]) -> None:
        raise TypeError(APPEND_ONLY)

    @override
    def __delitem__(self, index: int | slice) -> None:
        raise TypeError(APPEND_ONLY)

    @property
    def kept(self) -> list[Item]:
        """The items up to the keyframe."""
        return [self[place] for place in range(self._kept)]

    def place_of(self, item: Item) -> int | None:
        """Return the index of this object; None if it has not been read."""
        return next((place for place, one in self._known.items() if one is item), None)

    def changed(self) -> Iterator[tuple[int, Item, bytes]]:
        """Yield items that are new or have changed since the keyframe: index, item, and bytes to
        store."""
        for place, item in sorted(self._known.items(), key=lambda known: known[0]):
            data = msgspec.msgpack.encode(encode_state(item))
            if self._stored.get(place) != data:
                yield place, item, data

    def _read(self, place: int) -> None:
        first = place - place % PAGE_ITEMS
        try:
            page = self._rows.read(first, min(first + PAGE_ITEMS, self._kept))
        except CorruptKeyframe:
            self.recover()
            return
        for place, (item, data) in page.items():
            if place not in self._known:
                self._known[place], self._stored[place] = item, data

    def recover(self) -> None:
        """Rebuild all items that have not been read from events, because the rows are corrupt."""
        if not self.recovered:
            self.recovered = True
            for place, item in enumerate(self._rows.fold_all()):
                self._known.setdefault(place, item)


class ItemsByNumber(MutableMapping[int, _Numbered], Generic[_Numbered]):
    """Calls or human actions by number: the same objects as in `items`.

    Args:
        items: of the same state.
        rows: of the keyframe.
        kind: type of the items.
        count: how many numbers there were.
    """

    def __init__(self, items: LazyItems, rows: ItemRows, kind: type[_Numbered], count: int) -> None:
        self._items = items
        self._rows = rows
        self._kind: type[_Numbered] = kind
        self._kept = self._count = count
        self._own: dict[int, _Numbered] = {}

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> _Numbered:
        if number in self._own:
            return self._own[number]
        item = self._kept_item(number)
        if item is None:
            self._items.recover()
            item = self._kept_item(number)
        if item is None:
            raise KeyError(number)
        return item

    def __setitem__(self, number: int, item: _Numbered) -> None:
        self._count += number not in self
        self._own[number] = item

    @override
    def __delitem__(self, number: int) -> None:
        raise TypeError(APPEND_ONLY)

    def __contains__(self, number: object) -> bool:
        if number in self._own or not isinstance(number, int):
            return number in self._own
        return self._rows.place(self._kind, number) is not None

    def __iter__(self) -> Iterator[int]:
        kept = self._places()
        if len(kept) != self._kept:
            self._items.recover()
            kept = self._places()
        yield from kept
        yield from (number for number in self._own if number not in kept)

    def _kept_item(self, number: int) -> _Numbered | None:
        if self._items.recovered:
            place = self._places().get(number)
        else:
            place = self._rows.place(self._kind, number)
        item = None if place is None else self._items[place]
        return item if isinstance(item, self._kind) and _number(item) == number else None

    def _places(self) -> dict[int, int]:
        if not self._items.recovered:
            return self._rows.places(self._kind)
        return {
            number: place
            for place, item in enumerate(self._items.kept)
            if isinstance(item, self._kind) and (number := _number(item)) is not None
        }


def _number(item: Item) -> int | None:
    """Return the number of an item within its kind; None if it has none."""
    if isinstance(item, CallItem):
        return item.call.number
    return item.id if isinstance(item, HumanItem) else None


def row_of(seq: int, place: int, item: Item, data: bytes) -> ItemRow:
    """Return a row of the table `keyframe_items`."""
    return ItemRow(place, seq, _NAMES[type(item)], _number(item), *compress(data))
