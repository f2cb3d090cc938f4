"""Recovers the state of a run whose program has ended, or of a parent at a fork, from its events.

A killed program leaves three things: the events it stored, the sandbox (for `sandbox.grace`
seconds), and inside it the shell state after the last completed command. Everything else is rebuilt
from the events: the conversation, the queued messages, the position within the turn.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from sandbox_tui.core.agent.checkpoint import AgentCheckpoint
from sandbox_tui.core.agent.conversation_from_events import Message, conversation
from sandbox_tui.core.agent.message_queue import PROGRAM, QueuedMessage
from sandbox_tui.core.agent.model_messages import (
    LOST_COMMAND,
    human_command,
    human_file,
    human_message,
    repeated_call,
    reports_lost_processes,
)
from sandbox_tui.core.agent.repetition import TIMES_UNTIL_TOLD, counter_after
from sandbox_tui.core.agent.text_conversation import FAMILY_KEY, REPAIRS_KEY
from sandbox_tui.core.base.json_arguments import ArgumentsError, parse_arguments
from sandbox_tui.core.base.path_codec import text_to_path
from sandbox_tui.core.environment.snapshotter import touches
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import MIRROR, HumanItem, RunState, fold, is_lost
from sandbox_tui.core.models.base import RawToolCall
from sandbox_tui.core.sandboxes.base import FileEntry, Listing
from sandbox_tui.core.tools.call_summaries import full_command

MAX_COMMAND_CHARS = 300
"""Maximum characters of a background command in the message to the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveredRun:
    """A run up to its last stored event.

    Attributes:
        state: the fold of its events, which the continuing run extends.
        started: its first event.
        messages: the conversation for the next request.
        checkpoint: the agent's checkpoint.
        mode, resume_mode: its mode, and the mode before the last pause.
        granted: (tool, pattern) of the rules the user granted for the rest of the run.
        message_queue: messages that wait for the model.
        commands: user commands that had not started.
        lost_commands: user commands that were running.
        listing: the files at the last scan, or None if there was none.
        shells: number of shells the user opened.
        downtime: seconds since the last event, in wall-clock time.
        run_started_at: start of its own part on the run's clock, in seconds; 0 unless it is a fork.
        frozen_seconds: how long its sandbox was frozen since then.
        left_running: commands that left background processes running, if the model has not been
            told that those ended.
        snapshots: its events about snapshots, and those that changed the sandbox.
        ended_because: why it ended; None if its program was killed.
        prepared: whether its input had been copied in and its files scanned.
    """

    state: RunState
    started: e.RunStarted
    messages: list[Message]
    checkpoint: AgentCheckpoint
    mode: e.Mode
    resume_mode: e.Mode
    granted: tuple[tuple[str, str], ...]
    message_queue: list[QueuedMessage]
    commands: tuple[HumanItem, ...]
    lost_commands: tuple[HumanItem, ...]
    listing: Listing | None
    shells: int
    downtime: float
    run_started_at: float
    frozen_seconds: float
    left_running: tuple[str, ...] = ()
    snapshots: tuple[e.AnyEvent, ...] = ()
    prepared: bool = True
    ended_because: e.FinishReason | None = None

    def time_left(self, limit: float | None) -> float | None:
        """Return the rest of a time limit, in seconds; frozen time and the parent's time do not
        count."""
        if limit is None:
            return None
        return max(0.0, limit - (self.state.t - self.run_started_at - self.frozen_seconds))


def recover(events: Sequence[e.AnyEvent]) -> RecoveredRun | None:
    """Return the run described by all its stored events; None if the first one is not
    RunStarted."""
    if not events or not isinstance(events[0], e.RunStarted):
        return None
    state = fold(events)
    finished, state.finished = state.finished, None
    own = _own_events(events)
    now = e.RunResumed(resumed_at=time.time(), away=0.0, sandbox_info={})
    return RecoveredRun(
        state=state,
        started=events[0],
        messages=conversation([*events, now]),
        checkpoint=_agent_checkpoint(events, state),
        mode=state.mode,
        resume_mode=_resume_mode(events),
        granted=tuple((x.tool, x.pattern) for x in state.granted),
        message_queue=[*_queued_messages(state), *_undelivered_repetition(events, state)],
        commands=tuple(item for item in state.queue if item.command and not item.started),
        lost_commands=_running_commands(state),
        listing=_listing(state) if any(isinstance(x, e.FilesListed) for x in events) else None,
        shells=len(
            {x.terminal for x in events if isinstance(x, e.TerminalOpened)} - {MIRROR},
        ),
        downtime=max(0.0, time.time() - last_moment(events)),
        run_started_at=own[0].t if len(own) < len(events) else 0.0,
        frozen_seconds=_frozen_seconds(own),
        left_running=tuple(_left_running(own, state)),
        snapshots=tuple(x for x in own if isinstance(x, e.SnapshotTaken) or touches(x)),
        ended_because=None if finished is None else finished.reason,
        prepared=any(isinstance(x, e.FilesListed | e.Delivered | e.ModelAsked) for x in events),
    )


def _own_events(events: Sequence[e.AnyEvent]) -> Sequence[e.AnyEvent]:
    """Return the run's own events; for a fork, those after its parent's."""
    for place in range(len(events) - 1, -1, -1):
        if isinstance(events[place], e.Forked):
            return events[place:]
    return events


def last_moment(events: Sequence[e.AnyEvent]) -> float:
    """Return the time of the last event, in seconds since the epoch."""
    at = 0.0
    for event in events:
        match event:
            case e.RunStarted():
                at = event.started_at - event.t
            case e.RunResumed():
                at = event.resumed_at - event.t
            case _:
                pass
    return at + events[-1].t


def _resume_mode(events: Sequence[e.AnyEvent]) -> e.Mode:
    mode: e.Mode = "auto"
    before: e.Mode = "auto"
    for event in events:
        if isinstance(event, e.ModeChanged):
            before = mode if event.mode == "paused" and mode != "paused" else before
            mode = event.mode
    return before


def _frozen_seconds(events: Sequence[e.AnyEvent]) -> float:
    total, since = 0.0, None
    for event in events:
        if isinstance(event, e.SandboxFrozen):
            since = event.t
        elif isinstance(event, e.SandboxThawed) and since is not None:
            total, since = total + event.t - since, None
    return total if since is None else total + events[-1].t - since


def _listing(state: RunState) -> Listing:
    entries: dict[bytes, FileEntry] = {}
    for file in state.files.values():
        last = file.last
        if last.change != "deleted":
            path = text_to_path(last.path)
            entries[path] = FileEntry(
                path=path, kind=last.kind, size=last.size, mode=last.mode, mtime=last.mtime
            )
    return Listing(entries=entries)


def _left_running(own: Sequence[e.AnyEvent], state: RunState) -> Iterator[str]:
    """Yield the commands that left processes running, one line each, in order of their end."""
    told_at = [x.seq for x in own if isinstance(x, e.Delivered) and reports_lost_processes(x.text)]
    since = max([own[0].seq, *told_at])
    for event in own:
        if event.seq <= since:
            continue
        match event:
            case e.CallFinished(call=number, background=True):
                item = state.calls[number]
                yield full_command(item.call.name, item.arguments)[:MAX_COMMAND_CHARS]
            case e.HumanCommandFinished(id=number, background=True):
                yield f"{state.humans[number].text[:MAX_COMMAND_CHARS]} (a person's)"
            case _:
                pass


# --- messages for the model


def _queued_messages(state: RunState) -> list[QueuedMessage]:
    """Return the queue, ordered by time of queuing; a command's output is queued at its end."""
    waiting = [(_since(item), _queued_message(item)) for item in state.queue if _has_message(item)]
    queued = [message for _, message in sorted(waiting, key=lambda pair: pair[0])]
    for item in _running_commands(state):
        if item.told_to_model:
            command_text = human_command(item.text, LOST_COMMAND)
            queued.append(QueuedMessage(item.id, command_text, blocks_submit=False))
    return queued


def _undelivered_repetition(events: Sequence[e.AnyEvent], state: RunState) -> list[QueuedMessage]:
    """Return the message about a repeated call, if the program died before delivering it."""
    last = next((x for x in reversed(events) if isinstance(x, e.CallFinished | e.Delivered)), None)
    times = counter_after(events).times
    if not isinstance(last, e.CallFinished) or times != TIMES_UNTIL_TOLD:
        return []
    text = repeated_call(state.calls[last.call].call.name, times)
    return [QueuedMessage(PROGRAM, text, blocks_submit=False)]


def _running_commands(state: RunState) -> tuple[HumanItem, ...]:
    return tuple(item for item in state.humans.values() if item.started and item.finished is None)


def _has_message(item: HumanItem) -> bool:
    return item.command is None or item.finished is not None


def _since(item: HumanItem) -> float:
    return item.at if item.finished is None else item.finished.t


def _queued_message(item: HumanItem) -> QueuedMessage:
    if item.file is not None:
        return QueuedMessage(item.id, human_file(item.file), blocks_submit=False)
    if item.command is not None and item.finished is not None:
        words = human_command(item.command, item.finished.observation)
        return QueuedMessage(item.id, words, blocks_submit=False)
    return QueuedMessage(item.id, human_message(item.text), blocks_submit=True)


# --- position within the turn


def _agent_checkpoint(events: Sequence[e.AnyEvent], state: RunState) -> AgentCheckpoint:
    replied = next((x for x in reversed(events) if isinstance(x, e.ModelReplied)), None)
    if replied is None:
        return AgentCheckpoint(tool_format=state.tool_format)
    items = [item for item in state.calls.values() if item.call.step == replied.step]
    unfinished = next((item for item in items if item.finished is None), None)
    running = unfinished is not None and is_lost(unfinished)
    call = None if unfinished is None else unfinished.call
    written = _written(events, replied)
    own = _own_events(events)
    costs = [x.cost for x in own if isinstance(x, e.ModelReplied) and x.cost is not None]
    cut = [one.truncated for one in written if call is not None and one.id == call.id]
    return AgentCheckpoint(
        step=replied.step,
        calls=max(state.calls, default=0),
        cost=sum(costs),
        context_tokens=state.context_tokens,
        interrupted=call if running else None,
        proposed=None if running else call,
        proposed_cut=any(cut),
        proposed_held=call is not None and _needs_decision(own, call.number),
        unproposed=written[len(items) :],
        submitted=any(
            item.call.name == "submit"
            and item.finished is not None
            and item.finished.ok
            and item.finished.seq >= own[0].seq  # a parent's submit is undone in a fork
            for item in items
        ),
        tool_format=state.tool_format,
        repetition=counter_after(events),
    )


def _needs_decision(own: Sequence[e.AnyEvent], number: int) -> bool:
    """Return whether a call waited for a decision of the user, and not only for a pause's end."""
    held = [x for x in own if isinstance(x, e.CallHeld) and x.call == number]
    return bool(held) and not held[-1].until_resumed


def _written(events: Sequence[e.AnyEvent], replied: e.ModelReplied) -> tuple[RawToolCall, ...]:
    """Return the calls of a reply exactly as the model wrote them.

    The message holds them in a form that every server accepts; the model's own text, for example
    broken JSON, is in the fragments.
    """
    sent = cast("list[dict[str, dict[str, str]]]", replied.message.get("tool_calls") or [])
    repairs = cast("list[str]", replied.message.get(REPAIRS_KEY) or [""] * len(sent))
    fragments = _fragments(events, replied)
    calls: list[RawToolCall] = []
    for number, call in enumerate(sent):
        whole = call["function"]["name"], call["function"]["arguments"]
        name, arguments = fragments.get(number, whole)
        last = number == len(sent) - 1
        cut = last and replied.finish_reason == "length" and not _is_object(arguments)
        calls.append(
            RawToolCall(
                id=str(call["id"]),
                name=name,
                arguments=arguments,
                truncated=cut,
                family=str(replied.message.get(FAMILY_KEY) or ""),
                repaired=repairs[number],
            )
        )
    return tuple(calls)


def _fragments(events: Sequence[e.AnyEvent], replied: e.ModelReplied) -> dict[int, tuple[str, str]]:
    """Return the name and arguments of each call of a reply, as they were streamed."""
    written: dict[int, tuple[str, str]] = {}
    for event in events:
        match event:
            case e.ModelAsked():
                written = {}
            case e.ModelDelta(channel="call", index=index):
                name, arguments = written.get(index, ("", ""))
                written[index] = (event.name or name, arguments + event.text)
            case e.ModelReplied() if event.seq == replied.seq:
                return written
            case _:
                pass
    return written


def _is_object(arguments: str) -> bool:
    try:
        parse_arguments(arguments)
    except ArgumentsError:
        return False
    return True
