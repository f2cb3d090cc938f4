"""The sandbox's files as a tree, with their changes."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.events.run_state import FileState, RunState
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.keys.unavailable_reasons import ExplainsUnavailable
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.files.file_keys import PREVIEW_KEYS
from sandbox_tui.tui.widgets.files.path_tree import Counts, PathTree, Row

SIZE_COLUMNS = 5
MARK_COLUMNS = 5


class FileTree(ExplainsUnavailable, BlockList):
    """Shows `RunState.files` below the working directory.

    On the right of each file: a dot if the latest step changed it, its change since the run
    started, and its size.
    """

    has_its_own_keys = True

    BINDINGS: ClassVar[list[BindingType]] = [
        *PREVIEW_KEYS,
        binding("list.open", "choose"),  # in the bar for folders
        binding("files.filter", "filter"),
        binding("files.changed_only", "changed_only"),
        binding("files.unfilter", "unfilter", show=False),
    ]

    class Opened(Message):
        """A file was opened (enter, or a click on the highlighted one)."""

        def __init__(self, row: Row) -> None:
            super().__init__()
            self.row = row

    class FilterRequested(Message):
        """The user wants to type a filter; answer with `filter_by`."""

    def __init__(self, state: RunState, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._state = state
        self._tree = PathTree(self._root)
        self._rows: list[Row] = []
        self._words = ""
        self._changed_only = False
        self._step = 0
        self.following = False
        self.border_title = "files"

    # --- for the screen

    def show(self, state: RunState) -> None:
        """Show a state: a new one, or the same one after its files changed."""
        self._state = state
        if self._tree.root != self._root:
            self._tree = PathTree(self._root)
        self._tree.update(state.files)
        self._lay_out()
        self._titles()

    @property
    def current(self) -> Row | None:
        """The row under the cursor, or None."""
        return self._rows[self.cursor] if 0 <= self.cursor < len(self._rows) else None

    @property
    def filtered(self) -> bool:
        """Whether some files are hidden."""
        return bool(self._words) or self._changed_only

    @property
    def filter_words(self) -> str:
        """The words of the filter."""
        return self._words

    def filter_by(self, words: str) -> None:
        """Show only files whose path contains all these words."""
        self._words = words.strip()
        self._lay_out()
        if self.current is None or self.current.is_dir:
            self.cursor = next((i for i, row in enumerate(self._rows) if not row.is_dir), -1)
            self.show_block(self.cursor)
        self._titles()

    def select(self, path: str) -> bool:
        """Put the cursor on a path; False if it is not in the tree."""
        for index, row in enumerate(self._rows):
            if row.path == path:
                self.cursor = index
                self.show_block(index)
                return True
        return False

    # --- keys

    def action_filter(self) -> None:
        """Ask for the filter."""
        self.post_message(self.FilterRequested())

    def action_changed_only(self) -> None:
        """Toggle whether only changed files are shown."""
        self._changed_only = not self._changed_only
        self._lay_out()
        self._titles()

    def action_unfilter(self) -> None:
        """Show all files."""
        self._words, self._changed_only = "", False
        self._lay_out()
        self._titles()

    @override
    def why_unavailable(self, action: str, parameters: tuple[object, ...]) -> str:
        """Escape is left to the screen while there is no filter."""
        return "" if action != "unfilter" or self.filtered else "all files are shown"

    def words_for(self, action: str) -> str | None:
        """Return what enter does to a folder, for the key bar; a file has a key of its own."""
        if action != "choose":
            return None
        row = self.current
        if row is None or not row.is_dir:
            return ""
        return "expand" if row.path in self._tree.folded else "collapse"

    @override
    def watch_cursor(self, old: int, new: int) -> None:
        """Offer other keys for a folder than for a file."""
        super().watch_cursor(old, new)
        self.refresh_bindings()

    def on_block_list_selected(self, event: BlockList.Selected) -> None:
        """Open or close a folder; open a file."""
        event.stop()
        row = self.current
        if row is None:
            return
        if row.is_dir:
            self._tree.folded ^= {row.path}
            self._lay_out()
            self.refresh_bindings()
        else:
            self.post_message(self.Opened(row))

    # --- drawing

    @override
    def block_count(self) -> int:
        return len(self._rows)

    @override
    def block_height(self, index: int, width: int) -> int:
        return 1

    @override
    def draw_block(self, index: int, width: int) -> list[Text]:
        return [self._line(self._rows[index], width, palette_of(self))]

    def _lay_out(self) -> None:
        selected = self.current
        if self.filtered:
            self._rows = self._tree.matching(self._words, changed=self._changed_only)
        else:
            self._rows = self._tree.rows()
        self.following = False
        self.reset()
        if selected is not None and not self.select(selected.path) and self.current is not None:
            self.post_message(self.Highlighted(self, self.cursor))  # another file in the same row

    @property
    def _root(self) -> str:
        return self._state.started.working_dir if self._state.started else "/testbed"

    def _line(self, row: Row, width: int, palette: Palette) -> Text:
        right = self._right(row, palette)
        room = max(1, width - right.cell_len - 1)
        line = Text(" " * (1 + 2 * row.depth), no_wrap=True)
        closed = row.path in self._tree.folded and not self._words
        opens = row.is_dir and self._tree.has_children(row.path)
        arrow = ("▸ " if closed else "▾ ") if opens else "  "
        line.append(arrow, style=palette.dim)
        line.append(sanitize_line(row.name), style=self._name_style(row, palette))
        fit_line(line, room)
        line.pad_right(max(0, room - line.cell_len))
        line.append_text(right)
        return line

    def _name_style(self, row: Row, palette: Palette) -> Style:
        file = row.file
        if file is not None and file.last.change == "deleted":
            return palette.dim + Style(strike=True)
        if row.is_dir:
            return palette.text
        return _mark_style(file, palette) or palette.text

    def _right(self, row: Row, palette: Palette) -> Text:
        """Return the change and the size of a file, or the changes inside a closed folder."""
        file = row.file
        right = Text(no_wrap=True)
        if row.is_dir and not self._tree.has_children(row.path):
            return right.append("empty ", style=palette.dim)
        if row.is_dir and row.path in self._tree.folded:
            _append_counts(right, self._tree.below(row.path), palette)
            return right
        if file is None:
            return right
        recent = file.run_mark is not None and file.step >= max(1, self._state.latest_step)
        right.append("•" if recent and not row.is_dir else " ", style=palette.accent)
        right.append(f"{_mark(file):>{MARK_COLUMNS}}", style=_mark_style(file, palette))
        shown = numbers.size(file.last.size) if file.last.has_size else ""
        deleted = file.last.change == "deleted"
        right.append(f" {'' if deleted else shown:>{SIZE_COLUMNS}}", style=palette.dim)
        return right

    def _titles(self) -> None:
        total = latest = 0
        run = Counts()
        for file in self._state.files.values():
            kind, mark = file.last.kind, file.run_mark
            if kind == "file" and file.last.change != "deleted":
                total += 1
            if mark is not None and kind != "dir":
                run.add(file)
                if file.step > latest:
                    latest = file.step
        self._step = latest
        count = f" {total}" if self._state.seq else ""  # nothing has been read yet
        self.border_title = Content(f"files {sanitize_line(self._root)}{count}")
        if self.filtered:
            found = sum(1 for row in self._rows if not row.is_dir)
            words = f"“{sanitize_line(self._words)}” " if self._words else "changed "
            said = f"{words}{found} · {hint('files.unfilter')} show all"
            self.border_subtitle = Content(said)
            return
        self.border_subtitle = _counts(run)
        if self._step:
            self.border_subtitle += f" · step {self._step} {_counts(self._of_step())}"

    def _of_step(self) -> Counts:
        step = Counts()
        for file in self._state.files.values():
            if file.run_mark is None or file.step != self._step or file.last.kind == "dir":
                continue
            step.created += file.last.change == "created"
            step.modified += file.last.change == "modified"
            step.deleted += file.last.change == "deleted"
        return step


def _mark(file: FileState) -> str:
    if file.last.change == "deleted":
        return "gone"
    if file.last.kind == "dir":
        return "new" if file.run_mark == "created" else ""
    if file.run_mark in ("created", "modified"):
        return "new" if file.run_mark == "created" else "~"
    return "" if file.last.kind == "file" else file.last.kind


def _mark_style(file: FileState | None, palette: Palette) -> Style | None:
    if file is None or file.run_mark is None:
        return None
    if file.last.change == "deleted":
        return palette.bad
    return palette.good if file.run_mark == "created" else palette.human


def _counts(counts: Counts) -> str:
    return f"+{counts.created} ~{counts.modified} -{counts.deleted}"


def _append_counts(line: Text, counts: Counts, palette: Palette) -> None:
    if not counts:
        return
    for sign, number, style in (
        ("+", counts.created, palette.good),
        ("~", counts.modified, palette.human),
        ("-", counts.deleted, palette.bad),
    ):
        if number:
            line.append(f" {sign}{number}", style=style)
