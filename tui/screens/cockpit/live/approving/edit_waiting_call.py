"""The editor for a waiting call, which warns while the edited call would fail."""

from __future__ import annotations

import json
from collections.abc import Callable

from textual.screen import Screen
from typing_extensions import override

from sandbox_tui.core.events.run_state import CallItem, RunState
from sandbox_tui.tui.screens.cockpit.live.approving.call_drafts import CallDrafts
from sandbox_tui.tui.screens.dialogs.edit_call import CallDraft, EditCallDialog
from sandbox_tui.tui.widgets.calls.call_list import Calls
from sandbox_tui.tui.widgets.calls.rows.coloured_call import would_fail


class EditWaitingCallDialog(EditCallDialog):
    """An `EditCallDialog` that says in its border why the call would fail as it is written now.

    Args:
        item: the call.
        problem_with: returns why the call would fail with these arguments (JSON text), as far as
            is known; otherwise empty.
        why_gone, draft: as in `EditCallDialog`.
    """

    def __init__(
        self,
        item: CallItem,
        problem_with: Callable[[str], str],
        why_gone: Callable[[], str],
        draft: CallDraft | None,
    ) -> None:
        super().__init__(item.call, why_gone, draft)
        self._problem_with = problem_with
        self._checked: list[str] = []
        self._problem = ""

    @override
    def _follow(self) -> None:
        super()._follow()
        texts = self._texts()
        if texts != self._checked:  # not at every key: the file may be long
            self._checked = texts
            problem = self._current_problem()
            if problem != self._problem:
                self._problem = problem
                self._say_keys()

    def _current_problem(self) -> str:
        try:
            return self._problem_with(self._arguments())
        except ValueError:
            return ""  # what cannot be read is said when it is to run

    @override
    def _say_keys(self) -> None:
        super()._say_keys()
        if self._problem and not self._gone:
            self._say_what_is_wrong(would_fail(self._problem))


def editor_of(
    screen: Screen[None],
    item: CallItem,
    state: RunState,
    why_gone: Callable[[CallItem], str],
    drafts: CallDrafts,
) -> EditCallDialog:
    """Return the editor for a waiting call; it warns if the screen shows the calls, and so knows
    the file that this one edits."""

    def problem_with(arguments: str) -> str:
        return (
            "" if calls is None else calls.edited_files.problem_with(item, arguments, state.files)
        )

    calls = next(iter(screen.query(Calls)), None)
    draft = drafts.of(item.call.number)
    return EditWaitingCallDialog(item, problem_with, lambda: why_gone(item), draft)


def same_arguments(arguments: str, before: str) -> bool:
    """Return whether two JSON texts have the same value."""
    try:
        return json.loads(arguments) == json.loads(before)
    except (ValueError, RecursionError):
        return False
