"""The vocabulary of events: everything that can happen in a run.

A run is its events: `Run` yields them, `sessions` stores them, the screen folds them, and replay
yields the same objects again. Events are immutable; the journal sets `seq` (1, 2, 3 ...) and `t`
(seconds since the run began, on a monotonic clock).

An event is stored as one JSON object: `{"kind": "CallStarted", "seq": 7, "t": 1.52, "call": 3}`.
Bytes are base64. Paths are text in the encoding of `core.base.path_codec`, which preserves any file
name.

A class's name is its `kind`: to rename a class, pin the old name as its tag. A new event needs a
class in `core.events.kinds`, a member of `AnyEvent`, and a case in `core.events.run_state`.
"""

from __future__ import annotations

from typing import Any, cast, get_args

import msgspec

from sandbox_tui.core.base.errors import EventDecodeError
from sandbox_tui.core.events.kinds.base import (
    Event as Event,
)
from sandbox_tui.core.events.kinds.human import (
    Delivered as Delivered,
)
from sandbox_tui.core.events.kinds.human import (
    HumanCommand as HumanCommand,
)
from sandbox_tui.core.events.kinds.human import (
    HumanCommandFinished as HumanCommandFinished,
)
from sandbox_tui.core.events.kinds.human import (
    HumanCommandStarted as HumanCommandStarted,
)
from sandbox_tui.core.events.kinds.human import (
    HumanFile as HumanFile,
)
from sandbox_tui.core.events.kinds.human import (
    HumanMessage as HumanMessage,
)
from sandbox_tui.core.events.kinds.human import (
    ModeChanged as ModeChanged,
)
from sandbox_tui.core.events.kinds.human import (
    Reworded as Reworded,
)
from sandbox_tui.core.events.kinds.human import (
    RuleGranted as RuleGranted,
)
from sandbox_tui.core.events.kinds.human import (
    RuleRevoked as RuleRevoked,
)
from sandbox_tui.core.events.kinds.human import (
    Withdrawn as Withdrawn,
)
from sandbox_tui.core.events.kinds.requests_and_calls import (
    CallDecided as CallDecided,
)
from sandbox_tui.core.events.kinds.requests_and_calls import (
    CallFinished as CallFinished,
)
from sandbox_tui.core.events.kinds.requests_and_calls import (
    CallHeld as CallHeld,
)
from sandbox_tui.core.events.kinds.requests_and_calls import (
    CallProposed as CallProposed,
)
from sandbox_tui.core.events.kinds.requests_and_calls import (
    CallStarted as CallStarted,
)
from sandbox_tui.core.events.kinds.requests_and_calls import (
    ContextLengthFound as ContextLengthFound,
)
from sandbox_tui.core.events.kinds.requests_and_calls import (
    ModelAsked as ModelAsked,
)
from sandbox_tui.core.events.kinds.requests_and_calls import (
    ModelDelta as ModelDelta,
)
from sandbox_tui.core.events.kinds.requests_and_calls import (
    ModelFailed as ModelFailed,
)
from sandbox_tui.core.events.kinds.requests_and_calls import (
    ModelReplied as ModelReplied,
)
from sandbox_tui.core.events.kinds.requests_and_calls import (
    PartialReplyCounted as PartialReplyCounted,
)
from sandbox_tui.core.events.kinds.requests_and_calls import (
    ReplyInterrupted as ReplyInterrupted,
)
from sandbox_tui.core.events.kinds.requests_and_calls import (
    ToolFormatChosen as ToolFormatChosen,
)
from sandbox_tui.core.events.kinds.run import (
    Forked as Forked,
)
from sandbox_tui.core.events.kinds.run import (
    Repeated as Repeated,
)
from sandbox_tui.core.events.kinds.run import (
    RunFinished as RunFinished,
)
from sandbox_tui.core.events.kinds.run import (
    RunResumed as RunResumed,
)
from sandbox_tui.core.events.kinds.run import (
    RunStarted as RunStarted,
)
from sandbox_tui.core.events.kinds.run import (
    Scored as Scored,
)
from sandbox_tui.core.events.kinds.run import (
    Warned as Warned,
)
from sandbox_tui.core.events.kinds.sandbox import (
    FilesChanged as FilesChanged,
)
from sandbox_tui.core.events.kinds.sandbox import (
    FilesListed as FilesListed,
)
from sandbox_tui.core.events.kinds.sandbox import (
    InputAwaited as InputAwaited,
)
from sandbox_tui.core.events.kinds.sandbox import (
    SandboxFrozen as SandboxFrozen,
)
from sandbox_tui.core.events.kinds.sandbox import (
    SandboxThawed as SandboxThawed,
)
from sandbox_tui.core.events.kinds.sandbox import (
    SnapshotTaken as SnapshotTaken,
)
from sandbox_tui.core.events.kinds.sandbox import (
    TerminalClosed as TerminalClosed,
)
from sandbox_tui.core.events.kinds.sandbox import (
    TerminalInput as TerminalInput,
)
from sandbox_tui.core.events.kinds.sandbox import (
    TerminalOpened as TerminalOpened,
)
from sandbox_tui.core.events.kinds.sandbox import (
    TerminalOutput as TerminalOutput,
)
from sandbox_tui.core.events.kinds.sandbox import (
    TerminalResized as TerminalResized,
)
from sandbox_tui.core.events.kinds.values import (
    EXIT_CODES as EXIT_CODES,
)
from sandbox_tui.core.events.kinds.values import (
    RESUMABLE as RESUMABLE,
)
from sandbox_tui.core.events.kinds.values import (
    SANDBOX_FIELDS as SANDBOX_FIELDS,
)
from sandbox_tui.core.events.kinds.values import (
    SCHEMA_VERSION as SCHEMA_VERSION,
)
from sandbox_tui.core.events.kinds.values import (
    SNAPSHOTS as SNAPSHOTS,
)
from sandbox_tui.core.events.kinds.values import (
    Actor as Actor,
)
from sandbox_tui.core.events.kinds.values import (
    ContextLength as ContextLength,
)
from sandbox_tui.core.events.kinds.values import (
    FileChange as FileChange,
)
from sandbox_tui.core.events.kinds.values import (
    FinishReason as FinishReason,
)
from sandbox_tui.core.events.kinds.values import (
    Limits as Limits,
)
from sandbox_tui.core.events.kinds.values import (
    Mode as Mode,
)
from sandbox_tui.core.events.kinds.values import (
    Part as Part,
)
from sandbox_tui.core.events.kinds.values import (
    RunSettings as RunSettings,
)
from sandbox_tui.core.events.kinds.values import (
    ToolCall as ToolCall,
)
from sandbox_tui.core.events.kinds.values import (
    ToolCallMode as ToolCallMode,
)
from sandbox_tui.core.events.kinds.values import (
    ToolCallSetting as ToolCallSetting,
)
from sandbox_tui.core.events.kinds.values import (
    ToolFormat as ToolFormat,
)
from sandbox_tui.core.events.kinds.values import (
    Totals as Totals,
)
from sandbox_tui.core.events.kinds.values import (
    TurnPolicy as TurnPolicy,
)
from sandbox_tui.core.events.kinds.values import (
    Usage as Usage,
)
from sandbox_tui.core.events.kinds.values import (
    Verdict as Verdict,
)
from sandbox_tui.core.events.kinds.values import (
    Watch as Watch,
)
from sandbox_tui.core.events.storable_numbers import with_numbers

AnyEvent = (
    RunStarted
    | RunResumed
    | RunFinished
    | ModelAsked
    | ModelDelta
    | ModelReplied
    | ModelFailed
    | ReplyInterrupted
    | PartialReplyCounted
    | ToolFormatChosen
    | ContextLengthFound
    | CallProposed
    | CallHeld
    | CallDecided
    | CallStarted
    | CallFinished
    | TerminalOpened
    | TerminalOutput
    | TerminalInput
    | TerminalResized
    | TerminalClosed
    | InputAwaited
    | FilesListed
    | FilesChanged
    | HumanMessage
    | HumanCommand
    | HumanCommandStarted
    | HumanCommandFinished
    | HumanFile
    | Delivered
    | Withdrawn
    | Reworded
    | ModeChanged
    | RuleGranted
    | RuleRevoked
    | SandboxFrozen
    | SandboxThawed
    | SnapshotTaken
    | Forked
    | Repeated
    | Scored
    | Warned
)
"""Every kind of event."""

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


def to_json(event: Event) -> bytes:
    """Encode the event as one line of JSON (UTF-8, no newline)."""
    return _encoder.encode(event)


def from_json(line: bytes | str) -> AnyEvent:
    """Decode an event from a line of JSON.

    Null in place of a number, which earlier versions wrote for an infinite one, is read as the
    field's default.

    Raises:
        EventDecodeError: the line is not an event of this version.
    """
    try:
        try:
            return _decoder.decode(line)
        except msgspec.ValidationError:
            return msgspec.convert(_with_numbers(msgspec.json.decode(line)), AnyEvent)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise EventDecodeError(
            f"This is not an event of version {SCHEMA_VERSION}: {error}"
        ) from error


_CLASSES: dict[str, type[Event]] = {
    str(kind.__struct_config__.tag): kind for kind in get_args(AnyEvent)
}


def _with_numbers(fields: Any) -> Any:
    """Return the decoded fields, with a number wherever one is required."""
    if not isinstance(fields, dict):
        return fields
    known = cast(dict[str, Any], fields)
    kind = _CLASSES.get(str(known.get("kind")))
    return known if kind is None else with_numbers(known, kind)
