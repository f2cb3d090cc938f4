"""The draft of a form for runs: what was typed there and is not started yet."""

from __future__ import annotations

from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.screens.dialogs.form import Texts
from sandbox_tui.tui.screens.new_run.kept_draft import Kept, KeptDraft
from sandbox_tui.tui.widgets.sessions.session_rows import start_time


class FormDraft:
    """Holds the draft as long as the program runs, and keeps it for its next start.

    Args:
        texts: from when the form was last closed; updated on leaving.
        kept: keeps the draft for the next start; None: nothing does.

    Attributes:
        texts: what a form that is opened later begins with.
    """

    def __init__(self, texts: Texts, kept: KeptDraft | None) -> None:
        self.texts = texts
        self._kept = kept
        self._restored: Kept | None = None
        self._cleared: Texts = {}
        self._is_of_this_start = False
        self._is_started = False

    def restore(self) -> Texts:
        """Return the draft: of this program, else the one that an earlier one kept."""
        if self.texts or self._kept is None:
            self._is_of_this_start = bool(self.texts)
            return self.texts
        self._restored = self._kept.read()
        return {} if self._restored is None else self._restored.texts

    def note(self, unsaved: Texts) -> str:
        """Return that a draft was restored, if an earlier program kept it from when it is, and what
        clears it, or what brings back a cleared one; otherwise empty.

        Args:
            unsaved: what is typed now: a cleared draft comes back only if that is nothing.
        """
        if self._cleared and not unsaved:
            return f"cleared · {hint('new_run.clear')} brings it back until you type"
        if self._restored is None and not self._is_of_this_start:
            return ""
        saved = "" if self._restored is None else f" of {start_time(self._restored.saved_at)}"
        return f"draft{saved} restored · {hint('new_run.clear')} clears it"

    def keep(self, unsaved: Texts) -> None:
        """Keep what is typed now for the next start of the program."""
        if self._kept is not None and not self._is_started:
            self._kept.write(unsaved)

    def leave(self, unsaved: Texts) -> None:
        """Make what was typed the draft."""
        self.texts.clear()
        self.texts |= unsaved
        self.keep(unsaved)

    def clear(self, typed: Texts) -> Texts:
        """Forget the draft; returns what was cleared before if nothing was typed since.

        Args:
            typed: what is cleared now.
        """
        before = {} if typed else self._cleared
        self._cleared, self._restored, self._is_of_this_start = typed, None, False
        self.leave(before)
        return before

    def start(self) -> None:
        """Forget the draft and what was cleared, and keep nothing more: its runs have started."""
        self._cleared, self._restored = {}, None
        self.leave({})
        self._is_started = True
