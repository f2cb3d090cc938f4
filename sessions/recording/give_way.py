"""An ended run that can be resumed stays with the program that ran it, which keeps its sandbox.
Another program that wants to resume it asks with a file next to the session database, and the one
that has it gives it up."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox_tui.core.base.errors import ResumeRefused, SandboxNotLeft, StoreError
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.events.types import RESUMABLE
from sandbox_tui.sessions.store.store import Store

if TYPE_CHECKING:
    from sandbox_tui.sessions.recording.run_worker import RunWorker

POLL_SECONDS = 0.5
"""Seconds between two looks whether another program asks for a run."""


def was_refused(worker: RunWorker) -> bool:
    """Return whether a run is not resumed because another program has it, so that it can be later:
    the handle knows nothing of the run."""
    refused = isinstance(worker.failure, ResumeRefused)
    return refused and not isinstance(worker.failure, SandboxNotLeft) and not worker.state.seq


def wanted_path(store: Store, run_id: str) -> Path:
    """Return the file that exists while a program asks for a run and has not been heard."""
    return store.path.parent / "wanted" / run_id


@contextlib.contextmanager
def asking_for(store: Store, run_id: str) -> Generator[Path]:
    """Ask the program that has a run for it; its path is gone as soon as that program gives it
    up."""
    path = wanted_path(store, run_id)
    with contextlib.suppress(OSError):  # then nobody is asked
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.touch(mode=0o600)
    try:
        yield path
    finally:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


async def give_way(worker: RunWorker, store: Store, is_latest: Callable[[], bool]) -> None:
    """Wait until another program asks for an ended run that can be resumed, and give it up.

    Args:
        worker: the run; it has ended.
        store: the database.
        is_latest: whether this program has not resumed the run itself.
    """
    finished, path = worker.state.finished, wanted_path(store, worker.run_id)
    if finished is None or finished.reason not in RESUMABLE:
        return
    while not path.exists():
        await asyncio.sleep(POLL_SECONDS)
        if not is_latest():
            return
    path.unlink(missing_ok=True)
    await worker.release_sandbox()
    if is_latest():
        with contextlib.suppress(StoreError):  # at once: this program must not resume it meanwhile
            store.set_owner(worker.run_id, ProcessIdentity.no_process())
