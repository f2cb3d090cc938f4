"""The values that events hold, and the words for them."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

SCHEMA_VERSION = 1
"""Version of this vocabulary; stored with every run and raised when a field changes meaning."""

Actor = Literal["model", "human", "policy", "program"]
"""Who did something."""

Verdict = Literal["approve", "edit", "reject", "answer", "skip"]
"""The decision about a call."""

Mode = Literal["auto", "step", "ask", "paused"]
"""When a run waits for a person: never; at every call; at calls that the policy asks about; at
requests as well."""

Watch = Literal["live", "at_end", "off"]
"""When the files of a run are scanned: after every call and while one runs; at its beginning and
its end; never."""

FinishReason = Literal[
    "submitted",
    "max_steps",
    "token_limit",
    "time_limit",
    "cost_limit",
    "repeated_calls",
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
    "repeated_calls": 7,
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
    """

    max_steps: int = 100
    max_tokens: int | None = None
    token_limit: int | None = None
    time_limit: float | None = None
    cost_limit: float | None = None
    command_timeout: float = 120.0
    repeated_calls: int | None = 30


class TurnPolicy(Part, frozen=True, kw_only=True):
    """How an agent deals with replies and requests.

    Attributes:
        no_call: after a reply without a tool call, remind the model to call one, or take the text
            as the final answer and end the run.
        steps_remaining: whether each request tells the model how many steps it has left.
    """

    no_call: Literal["remind", "final_answer"] = "remind"
    steps_remaining: bool = True


ToolCallSetting = Literal["auto", "native", "json_schema", "text"]
"""How the person wants tool calls to travel; auto: in whatever way works."""

ToolCallMode = Literal["native", "json_schema", "text"]
"""How tool calls travel: in the fields of the API; as JSON that the server's guided decoding holds
to a schema; as text in the reply."""


class ToolFormat(Part, frozen=True, kw_only=True):
    """How a model is asked for tool calls, and writes them.

    Attributes:
        mode: how they travel.
        family: the format of calls written as text, by its name in `models.tool_formats`.
    """

    mode: ToolCallMode = "native"
    family: str = ""

    @property
    def title(self) -> str:
        """In a few words, for the screen."""
        words = {"native": "native", "json_schema": "JSON by schema", "text": "text"}[self.mode]
        return f"{words} ({self.family})" if self.family and self.mode == "text" else words


class ContextLength(Part, frozen=True, kw_only=True):
    """How many tokens fit into a model's context: request and reply together.

    Attributes:
        tokens: so many.
        at_most: the model was made for so many, and its server may run it with fewer.
        source: the address or the setting that says so.
    """

    tokens: int
    at_most: bool = False
    source: str = ""


class Usage(Part, frozen=True, kw_only=True):
    """Tokens of one reply, as the server counted them, or else as we estimate them.

    Attributes:
        input_tokens: tokens of the request.
        output_tokens: tokens of the reply, reasoning included.
        cached_tokens: the part of `input_tokens` served from a cache.
        reasoning_tokens: the part of `output_tokens` spent on reasoning.
        estimated: the server did not count; they follow from the length of the text.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    estimated: bool = False

    def __add__(self, other: Usage) -> Usage:
        """The sum, an estimate where one of them is."""
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
        number: 1, 2, 3 ... within the run; the key all later events of the call carry.
        step: the step it belongs to.
        id: the server's id, which its answer must carry (not unique on every server).
        name: the tool's name, as written.
        arguments: the arguments, as written: JSON text, possibly malformed.
        family: the format of a call that the model wrote as text; empty: a native call.
        repaired: what was mended to read it, as a sentence; empty: nothing.
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
        path: absolute, as `core.base.path_codec` writes it.
        change: created, modified or deleted.
        kind: file, dir, link or other.
        size: bytes (0 for what is not a file).
        mode: permission bits.
        mtime: seconds since the epoch.
        blob: digest of the content where it is stored, else None.
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
        steps: replies of the model.
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
    """The other settings of a run, from which it can be resumed and forked.

    Attributes:
        mode: how it began.
        policy: the rules about its calls, as in the config file.
        input: host file or folder that was copied in, or None.
        output: host folder for the results, or None.
        observation_lines, observation_chars: bounds of what the model sees of one call.
        tty: whether commands run on a terminal of their own.
        sandbox: image, network, memory, cpus, pids and grace, as in the config file.
        turn_policy: how the agent dealt with replies and requests.
        messages_version: of the texts that the model read, as in `agent.model_messages`.
        tools: names of what the model could call; None: the default tools.
        files: digest of each input file that was given as bytes, by its path.
        environment: variables of its commands.
        setup: commands that prepared its sandbox before the model began.
        labels: given with its request, such as suite, task and sample.
        seed: of the first request to the model, or None; see `agent.loop.Agent`.
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
