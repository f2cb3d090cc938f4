"""The one vocabulary: everything that can happen in a run.

A run IS its events. `Run` yields them, `sessions` appends them, the screen folds them, and replay
yields the very same objects again. Events are immutable; `seq` (1, 2, 3 ...) and `t` (seconds
since the run began, monotonic clock) are set by the run when the event is emitted.

On the wire an event is one JSON object: `{"kind": "CallStarted", "seq": 7, "t": 1.52, "call": 3}`.
Bytes are base64. Paths are text as `core.paths` writes it, so that any file name survives.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from .errors import EventDecodeError

SCHEMA_VERSION = 1
"""Version of this vocabulary; stored with every run and raised when a field changes meaning."""

Actor = Literal["model", "human", "policy", "program"]
"""Who did it."""

Verdict = Literal["approve", "edit", "reject", "answer", "skip"]
"""What was decided about a proposed call."""

Mode = Literal["auto", "step", "ask", "paused"]
"""How a run proceeds: by itself; every call waits for a person; the calls a policy asks about wait;
requests wait as well."""

FinishReason = Literal[
    "submitted",
    "max_steps",
    "token_limit",
    "time_limit",
    "cost_limit",
    "cancelled",
    "model_error",
    "sandbox_error",
    "store_error",
    "internal_error",
]
"""Why a run ended. Only `submitted` is a success."""

EXIT_CODES: dict[FinishReason, int] = {
    "submitted": 0,
    "internal_error": 1,
    "sandbox_error": 4,
    "model_error": 5,
    "store_error": 6,
    "max_steps": 7,
    "token_limit": 7,
    "time_limit": 7,
    "cost_limit": 7,
    "cancelled": 130,
}
"""Exit code of the command for each way a run can end."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A value inside an event."""


class Limits(Part, frozen=True, kw_only=True):
    """What ends a run that does not submit. None means no limit.

    Attributes:
        max_steps: model turns.
        max_tokens: tokens in one reply.
        token_limit: tokens in the whole conversation (prompt + reply) of one request.
        time_limit: seconds of wall clock.
        cost_limit: US dollars, where the price is known.
        command_timeout: seconds for one command.
    """

    max_steps: int = 100
    max_tokens: int | None = None
    token_limit: int | None = None
    time_limit: float | None = None
    cost_limit: float | None = None
    command_timeout: float = 120.0


class Usage(Part, frozen=True, kw_only=True):
    """Tokens of one reply, as the server counted them (0 where it did not say).

    Attributes:
        input_tokens: tokens of the request.
        output_tokens: tokens of the reply, reasoning included.
        cached_tokens: the part of `input_tokens` served from a cache.
        reasoning_tokens: the part of `output_tokens` spent on reasoning.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0


class ToolCall(Part, frozen=True, kw_only=True):
    """One call of a tool, as the model wrote it.

    Attributes:
        number: 1, 2, 3 ... within the run; the key all later events of the call carry.
        step: the turn it belongs to.
        id: the server's id, which its answer must carry (not unique on every server).
        name: the tool's name, as written.
        arguments: the arguments, as written: JSON text, possibly malformed.
    """

    number: int
    step: int
    id: str
    name: str
    arguments: str


class FileChange(Part, frozen=True, kw_only=True):
    """What became of one path.

    Attributes:
        path: absolute, as `core.paths` writes it.
        change: created, modified or deleted.
        kind: file, dir, link or other.
        size: bytes (0 for what is not a file).
        mode: permission bits.
        mtime: seconds since the epoch.
        blob: digest of the content where it was kept, else None.
    """

    path: str
    change: Literal["created", "modified", "deleted"]
    kind: Literal["file", "dir", "link", "other"]
    size: int = 0
    mode: int = 0
    mtime: float = 0.0
    blob: str | None = None


class Totals(Part, frozen=True, kw_only=True):
    """Sums over a run.

    Attributes:
        steps: model turns taken.
        calls: tool calls finished.
        failed_calls: calls whose observation was an error.
        usage: tokens, summed.
        cost: US dollars, or None where the price is not known.
        seconds: wall clock from start to end.
    """

    steps: int = 0
    calls: int = 0
    failed_calls: int = 0
    usage: Usage = Usage()
    cost: float | None = None
    seconds: float = 0.0


SANDBOX_FIELDS = ("image", "network", "memory", "cpus", "pids", "grace")
"""Fields of a sandbox's spec that are recorded with a run."""


class RunSettings(Part, frozen=True, kw_only=True):
    """With what else a run was begun, so that another program can take it up.

    Attributes:
        mode: how it began.
        policy: the rules about its calls, as in the config file.
        input: host file or folder that was copied in, or None.
        output: host folder for the results, or None.
        observation_lines, observation_chars: bounds of what the model sees of one call.
        tty: whether commands run on a terminal of their own.
        sandbox: image, network, memory, cpus, pids and grace, as in the config file.
    """

    mode: Mode = "auto"
    policy: dict[str, Any] = {}
    input: str | None = None
    output: str | None = None
    observation_lines: int = 160
    observation_chars: int = 20_000
    tty: bool = False
    sandbox: dict[str, Any] = {}


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag=lambda name: name):
    """Something that happened. See the module's text for `seq` and `t`."""

    seq: int = 0
    t: float = 0.0

    @property
    def kind(self) -> str:
        """The event's name, as it stands in JSON."""
        return type(self).__name__


class RunStarted(Event, frozen=True, kw_only=True):
    """A run began. Holds all that is needed to say what was run, and never a key.

    Attributes:
        schema: version of this vocabulary.
        run_id: the session's id.
        started_at: wall clock, seconds since the epoch.
        task: what the model was asked.
        model: the model's name.
        model_params: server address and sampling parameters, without secrets.
        sandbox: docker or bubblewrap.
        sandbox_info: image, container, network and limits, as text to show.
        prompt_pack: name of the prompt pack.
        system_prompt, instance_prompt: the two opening messages as sent.
        working_dir, input_dir, output_dir: absolute paths inside the sandbox.
        limits: what will end the run.
        parent: the session this one was forked from, or None.
        parent_seq: the event of the parent at which it was forked.
        settings: with what else it was begun; None where that was not recorded.
    """

    schema: int
    run_id: str
    started_at: float
    task: str
    model: str
    model_params: dict[str, Any]
    sandbox: str
    sandbox_info: dict[str, str]
    prompt_pack: str
    system_prompt: str
    instance_prompt: str
    working_dir: str
    input_dir: str
    output_dir: str
    limits: Limits
    parent: str | None = None
    parent_seq: int | None = None
    settings: RunSettings | None = None


class RunResumed(Event, frozen=True, kw_only=True):
    """Another program took the run up, the one before being gone; `t` leaves the time between out.

    Attributes:
        resumed_at: wall clock, seconds since the epoch.
        away: seconds between the last event before and this one.
        sandbox_info: of the sandbox now, as text to show.
        lost: a sentence for each thing that did not outlive the program before.
        changed: a sentence for each thing that is not as it was.
    """

    resumed_at: float
    away: float
    sandbox_info: dict[str, str]
    lost: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


class RunFinished(Event, frozen=True, kw_only=True):
    """A run ended. `error` is a sentence for the reader unless the model submitted.

    Attributes:
        answer: text of answer.txt where the model wrote one.
        output: host folder the results were copied to, or None.
    """

    reason: FinishReason
    error: str | None
    totals: Totals
    answer: str | None = None
    output: str | None = None


class ModelAsked(Event, frozen=True, kw_only=True):
    """A request is going out.

    Attributes:
        digest: sha256 of the messages as sent, to tell equal requests apart from unequal ones.
        messages: how many messages it holds.
        token_count: tokens of the request as far as known (the last reply's count), else 0.
        attempt: 1 for the first try of this step.
    """

    step: int
    digest: str
    messages: int
    token_count: int = 0
    attempt: int = 1


class ModelDelta(Event, frozen=True, kw_only=True):
    """Part of a reply as it streams in.

    Attributes:
        channel: text, reasoning, or call (a fragment of a tool call's arguments).
        text: the fragment.
        index: which call of the turn the fragment belongs to.
        name: the tool's name, in the first fragment of a call.
    """

    step: int
    channel: Literal["text", "reasoning", "call"]
    text: str
    index: int = 0
    name: str | None = None


class ModelReplied(Event, frozen=True, kw_only=True):
    """A whole reply.

    Attributes:
        message: the assistant message as it goes back into the conversation.
        text, reasoning: its two kinds of prose.
        finish_reason: as the server named it, or None.
        latency: seconds from request to last byte.
        first_token: seconds from request to the first fragment, or None.
        cost: US dollars of this reply, or None where the price is not known.
    """

    step: int
    message: dict[str, Any]
    text: str
    reasoning: str
    usage: Usage
    finish_reason: str | None
    latency: float
    first_token: float | None = None
    cost: float | None = None


class ModelFailed(Event, frozen=True, kw_only=True):
    """A request failed; `retry_in` is the seconds until the next try, None when there is none."""

    step: int
    error: str
    attempt: int
    retry_in: float | None = None


class CallProposed(Event, frozen=True, kw_only=True):
    """The model wants to call a tool."""

    call: ToolCall


class CallHeld(Event, frozen=True, kw_only=True):
    """A call waits for a person.

    Attributes:
        call: the call's number.
        rule: why, in a few words, where a policy asks; None where every call waits.
        reason: the rule's own words for the person.
    """

    call: int
    rule: str | None = None
    reason: str = ""


class CallDecided(Event, frozen=True, kw_only=True):
    """Somebody decided about a call.

    Attributes:
        call: the call's number.
        verdict: what was decided.
        by: who decided.
        rule: the rule that decided, or that asked for a decision, in a few words.
        arguments: the new arguments (JSON text) when edited.
        feedback: words for the model when rejected, the observation itself when answered.
    """

    call: int
    verdict: Verdict
    by: Actor
    rule: str | None = None
    arguments: str | None = None
    feedback: str | None = None


class CallStarted(Event, frozen=True, kw_only=True):
    """A call's tool begins to work."""

    call: int


class CallFinished(Event, frozen=True, kw_only=True):
    """A call has its answer.

    Attributes:
        observation: the text the model gets.
        ok: False when the tool refused, the command failed, or the call was malformed.
        exit_code: of the command, None where there was none.
        stdout_bytes, stderr_bytes: what the command wrote in full, before any bound.
        truncated: whether the observation is shorter than the output.
        duration: seconds.
        timed_out: whether the time limit ended it.
        interrupted: whether a person ended it.
    """

    call: int
    observation: str
    ok: bool
    exit_code: int | None = None
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    truncated: bool = False
    duration: float = 0.0
    timed_out: bool = False
    interrupted: bool = False


class TerminalOpened(Event, frozen=True, kw_only=True):
    """A terminal appeared. `terminal` is `model` (the mirror) or `shell`, `shell-2` ..."""

    terminal: str
    cols: int
    rows: int


class TerminalOutput(Event, frozen=True, kw_only=True):
    """Bytes for a terminal's screen."""

    terminal: str
    data: bytes


class TerminalInput(Event, frozen=True, kw_only=True):
    """Bytes typed into a terminal.

    Attributes:
        hidden: the terminal did not show them, as with a password: `data` has a star for each
            character, and what it was is nowhere.
    """

    terminal: str
    data: bytes
    by: Actor = "human"
    hidden: bool = False


class TerminalResized(Event, frozen=True, kw_only=True):
    """A terminal's screen has a new size, in cells."""

    terminal: str
    cols: int
    rows: int


class TerminalClosed(Event, frozen=True, kw_only=True):
    """A terminal's program ended."""

    terminal: str
    exit_code: int | None = None


class InputAwaited(Event, frozen=True, kw_only=True):
    """The running command prints nothing and waits for what is typed into its terminal.

    Attributes:
        program: name of the program that reads.
        hidden: the terminal does not show what is typed, as for a password.
        answerable: whether one can type there (the run is in tty mode).
    """

    program: str
    hidden: bool = False
    answerable: bool = False


class FilesListed(Event, frozen=True, kw_only=True):
    """All paths of the working directory at the start of a run (every change is `created`)."""

    files: tuple[FileChange, ...]


class FilesChanged(Event, frozen=True, kw_only=True):
    """What changed among the files since the last such event.

    Attributes:
        step: the step it is counted under (0: before the first).
        by: whose work made the change, as far as it can be told.
        call: the call after which it was seen, or None.
    """

    step: int
    changes: tuple[FileChange, ...]
    by: Actor = "model"
    call: int | None = None


class HumanMessage(Event, frozen=True, kw_only=True):
    """A person's words for the model, waiting until it is asked next."""

    id: int
    text: str


class HumanCommand(Event, frozen=True, kw_only=True):
    """A person's command in the model's own shell state.

    Attributes:
        id: 1, 2, 3 ... among the run's human messages and commands.
        told_to_model: whether command and output go into the conversation.
    """

    id: int
    command: str
    told_to_model: bool


class HumanCommandStarted(Event, frozen=True, kw_only=True):
    """A person's command has had its turn and begins."""

    id: int


class HumanCommandFinished(Event, frozen=True, kw_only=True):
    """A person's command has ended. Fields as in `CallFinished`."""

    id: int
    observation: str
    exit_code: int | None
    duration: float
    timed_out: bool = False


class HumanFile(Event, frozen=True, kw_only=True):
    """A person took a file or folder out of the sandbox, put one in, or edited one by hand.

    Attributes:
        id: among the run's human messages and commands.
        action: what was done.
        path: in the sandbox, as `core.paths` writes it.
        host: the host's side: the folder it was copied into, or what was copied in.
        told_to_model: whether the model is told.
        diff: what the person changed, as a unified diff (bounded).
        left_behind: a sentence for each thing that was not copied.
    """

    id: int
    action: Literal["pull", "push", "edit"]
    path: str
    told_to_model: bool
    host: str | None = None
    diff: str = ""
    left_behind: tuple[str, ...] = ()


class Delivered(Event, frozen=True, kw_only=True):
    """Waiting words went into the conversation, in this order."""

    step: int
    ids: tuple[int, ...]
    text: str


class Withdrawn(Event, frozen=True, kw_only=True):
    """Words that waited for the model were taken back before it saw them."""

    id: int


class Reworded(Event, frozen=True, kw_only=True):
    """A message, or a command that has not begun, was changed while it waited."""

    id: int
    text: str


class ModeChanged(Event, frozen=True, kw_only=True):
    """How the run proceeds; see `Mode`."""

    mode: Mode
    by: Actor = "human"


class RuleGranted(Event, frozen=True, kw_only=True):
    """A person allowed all calls like this one, for the rest of the run.

    Attributes:
        tool: the tool's name.
        pattern: as `policy.granted_rules` reads it.
    """

    tool: str
    pattern: str


class SandboxFrozen(Event, frozen=True, kw_only=True):
    """All processes in the sandbox were stopped where they were."""

    by: Actor = "human"


class SandboxThawed(Event, frozen=True, kw_only=True):
    """They go on."""

    by: Actor = "human"


class SnapshotTaken(Event, frozen=True, kw_only=True):
    """The sandbox's file system and shell state were kept.

    Attributes:
        step: after which step.
        image: name of the snapshot, as `core.sandboxes.kept_snapshots` knows it.
        size: bytes it takes, beside what it shares with the image it began from.
        at: the last event that is in it: whatever changed the sandbox later is not.
        seconds: how long it took.
    """

    step: int
    image: str
    size: int = 0
    at: int = 0
    seconds: float = 0.0


class Forked(Event, frozen=True, kw_only=True):
    """From here on this run is its own; the events before are those of the run it came from.

    Attributes:
        parent: the session it was forked from.
        parent_seq: the last event they have in common.
        step: the step at which they parted.
        snapshot: name of the snapshot it began from; None: from the input alone.
        repeats: how many recorded calls and commands are carried out again to get there.
        model: who goes on.
        sandbox_info: as in `RunStarted`, of the new sandbox.
    """

    parent: str
    parent_seq: int
    step: int
    snapshot: str | None
    repeats: int
    model: str
    sandbox_info: dict[str, str] = {}


class Repeated(Event, frozen=True, kw_only=True):
    """A recorded call or command of a person was carried out again in a fork's sandbox.

    Attributes:
        what: the call's or command's number.
        by: whose it was.
        number, of: the how manyth it was, of how many.
        parted: how its result differs from the recorded one, as a sentence; empty when it does not.
    """

    what: int
    by: Actor
    number: int
    of: int
    parted: str = ""


class Warned(Event, frozen=True, kw_only=True):
    """Something the reader should know that does not end the run."""

    text: str


AnyEvent = (
    RunStarted
    | RunResumed
    | RunFinished
    | ModelAsked
    | ModelDelta
    | ModelReplied
    | ModelFailed
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
    | SandboxFrozen
    | SandboxThawed
    | SnapshotTaken
    | Forked
    | Repeated
    | Warned
)
"""Every event there is."""

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


def to_json(event: Event) -> bytes:
    """The event as one line of JSON (UTF-8, no newline)."""
    return _encoder.encode(event)


def from_json(line: bytes | str) -> AnyEvent:
    """The event a line of JSON stands for.

    Raises:
        EventDecodeError: the line is not an event of this version.
    """
    try:
        return _decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise EventDecodeError(
            f"This is not an event of version {SCHEMA_VERSION}: {error}"
        ) from error
