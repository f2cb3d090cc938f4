"""A person's commands in the model's own shell: they wait for the running call first."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from .events import AnyEvent, HumanCommand, HumanCommandFinished, HumanCommandStarted
from .tools.base import Observation

Carry = Callable[[str], Awaitable[Observation]]
"""Runs a command in the sandbox, mirrored on the terminal."""


class Injected:
    """The commands of one run.

    Args:
        turn: held by whatever runs in the model's shell.
        ready: waits until something may run at all.
        carry: runs one.
        post: writes an event.
        tell: gets (id, words) of a finished command that the model shall know of.
    """

    def __init__(
        self,
        *,
        turn: asyncio.Lock,
        ready: Callable[[], Awaitable[None]],
        carry: Carry,
        post: Callable[[AnyEvent], AnyEvent],
        tell: Callable[[int, str], None],
    ) -> None:
        self._turn = turn
        self._ready = ready
        self._carry = carry
        self._post = post
        self._tell = tell
        self._waiting: dict[int, str] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}

    @property
    def waiting(self) -> dict[int, str]:
        """Commands that have not begun, by id."""
        return dict(self._waiting)

    def add(self, item: int, command: str, *, tell: bool) -> None:
        """Queue a command."""
        self._post(HumanCommand(id=item, command=command, told_to_model=tell))
        self.take_up(item, command, tell=tell)

    def take_up(self, item: int, command: str, *, tell: bool) -> None:
        """Queue a command that is written in the record already."""
        self._waiting[item] = command
        task = asyncio.create_task(self._run(item, tell))
        self._tasks[item] = task
        task.add_done_callback(lambda _: self._tasks.pop(item, None))

    def reword(self, item: int, command: str) -> bool:
        """Change a command that has not begun; False when it has."""
        if item not in self._waiting:
            return False
        self._waiting[item] = command
        return True

    def withdraw(self, item: int) -> bool:
        """Take back a command that has not begun; False when it has."""
        if self._waiting.pop(item, None) is None:
            return False
        self._tasks[item].cancel()
        return True

    def stop(self) -> list[str]:
        """End them all, since the run ends; the commands that never began."""
        for task in self._tasks.values():
            task.cancel()
        never = list(self._waiting.values())
        self._waiting.clear()
        return never

    async def _run(self, item: int, tell: bool) -> None:
        async with self._turn:
            await self._ready()
            command = self._waiting.pop(item)
            self._post(HumanCommandStarted(id=item))
            began = time.monotonic()
            observation = await self._carry(command)
            self._post(
                HumanCommandFinished(
                    id=item,
                    observation=observation.text,
                    exit_code=observation.exit_code,
                    duration=round(time.monotonic() - began, 4),
                    timed_out=observation.timed_out,
                )
            )
        if tell:
            self._tell(item, told(command, observation.text))


def told(command: str, observation: str) -> str:
    """What the model reads of a person's command."""
    words = "A person who watches this run ran a command in your sandbox, in your shell:"
    return f"{words}\n$ {command}\n{observation}"
