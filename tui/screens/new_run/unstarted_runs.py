"""Gives the text of the form back if the runs that it described could not start."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from textual.screen import Screen

from sandbox_tui.sessions import RunWorker
from sandbox_tui.sessions.recording.run_worker import EndedEarly
from sandbox_tui.tui.screens.dialogs.form import Texts


async def give_back(
    screen: Screen[Any], workers: Sequence[RunWorker], typed: Texts, draft: Texts, key: str
) -> bool:
    """Wait until each run has started or failed to; make the text a draft again if none started.

    Args:
        screen: says so.
        workers: the runs.
        typed: what was typed to start them.
        draft: receives the text, unless it holds another one by then.
        key: opens the form again.

    Returns:
        Whether the form is the next thing to show: the person did not end the run.
    """
    for worker in workers:
        await _started_or_ended(worker)
    if draft or any(worker.state.seq for worker in workers):
        return False
    draft |= typed
    was_ended = any(isinstance(worker.failure, EndedEarly) for worker in workers)
    what = "The run was not started" if was_ended else "The run could not start"
    screen.notify(f"{what}. Draft saved: {key} opens it again.", markup=False, timeout=6)
    return not was_ended


async def _started_or_ended(worker: RunWorker) -> None:
    started = asyncio.Event()

    def note(_: object) -> None:
        started.set()

    worker.observers.append(note)
    try:
        if worker.state.seq:
            return
        waits = [asyncio.ensure_future(one.wait()) for one in (started, worker.ended)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
    finally:
        worker.observers.remove(note)
