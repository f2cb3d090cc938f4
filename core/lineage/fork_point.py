"""Fork points of a run, determined from its events.

A fork inherits its parent's events up to the fork point and continues with its own. Unfinished work
is not inherited: a reply that was streaming is requested again, and a call that had not ended runs
again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from sandbox_tui.core.agent.conversation_from_events import conversation
from sandbox_tui.core.agent.loop import messages_digest
from sandbox_tui.core.base.errors import ForkRefused
from sandbox_tui.core.base.tool_names import BASH
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.kinds.values import REBUILT
from sandbox_tui.core.tools.registry import may_change_sandbox


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandReplay:
    """A call or a user command to run again.

    Attributes:
        number: the call's or the command's number.
        by: who made it.
        tool: its name; user commands are run with `execute_bash`.
        arguments: JSON text, as it ran.
        observation, exit_code: its recorded result.
        duration: seconds it took.
        ended: whether a time limit or the user ended it.
    """

    number: int
    by: Literal["model", "human"]
    tool: str
    arguments: str
    observation: str
    exit_code: int | None
    duration: float
    ended: bool


SideEffect = CommandReplay | e.FilesChanged
"""A call or command to run again, or files changed by the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseSnapshot:
    """A snapshot that a fork's sandbox can start from.

    Attributes:
        name: the snapshot's name.
        at: the parent's last event whose changes it contains.
        step: the step after which it was taken.
    """

    name: str
    at: int
    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkPoint:
    """The position at which a fork departs from its parent.

    Attributes:
        parent: the parent's session.
        step: the last common step, in whole or in part.
        history: the parent's events up to this point.
        trailing_changes: file changes made before this point but recorded after it.
        next_call: the next call; None if the turn is over.
        exact: whether the rebuilt conversation is exactly what the model was sent.
        bases: snapshots taken before this point, nearest first.
    """

    parent: str
    step: int
    history: Sequence[e.AnyEvent]
    trailing_changes: Sequence[e.FilesChanged]
    next_call: e.ToolCall | None
    exact: bool
    bases: Sequence[BaseSnapshot]

    @property
    def seq(self) -> int:
        """The last common event."""
        return self.history[-1].seq

    def effects_since(self, base: BaseSnapshot | None) -> list[SideEffect]:
        """Return the effects to repeat in a sandbox that starts from `base`, or from the input."""
        after = 0 if base is None else base.at
        return _effects([*self.history, *self.trailing_changes], after)


def resolve_position(events: Sequence[e.AnyEvent], at: str, *, before_call: bool = False) -> int:
    """Return the event that a position refers to.

    Args:
        events: the session's events.
        at: `end`, `5` or `step:5` (end of that step; 0 for the start), `call:7` (its end),
            `seq:123`.
        before_call: whether `call:7` means the position before it runs.

    Raises:
        ForkRefused: the position does not exist.
    """
    what, _, number = at.strip().partition(":")
    if what == "end" and not number:
        return events[-1].seq
    if what.isdigit() and not number:
        what, number = "step", what
    if not number.isdigit() or what not in ("step", "call", "seq"):
        raise ForkRefused(f"{at!r} is not a position: use 5 or step:5, call:7, seq:123 or end.")
    requested = int(number)
    if what == "seq":
        if not 1 <= requested <= events[-1].seq:
            raise ForkRefused(f"This session has events 1 to {events[-1].seq}.")
        return requested
    found = _end_of_step(events, requested) if what == "step" else None
    if what == "call":
        kind = e.CallProposed if before_call else e.CallFinished
        found = next(
            (x.seq for x in events if isinstance(x, kind) and _number(x) == requested), None
        )
    if found is None:
        raise ForkRefused(f"This session has no {what} {requested}{_which_exist(events, what)}.")
    return found


def _which_exist(events: Sequence[e.AnyEvent], what: str) -> str:
    """Return which steps or calls there are, for an error message."""
    if what == "step":
        last = max((x.step for x in events if isinstance(x, e.ModelReplied)), default=0)
    else:
        last = max((x.call for x in events if isinstance(x, e.CallFinished)), default=0)
    if not last:
        return f": it has no {what}s"
    return f": it has {what}s 1 to {last}" if last > 1 else f": it has only {what} 1"


def fork_point_at(parent: str, events: Sequence[e.AnyEvent], seq: int) -> ForkPoint:
    """Return the fork point at the parent's event `seq`, or the nearest one before it.

    Args:
        parent: the parent's session.
        events: all of its events.
        seq: number of the event.

    Raises:
        ForkRefused: no run can start there.
    """
    if not events or not isinstance(events[0], e.RunStarted):
        raise ForkRefused("This session does not record how it started, so it cannot be forked.")
    if events[0].sandbox == REBUILT and not any(isinstance(x, e.ModelReplied) for x in events):
        raise ForkRefused("A recording of a terminal has no conversation to fork.")
    history, next_call = _without_unfinished([x for x in events if x.seq <= seq])
    if not any(isinstance(x, e.TerminalOpened) for x in history):
        history = _beginning(events, history)
    return ForkPoint(
        parent=parent,
        step=max((x.step for x in history if isinstance(x, e.ModelReplied)), default=0),
        history=history,
        trailing_changes=_trailing_changes(events, history),
        next_call=next_call,
        exact=_is_exact(history),
        bases=_bases(events, history),
    )


def never_prepared(events: Sequence[e.AnyEvent]) -> bool:
    """Return whether a fork's program ended before the fork's sandbox was rebuilt.

    Args:
        events: all events of an interrupted session.
    """
    first = events[0] if events else None
    if not isinstance(first, e.RunStarted) or first.parent_seq is None:
        return False
    own = [event for event in events if event.seq > first.parent_seq]
    if not own or not isinstance(own[0], e.Forked):
        return True
    if own[0].snapshot is not None and not own[0].repeats:
        return False
    return not any(isinstance(event, _ACTS) for event in own)


_ACTS = (e.Delivered, e.ModelAsked, e.CallProposed)
"""The first events an agent posts once its sandbox is ready."""


def _number(event: e.AnyEvent) -> int | None:
    match event:
        case e.CallProposed(call=call):
            return call.number
        case e.CallFinished(call=number):
            return number
        case _:
            return None


def _end_of_step(events: Sequence[e.AnyEvent], step: int) -> int | None:
    """Return the last event of a step: all its calls have ended, and no further request was
    made."""
    found = 1 if step == 0 else None
    for event in events:
        match event:
            case e.ModelReplied(step=number) if number == step:
                found = event.seq
            case e.CallProposed(call=call) if call.step == step:
                found = event.seq
            case e.Delivered(step=number) | e.ModelAsked(step=number) if number > step:
                break
            case e.RunFinished() if found is not None:
                break
            case _:
                found = None if found is None else event.seq
    return found


# --- removing unfinished work


def _without_unfinished(
    events: list[e.AnyEvent],
) -> tuple[list[e.AnyEvent], e.ToolCall | None]:
    """Remove RunFinished, an unanswered request and an unfinished call; returns the rest and the
    call."""
    events = [x for x in events if not isinstance(x, e.RunFinished)]
    asked = _unanswered(events)
    if asked is not None:
        return events[:asked], None
    finished = {x.call for x in events if isinstance(x, e.CallFinished)}
    for place, event in enumerate(events):
        if isinstance(event, e.CallProposed) and event.call.number not in finished:
            return events[:place], event.call
    return events, _next_written(events)


def _unanswered(events: list[e.AnyEvent]) -> int | None:
    """Return the position of an unanswered request, including the messages delivered for it."""
    step, place = 0, None
    for index, event in enumerate(events):
        match event:
            case e.Delivered(step=number) | e.ModelAsked(step=number):
                if number != step:
                    step, place = number, index
            case e.ModelReplied():
                place = None
            case _:
                pass
    return place


def _next_written(events: list[e.AnyEvent]) -> e.ToolCall | None:
    """Return the next call of the last reply, as the model wrote it; None if the turn is over."""
    replied = next((x for x in reversed(events) if isinstance(x, e.ModelReplied)), None)
    if replied is None:
        return None
    done = [x.call for x in events if isinstance(x, e.CallProposed)]
    here = [call for call in done if call.step == replied.step]
    written = cast("list[dict[str, Any]]", replied.message.get("tool_calls") or [])
    if len(here) >= len(written):
        return None
    call = written[len(here)]
    return e.ToolCall(
        number=max((one.number for one in done), default=0) + 1,
        step=replied.step,
        id=str(call["id"]),
        name=str(call["function"]["name"]),
        arguments=str(call["function"]["arguments"]),
    )


def _beginning(events: Sequence[e.AnyEvent], history: list[e.AnyEvent]) -> list[e.AnyEvent]:
    """Return the history, at least up to the first request, which is the earliest fork point."""
    end = next((n for n, x in enumerate(events) if isinstance(x, e.ModelAsked)), len(events))
    first = list(events[:end])
    return first if len(first) > len(history) else history


def _trailing_changes(
    events: Sequence[e.AnyEvent], history: Sequence[e.AnyEvent]
) -> list[e.FilesChanged]:
    """Return changes made before the last common event but recorded after it."""
    calls = {x.call for x in history if isinstance(x, e.CallFinished)}
    last = history[-1].seq
    found: list[e.FilesChanged] = []
    for event in events:
        if event.seq <= last:
            continue
        if isinstance(event, e.FilesChanged) and event.call is not None and event.call in calls:
            found.append(event)
        elif isinstance(event, e.CallFinished):
            break
    return found


def _is_exact(history: Sequence[e.AnyEvent]) -> bool:
    """Return whether the rebuilt last request has the digest that was recorded."""
    for place in range(len(history) - 1, -1, -1):
        asked = history[place]
        if isinstance(asked, e.ModelAsked):
            rebuilt = conversation(history[: place + 1])
            return messages_digest(rebuilt) == asked.digest
    return True


# --- the files


def _bases(events: Sequence[e.AnyEvent], history: Sequence[e.AnyEvent]) -> list[BaseSnapshot]:
    """Return the snapshots that contain no change after `history`, nearest first."""
    last = history[-1].seq
    found: list[BaseSnapshot] = []
    for event in events:
        match event:
            case e.SnapshotTaken() if 0 < event.at <= last:
                found.append(BaseSnapshot(name=event.image, at=event.at, step=event.step))
            case e.Forked(snapshot=str(name), repeats=0) if event.seq <= last:
                found.append(BaseSnapshot(name=name, at=event.seq, step=event.step))
            case _:
                pass
    return sorted(found, key=lambda base: -base.at)


def _effects(events: Sequence[e.AnyEvent], after: int) -> list[SideEffect]:
    calls: dict[int, e.ToolCall] = {}
    arguments: dict[int, str] = {}
    started: set[int] = set()
    commands: dict[int, str] = {}
    found: list[SideEffect] = []
    for event in events:
        match event:
            case e.CallProposed(call=call):
                calls[call.number], arguments[call.number] = call, call.arguments
            case e.CallDecided(call=number, arguments=str(edited)):
                arguments[number] = edited
            case e.CallStarted(call=number):
                started.add(number)
            case e.HumanCommand(id=item, command=text) | e.Reworded(id=item, text=text):
                commands[item] = text
            case e.CallFinished(call=number) if event.seq > after and number in started:
                if may_change_sandbox(calls[number].name, arguments[number]):
                    found.append(_replay_of_call(event, calls[number], arguments[number]))
            case e.HumanCommandFinished(id=item) if event.seq > after:
                if event.exit_code is not None or event.timed_out:
                    found.append(_replay_of_command(event, commands[item]))
            case e.FilesChanged(by="human") if event.seq > after:
                found.append(event)
            case _:
                pass
    return found


def _replay_of_call(event: e.CallFinished, call: e.ToolCall, arguments: str) -> CommandReplay:
    return CommandReplay(
        number=call.number,
        by="model",
        tool=call.name,
        arguments=arguments,
        observation=event.observation,
        exit_code=event.exit_code,
        duration=event.duration,
        ended=event.timed_out or event.interrupted,
    )


def _replay_of_command(event: e.HumanCommandFinished, command: str) -> CommandReplay:
    return CommandReplay(
        number=event.id,
        by="human",
        tool=BASH,
        arguments=json.dumps({"command": command}),
        observation=event.observation,
        exit_code=event.exit_code,
        duration=event.duration,
        ended=event.timed_out,
    )
