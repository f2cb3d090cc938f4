"""A scroll view for content that may be wider than the view."""

from __future__ import annotations

from textual.actions import SkipAction
from textual.scroll_view import ScrollView
from typing_extensions import override


class SidewaysView(ScrollView):
    """Scrolls sideways on demand; the keys left and right stay the screen's."""

    @property
    def is_wider(self) -> bool:
        """Whether some columns are out of view."""
        return self.allow_horizontal_scroll and self.max_scroll_x > 0

    def scroll_sideways(self, direction: int) -> None:
        """Scroll by half a view to the right (1) or to the left (-1)."""
        step = max(1, self.scrollable_content_region.width // 2)
        self.scroll_relative(x=direction * step, animate=False, force=True, immediate=True)

    @override
    def action_scroll_left(self) -> None:
        """Left and right mean the same here as in every other pane."""
        raise SkipAction

    @override
    def action_scroll_right(self) -> None:
        raise SkipAction
