"""Base class of lists whose newest rows come first."""

from __future__ import annotations

from textual.reactive import reactive
from typing_extensions import override

from sandbox_tui.tui.widgets.block_list import BlockList


class NewestFirst(BlockList):
    """A list that never follows its end; a resize brings the cursor into view."""

    following: reactive[bool] = reactive(False)

    def validate_following(self, following: bool) -> bool:
        """Refuse to follow the end."""
        return False

    @override
    def _cursor_was_in_view(self) -> bool:
        # keys act on the selected row, and the layouts between two sizes may scroll it away
        return 0 <= self.cursor < self.block_count()
