"""Items of a state that stay in the session database until somebody looks at them.

Each has a row for every keyframe at which it was different from the one before, so that any moment
finds it as it was then: the row with the greatest number that is not after the moment. An item
changes a few times and is then done with, so there are about as many rows as there are items.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, MutableMapping, MutableSequence, Sequence
from typing import Generic, TypeVar, cast, overload

import msgspec

from ..core.errors import EventDecodeError
from ..core.state import CallItem, HumanItem, Item, NoteItem, ReplyItem, fold
from .packed_items import Damaged, Packed, events_at, put_together, take_apart
from .packing import pack, unpack
from .store import Store

PAGE = 16
"""Items read at a time."""

KINDS: dict[str, type[Item]] = {
    "call": CallItem,
    "reply": ReplyItem,
    "human": HumanItem,
    "note": NoteItem,
}
_NAMES = {kind: name for name, kind in KINDS.items()}
_DECODER = msgspec.msgpack.Decoder(Packed)

_Numbered = TypeVar("_Numbered", CallItem, HumanItem)
Row = tuple[str, int, int, str, int | None, int, bytes]
"""A row of the table `items`."""


class ItemRows:
    """The rows of one session as they were at one keyframe.

    Args:
        store: where it is kept.
        run_id: the session.
        seq: of the keyframe.
    """

    def __init__(self, store: Store, run_id: str, seq: int) -> None:
        self._store = store
        self._run_id = run_id
        self._seq = seq

    def read(self, first: int, last: int) -> dict[int, tuple[Item, bytes]]:
        """Items `first` to `last` (not included), each with the bytes it was stored as.

        Raises:
            Damaged: they are not all there, or not what was written.
        """
        rows = self._store.rows(
            "SELECT item, max(seq) AS seq, kind, packed, data FROM items"
            " WHERE run_id = ? AND item >= ? AND item < ? AND seq <= ? GROUP BY item",
            [self._run_id, first, last, self._seq],
        )
        try:
            found = [
                (int(row["item"]), KINDS[row["kind"]], unpack(row["packed"], row["data"]))
                for row in rows
            ]
            packed = [_DECODER.decode(data) for _, _, data in found]
            numbers = {number for one in packed for number in one.numbers()}
            events = events_at(self._store, self._run_id, numbers)
        except (KeyError, TypeError, zlib.error, msgspec.MsgspecError, EventDecodeError) as error:
            raise Damaged(f"Items cannot be read: {error!r}") from error
        if len(found) != last - first:
            raise Damaged(f"Items {first} to {last} are not all there")
        return {
            item: (put_together(kind, one, events), data)
            for (item, kind, data), one in zip(found, packed, strict=True)
        }

    def whole(self) -> list[Item]:
        """All of them, from the events themselves."""
        return list(fold(self._store.events(self._run_id, until=self._seq)).items)

    def place(self, kind: type[Item], number: int) -> int | None:
        """Which item a call, or what a person did, is; the latest of that number."""
        rows = self._store.rows(
            "SELECT max(item) AS item FROM items"
            " WHERE run_id = ? AND kind = ? AND number = ? AND seq <= ?",
            [self._run_id, _NAMES[kind], number, self._seq],
        )
        return rows[0]["item"]

    def places(self, kind: type[Item]) -> dict[int, int]:
        """The item of each number, in the order in which the numbers came up."""
        rows = self._store.rows(
            "SELECT number, max(item) AS item FROM items"
            " WHERE run_id = ? AND kind = ? AND seq <= ? GROUP BY number ORDER BY min(item)",
            [self._run_id, _NAMES[kind], self._seq],
        )
        return {row["number"]: row["item"] for row in rows}


class Items(MutableSequence[Item]):
    """The items of a state; those up to a keyframe are read when they are looked at.

    Args:
        rows: of the keyframe.
        count: how many there were.

    Attributes:
        recovered: whether the rows turned out to be damaged, and the events were read instead.
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

    def insert(self, index: int, value: Item) -> None:
        """Add an item anywhere: reads all of them."""
        items = list(self)
        items.insert(index, value)
        self._replace(items)

    def __setitem__(self, index: int | slice, value: Item | Iterable[Item]) -> None:
        items = list(self)
        items[index] = value  # type: ignore[index,assignment]
        self._replace(items)

    def __delitem__(self, index: int | slice) -> None:
        items = list(self)
        del items[index]
        self._replace(items)

    @property
    def kept(self) -> list[Item]:
        """Those up to the keyframe."""
        return [self[place] for place in range(self._kept)]

    def place_of(self, item: Item) -> int | None:
        """Where this very object is, if it has been looked at."""
        return next((place for place, one in self._known.items() if one is item), None)

    def changed(self) -> Iterator[tuple[int, Item, bytes]]:
        """What is new or different since the keyframe: place, item, and bytes to store."""
        for place, item in sorted(self._known.items(), key=lambda known: known[0]):
            data = msgspec.msgpack.encode(take_apart(item))
            if self._stored.get(place) != data:
                yield place, item, data

    def _read(self, place: int) -> None:
        first = place - place % PAGE
        try:
            page = self._rows.read(first, min(first + PAGE, self._kept))
        except Damaged:
            self.recover()
            return
        for place, (item, data) in page.items():
            if place not in self._known:
                self._known[place], self._stored[place] = item, data

    def recover(self) -> None:
        """Take all that has not been looked at from the events themselves."""
        if not self.recovered:
            self.recovered = True
            for place, item in enumerate(self._rows.whole()):
                self._known.setdefault(place, item)

    def _replace(self, items: list[Item]) -> None:
        self._known, self._count = dict(enumerate(items)), len(items)


class Numbered(MutableMapping[int, _Numbered], Generic[_Numbered]):
    """Calls, or what a person did, by number: the very objects that `items` has.

    Args:
        items: of the same state.
        rows: of the keyframe.
        kind: which items.
        count: how many numbers there were.
    """

    def __init__(self, items: Items, rows: ItemRows, kind: type[_Numbered], count: int) -> None:
        self._items = items
        self._rows = rows
        self._kind: type[_Numbered] = kind
        self._kept = self._count = count
        self._own: dict[int, _Numbered] = {}
        self._gone: set[int] = set()

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> _Numbered:
        if number in self._own:
            return self._own[number]
        if number in self._gone:
            raise KeyError(number)
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

    def __delitem__(self, number: int) -> None:
        if number not in self:
            raise KeyError(number)
        self._own.pop(number, None)
        self._gone.add(number)
        self._count -= 1

    def __contains__(self, number: object) -> bool:
        if number in self._own or not isinstance(number, int):
            return number in self._own
        return number not in self._gone and self._rows.place(self._kind, number) is not None

    def __iter__(self) -> Iterator[int]:
        kept = self._places()
        if len(kept) != self._kept:
            self._items.recover()
            kept = self._places()
        yield from (number for number in kept if number in self._own or number not in self._gone)
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
    """By which an item is known among its kind."""
    if isinstance(item, CallItem):
        return item.call.number
    return item.id if isinstance(item, HumanItem) else None


def row_of(run_id: str, seq: int, place: int, item: Item, data: bytes) -> Row:
    """A row of the table `items`."""
    return (run_id, place, seq, _NAMES[type(item)], _number(item), *pack(data))
