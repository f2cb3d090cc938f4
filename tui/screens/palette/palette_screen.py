"""The screen of the palette: what can be done, opened or chosen, by typed text."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Sequence

from textual import work
from typing_extensions import override

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.tui.screens.palette.choose_entry import ChooseEntryDialog
from sandbox_tui.tui.screens.palette.entry import Entry, Group, grouped

Later = Callable[[], AsyncIterator[Sequence[Entry]]]
"""Yields entries that take time to load, as they become available."""

ForTyped = Callable[[str], Sequence[Entry]]
"""Returns the entries that a typed text adds."""


READ_SECONDS = 3.0
"""Seconds between readings of what may have begun while it is open."""


class PaletteScreen(ChooseEntryDialog):
    """Lists what can be done and opened; dismisses with the chosen entry.

    Args:
        entries: the entries available immediately.
        later: loads the others.
        recent: names of chosen entries, the latest first.
        for_typed: returns those that a typed text adds.
        actions: returns the actions that are available now, which may be others than at first.
        again: loads those that may have begun meanwhile; None: none may.

    Attributes:
        is_read: whether all entries are loaded.
    """

    heading = "palette"
    opened_by = "app.palette"
    """The action that opened it, which does nothing in it."""

    placeholder = "action, session, evaluation, model, theme…"

    def __init__(
        self,
        entries: Sequence[Entry],
        later: Later,
        recent: Sequence[str],
        for_typed: ForTyped,
        actions: Callable[[], Sequence[Entry]],
        again: Later | None = None,
    ) -> None:
        super().__init__()
        self._entries = list(entries)
        self._later = later
        self._recent = tuple(recent)
        self._for_typed = for_typed
        self._actions = actions
        self._again = again
        self.is_read = False

    def on_mount(self) -> None:
        """Load the entries that take time; the base class shows the available ones."""
        self._read_later()
        self.set_interval(READ_SECONDS, self._read_again)

    @work(exclusive=True, group="later")
    async def _read_later(self) -> None:
        async for more in self._later():
            self._take(more)
            self.show_entries()
        self.is_read = True

    @work(exclusive=True, group="again")
    async def _read_again(self) -> None:
        """Show what has begun meanwhile, first of its kind; the cursor stays on its entry."""
        if self._again is None or not self.is_read:
            return
        known, more = {(one.kind, one.name) for one in self._entries}, list[Entry]()
        with contextlib.suppress(StoreError):  # reading for the first time has complained about it
            async for several in self._again():
                more += several
        new = [one for one in more if (one.kind, one.name) not in known]
        self._entries = [*new, *self._entries]
        self._take(more)
        if new:
            self.show_again()

    def _take(self, more: Sequence[Entry]) -> None:
        """Add entries; those that are known already are replaced where they are."""
        new = {(entry.kind, entry.name): entry for entry in more}
        known = [new.pop((one.kind, one.name), one) for one in self._entries]
        self._entries = [*known, *new.values()]

    @override
    def groups(self, typed: str) -> list[Group]:
        self._take(self._actions())
        known = {(entry.kind, entry.name) for entry in self._entries}
        more = [one for one in self._for_typed(typed) if (one.kind, one.name) not in known]
        return grouped([*more, *self._entries], typed, self._recent)
