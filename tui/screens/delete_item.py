"""Deletes an evaluation or a training run, with or without its sessions, after asking."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from textual.screen import Screen

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunRegistry
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.screens.dialogs.delete_with_sessions import DeleteWithSessionsDialog
from sandbox_tui.tui.screens.free_space import free_space
from sandbox_tui.tui.textual_support.toasts import note_here
from sandbox_tui.tui.textual_support.typed_app import app_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletable:
    """An item that can be deleted, alone or with its sessions. The functions run in a thread and
    may raise `StoreError`.

    Attributes:
        heading: title of the dialog.
        question: asks for confirmation, given the number of its sessions.
        sessions: reads the ids of its sessions.
        delete: deletes it; its sessions stay.
        delete_with_sessions: deletes both; returns the number of sessions.
    """

    heading: str
    question: Callable[[int], str]
    sessions: Callable[[], Sequence[str]]
    delete: Callable[[], None]
    delete_with_sessions: Callable[[], int]


async def ask_and_delete(screen: Screen[Any], item: Deletable, runs: RunRegistry) -> bool:
    """Delete an item, with or without its sessions, after asking; return whether it was.

    Args:
        screen: the dialog opens over it.
        item: the item.
        runs: the runs of this program, and the store.
    """
    try:
        sessions = await asyncio.to_thread(item.sessions)
        dialog = DeleteWithSessionsDialog(item.heading, item.question(len(sessions)))
        choice = await app_of(screen).push_screen_wait(dialog)
        if choice == "alone":
            await asyncio.to_thread(item.delete)
            note_here(screen, "Deleted. Its sessions were kept.")
        elif choice == "with_sessions":
            count = await asyncio.to_thread(item.delete_with_sessions)
            words = f"Deleted with {numbers.counted(count, 'session')}."
            await free_space(screen, runs.store, words, 1, is_recording=bool(runs.unfinished))
    except SandboxTuiError as error:
        screen.notify(sanitize_line(str(error)), severity="error", markup=False)
        return False
    return choice is not None
