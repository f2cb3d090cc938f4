"""Cancelling a blocking call in progress leaves nothing behind and nothing half done."""

from __future__ import annotations

import asyncio
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.config.settings import snapshot_dir
from sandbox_tui.core.sandboxes.base import Sandbox
from sandbox_tui.core.sandboxes.bubblewrap import sandbox as bubblewrap
from sandbox_tui.core.sandboxes.bubblewrap.owner_record import OwnerRecord
from sandbox_tui.core.sandboxes.bubblewrap.snapshots import FolderSnapshots
from sandbox_tui.core.sandboxes.bubblewrap.workspace import make_folder
from sandbox_tui.core.sandboxes.docker.engine import connect
from sandbox_tui.core.sandboxes.docker.snapshots import images as image_snapshots
from sandbox_tui.core.sandboxes.snapshot_store import SnapshotStores
from tests.integration.conftest import make, require
from tests.waiting import HANG_SECONDS


class HeldUp:
    """A blocking call that waits until it is released before it does anything."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call
        self.reached, self.go_on, self.over = (threading.Event() for _ in range(3))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.reached.set()
        assert self.go_on.wait(HANG_SECONDS)
        try:
            return self._call(*args, **kwargs)
        finally:
            self.over.set()

    async def cancels(self, work: Coroutine[Any, Any, Any]) -> None:
        """Cancel `work` while it waits for the call, then let the call finish."""
        task = asyncio.create_task(work)
        assert await asyncio.to_thread(self.reached.wait, HANG_SECONDS)
        task.cancel()
        self.go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(self.over.wait, HANG_SECONDS)


async def soon(holds: Callable[[], bool]) -> None:
    """Wait for a condition that another thread fulfils."""
    until = time.monotonic() + HANG_SECONDS
    while not await asyncio.to_thread(holds):
        assert time.monotonic() < until, "it did not come about"
        await asyncio.sleep(0.05)


async def test_a_container_that_is_being_created_is_removed() -> None:
    require("docker")
    sandbox: Any = make("docker")
    making = sandbox._create = HeldUp(sandbox._create)
    await making.cancels(sandbox.start())
    await sandbox.close()
    engine = connect()
    try:
        label = f"sandbox-tui.session={sandbox.spec.session_id}"
        only = {"all": True, "ignore_removed": True, "filters": {"label": label}}
        await soon(lambda: engine.containers.list(**only) == [])
    finally:
        engine.close()


async def test_folders_that_are_being_created_are_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    require("bubblewrap")
    making = HeldUp(make_folder)
    monkeypatch.setattr(bubblewrap, "make_folder", making)
    sandbox = make("bubblewrap")
    await making.cancels(sandbox.start())
    await sandbox.close()

    def gone() -> bool:
        folders = Path(tempfile.gettempdir()).glob("sandbox-tui-*")
        deeds = [OwnerRecord.of(folder) for folder in folders]
        return sandbox.spec.session_id not in [deed.session for deed in deeds if deed]

    await soon(gone)


async def test_a_freeze_that_is_cancelled_is_undone(sandbox: Sandbox) -> None:
    """Both the clock and the processes continue."""
    inside: Any = sandbox
    if sandbox.kind == "docker":
        pausing = inside._container.pause = HeldUp(inside._container.pause)
        await pausing.cancels(sandbox.freeze())
    else:
        stopping = asyncio.create_task(sandbox.freeze())
        await asyncio.sleep(0)  # the freeze has been requested
        stopping.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stopping
    for _ in range(2):
        running = sandbox.exec("sleep 0.3; echo on", timeout=HANG_SECONDS)
        result = await asyncio.wait_for(running, HANG_SECONDS)
        assert (result.stdout, result.timed_out) == (b"on\n", False)
    assert not inside._clock.frozen


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # docker-py's socket
async def test_a_cancelled_snapshot_is_removed(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is still taken while the sandbox is frozen; the sandbox continues afterwards."""
    held = image_snapshots if sandbox.kind == "docker" else FolderSnapshots
    name = "commit" if sandbox.kind == "docker" else "save"
    frozen: list[bool] = []
    keep: Callable[..., Any] = getattr(held, name)

    def keep_and_look(*args: Any) -> Any:
        made = keep(*args)
        frozen.append(sandbox._clock.frozen)  # type: ignore[attr-defined]
        return made

    keeping = HeldUp(keep_and_look)

    def call_held_up(*args: Any) -> Any:  # a plain function binds to the class
        return keeping(*args)

    monkeypatch.setattr(held, name, call_held_up)
    await keeping.cancels(sandbox.snapshot("cut.1", max_bytes=1 << 30))
    assert frozen == [True]
    result = await asyncio.wait_for(sandbox.exec("echo on", timeout=HANG_SECONDS), HANG_SECONDS)
    assert result.stdout == b"on\n"
    await soon(lambda: SnapshotStores(snapshot_dir()).list(sandbox.spec.session_id)[0] == [])
