"""The tool protocol: a schema for the model, and a coroutine that answers a call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from sandbox_tui.core.base.defaults import (
    COMMAND_TIMEOUT_SECONDS,
    OBSERVATION_CHARS,
    OBSERVATION_LINES,
)
from sandbox_tui.core.base.io_types import Size
from sandbox_tui.core.sandboxes.base import OutputSink, Sandbox


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """A tool's answer.

    Attributes:
        text: the text for the model, already limited in length.
        ok: whether the tool succeeded.
        exit_code, stdout_bytes, stderr_bytes, truncated, timed_out, interrupted, background: as in
        `events.CallFinished`.
        submitted: the model submitted its work; the run ends after this turn.
        seconds: how long its command took, if the mirror measured it: whatever else says so says
            the same.
    """

    text: str
    ok: bool = True
    exit_code: int | None = None
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    truncated: bool = False
    timed_out: bool = False
    interrupted: bool = False
    background: bool = False
    submitted: bool = False
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """What a tool may use.

    Attributes:
        sandbox: where it works.
        command_timeout: seconds for one command.
        on_output: receives a command's output as it arrives.
        max_lines, max_chars: maximum size of an observation, head and tail together.
        tty: size of the terminal that commands run on; None if they run without one.
    """

    sandbox: Sandbox
    command_timeout: float = COMMAND_TIMEOUT_SECONDS
    on_output: OutputSink | None = None
    max_lines: int = OBSERVATION_LINES
    max_chars: int = OBSERVATION_CHARS
    tty: Size | None = None


class Tool(Protocol):
    """A tool.

    Attributes:
        name: the name the model uses.
        schema: the OpenAI function object (`name`, `description`, `parameters`).
    """

    name: str
    schema: Mapping[str, Any]

    async def __call__(self, arguments: Mapping[str, Any], context: ToolContext) -> Observation:
        """Answer a call.

        Wrong arguments are reported in an Observation with `ok=False`, never by raising; only
        `SandboxError` is raised.
        """
        ...


@runtime_checkable
class ReadOnlyCalls(Protocol):
    """A tool with read-only calls, which a fork does not repeat."""

    def only_reads(self, arguments: str) -> bool:
        """Return whether a call with these arguments (JSON text) changes nothing."""
        ...
