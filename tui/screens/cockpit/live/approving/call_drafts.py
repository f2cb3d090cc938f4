"""Unfinished edits of a waiting call: approving the call as the model wrote it asks about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal
from weakref import WeakKeyDictionary

from textual.binding import BindingType
from textual.screen import Screen
from typing_extensions import override

from sandbox_tui.sessions.remote.run_handle import RunHandle
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.dialogs.edit_call import CallDraft
from sandbox_tui.tui.textual_support.typed_app import app_of

_DRAFTS: WeakKeyDictionary[RunHandle, tuple[int, CallDraft]] = WeakKeyDictionary()
"""The draft of each run, with the number of its call: every screen that shows the run knows it."""


class CallDrafts:
    """Keeps the unfinished edit of a run's waiting call, as long as the program knows the run.

    Args:
        screen: shows the run; the question opens over it.
        worker: the run.
    """

    def __init__(self, screen: Screen[None], worker: RunHandle) -> None:
        self._screen = screen
        self._worker = worker

    def of(self, number: int | None) -> CallDraft | None:
        """Return the draft of a call, by its number; None without one."""
        kept = _DRAFTS.get(self._worker)
        return kept[1] if kept is not None and kept[0] == number else None

    def keep(self, number: int, draft: CallDraft | None, *, waits: bool) -> None:
        """Keep an unfinished edit; say so while the call waits."""
        if draft is None:
            _DRAFTS.pop(self._worker, None)
        else:
            _DRAFTS[self._worker] = number, draft
        self._screen.refresh_bindings()  # the bar of the waiting call names the draft
        if draft is not None and waits:
            words = f"Draft saved: {hint('live.edit')} opens it again."
            self._screen.notify(words, markup=False, timeout=4)

    def approve_original(
        self, number: int, approve: Callable[[], None], edit: Callable[[], None]
    ) -> None:
        """Approve a call as the model wrote it; ask first if there is a draft, which `edit`
        opens."""
        if self.of(number) is None:
            approve()
            return

        def answered(answer: bool | Literal["edit"] | None) -> None:
            if answer == "edit":
                edit()
            elif answer:
                approve()

        app_of(self._screen).push_screen(DraftOrOriginalDialog(number), answered)


class DraftOrOriginalDialog(ConfirmDialog):
    """Asks whether to approve a call as the model wrote it although its edit is unfinished.

    Args:
        number: the call.
    """

    BINDINGS: ClassVar[list[BindingType]] = [binding("live.edit", "edit")]

    def __init__(self, number: int) -> None:
        question = f"You edited call {number}, but the draft was not sent. Approve the original?"
        super().__init__(question, "approve the original", "keep waiting")

    @property
    @override
    def keys_words(self) -> str:
        """The keys that answer, as text for the border."""
        return f"{hint('live.edit')} open the draft · {super().keys_words}"

    @override
    def words_for(self, action: str) -> str | None:
        """Return what an answer does, for the key bar and the help."""
        return "open the draft" if action == "edit" else super().words_for(action)

    def action_edit(self) -> None:
        """Close with the wish to open the draft."""
        self.dismiss("edit")  # pyright: ignore[reportArgumentType]  # the question has three answers
