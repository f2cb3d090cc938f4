"""The sandbox's files as a tree, with what became of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.style import Style
from rich.text import Text

from ...core.state import FileState, RunState
from ...core.text import clean_line
from .. import figures
from ..palette import Palette, palette_of
from .blocks import Blocks

HIDDEN = frozenset({".git", ".cache", ".venv", "venv", "node_modules", "__pycache__"})
"""Folders that begin closed."""


@dataclass(slots=True)
class Row:
    """A line of the tree."""

    path: str
    name: str
    depth: int
    is_dir: bool
    file: FileState | None


class Files(Blocks):
    """Shows `RunState.files` below the working directory."""

    def __init__(self, state: RunState, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._state = state
        self._rows: list[Row] = []
        self._folded: set[str] = set()
        self._known_folders: set[str] = set()
        self.following = False
        self.border_title = "files"

    def show(self, state: RunState) -> None:
        """Show a state (a new one, or the same after its files changed)."""
        selected = self.current
        self._state = state
        self._rows = self._flatten()
        self.following = False
        self.reset()
        if selected is not None:
            self.select(selected.path)
        self._titles()

    @property
    def current(self) -> Row | None:
        """The row under the cursor, or None."""
        return self._rows[self.cursor] if 0 <= self.cursor < len(self._rows) else None

    def select(self, path: str) -> bool:
        """Put the cursor on a path; False when it is not in the tree."""
        for index, row in enumerate(self._rows):
            if row.path == path:
                self.cursor = index
                self.show_block(index)
                return True
        return False

    def block_count(self) -> int:
        """See `Blocks`."""
        return len(self._rows)

    def block_height(self, index: int, width: int) -> int:
        """See `Blocks`."""
        return 1

    def draw_block(self, index: int, width: int) -> list[Text]:
        """See `Blocks`."""
        return [self._line(self._rows[index], width, palette_of(self))]

    def on_blocks_chosen(self, event: Blocks.Chosen) -> None:
        """Open or close a folder."""
        row = self.current
        if row is not None and row.is_dir:
            event.stop()
            self._folded ^= {row.path}
            self.show(self._state)

    # --- the tree

    def _flatten(self) -> list[Row]:
        root = self._root
        children: dict[str, list[Row]] = {}
        for path, file in self._state.files.items():
            if not path.startswith(root + "/"):
                continue
            folder, _, name = path.rpartition("/")
            depth = path.count("/") - root.count("/") - 1
            is_dir = file.last.kind == "dir"
            if is_dir and path not in self._known_folders:
                self._known_folders.add(path)
                if name in HIDDEN:
                    self._folded.add(path)
            children.setdefault(folder, []).append(Row(path, name, depth, is_dir, file))
        rows: list[Row] = []
        self._collect(root, children, rows)
        return rows

    def _collect(self, folder: str, children: dict[str, list[Row]], rows: list[Row]) -> None:
        stack = [iter(_sorted(children.get(folder, [])))]
        while stack:
            row = next(stack[-1], None)
            if row is None:
                stack.pop()
                continue
            rows.append(row)
            if row.is_dir and row.path not in self._folded:
                stack.append(iter(_sorted(children.get(row.path, []))))

    @property
    def _root(self) -> str:
        return self._state.started.working_dir if self._state.started else "/testbed"

    # --- drawing

    def _line(self, row: Row, width: int, palette: Palette) -> Text:
        mark, mark_style = self._mark(row, palette)
        gone = row.file is not None and row.file.last.change == "deleted"
        name = Text(" " * (1 + 2 * row.depth), no_wrap=True)
        arrow = ("▸ " if row.path in self._folded else "▾ ") if row.is_dir else "  "
        name.append(arrow, style=palette.dim)
        style = palette.bad + Style(strike=True) if gone else mark_style or palette.text
        name.append(clean_line(row.name), style=style)
        room = max(1, width - len(mark) - 1)
        name.truncate(room, overflow="ellipsis")
        name.pad_right(max(0, room - name.cell_len))
        name.append(mark, style=mark_style or palette.dim)
        return name

    def _mark(self, row: Row, palette: Palette) -> tuple[str, Style | None]:
        """What stands at the right: what became of it, and its size."""
        file = row.file
        if file is None:
            return "", None
        shown_size = figures.size(file.last.size) if file.last.kind == "file" else ""
        if file.last.change == "deleted":
            return "gone", palette.bad
        if file.run_mark == "created":
            return f"new {shown_size:>5}".rstrip(), palette.good
        if file.run_mark == "modified":
            return f"~ {shown_size:>5}".rstrip(), palette.human
        if file.last.kind == "link":
            return "link", None
        return shown_size, None

    def _titles(self) -> None:
        files = self._state.files.values()
        total = sum(1 for file in files if file.last.kind == "file" and file.run_mark != "deleted")
        self.border_title = f"files {clean_line(self._root)} {total}"
        marked = [file for file in files if file.run_mark and file.last.kind != "dir"]
        self.border_subtitle = _counts([str(file.run_mark) for file in marked])
        step = max((file.step for file in marked), default=0)
        if step:
            recent = [file.last.change for file in marked if file.step == step]
            self.border_subtitle += f" · step {step} {_counts(recent)}"


def _counts(marks: Sequence[str]) -> str:
    new, changed, gone = (marks.count(mark) for mark in ("created", "modified", "deleted"))
    return f"+{new} ~{changed} -{gone}"


def _sorted(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (not row.is_dir, row.name))
