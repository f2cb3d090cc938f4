"""The user's controls of a run: mode, waiting calls, messages, commands, files and shells."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from sandbox_tui.core.agent.approval_gate import Gate
from sandbox_tui.core.agent.approver import Decision
from sandbox_tui.core.agent.message_queue import MessageQueue
from sandbox_tui.core.agent.model_messages import human_message
from sandbox_tui.core.base.errors import FileRefused, SandboxTuiError
from sandbox_tui.core.environment.tool_environment import ToolEnvironment
from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_phase import Phase
from sandbox_tui.core.events.run_state import MIRROR, RunState
from sandbox_tui.core.events.sink import EventSink
from sandbox_tui.core.policy.rules import Policy
from sandbox_tui.core.run.human.injected_commands import InjectedCommands
from sandbox_tui.core.run.human.user_files import UserFiles
from sandbox_tui.core.run.human.user_shells import UserShells, may_be_secret, starred


class RunEnded(SandboxTuiError):
    """The run has ended and can no longer be steered."""


class RunStarting(SandboxTuiError):
    """The run is starting and has no sandbox yet."""


class Steering:
    """The user's controls of a run; `Run` adds its life cycle.

    While the run is starting, modes and messages are accepted and apply from its first step; what
    needs the sandbox is refused.

    Args:
        environment: where commands run.
        events: where events are posted.
        state: the fold of the run's events.
        policy: which calls need approval and which never run.

    Attributes:
        gate: where calls wait for approval.
        queue: messages waiting for the model.
        commands: the user's commands in the model's shell.
        files: the sandbox's files.
        shells: the user's shells.
        phase: the phase of the run.
    """

    def __init__(
        self, environment: ToolEnvironment, events: EventSink, state: RunState, policy: Policy
    ) -> None:
        self.environment = environment
        self.state = state
        self.phase = Phase.STARTING
        self.gate = Gate(events.post, policy)
        self.queue = MessageQueue()
        self.commands = InjectedCommands(environment, state, self.queue, events.post)
        self.shells = UserShells(environment.sandbox, events)
        self.files = UserFiles(
            environment,
            self.queue,
            state,
            next_id=self._next_human_id,
            require_thawed=self._require_thawed,
        )
        self._events = events
        self._human_ids = max(state.humans, default=0)
        self._stays_paused = False

    @property
    def steerable(self) -> bool:
        """Whether the run can still be steered."""
        return self.phase.steerable

    @property
    def over(self) -> bool:
        """Whether the agent has stopped, or was told to stop."""
        return not self.phase.steerable

    def set_mode(self, mode: e.Mode) -> None:
        """Change the run mode. A frozen sandbox is thawed unless the mode is paused.

        A waiting call keeps waiting: it needs its own decision, unless only the pause holds it.
        """
        self._require_active()
        self.gate.set_mode(mode)
        if mode != "paused":
            self.environment.freezer.schedule_thaw()

    def choose_mode(self, mode: e.Mode) -> None:
        """Change the run mode; a paused run stays paused, and continues in it."""
        self._require_active()
        self.gate.choose_mode(mode)

    def pause(self) -> None:
        """Stop before the next request or call."""
        self.set_mode("paused")

    def resume(self) -> None:
        """Return to the mode before the pause; see `set_mode`."""
        self._require_active()
        self.gate.resume()
        self.environment.freezer.schedule_thaw()

    def step(self) -> None:
        """Run up to the next call and wait there; see `set_mode`."""
        self._require_active()
        self.gate.step()
        self.environment.freezer.schedule_thaw()

    @property
    def frozen(self) -> bool:
        """Whether the sandbox's processes are stopped."""
        return self.environment.freezer.frozen

    async def freeze(self) -> None:
        """Pause the run, and stop every process in the sandbox.

        Raises:
            SandboxError: the sandbox cannot be frozen; the run is paused anyway.
            RunStarting: there is no sandbox yet.
        """
        self._require_sandbox()
        if not self.frozen:
            self._stays_paused = self.gate.mode == "paused"
        self.pause()
        await self.environment.freezer.freeze()

    async def thaw(self) -> None:
        """Thaw the sandbox, and resume unless the run was paused before it was frozen."""
        self._require_active()
        await self.environment.freezer.thaw()
        if not self._stays_paused:
            self.gate.resume()

    def approve(self, call: int) -> bool:
        """Let a waiting call run unchanged; False if it is not waiting."""
        return self._let_through(self.gate.decide(call, Decision(verdict="approve", by="human")))

    def approve_always(self, call: int, patterns: Sequence[str]) -> bool:
        """Let a waiting call run, and all that match these patterns; False if it is not waiting.

        Args:
            call: the call's number.
            patterns: in the form of `OpenPart.proposals`.
        """
        return self._let_through(self.gate.grant(call, patterns))

    def allow(self, tool: str, patterns: Sequence[str], keeps_waiting: int | None = None) -> None:
        """Allow calls that match these patterns; a waiting call that is one of them runs.

        Args:
            tool: the tool's name.
            patterns: in the form of `OpenPart.proposals`.
            keeps_waiting: number of the call that waits on nevertheless.
        """
        self._require_active()
        self._let_through(self.gate.allow(tool, patterns, keeps_waiting))

    def keep_waiting(self, call: int) -> bool:
        """Let a call that only the pause holds wait for its own decision; False if it is not
        waiting."""
        return self.gate.keep_waiting(call)

    def revoke_rule(self, tool: str, pattern: str) -> bool:
        """No longer allow what the user allowed during the run; False if it is not allowed."""
        return self.gate.revoke(tool, pattern)

    def edit(self, call: int, arguments: str) -> bool:
        """Let a waiting call run with different arguments (JSON text); the model is told."""
        return self._let_through(
            self.gate.decide(call, Decision(verdict="edit", by="human", arguments=arguments))
        )

    def reject(self, call: int, feedback: str = "") -> bool:
        """Reject a waiting call, with feedback for the model."""
        return self.gate.decide(call, Decision(verdict="reject", by="human", feedback=feedback))

    def answer(self, call: int, observation: str) -> bool:
        """Answer a waiting call instead of running the tool."""
        return self.gate.decide(call, Decision(verdict="answer", by="human", feedback=observation))

    def skip(self, call: int) -> bool:
        """Skip a waiting call; the model is told that it was skipped."""
        return self.gate.decide(call, Decision(verdict="skip", by="human"))

    def _let_through(self, decided: bool) -> bool:
        """Thaw the sandbox for a call that may run."""
        if decided:
            self.environment.freezer.schedule_thaw()
        return decided

    # --- messages and commands

    def message(self, text: str) -> int:
        """Send a message that the model reads before its next reply. Returns its id."""
        self._require_active()
        item = self._next_human_id()
        self._events.post(e.HumanMessage(id=item, text=text))
        self.queue.add(item, human_message(text), blocks_submit=True)
        return item

    def inject(self, command: str, *, tell: bool = True) -> int:
        """Run a command in the model's own shell, after the running call.

        Args:
            command: a bash command.
            tell: whether the command and its output go into the conversation.

        Returns:
            The id used in its events.

        Raises:
            SandboxTuiError: no tool of this run runs commands.
        """
        self._require_active()
        self.environment.shell_tool()
        item = self._next_human_id()
        self.commands.add(item, command, tell=tell)
        return item

    def reword(self, item: int, text: str) -> bool:
        """Edit a queued message, or a command that has not started; False if it is too late."""
        waits = item in self.state.humans and self.state.humans[item].may_change
        if not waits or not (
            self.commands.edit(item, text) or self.queue.edit(item, human_message(text))
        ):
            return False
        self._events.post(e.Reworded(id=item, text=text))
        return True

    def withdraw(self, item: int) -> bool:
        """Cancel a queued message, a command, or the delivery of its output; False if too late."""
        if not (self.commands.cancel(item) or self.queue.cancel(item)):
            return False
        self._events.post(e.Withdrawn(id=item))
        return True

    # --- shells

    async def open_shell(self, columns: int, rows: int) -> str:
        """Open a shell on a new terminal; returns the terminal's name."""
        self._require_thawed()
        return await self.shells.open(columns, rows)

    async def type(self, terminal: str, data: bytes) -> None:
        """Type into a shell, or in tty mode into the running command's terminal."""
        if terminal != MIRROR:
            self.shells.type(terminal, data)
            return
        if self.phase is Phase.STARTING:
            return
        with contextlib.suppress(SandboxTuiError):
            reader = await self.environment.sandbox.terminal_reader()
            if await self.environment.sandbox.write_stdin(data):
                # unread input may be for a prompt that hides it
                hidden = may_be_secret(data) and (reader is None or reader.hidden)
                shown = starred(data) if hidden else data
                self._events.post(e.TerminalInput(terminal=MIRROR, data=shown, hidden=hidden))

    async def close_shell(self, terminal: str) -> None:
        """End a shell."""
        await self.shells.end(terminal)

    async def resize(self, terminal: str, columns: int, rows: int) -> None:
        """Resize a terminal."""
        if terminal == MIRROR:
            if not self.over:
                self._events.post(e.TerminalResized(terminal=MIRROR, cols=columns, rows=rows))
        else:
            await self.shells.resize(terminal, columns, rows)

    def _next_human_id(self) -> int:
        self._human_ids += 1
        return self._human_ids

    def _require_thawed(self) -> None:
        self._require_sandbox()
        if self.frozen:
            raise FileRefused("The sandbox is frozen: resume it first.")

    def _require_active(self) -> None:
        if not self.steerable:
            raise RunEnded("This run has ended; start a new one to continue.")

    def _require_sandbox(self) -> None:
        self._require_active()
        if self.phase is Phase.STARTING:
            raise RunStarting("The run is still starting: try again when its sandbox is ready.")
