"""The full text of the waiting call, with the keys that decide on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

from textual.binding import BindingType
from typing_extensions import override

from sandbox_tui.core.events.run_state import CallItem, RunState
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.cockpit.live.steering import RunSteering
from sandbox_tui.tui.screens.dialogs.ask_one_line import PromptDialog
from sandbox_tui.tui.screens.dialogs.pager import PagerScreen
from sandbox_tui.tui.textual_support.typed_app import app_of
from sandbox_tui.tui.widgets.calls.approval_bar import CHOICES, names_in, numbered_call
from sandbox_tui.tui.widgets.calls.call_document import CallDocument
from sandbox_tui.tui.widgets.calls.edited_file import EditedFiles
from sandbox_tui.tui.widgets.calls.inject_bar import PLACEHOLDER

SECONDS = 0.25
"""Seconds between looks at the run."""


class WholeCallScreen(PagerScreen):
    """A pager that closes when the user decides on the call here.

    If another terminal decides, it stays open, without the keys.

    Args:
        item: the waiting call.
        state: the run.
        edited_files: tells what the call would do to the file it edits.
        steering: controls the run.
        words: what a search that goes on in it looks for; empty for none.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("live.approve", "approve"),
        binding("live.approve_always", "approve_always"),
        binding("live.edit", "edit"),
        binding("live.reject", "reject"),
        binding("live.answer", "answer"),
        binding("live.skip", "skip"),
    ]

    def __init__(
        self,
        item: CallItem,
        state: RunState,
        edited_files: EditedFiles,
        steering: RunSteering,
        words: str = "",
    ) -> None:
        self._preview = edited_files.preview(item, state.files)
        self._names = names_in(item.call, state.files)
        super().__init__(
            f"{numbered_call(state, item)} waits for you",
            CallDocument(item, self._preview, self._names),
            words,
        )
        self._item = item
        self.call_number = item.call.number
        self._state = state
        self._edited_files = edited_files
        self._steering = steering
        self._waits: bool = True

    def on_mount(self) -> None:
        """Follow the run."""
        self.set_interval(SECONDS, self._follow)

    def on_screen_resume(self) -> None:
        """Close at once if the dialog on top decided."""
        self._follow()

    def _follow(self) -> None:
        preview = self._edited_files.preview(self._item, self._state.files)
        waits = self._state.pending is self._item
        names = names_in(self._item.call, self._state.files) if waits else ""
        if self._steering.has_decided(self._item):
            self.dismiss(None)
        elif waits != self._waits or (waits and (preview, names) != (self._preview, self._names)):
            self._waits, self._preview, self._names = waits, preview, names
            self._body.border_title = f"call {self._item.call.number}"
            self.show(CallDocument(self._item, preview, names))
            self.refresh_bindings()

    @property
    def urgent_actions(self) -> Sequence[str]:
        """The decisions: their keys come before those of the pager."""
        return [action for _, action in CHOICES] if self._waits else ()

    def words_for(self, action: str) -> str | None:
        """The key bar's words for an action; None for the binding's own description."""
        return {choice: word for word, choice in CHOICES}.get(action)

    @override
    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """The call can be decided on as long as it waits."""
        if action not in (choice for _, choice in CHOICES):
            return super().why_unavailable(action, parameters)
        return (
            self._steering.why_unavailable(action) if self._waits else "this call no longer waits"
        )

    # --- the decisions

    def _decide(self, decide: Callable[[], None]) -> None:
        if self._steering.waiting is self._item:
            decide()
            self._follow()

    def action_approve(self) -> None:
        """Approve the call."""
        self._decide(self._steering.approve)

    def action_approve_always(self) -> None:
        """Approve the call and all similar ones."""
        self._decide(self._steering.approve_always)

    def action_edit(self) -> None:
        """Edit the call before it runs."""
        self._decide(self._steering.edit)

    def action_skip(self) -> None:
        """Skip the call."""
        self._decide(self._steering.skip)

    def action_reject(self) -> None:
        """Reject the call, with a reason for the model."""
        self._ask("reject")

    def action_answer(self) -> None:
        """Answer the call instead of running it."""
        self._ask("answer")

    def _ask(self, verdict: Literal["reject", "answer"]) -> None:
        number = self._item.call.number

        def said(text: str | None) -> None:
            if text or (verdict == "reject" and text is not None):
                self._decide(lambda: self._steering.decide_in_words(number, verdict, text))

        title, placeholder = f"{verdict} call {number}", PLACEHOLDER[verdict]
        dialog = PromptDialog(title, placeholder=placeholder, enter_words="send")
        app_of(self).push_screen(dialog, said)
