"""Unfinished edits of a waiting call: approving the call as the model wrote it asks about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal, NamedTuple
from weakref import WeakKeyDictionary

from textual.binding import BindingType
from textual.screen import Screen
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.sessions.remote.run_handle import RunHandle
from sandbox_tui.sessions.store import call_drafts
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.dialogs.confirm import ConfirmDialog
from sandbox_tui.tui.screens.dialogs.edit_call import CallDraft
from sandbox_tui.tui.textual_support.typed_app import app_of


class _Kept(NamedTuple):
    """A draft, or that there is none.

    Attributes:
        stamp: of its file; None if it is only in memory.
        number: of its call.
        draft: the edit.
    """

    stamp: int | None
    number: int
    draft: CallDraft | None


_IN_MEMORY: WeakKeyDictionary[RunHandle, _Kept] = WeakKeyDictionary()
"""The draft of each run as it was last read or made: every screen that shows the run knows it."""


def draft_saved() -> str:
    """Return the notice about a draft of the waiting call."""
    return f"Draft saved: {hint('live.edit')} opens it again."


class CallDrafts:
    """Keeps the unfinished edit of a run's waiting call, also for another program that shows the
    run later, until the call is decided on or the run ends.

    Args:
        screen: shows the run; the question opens over it.
        worker: the run.
    """

    def __init__(self, screen: Screen[None], worker: RunHandle) -> None:
        self._screen = screen
        self._worker = worker

    def of(self, number: int | None) -> CallDraft | None:
        """Return the draft of a call, by its number; None without one."""
        known = _IN_MEMORY.get(self._worker)
        stamp = call_drafts.stamp(self._worker.run_id)
        if stamp != (None if known is None else known.stamp):
            known = _IN_MEMORY[self._worker] = _read(self._worker.run_id, stamp)
        return known.draft if known is not None and known.number == number else None

    def keep(self, number: int, draft: CallDraft | None, *, waits: bool) -> None:
        """Keep an unfinished edit; say so while the call waits."""
        if draft is None:
            self.forget()
        else:
            run_id = self._worker.run_id
            call_drafts.write(run_id, {"call": number, **_to_json(draft)})
            _IN_MEMORY[self._worker] = _Kept(call_drafts.stamp(run_id), number, draft)
        self._screen.refresh_bindings()  # the bar of the waiting call names the draft
        if draft is not None and waits:
            self._screen.notify(draft_saved(), markup=False, timeout=4)

    def forget(self) -> None:
        """Forget the draft: its call was decided on, or its run has ended."""
        _IN_MEMORY.pop(self._worker, None)
        call_drafts.remove(self._worker.run_id)

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

    urgent_actions = ("edit",)
    """On a narrow screen the key bar keeps this key, too."""

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


def _to_json(draft: CallDraft) -> dict[str, Any]:
    return {"texts": draft.texts, "as_json": draft.as_json, "quoted": sorted(draft.quoted)}


def _read(run_id: str, stamp: int | None) -> _Kept:
    """Return the draft in a run's file; one without a draft if the file holds none."""
    found = None if stamp is None else call_drafts.read(run_id)
    try:
        texts = tuple(sanitize(str(text)) for text in found["texts"]) if found else ()
        number = int(found["call"]) if found else 0
        quoted = frozenset(str(name) for name in found["quoted"]) if found else frozenset[str]()
        draft = CallDraft(texts, bool(found["as_json"]), quoted) if found else None
    except (KeyError, TypeError, ValueError):
        return _Kept(stamp, 0, None)
    return _Kept(stamp, number, draft)
