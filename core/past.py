"""What a run whose program is gone had come to, read from its events, for the one that goes on.

A program that is killed leaves three things: the events it had stored, the sandbox (for
`sandbox.grace` seconds), and in it the shell state of the last command that ended. All else is made
anew from the events: the conversation, what waits for the model, where the turn stood.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from . import events as e
from .agent import Standing
from .conversation import Message, conversation
from .gate import Waiting, as_message
from .human_files import told as told_of_file
from .injected import told as told_of_command
from .models.base import WrittenCall
from .paths import text_to_path
from .sandboxes.base import FileEntry, Listing
from .spans import span
from .state import MIRROR, HumanItem, RunState, fold, is_lost
from .tools.arguments import ArgumentsError, parse_arguments

MIRROR_SIZE = (100, 30)
"""Columns and rows of a mirror that had not been opened."""

LOST_COMMAND = "The program was ended while this command was running; its output is lost."


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """A run up to the moment at which its program was gone.

    Attributes:
        state: the fold of its events; the run that goes on folds its own into it.
        started: its beginning.
        messages: the conversation as it stands for the next request.
        standing: where the agent stood.
        mode, going: how it proceeded, and the last mode in which it went by itself.
        granted: tool and pattern of what a person allowed for the rest of the run.
        outbox: what waits for the model.
        commands: a person's commands that had not begun.
        lost_commands: those that were running.
        listing: the files as they were last seen; None when they had not been looked at yet.
        shells: how many shells a person had opened.
        away: seconds since the last event, by wall clock.
        begun_at: seconds on the run's clock at which its own part began; 0 unless it is a fork.
        frozen_seconds: how long its sandbox stood still since then.
    """

    state: RunState
    started: e.RunStarted
    messages: list[Message]
    standing: Standing
    mode: e.Mode
    going: e.Mode
    granted: tuple[tuple[str, str], ...]
    outbox: list[Waiting]
    commands: tuple[HumanItem, ...]
    lost_commands: tuple[HumanItem, ...]
    listing: Listing | None
    shells: int
    away: float
    begun_at: float
    frozen_seconds: float

    def time_left(self, limit: float | None) -> float | None:
        """What is left of a time limit, in seconds; frozen time and a parent's do not count."""
        if limit is None:
            return None
        return max(0.0, limit - (self.state.t - self.begun_at - self.frozen_seconds))

    @property
    def remark(self) -> str:
        """The line in the mirror that parts before from after."""
        return f"the program was ended here; taken up again after {span(self.away)}"

    def closing(self, sandbox_info: dict[str, str]) -> Iterator[e.AnyEvent]:
        """The events that say what became of what was under way, the resumption first."""
        yield e.RunResumed(
            resumed_at=time.time(),
            away=round(self.away, 3),
            sandbox_info=dict(sandbox_info),
            lost=tuple(self._lost()),
            changed=changed(self.started),
        )
        if self.state.frozen:
            yield e.SandboxThawed(by="program")
        if MIRROR not in self.state.terminals:
            yield e.TerminalOpened(terminal=MIRROR, cols=MIRROR_SIZE[0], rows=MIRROR_SIZE[1])
        for terminal in list(self.state.terminals):
            if terminal != MIRROR:
                yield e.TerminalClosed(terminal=terminal)
        for item in self.lost_commands:
            yield e.HumanCommandFinished(
                id=item.id, observation=LOST_COMMAND, exit_code=None, duration=0.0
            )

    def _lost(self) -> Iterator[str]:
        running, state = self.standing.interrupted, self.state
        if running is not None:
            yield f"Call {running.number} was running: it counts as interrupted."
        for item in self.lost_commands:
            yield f"Your command was running, and counts as interrupted: {item.text[:80]}"
        reply = state.reply
        if reply is not None and reply.replied is None and (reply.text or reply.reasoning):
            yield "A reply was being written: the model is asked again."
        shells = len([name for name in state.terminals if name != MIRROR])
        if shells:
            yield "Your shell was ended." if shells == 1 else f"Your {shells} shells were ended."
        if state.frozen:
            yield "The sandbox was frozen; it goes on, and the run stays paused."


def changed(started: e.RunStarted) -> tuple[str, ...]:
    """What is not recorded of a run, and is now as today's settings say."""
    if "base_url" not in started.model_params:  # no server is asked
        return ()
    return ("The key and the timeouts of its model server are those of today's settings.",)


def past_of(events: Sequence[e.AnyEvent]) -> Past | None:
    """What these events, the first to the last that was stored, come to.

    None when they do not begin with a `RunStarted`.
    """
    if not events or not isinstance(events[0], e.RunStarted):
        return None
    state = fold(events)
    own = _own(events)
    now = e.RunResumed(resumed_at=time.time(), away=0.0, sandbox_info={})
    return Past(
        state=state,
        started=events[0],
        messages=conversation([*events, now]),
        standing=_standing(events, state),
        mode=state.mode,
        going=_going(events),
        granted=tuple((x.tool, x.pattern) for x in events if isinstance(x, e.RuleGranted)),
        outbox=_outbox(state),
        commands=tuple(item for item in state.queue if item.command and not item.started),
        lost_commands=_running_commands(state),
        listing=_listing(state) if any(isinstance(x, e.FilesListed) for x in events) else None,
        shells=len(
            {x.terminal for x in events if isinstance(x, e.TerminalOpened)} - {MIRROR},
        ),
        away=max(0.0, time.time() - last_moment(events)),
        begun_at=own[0].t if len(own) < len(events) else 0.0,
        frozen_seconds=_frozen_seconds(own),
    )


def _own(events: Sequence[e.AnyEvent]) -> Sequence[e.AnyEvent]:
    """The events that are not a parent's: of a fork, those from where it parted."""
    for place in range(len(events) - 1, -1, -1):
        if isinstance(events[place], e.Forked):
            return events[place:]
    return events


def last_moment(events: Sequence[e.AnyEvent]) -> float:
    """When the last event happened, in seconds since the epoch."""
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


def _going(events: Sequence[e.AnyEvent]) -> e.Mode:
    going: e.Mode = "auto"
    for event in events:
        if isinstance(event, e.ModeChanged) and event.mode in ("auto", "ask"):
            going = event.mode
    return going


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


# --- what waits for the model


def _outbox(state: RunState) -> list[Waiting]:
    """In the order in which it began to wait: a command's output does when the command ends."""
    waiting = [(_since(item), _words(item)) for item in state.queue if _tells(item)]
    words = [words for _, words in sorted(waiting, key=lambda pair: pair[0])]
    for item in _running_commands(state):
        if item.told_to_model:
            told = told_of_command(item.text, LOST_COMMAND)
            words.append(Waiting(item.id, told, holds_submit=False))
    return words


def _running_commands(state: RunState) -> tuple[HumanItem, ...]:
    return tuple(item for item in state.humans.values() if item.started and item.finished is None)


def _tells(item: HumanItem) -> bool:
    return item.command is None or item.finished is not None


def _since(item: HumanItem) -> float:
    return item.at if item.finished is None else item.finished.t


def _words(item: HumanItem) -> Waiting:
    if item.file is not None:
        return Waiting(item.id, told_of_file(item.file), holds_submit=False)
    if item.command is not None and item.finished is not None:
        words = told_of_command(item.command, item.finished.observation)
        return Waiting(item.id, words, holds_submit=False)
    return Waiting(item.id, as_message(item.text), holds_submit=True)


# --- where the turn stood


def _standing(events: Sequence[e.AnyEvent], state: RunState) -> Standing:
    replied = next((x for x in reversed(events) if isinstance(x, e.ModelReplied)), None)
    if replied is None:
        return Standing()
    items = [item for item in state.calls.values() if item.call.step == replied.step]
    unfinished = next((item for item in items if item.finished is None), None)
    running = unfinished is not None and is_lost(unfinished)
    call = None if unfinished is None else unfinished.call
    written = _written(events, replied)
    own = _own(events)
    costs = [x.cost for x in own if isinstance(x, e.ModelReplied) and x.cost is not None]
    cut = [one.cut for one in written if call is not None and one.id == call.id]
    return Standing(
        step=replied.step,
        calls=max(state.calls, default=0),
        cost=sum(costs),
        context_tokens=state.context_tokens,
        interrupted=call if running else None,
        proposed=None if running else call,
        proposed_cut=any(cut),
        unproposed=written[len(items) :],
        submitted=any(
            item.call.name == "submit"
            and item.finished is not None
            and item.finished.ok
            and item.finished.seq >= own[0].seq  # what a parent handed in, a fork takes up again
            for item in items
        ),
    )


def _written(events: Sequence[e.AnyEvent], replied: e.ModelReplied) -> tuple[WrittenCall, ...]:
    """The calls of a reply, word for word.

    The message holds them in a form that any server takes back; what the model wrote instead, say
    broken JSON, is in the fragments.
    """
    sent = cast("list[dict[str, dict[str, str]]]", replied.message.get("tool_calls") or [])
    fragments = _fragments(events, replied)
    calls: list[WrittenCall] = []
    for number, call in enumerate(sent):
        whole = call["function"]["name"], call["function"]["arguments"]
        name, arguments = fragments.get(number, whole)
        last = number == len(sent) - 1
        cut = last and replied.finish_reason == "length" and not _is_object(arguments)
        calls.append(WrittenCall(id=str(call["id"]), name=name, arguments=arguments, cut=cut))
    return tuple(calls)


def _fragments(events: Sequence[e.AnyEvent], replied: e.ModelReplied) -> dict[int, tuple[str, str]]:
    """Name and arguments of each call of a reply, as they streamed in."""
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
