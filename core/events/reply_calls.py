"""The calls of a reply: they run one after the other, so some may not have been proposed yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from sandbox_tui.core.events.items import CallItem, Item, ReplyItem
from sandbox_tui.core.events.run_state import RunState


class CallToCome(NamedTuple):
    """A call of the latest reply that has not been proposed.

    Attributes:
        number: the number that it will have.
        place: its place in the reply, from 1.
    """

    number: int
    place: int
    name: str
    arguments: str


def calls_to_come(state: RunState) -> list[CallToCome]:
    """Return the calls of the latest reply that have not been proposed, in order, in the form in
    which they will run."""
    reply = state.reply
    if reply is None or reply.replied is None:
        return []
    written = _written_calls(reply.replied.message)
    proposed = _proposed(state, reply.step)
    number = len(state.calls)
    to_come = [
        CallToCome(number + ahead, proposed + ahead, *call)
        for ahead, call in enumerate(written[proposed:], start=1)
    ]
    edited = state.edited
    if edited is not None and to_come and to_come[0].number == edited.number:
        to_come[0] = to_come[0]._replace(arguments=edited.arguments)
    return to_come


def place_in_reply(state: RunState, item: CallItem) -> tuple[int, int] | None:
    """Return the place of a call in the latest reply, from 1, and the number of calls there; None
    if it is the only one, or belongs to an earlier reply."""
    reply = state.reply
    if reply is None or reply.replied is None or reply.step != item.call.step:
        return None
    of = len(_written_calls(reply.replied.message))
    later = len(state.calls) - item.call.number
    place = _proposed(state, reply.step) - later
    return (place, of) if 1 <= place <= of > 1 else None


def precedes_calls_to_come(state: RunState, to_come: Sequence[CallToCome]) -> int:
    """Return the index of the item after which the calls to come follow: the last call of the
    latest reply, or the reply itself; -1 if no call is to come."""
    if not to_come:
        return -1
    for index in range(len(state.items) - 1, -1, -1):
        if _is_call_or_reply(state.items[index]):
            return index
    return -1


def _is_call_or_reply(item: Item) -> bool:
    return isinstance(item, CallItem | ReplyItem)


def _proposed(state: RunState, step: int) -> int:
    """Return how many calls of the latest step have been proposed; they have the last numbers."""
    last = number = len(state.calls)
    while (item := state.calls.get(number)) is not None and item.call.step == step:
        number -= 1
    return last - number


def _written_calls(message: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the name and the arguments of each call of an assistant message; imported ones may
    have another form."""
    written = message.get("tool_calls")
    functions = [
        cast("dict[str, Any]", call).get("function") if isinstance(call, dict) else None
        for call in (cast("list[object]", written) if isinstance(written, list) else ())
    ]
    fields = [
        cast("dict[str, Any]", function) if isinstance(function, dict) else {}
        for function in functions
    ]
    return [(str(call.get("name") or ""), str(call.get("arguments") or "")) for call in fields]
