"""The user's commands in the model's own shell; each waits for the running call.

The next request to the model waits for those that it is told of.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Generator

from sandbox_tui.core.agent.message_queue import MessageQueue
from sandbox_tui.core.agent.model_messages import ENDED_COMMAND, FAILED_COMMAND, human_command
from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.environment.tool_environment import ToolEnvironment
from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.core.events.types import (
    AnyEvent,
    HumanCommand,
    HumanCommandFinished,
    HumanCommandStarted,
    Warned,
)
from sandbox_tui.core.tools.base import Observation

END_SECONDS = 10.0
"""Seconds running commands get to end when the run ends."""


class InjectedCommands:
    """The injected commands of one run. None starts outside of `allowed`.

    Args:
        environment: where they run.
        state: the fold of the run's events.
        queue: receives the command and its output if the model is told.
        post: writes an event.
    """

    def __init__(
        self,
        environment: ToolEnvironment,
        state: RunState,
        queue: MessageQueue,
        post: Callable[[AnyEvent], AnyEvent],
    ) -> None:
        self._environment = environment
        self._state = state
        self._queue = queue
        self._post = post
        self._allowed = asyncio.Event()
        self._waiting: dict[int, str] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}

    @contextlib.contextmanager
    def allowed(self) -> Generator[None, None, None]:
        """Let commands start until the agent stops, for which its last call frees the shell."""
        self._allowed.set()
        try:
            yield
        finally:
            self.hold()

    def hold(self) -> None:
        """Let no more commands start: the run is about to end, which frees the shell for them."""
        self._allowed.clear()

    def add(self, item: int, command: str, *, tell: bool) -> None:
        """Record a command and queue it."""
        self._post(HumanCommand(id=item, command=command, told_to_model=tell))
        self.restore(item, command, tell=tell)

    def restore(self, item: int, command: str, *, tell: bool) -> None:
        """Queue a command that is already recorded."""
        self._waiting[item] = command
        task = asyncio.create_task(self._run(item, tell))
        self._tasks[item] = task
        if tell:
            self._queue.expect(task)
        task.add_done_callback(lambda _: self._tasks.pop(item, None))

    def edit(self, item: int, command: str) -> bool:
        """Change a command that has not started; False if it has."""
        if item not in self._waiting:
            return False
        self._waiting[item] = command
        return True

    def cancel(self, item: int) -> bool:
        """Cancel a command that has not started; False if it has."""
        if self._waiting.pop(item, None) is None:
            return False
        self._tasks[item].cancel()
        return True

    def stop(self) -> list[str]:
        """Cancel all commands because the run ends; returns those that never started."""
        for task in self._tasks.values():
            task.cancel()
        never_run = list(self._waiting.values())
        self._waiting.clear()
        return never_run

    async def wait_stopped(self) -> None:
        """Wait until the commands that were running have ended."""
        if self._tasks:
            await asyncio.wait(list(self._tasks.values()), timeout=END_SECONDS)

    async def _run(self, item: int, tell: bool) -> None:
        async with self._environment.locks.shell:
            await self._allowed.wait()
            await self._environment.freezer.wait_thawed()
            command = self._waiting.pop(item)
            self._post(HumanCommandStarted(id=item))
            began = time.monotonic()
            try:
                observation = await self._observe(command)
            except asyncio.CancelledError:
                self._finished(item, Observation(text=ENDED_COMMAND, ok=False), began)
                raise
            except Exception as error:  # noqa: BLE001 - a started command is always answered
                observation = Observation(text=FAILED_COMMAND.format(error), ok=False)
            self._finished(item, observation, began)
        if tell:
            self._queue.add(item, human_command(command, observation.text))

    async def _observe(self, command: str) -> Observation:
        try:
            return await self._environment.run_human_command(command, step=self._state.step)
        except SandboxTuiError as error:
            self._post(Warned(text=str(error)))
            return Observation(text=str(error), ok=False)

    def _finished(self, item: int, observation: Observation, began: float) -> None:
        measured = observation.seconds
        seconds = round(time.monotonic() - began, 4) if measured is None else measured
        self._post(
            HumanCommandFinished(
                id=item,
                observation=observation.text,
                exit_code=observation.exit_code,
                duration=seconds,
                timed_out=observation.timed_out,
                background=observation.background,
            )
        )
