"""Shows the difference of one row of a comparison, and goes on to the next ones."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Center, Horizontal
from textual.content import Content
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.screens.compare.row_documents import Opened
from sandbox_tui.tui.screens.dialogs.pager import PagerScreen
from sandbox_tui.tui.terminal_io import image_protocols
from sandbox_tui.tui.widgets.preview.lines import PreviewLines

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

Go = Callable[[int], Awaitable[Opened | None]]
"""Goes to the next (1) or previous (-1) difference, and returns what it opens; None if there is
none."""

Leads = Callable[[int], bool]
"""Returns whether there is a next (1) or previous (-1) difference."""


class DifferencePager(PagerScreen):
    """A pager for the two sides of a row.

    Args:
        opened: what the row opens.
        go: goes to another difference.
        is_whole: whether all lines are shown at first, not only those around the differences.
    """

    CSS = (
        PagerScreen.CSS
        + """
    DifferencePager #pictures { display: none; height: 1fr; }
    DifferencePager #pictures Center { width: 1fr; height: 1fr; align: center middle;
        border: round $border-blurred; border-title-color: $role-dim; }
    DifferencePager #pictures Center > * { width: auto; height: auto; max-width: 100%;
        max-height: 100%; }
    DifferencePager.-pictures #pictures { display: block; }
    DifferencePager.-pictures #pager-text { height: 3; }
    """
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("difference.next", "step(1)"),
        binding("difference.previous", "step(-1)"),
        binding("difference.whole", "whole"),
    ]

    def __init__(self, opened: Opened, go: Go, leads: Leads, *, is_whole: bool) -> None:
        super().__init__(opened.title, opened.document(is_whole))
        self._opened = opened
        self._go = go
        self._leads = leads
        self._is_whole = is_whole

    @override
    def compose(self) -> ComposeResult:
        with Horizontal(id="pictures"):
            yield Center(id="picture-left")
            yield Center(id="picture-right")
        yield from super().compose()

    @override
    def on_mount(self) -> None:
        self._show_pictures()

    def words_for(self, action: str) -> str | None:
        """Return what the key for the whole content does now."""
        return "differences only" if action == "whole" and self._is_whole else None

    @override
    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        if action == "whole" and self._opened.pictures is not None:
            return "pictures are always shown whole"
        if action == "step":
            direction = int(str(parameters[0]))
            side = "after" if direction > 0 else "before"
            return "" if self._leads(direction) else f"nothing differs {side} this"
        return super().why_unavailable(action, parameters)

    def action_whole(self) -> None:
        """Show all lines, or only those around the differences."""
        self._is_whole = not self._is_whole
        self._show(self._opened)

    @work(exclusive=True, group="step")
    async def action_step(self, direction: int) -> None:
        """Go to the next difference (1) or the previous one (-1)."""
        opened = await self._go(direction)
        if opened is None:
            side = "after" if direction > 0 else "before"
            self.notify(f"Nothing differs {side} this.", markup=False)
            return
        self._show(opened)
        self._show_pictures()

    def _show(self, opened: Opened) -> None:
        self._opened = opened
        self._heading, self._content = opened.title, opened.document(self._is_whole)
        self._name_content()
        if isinstance(self._body, PreviewLines):
            self._body.show(self._content, keep_place=False)
        self.refresh_bindings()

    def _name_content(self) -> None:
        self._body.border_title = Content(sanitize_line(self._heading))
        self._body.border_subtitle = Content(sanitize_line(getattr(self._content, "facts", "")))

    @work(exclusive=True, group="pictures")
    async def _show_pictures(self) -> None:
        pictures = self._opened.pictures
        self.set_class(pictures is not None, "-pictures")
        for side, picture in zip(("left", "right"), pictures or (), strict=False):
            await self._show_picture(side, picture)

    async def _show_picture(self, side: str, picture: Picture | None) -> None:
        place = self.query_one(f"#picture-{side}", Center)
        place.border_title = side if picture is not None else f"{side}: none"
        await place.remove_children()
        widget = None if picture is None else image_protocols.picture_widget(picture)
        if widget is not None:
            await place.mount(widget)
