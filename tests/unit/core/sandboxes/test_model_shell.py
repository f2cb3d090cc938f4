"""The model's shell when the sandbox has no process left for a command."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sandbox_tui.core.sandboxes.base import ExecResult
from sandbox_tui.core.sandboxes.protocol.model_shell import Exec


class FullSandbox:
    """Channels of a sandbox that starts a command only at the given attempt.

    Attributes:
        attempts: attempts so far.
    """

    broken = False
    last_pid = None
    last_survivors = 0

    def __init__(self, starts_at: int) -> None:
        self._starts_at = starts_at
        self.attempts = 0

    async def open(self) -> Any:
        return self

    async def run(self, *_: object, **__: object) -> ExecResult:
        self.attempts += 1
        started = self.attempts >= self._starts_at
        return ExecResult(
            exit_code=0 if started else None,
            stdout=b"",
            stderr=b"",
            stdout_bytes=0,
            stderr_bytes=0,
            duration=0,
            started=started,
        )

    def close(self) -> None:
        pass

    async def count(self) -> int:
        return 400

    async def kill_leftovers(self, *, spare: int = 0) -> int:
        return 100

    async def end_call(self, call: int, pid: int) -> None:
        pass


async def nothing() -> None:
    pass


async def test_a_command_waits_for_killed_processes_to_disappear_on_a_busy_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    sandbox = FullSandbox(starts_at=7)
    shell = Exec(sandbox.open, sandbox, nothing, pids=512)
    result = await shell.run("echo alive", timeout=5)
    assert (result.started, result.cleared, sandbox.attempts) == (True, 600, 7)
    assert waited == sorted(waited)
    assert 10 < sum(waited) < 60
