"""What is in the selected file: its content, its last change as a diff, or what it was before."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.reactive import reactive

from ...core.state import FileState
from ...core.text import clean_line
from .. import figures
from ..palette import Palette, palette_of
from .blocks import Blocks
from .code import diff_lines, highlighted, lexer_for

View = Literal["diff", "file", "before"]


class Preview(Blocks):
    """Shows one file out of the contents that were kept.

    Args:
        get_blob: content by digest.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "next_view", "diff / file / before", show=False),
    ]

    view: reactive[View] = reactive("file", init=False)

    def __init__(
        self,
        get_blob: Callable[[str], bytes | None],
        *,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._get_blob = get_blob
        self._path = ""
        self._file: FileState | None = None
        self._lines: list[Text] = []
        self.following = False
        self.border_title = "preview"

    def show(self, path: str, file: FileState | None) -> None:
        """Show a file as it is in this state; None shows that nothing is selected."""
        if path != self._path:
            self.scroll_to(y=0, animate=False, force=True, immediate=True)
        self._path, self._file = path, file
        self._build()

    def action_next_view(self) -> None:
        """Go on to the next view."""
        views: list[View] = ["file", "diff", "before"]
        self.view = views[(views.index(self.view) + 1) % len(views)]

    def watch_view(self) -> None:
        """Draw the other view."""
        self._build()

    def block_count(self) -> int:
        """See `Blocks`."""
        return len(self._lines)

    def block_height(self, index: int, width: int) -> int:
        """See `Blocks`."""
        return 1

    def draw_block(self, index: int, width: int) -> list[Text]:
        """See `Blocks`."""
        line = self._lines[index].copy()
        line.truncate(width, overflow="ellipsis")
        return [line]

    def _build(self) -> None:
        self.following = False
        self._lines = self._content(palette_of(self))
        self.reset()
        name = self._path.rpartition("/")[2]
        self.border_title = clean_line(name) or "preview"
        marks = [f"[{view}]" if view == self.view else view for view in ("diff", "file", "before")]
        self.border_subtitle = " ".join(marks).replace("[", "‹").replace("]", "›")

    def _content(self, palette: Palette) -> list[Text]:
        file = self._file
        if file is None:
            return [Text("Choose a file to see what is in it.", style=palette.dim)]
        if file.last.kind != "file":
            return [Text(f"{file.last.kind}, nothing to preview", style=palette.dim)]
        kept = [blob for _, blob in file.history]
        now = None if file.last.change == "deleted" else (kept[-1] if kept else None)
        earlier = next((blob for blob in reversed(kept[:-1]) if blob), None)
        if self.view == "file":
            return self._text_of(now, palette)
        if self.view == "before":
            return self._text_of(earlier, palette, missing="It was not there before.")
        before, after = self._decoded(earlier), self._decoded(now)
        lines = diff_lines(before or "", after or "", palette)
        return lines or [Text("No change of its content is known.", style=palette.dim)]

    def _text_of(self, blob: str | None, palette: Palette, missing: str = "") -> list[Text]:
        text = self._decoded(blob)
        if text is None:
            return self._facts(blob, palette, missing)
        start = text[:400]
        return highlighted(text.rstrip("\n"), lexer_for(self._path, start), palette)

    def _decoded(self, blob: str | None) -> str | None:
        data = self._get_blob(blob) if blob else None
        if data is None or b"\0" in data[:8000]:
            return None
        return data.decode("utf-8", "replace")

    def _facts(self, blob: str | None, palette: Palette, missing: str) -> list[Text]:
        file = self._file
        if missing and blob is None:
            return [Text(missing, style=palette.dim)]
        if file is None or file.last.change == "deleted":
            return [Text("This file is gone.", style=palette.dim)]
        why = "binary" if blob else "too large to keep"
        facts = f"{figures.size(file.last.size)}, {why}: it is copied out with the results"
        return [Text(facts, style=palette.dim)]
