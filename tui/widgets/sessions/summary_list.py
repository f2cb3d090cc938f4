"""Base class of lists of summaries, newest first: evaluations and trainings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Generic, TypeVar

from rich.text import Text
from typing_extensions import override

from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.sessions.newest_first import NewestFirst

Summary = TypeVar("Summary")


class SummaryList(ExplainsUnavailable, NewestFirst, Generic[Summary]):
    """Shows summaries, two lines each; a subclass provides their title, ids and lines."""

    DEFAULT_CSS = """
    SummaryList {
        height: 1fr; border: round $border-blurred; border-title-color: $role-dim;
        border-subtitle-color: $role-dim;
        &:focus { border: round $accent; border-title-color: $accent; }
    }
    """

    TITLE: ClassVar[str]
    """Plural name of the items."""

    NOTHING: ClassVar[tuple[str, ...]]
    """Lines shown if there are none."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._found: Sequence[Summary] | None = None
        self.border_title = self.TITLE

    def id_of(self, found: Summary) -> str:
        """Return a unique id of a summary."""
        raise NotImplementedError

    def lines_of(self, found: Summary, width: int, palette: Palette) -> list[Text]:
        """Return the two lines of a summary."""
        raise NotImplementedError

    def show(self, found: Sequence[Summary]) -> None:
        """Show summaries; the cursor stays on the same one."""
        here = self.current
        self._found = found
        self.reset()
        ids = [self.id_of(one) for one in found]
        if here is not None and self.id_of(here) in ids:
            self.cursor = ids.index(self.id_of(here))
        elif found and self.cursor < 0:
            self.cursor = 0
        self.border_title = f"{self.TITLE} {len(found)}"
        self.border_subtitle = f"{hint('list.open')} open" if found else None

    @override
    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """Only an item can be opened."""
        return "the list is empty" if action == "choose" and self.current is None else ""

    @property
    def current(self) -> Summary | None:
        """The summary under the cursor."""
        found = self._found or ()
        return found[self.cursor] if 0 <= self.cursor < len(found) else None

    @property
    def is_read(self) -> bool:
        """Whether the summaries have been loaded."""
        return self._found is not None

    @override
    def block_count(self) -> int:
        return len(self._found or ()) or 1

    @override
    def block_height(self, index: int, width: int) -> int:
        return 2 if self._found else 1 + len(self.NOTHING)

    @override
    def draw_block(self, index: int, width: int) -> list[Text]:
        palette = palette_of(self)
        if not self._found:
            lines = (f"reading the {self.TITLE}…",) if self._found is None else self.NOTHING
            return [Text(), *(Text(f"  {words}", style=palette.dim) for words in lines)]
        return self.lines_of(self._found[index], width, palette)
