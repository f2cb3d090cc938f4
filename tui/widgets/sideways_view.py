"""A scroll view for content that may be wider than the view."""

from __future__ import annotations

from textual.scroll_view import ScrollView
from typing_extensions import override


class SidewaysView(ScrollView):
    """A view that scrolls sideways on demand and leaves the left and right keys to the screen."""

    @property
    def is_wider(self) -> bool:
        """Whether some columns are out of view."""
        return self.allow_horizontal_scroll and self.max_scroll_x > 0

    def scroll_sideways(self, direction: int) -> None:
        """Scroll by half a view to the right (1) or the left (-1)."""
        step = max(1, self.scrollable_content_region.width // 2)
        self.scroll_relative(x=direction * step, animate=False, force=True, immediate=True)

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Turn off left and right, so that they mean the same in every pane of the screen."""
        if action in ("scroll_left", "scroll_right"):
            return False
        return super().check_action(action, parameters)
