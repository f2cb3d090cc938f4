"""The results of a search through all sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import BindingType
from textual.message import Message
from typing_extensions import override

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions import RunSummary
from sandbox_tui.sessions.search.across_sessions import Hit
from sandbox_tui.sessions.search.query import Query
from sandbox_tui.sessions.search.search_as_you_type import Found
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.outcome import short_outcome
from sandbox_tui.tui.format.titles import cut_title, model_title, numbered_title, task_title
from sandbox_tui.tui.keys.key_sequencer import follows_leaving
from sandbox_tui.tui.keys.textual_bindings import binding
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.search_line import SEARCHING
from sandbox_tui.tui.widgets.sessions.newest_first import NewestFirst
from sandbox_tui.tui.widgets.sessions.session_result import result_text
from sandbox_tui.tui.widgets.sessions.session_rows import MIN_RESULT, ago, facts_line, head_of

_KINDS = {
    "title": "title",
    "tag": "tag",
    "task": "task",
    "reply": "says",
    "call": "call",
    "observation": "output",
    "message": "you said",
    "command": "you ran",
    "answer": "answer",
    "note": "note",
}
_KIND_COLUMNS = 9
ID_FROM = 120
"""Minimum width of a list that shows the ids of sessions."""

MODEL_FROM = 96
"""Minimum width of a list that shows the models of sessions."""

MODEL_COLUMNS = 20
"""A longer name of a model is cut."""

CONTEXT_COLUMNS = 24
"""Columns of text shown before the first match of a snippet."""

NARROW = 80
"""A narrower list gives the title and the snippet the room of ages, margins and context."""


class SearchResults(NewestFirst):
    """Shows hits, one per line, below the title of their session.

    A session that matches without such a hit takes two lines.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("hits.leave", "leave"),
    ]

    urgent_actions = ("leave",)

    class Closed(Message):
        """The search has ended."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._query: Query | None = None
        self._hits: Sequence[Hit] = ()
        self._tags: Mapping[str, Sequence[str]] = {}
        self._labels: Mapping[str, str] = {}
        self._is_searching = False

    def show_search(self, *, is_running: bool) -> None:
        """Say that a search is running, whose results `show` takes; False if it has failed."""
        self._is_searching = is_running
        if is_running:
            self.border_title = SEARCHING
        self.changed()

    def show(self, found: Found, tags: Mapping[str, Sequence[str]], *, query_changed: bool) -> None:
        """Show results.

        Args:
            found: the hits, grouped by session.
            tags: the tags of each session.
            query_changed: whether the query changed; if so, the cursor goes to the first hit.
        """
        selected = self.current
        self._query, self._hits, self._tags = found.query, found.hits, tags
        self._labels = found.labels
        self._is_searching = False
        place = 0
        if not query_changed and selected is not None:
            keys = [(hit.run.id, hit.seq, hit.kind) for hit in self._hits]
            key = (selected.run.id, selected.seq, selected.kind)
            place = keys.index(key) if key in keys else min(self.cursor, len(keys) - 1)
        self.reset()
        self.cursor = place if self._hits else -1
        if query_changed:
            self.scroll_to(y=0, animate=False, force=True, immediate=True)
        self.border_title = self._title(found)

    @property
    def query_shown(self) -> Query | None:
        """The query of the shown hits, which may lag behind the typed one; None before the first
        search."""
        return self._query

    @property
    def current(self) -> Hit | None:
        """The hit under the cursor, or None."""
        return self._hits[self.cursor] if 0 <= self.cursor < len(self._hits) else None

    @property
    def current_run(self) -> RunSummary | None:
        """The session of the hit under the cursor."""
        return None if self.current is None else self.current.run

    @property
    @override
    def shows_cursor(self) -> bool:
        """Always shown: the search bar moves the cursor too."""
        return bool(self._hits)

    def action_leave(self) -> None:
        """End the search, unless the key was pressed to leave the session that was left just
        before."""
        if not follows_leaving(self):
            self.post_message(self.Closed())

    @override
    def block_count(self) -> int:
        return len(self._hits) or 1

    @override
    def block_height(self, index: int, width: int) -> int:
        if not self._hits:
            return 3
        hit = self._hits[index]
        return 2 if hit.kind == "session" else 1 + self._is_first(index) + self._is_cut(index)

    @override
    def draw_block(self, index: int, width: int) -> list[Text]:
        palette = palette_of(self)
        if not self._hits:
            return self._nothing(width, palette)
        hit = self._hits[index]
        lines: list[Text] = []
        if self._is_first(index):
            lines.append(self._headline(hit, width, palette))
        if hit.kind == "session":
            tags = self._tags.get(hit.run.id, ())
            return [*lines, facts_line(hit.run, width, palette, tags=tags)]
        lines.append(_place(hit, width, palette))
        if self._is_cut(index):
            more = hit.in_session - self._shown_of(index)
            margin = " " * _margin(width)
            lines.append(Text(f"{margin}… {more} more in this session", style=palette.faint))
        return lines

    def _nothing(self, width: int, palette: Palette) -> list[Text]:
        """Return that nothing was found, once that is known, and how to search for a word that
        was taken as a tag."""
        tag = self._query.filters.tag if self._query is not None else None
        words = f"“{tag}” is searched as a tag; in quotes it is searched as words." if tag else ""
        lines = ["", "  No matches in any session.", f"  {sanitize_line(words)}" if tag else ""]
        if self._is_searching:
            lines = ["", f"  {SEARCHING}", ""]
        found = [Text(line, style=palette.dim, no_wrap=True) for line in lines]
        for line in found:
            fit_line(line, width)
        return found

    def _headline(self, hit: Hit, width: int, palette: Palette) -> Text:
        """Return the title, with the answer, or why there is none, if no line below says so, and
        if there is room how it ended, the model and the id: several sessions may have one task."""
        run = hit.run
        tail = Text(no_wrap=True)
        if hit.kind != "session":
            result = result_text(run, palette)
            fit_line(result, max(MIN_RESULT, width // 4))
            tail.append_text(result).append("  " if result else "")
            facts = (_outcome(run, width), _model(run, width))
            tail.append("".join(f"{fact}  " for fact in facts if fact), style=palette.dim)
        if width >= ID_FROM:
            tail.append(f"{sanitize_line(run.id)}  ", style=palette.dim)
        if width >= NARROW:
            tail.append(ago(run.run_started_at), style=palette.dim)
        head = head_of(run, palette, title=self._title_of(run))
        room = max(1, width - tail.cell_len - 3)
        fit_line(head, room)
        head.pad_right(room - head.cell_len + 2)
        return head.append_text(tail)

    def _title_of(self, run: RunSummary) -> str:
        """Return the title, after suite and task of a sample of an evaluation, or after the number
        of another sample, and after the word that it is a fork."""
        label = self._labels.get(run.id, "")
        if not label:
            return numbered_title(run)
        fork = "fork of " if run.parent else ""
        return sanitize_line(f"{fork}sample of {label} · {task_title(run)}")

    def _is_first(self, index: int) -> bool:
        return index == 0 or self._hits[index - 1].run.id != self._hits[index].run.id

    def _is_cut(self, index: int) -> bool:
        """Return whether this is the last shown hit of a session that has more."""
        hits = self._hits
        last = index + 1 == len(hits) or hits[index + 1].run.id != hits[index].run.id
        return last and self._shown_of(index) < hits[index].in_session

    def _shown_of(self, index: int) -> int:
        """Return the number of shown hits of a session up to this one."""
        first = index
        while not self._is_first(first):
            first -= 1
        return index - first + 1

    def _title(self, found: Found) -> str:
        if not found.hits:
            return "no matches"
        runs = {hit.run.id: hit for hit in found.hits}
        sessions = f"{len(runs)} session{'' if len(runs) == 1 else 's'}"
        if not found.is_complete:
            sessions = f"the best {sessions}"
        places = sum(hit.in_session for hit in runs.values() if hit.kind != "session")
        return f"{sessions} · {places} found" if places else sessions


def _outcome(run: RunSummary, width: int) -> str:
    """Return how a session ended, unless its sign says so; empty if the title needs the room."""
    return short_outcome(run) if width >= NARROW and run.outcome != "submitted" else ""


def _model(run: RunSummary, width: int) -> str:
    """Return the model; empty if the title needs the room."""
    return cut_title(model_title(run.model), MODEL_COLUMNS) if width >= MODEL_FROM else ""


def _place(hit: Hit, width: int, palette: Palette) -> Text:
    """Return the location of a hit and its snippet."""
    step = f"step {hit.step}" if hit.step else "start" if hit.kind == "task" else ""
    is_narrow = width < NARROW
    steps, kinds = (7, 8) if is_narrow else (9, _KIND_COLUMNS)
    line = Text(f"{' ' * _margin(width)}{step:<{steps}} ", style=palette.dim, no_wrap=True)
    line.append(f"{_KINDS.get(hit.kind, hit.kind):<{kinds}} ", style=palette.dim)
    line.append_text(_snippet(hit, palette, CONTEXT_COLUMNS // 3 if is_narrow else CONTEXT_COLUMNS))
    fit_line(line, width)
    return line


def _margin(width: int) -> int:
    return 3 if width < NARROW else 5


def _snippet(hit: Hit, palette: Palette, context: int) -> Text:
    """Return the snippet on one line, starting at most `context` columns before the first match."""
    found = palette.accent + Style(bold=True)
    text, at = Text(no_wrap=True), 0
    for start, end in hit.marks:
        text.append(_flat(hit.snippet[at:start]), style=palette.dim)
        text.append(_flat(hit.snippet[start:end]), style=found)
        at = end
    text.append(_flat(hit.snippet[at:]), style=palette.dim)
    first = len(_flat(hit.snippet[: hit.marks[0][0]])) if hit.marks else 0
    if first > context:
        start = first - context
        start += max(0, text.plain[start:first].find(" "))
        return Text("…", style=palette.dim, no_wrap=True).append_text(text[start:])
    return text


def _flat(text: str) -> str:
    """Return the text on one line, with each run of white space collapsed to one space."""
    words = " ".join(text.split())
    if not words:
        return " " if text else ""
    before = " " if text[:1].isspace() else ""
    return sanitize_line(before + words + (" " if text[-1:].isspace() else ""))
