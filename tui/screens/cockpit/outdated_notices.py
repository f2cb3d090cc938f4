"""Puts notices about a run away once what they say is no longer true."""

from __future__ import annotations

from typing import cast

from textual.screen import Screen

from sandbox_tui.core.events.run_state import RunState
from sandbox_tui.core.events.types import Mode
from sandbox_tui.tui.format.status import WAITS, reply_doing, request_waits_for_command
from sandbox_tui.tui.keys.unavailable_reasons import as_sentence
from sandbox_tui.tui.screens.cockpit.nothing_to_act_on import NOTHING_QUEUED, asked_once_resumed
from sandbox_tui.tui.textual_support.toasts import DedupedToasts
from sandbox_tui.tui.textual_support.typed_app import app_of

ASKING_NOW = "Asking the model again now."

CONTROL_TAKEN = "Another terminal has taken control"
"""How the notice begins that another terminal has taken control of a run, until it ends."""


def asks_again_words(state: RunState, mode: Mode) -> str:
    """Return when the model is asked again after the user has stopped a reply, or the wait for
    the next attempt."""
    if mode == "paused":
        return as_sentence(asked_once_resumed())
    if request_waits_for_command(state):
        return "The model is asked once your command has ended."
    return ASKING_NOW


def interrupt_words(*, interrupted: bool, was_frozen: bool) -> str:
    """Return what happened when the user interrupted the running command, for which a frozen
    sandbox was resumed; empty if the command had just ended by itself."""
    if not was_frozen:
        return "The command was interrupted." if interrupted else ""
    did = "the command was interrupted" if interrupted else "the command ended by itself"
    return f"The sandbox runs again: {did}. The run stays paused."


class OutdatedNotices:
    """Puts away the notices of one screen; call `sync` after applying events.

    Args:
        screen: shows the run.
        state: the run as far as the screen shows it.
    """

    def __init__(self, screen: Screen[None], state: RunState) -> None:
        self._screen = screen
        self._state = state
        self._had_queue = False
        self._steers = True
        self._outcome: object = None

    def sync(self, *, steers: bool = True) -> None:
        """Put away what the latest events have made untrue: only a change does, since the key that
        a notice answers takes effect after it is shown.

        Args:
            steers: whether this terminal controls the run now.
        """
        steered, self._steers = self._steers, steers
        if steers and not steered:
            self._remove(CONTROL_TAKEN)
        had_queue, self._had_queue = self._had_queue, bool(self._state.queue)
        if self._had_queue and not had_queue:
            self._remove(as_sentence(NOTHING_QUEUED))
        before, self._outcome = self._outcome, _outcome(self._state)
        if self._outcome not in (None, before):
            self._remove(ASKING_NOW)
            if self._state.finished is not None:
                self._remove(CONTROL_TAKEN)

    def _remove(self, words: str) -> None:
        cast("DedupedToasts[int]", app_of(self._screen)).remove_notices_with(words)


def _outcome(state: RunState) -> object:
    """Return what tells whether the latest request has been answered or has failed apart from
    those before; None if it has not yet."""
    reply = state.reply
    if state.finished is not None:
        return state.finished.seq
    if reply is None:
        return None
    begun = reply.replied is not None or reply_doing(reply) != WAITS
    return (reply.asked_at, len(reply.failures)) if begun or reply.has_failed else None
