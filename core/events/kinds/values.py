"""The values that events contain."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

SCHEMA_VERSION = 1
"""Version of this vocabulary; stored with every run and raised when a field changes meaning."""

Actor = Literal["model", "human", "policy", "program"]
"""Who did something."""

Verdict = Literal["approve", "edit", "reject", "answer", "skip"]
"""The decision about a call."""

Mode = Literal["auto", "step", "ask", "paused"]
"""When a run waits for the user: never; at every call; at calls that the policy asks about; at
requests as well."""

Watch = Literal["live", "at_end", "off"]
"""When files are scanned: during and after every call; at the start and end of a run; never."""

FinishReason = Literal[
    "submitted",
    "max_steps",
    "token_limit",
    "time_limit",
    "cost_limit",
    "repeated_calls",
    "cancelled",
    "disconnected",
    "model_unavailable",
    "model_error",
    "sandbox_error",
    "store_error",
    "internal_error",
    "imported",
]
"""Why a run ended. Only `submitted` is a success; `imported` is neither: the recording was made by
another program and does not say how it ended."""

RESUMABLE: frozenset[FinishReason] = frozenset({"disconnected", "model_unavailable"})
"""Reasons after which a run can be resumed: its terminal was lost, or its server did not answer.
Neither says anything about the run, and its sandbox still exists for a while."""

REBUILT = "imported"
"""Sandbox kind of sessions rebuilt from other recordings, which do not contain everything."""

STOPPED_EARLY = 7
"""Exit code of a command whose run, evaluation or training reached a limit or was stopped."""

EXIT_CODES: dict[FinishReason, int] = {
    "submitted": 0,
    "imported": 0,
    "internal_error": 1,
    "sandbox_error": 4,
    "model_error": 5,
    "model_unavailable": 5,
    "store_error": 6,
    "max_steps": STOPPED_EARLY,
    "token_limit": STOPPED_EARLY,
    "time_limit": STOPPED_EARLY,
    "cost_limit": STOPPED_EARLY,
    "repeated_calls": STOPPED_EARLY,
    "disconnected": 129,
    "cancelled": 130,
}
"""Exit code of the command for each way a run can end."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A value inside an event."""


class Limits(Part, frozen=True, kw_only=True):
    """Limits that end a run. None means no limit.

    Attributes:
        max_steps: maximum number of replies of the model.
        max_tokens: maximum tokens of one reply.
        token_limit: maximum tokens of one request: the whole conversation (prompt + reply).
        time_limit: maximum seconds of wall-clock time.
        cost_limit: maximum US dollars. Needs a known price: that of a hosted model, with
            `sandbox-tui[prices]` installed.
        command_timeout: maximum seconds of one command.
        repeated_calls: maximum number of identical calls in a row with the same result.
        max_attempts: maximum number of tries for one reply while the model's server fails.
    """

    max_steps: int = 100
    max_tokens: int | None = None
    token_limit: int | None = None
    time_limit: float | None = None
    cost_limit: float | None = None
    command_timeout: float = 120.0
    repeated_calls: int | None = 30
    max_attempts: Annotated[int, msgspec.Meta(gt=0)] = 5


class TurnPolicy(Part, frozen=True, kw_only=True):
    """How an agent treats replies and requests.

    Attributes:
        no_call: after a reply without a tool call, remind the model to call one, or treat the text
            as the final answer and end the run.
        steps_remaining: whether each request tells the model how many steps are left.
    """

    no_call: Literal["remind", "final_answer"] = "remind"
    steps_remaining: bool = True


ToolCallSetting = Literal["auto", "native", "json_schema", "text"]
"""The requested format of tool calls; auto selects one that works."""

ToolCallMode = Literal["native", "json_schema", "text"]
"""The format of tool calls: in the API's fields; as JSON constrained by a schema and the server's
guided decoding; as text in the reply."""


class ToolFormat(Part, frozen=True, kw_only=True):
    """How a model is asked for tool calls, and how it writes them.

    Attributes:
        mode: the kind of format.
        family: the format of calls written as text, by its name in `models.tool_formats`.
    """

    mode: ToolCallMode = "native"
    family: str = ""

    @property
    def title(self) -> str:
        """A short title for the screen."""
        words = {"native": "native", "json_schema": "JSON by schema", "text": "text"}[self.mode]
        return f"{words} ({self.family})" if self.family and self.mode == "text" else words


class ContextLength(Part, frozen=True, kw_only=True):
    """The number of tokens that fit into a model's context, for request and reply together.

    Attributes:
        tokens: that number.
        at_most: whether it is only an upper bound: the model's maximum, which its server may lower.
        source: the address or the setting it was read from.
    """

    tokens: int
    at_most: bool = False
    source: str = ""


class Usage(Part, frozen=True, kw_only=True):
    """Tokens of one reply, as counted by the server or else as estimated by us.

    Attributes:
        input_tokens: tokens of the request.
        output_tokens: tokens of the reply, reasoning included.
        cached_tokens: the part of `input_tokens` served from a cache.
        reasoning_tokens: the part of `output_tokens` spent on reasoning.
        estimated: the server did not count; the numbers are derived from the length of the text.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    estimated: bool = False

    def __add__(self, other: Usage) -> Usage:
        """The sum; an estimate if either of them is."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            estimated=self.estimated or other.estimated,
        )


class ToolCall(Part, frozen=True, kw_only=True):
    """One call of a tool, as the model wrote it.

    Attributes:
        number: 1, 2, 3 ... within the run; all later events of the call refer to it.
        step: the step it belongs to.
        id: the server's id, which its answer must carry (not unique on every server).
        name: the tool's name, as written.
        arguments: the arguments, as written: JSON text, possibly malformed.
        family: the format of a call that the model wrote as text; empty for a native call.
        repaired: what was repaired to read it, as a sentence; empty if nothing was.
    """

    number: int
    step: int
    id: str
    name: str
    arguments: str
    family: str = ""
    repaired: str = ""


class FileChange(Part, frozen=True, kw_only=True):
    """A change of one path.

    Attributes:
        path: absolute, in the encoding of `core.base.path_codec`.
        change: created, modified or deleted.
        kind: file, dir, link or other.
        size: bytes (0 except for regular files).
        mode: permission bits.
        mtime: seconds since the epoch.
        blob: digest of the content if it is stored, else None.
    """

    path: str
    change: Literal["created", "modified", "deleted"]
    kind: Literal["file", "dir", "link", "other"]
    size: int = 0
    mode: int = 0
    mtime: float = 0.0
    blob: str | None = None

    @property
    def has_size(self) -> bool:
        """Whether the size is known: in a session that was rebuilt from another kind of recording,
        it is not if the content is not."""
        return self.kind == "file" and bool(self.size or self.blob or self.mtime)


class Totals(Part, frozen=True, kw_only=True):
    """Sums over a run.

    Attributes:
        steps: replies of the model.
        calls: tool calls finished.
        failed_calls: calls whose observation was an error, without those that were interrupted.
        interrupted_calls: calls that the user ended, or that were lost with the program.
        usage: tokens, summed.
        cost: US dollars, or None if the price is unknown.
        seconds: wall-clock time from start to end.
    """

    steps: int = 0
    calls: int = 0
    failed_calls: int = 0
    interrupted_calls: int = 0
    usage: Usage = Usage()
    cost: float | None = None
    seconds: float = 0.0


SANDBOX_FIELDS = ("image", "network", "memory", "cpus", "pids", "grace")
"""Fields of a sandbox spec that are recorded with a run."""

SNAPSHOTS = "snapshots"
"""The setting that is recorded with them: when snapshots are taken."""


class RunSettings(Part, frozen=True, kw_only=True):
    """The other settings of a run, needed to resume or fork it.

    Attributes:
        mode: the initial mode.
        policy: the rules about its calls, as in the config file.
        input: host file or folder that was copied in, or None.
        output: host folder for the results, or None.
        observation_lines, observation_chars: maximum size of one observation.
        tty: whether commands run on their own terminal.
        sandbox: image, network, memory, cpus, pids, grace and snapshots, as in the config file;
            older records lack snapshots.
        turn_policy: how the agent treated replies and requests.
        messages_version: version of the texts that the model read, as in `agent.model_messages`.
        tools: names of the tools the model could call; None for the default tools.
        files: digest of each input file that was given as bytes, by path.
        environment: variables of its commands.
        setup: commands that prepared its sandbox before the model started.
        labels: labels of its request, such as suite, task and sample.
        seed: seed of the first request to the model, or None; see `agent.loop.Agent`.
        watch: when the files were scanned.
    """

    mode: Mode = "auto"
    policy: dict[str, Any] = {}
    input: str | None = None
    output: str | None = None
    observation_lines: int = 160
    observation_chars: int = 20_000
    tty: bool = False
    sandbox: dict[str, Any] = {}
    turn_policy: TurnPolicy = TurnPolicy()
    messages_version: int = 1
    tools: tuple[str, ...] | None = None
    files: dict[str, str] = {}
    environment: dict[str, str] = {}
    setup: tuple[str, ...] = ()
    labels: dict[str, str] = {}
    seed: int | None = None
    watch: Watch = "live"
