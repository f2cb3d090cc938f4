"""Where tools run: a sandbox, and the parts that observe it.

    async with ToolEnvironment(sandbox) as environment:
        agent = Agent(model=..., messages=..., tools=environment.tools, executor=environment)
        await agent.run()

By default nothing observes the sandbox, so calls have no overhead. A recorded run adds a file
watcher, a freezer, a mirror and snapshots (`core.run.live_environment`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from typing_extensions import override

from sandbox_tui.core.agent.tool_calls import ToolExecutor
from sandbox_tui.core.base.defaults import (
    COMMAND_TIMEOUT_SECONDS,
    OBSERVATION_CHARS,
    OBSERVATION_LINES,
)
from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.tool_names import BASH
from sandbox_tui.core.environment.environment_parts import (
    FileObserver,
    Mirror,
    NullFileObserver,
    NullFreezer,
    NullMirror,
    NullSnapshotTaker,
    SandboxFreezer,
    SnapshotTaker,
)
from sandbox_tui.core.environment.locks import SandboxLocks
from sandbox_tui.core.events.sink import EventSink, NullEventSink
from sandbox_tui.core.events.types import ToolCall
from sandbox_tui.core.sandboxes.base import OutputSink, Sandbox
from sandbox_tui.core.terminal.mirror import Who
from sandbox_tui.core.tools.base import Observation, Tool, ToolContext
from sandbox_tui.core.tools.call_summaries import short_name, summarize_call
from sandbox_tui.core.tools.registry import DEFAULT_TOOLS


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolBounds:
    """Limits of every call.

    Attributes:
        command_timeout: seconds for one command.
        max_lines, max_chars: maximum size of an observation, head and tail together.
    """

    command_timeout: float = COMMAND_TIMEOUT_SECONDS
    max_lines: int = OBSERVATION_LINES
    max_chars: int = OBSERVATION_CHARS


class ToolEnvironment(ToolExecutor):
    """A sandbox in which tools run. As a context manager, it starts and closes the sandbox.

    Args:
        sandbox: where they run.
        tools: the available tools.
        bounds: limits of every call.
        events: where a scorer or a tool may write.
        watcher, freezer, mirror, snapshots: parts that surround the calls; none by default.
        locks: locks shared with other parts.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        tools: Sequence[Tool] = DEFAULT_TOOLS,
        *,
        bounds: ToolBounds | None = None,
        events: EventSink | None = None,
        watcher: FileObserver | None = None,
        freezer: SandboxFreezer | None = None,
        mirror: Mirror | None = None,
        snapshots: SnapshotTaker | None = None,
        locks: SandboxLocks | None = None,
    ) -> None:
        self.sandbox = sandbox
        self.tools = tuple(tools)
        self.bounds = bounds or ToolBounds()
        self.events = events or NullEventSink()
        self.watcher = watcher or NullFileObserver()
        self.freezer = freezer or NullFreezer()
        self.mirror = mirror or NullMirror()
        self.snapshots = snapshots or NullSnapshotTaker()
        self.locks = locks or SandboxLocks()

    async def __aenter__(self) -> ToolEnvironment:
        try:
            await self.sandbox.start()
        except BaseException:
            await self.sandbox.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        await self.sandbox.close()

    @override
    async def execute(self, tool: Tool, arguments: dict[str, Any], call: ToolCall) -> Observation:
        await self.freezer.wait_thawed()
        async with self.locks.shell:
            await self.watcher.flush()
            shown = arguments.get("command") if tool.name == BASH else None
            if not isinstance(shown, str):
                shown = f"{short_name(tool.name)} {summarize_call(tool.name, call.arguments)}"
            observation = await self._show(tool, arguments, "model", shown)
            self.watcher.schedule_scan(step=call.step, by="model", call=call.number)
            return observation

    async def run_human_command(self, command: str, *, step: int) -> Observation:
        """Run a user command in the model's shell; the caller holds `locks.shell`."""
        await self.watcher.flush()
        await self.events.wait_durable()
        observation = await self._show(self.shell_tool(), {"command": command}, "you", command)
        self.watcher.schedule_scan(step=step, by="human")
        return observation

    def shell_tool(self) -> Tool:
        """Return the tool that runs commands in the model's shell.

        Raises:
            SandboxTuiError: there is none.
        """
        for tool in self.tools:
            if tool.name == BASH:
                return tool
        raise SandboxTuiError(
            f"This run has no {BASH} tool, so commands cannot be run in its shell."
        )

    def context(
        self, output: OutputSink | None = None, *, command_timeout: float | None = None
    ) -> ToolContext:
        """Return the context passed to a tool.

        Args:
            output: receives the output of its commands as it arrives.
            command_timeout: seconds, overriding the bound.
        """
        bounds = self.bounds
        return ToolContext(
            sandbox=self.sandbox,
            command_timeout=bounds.command_timeout if command_timeout is None else command_timeout,
            on_output=output,
            max_lines=bounds.max_lines,
            max_chars=bounds.max_chars,
            tty=self.mirror.tty,
        )

    async def _show(
        self, tool: Tool, arguments: dict[str, Any], who: Who, shown: str
    ) -> Observation:
        async def work(output: OutputSink | None) -> Observation:
            if tool.name == BASH:
                return await tool(arguments, self.context(output))
            async with self.locks.files:
                return await tool(arguments, self.context(output))

        return await self.mirror.show(who, shown, work)
