"""Encodes dataclasses of a state: their own values, and the numbers of the events they hold.

Events are already in the session database, so they are stored by number. A call's observation or a
reply's text is therefore stored once, even if the call or the reply is stored repeatedly. Decoding
trusts none of it: each value must have the type of its field.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, TypeVar, cast, get_args, get_type_hints

import msgspec

from sandbox_tui.core.events import types as e

_T = TypeVar("_T")


class CorruptKeyframe(ValueError):
    """Stored data that cannot be decoded or is inconsistent."""


class EncodedState(msgspec.Struct, array_like=True):
    """An encoded dataclass.

    Attributes:
        values: its own values, by field.
        events: numbers of the events it holds, by field.
        repeated: fields whose text is in one of the events under the same name.
    """

    values: dict[str, Any]
    events: dict[str, int | list[int]]
    repeated: list[str]

    def numbers(self) -> Iterable[int]:
        """Yield the numbers of all events it holds."""
        for number in self.events.values():
            yield from [number] if isinstance(number, int) else number


def encode_state(thing: object, leave: frozenset[str] = frozenset()) -> EncodedState:
    """Encode a dataclass; fields named in `leave` are left out."""
    packed = EncodedState({}, {}, [])
    for field in dataclasses.fields(cast(Any, thing)):
        if field.name not in leave:
            _put(packed, field.name, getattr(thing, field.name))
    held = [getattr(thing, name) for name in packed.events]
    for name, value in list(packed.values.items()):
        if isinstance(value, str) and any(getattr(one, name, None) == value for one in held):
            del packed.values[name]
            packed.repeated.append(name)
    return packed


def _put(packed: EncodedState, name: str, value: object) -> None:
    if isinstance(value, e.Event):
        packed.events[name] = value.seq
    elif isinstance(value, list) and value and isinstance(value[0], e.Event):
        packed.events[name] = [event.seq for event in cast(list[e.Event], value)]
    else:
        packed.values[name] = value


def decode_state(kind: type[_T], packed: EncodedState, events: Mapping[int, e.AnyEvent]) -> _T:
    """Decode a dataclass; fields that were left out get their defaults.

    Raises:
        CorruptKeyframe: the data does not fit the dataclass.
    """
    hints = _hints(kind)
    try:
        values = {
            name: msgspec.convert(value, hints[name]) for name, value in packed.values.items()
        }
        held: dict[str, Any] = {}
        for name, number in packed.events.items():
            if isinstance(number, int):
                held[name] = _of_type(events[number], hints[name])
            else:
                inner = get_args(hints[name])[0]
                held[name] = [_of_type(events[one], inner) for one in number]
        for name in packed.repeated:
            found = next(getattr(one, name) for one in held.values() if hasattr(one, name))
            values[name] = msgspec.convert(found, hints[name])
        return kind(**values, **held)
    except (KeyError, TypeError, IndexError, StopIteration, msgspec.MsgspecError) as error:
        raise CorruptKeyframe(f"This is not a {kind.__name__}: {error!r}") from error


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _of_type(event: e.AnyEvent, hint: Any) -> e.AnyEvent:
    if not isinstance(event, hint):
        raise TypeError(f"{event.kind} at {event.seq}")
    return event
