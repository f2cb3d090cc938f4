"""The end of an embedded sandbox leaves no descriptor open."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from pathlib import Path

import pytest

from sandbox_tui.core.sandboxes.bubblewrap import supervisor
from tests.waiting import HANG_SECONDS

SURVIVED = "setsid sh -c 'echo $$; exec sleep 4251' & wait"
"""Leaves a process in a session of its own, which holds the output open."""


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.parametrize("is_cancelled", [False, True])
async def test_pipes_that_a_survivor_holds_open_are_closed(
    monkeypatch: pytest.MonkeyPatch, is_cancelled: bool
) -> None:
    monkeypatch.setattr(supervisor, "KILL_TIMEOUT_SECONDS", 600 if is_cancelled else 0.01)
    warm = await supervisor._begin(["true"])  # asyncio opens descriptors of its own at first
    await supervisor._end(warm)
    before = descriptors()
    process = await supervisor._begin(["sh", "-c", SURVIVED])
    assert process.stdout is not None
    survivor = int(await process.stdout.readline())
    try:
        ending = asyncio.create_task(supervisor._end(process))
        if is_cancelled:
            await asyncio.sleep(0)  # it waits for the survivor
            ending.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait_for(ending, HANG_SECONDS)
        await asyncio.sleep(0)
        assert descriptors() == before
    finally:
        os.kill(survivor, signal.SIGKILL)
        await asyncio.wait_for(process.wait(), HANG_SECONDS)  # or a later test gets its warning
