"""The saved sessions, newest first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from rich.text import Text
from textual.message import Message
from typing_extensions import override

from sandbox_tui.sessions import RunSummary
from sandbox_tui.sessions.relations.fork_tree import Lineage
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.theming.palette import palette_of
from sandbox_tui.tui.widgets.block_list import BlockList
from sandbox_tui.tui.widgets.sessions.session_rows import facts_line, title_line

PREFETCH_SESSIONS = 30
"""Distance to the last known session at which more are requested."""


MAX_INDENTED_DEPTH = 5
"""Deeper forks are not indented further."""


class SessionList(BlockList):
    """Shows summaries, two lines each: what was asked, and how it went.

    It may hold only the first of many, and posts `MoreRequested` near the last of them.

    Attributes:
        waiting: ids of the sessions in which a call waits for a person.
    """

    class MoreRequested(Message):
        """The person scrolls to sessions that are not loaded."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._runs: Sequence[RunSummary] = ()
        self._kin: Mapping[str, Lineage] = {}
        self._tags: Mapping[str, Sequence[str]] = {}
        self._marked: list[str] = []
        self.waiting: frozenset[str] = frozenset()
        self._total = 0
        self._asked_at = 0
        self.following = False
        self.border_title = "sessions"

    def show(
        self,
        runs: Sequence[RunSummary],
        total: int | None = None,
        kin: Mapping[str, Lineage] | None = None,
        tags: Mapping[str, Sequence[str]] | None = None,
        waiting: Collection[str] = (),
    ) -> None:
        """Show sessions; the cursor stays on its session.

        Args:
            runs: newest first, forks after their parents.
            total: number of all sessions; None when these are all.
            kin: positions of forks, by session.
            tags: by session.
            waiting: ids of the sessions in which a call waits for a person.
        """
        selected = self.current
        self._runs = runs
        self._kin = kin or {}
        self._tags = tags or {}
        self.waiting = frozenset(waiting)
        here = {run.id for run in runs}
        self._marked = [marked for marked in self._marked if marked in here]
        self._total = len(runs) if total is None else total
        self._asked_at = 0
        self.following = False
        self.reset()
        ids = [run.id for run in runs]
        if selected is not None and selected.id in ids:
            self.cursor = ids.index(selected.id)
        elif runs and self.cursor < 0:
            self.cursor = 0
        count = len(self.waiting)
        waits = f" · {count} {'waits' if count == 1 else 'wait'} for you" if count else ""
        self.border_title = f"sessions {self._total}{waits}"

    @property
    def running(self) -> frozenset[str]:
        """Ids of the sessions that are running."""
        return frozenset(run.id for run in self._runs if run.outcome == "running")

    @property
    def current(self) -> RunSummary | None:
        """The session under the cursor, or None."""
        return self._runs[self.cursor] if 0 <= self.cursor < len(self._runs) else None

    @property
    def marked(self) -> list[RunSummary]:
        """The marked sessions, in the order of marking."""
        by_id = {run.id: run for run in self._runs}
        return [by_id[one] for one in self._marked]

    def mark(self) -> None:
        """Mark or unmark the session under the cursor; at most two are marked."""
        run = self.current
        if run is None:
            return
        if run.id in self._marked:
            self._marked.remove(run.id)
        else:
            self._marked = [*self._marked[-1:], run.id]
        self.changed()

    @override
    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Request more sessions near the end."""
        super().watch_scroll_y(old_value, new_value)
        known = len(self._runs)
        last_seen = self.block_at(round(new_value) + self.size.height)
        near = last_seen < 0 or last_seen >= known - PREFETCH_SESSIONS
        if near and known < self._total and self._asked_at != known:
            self._asked_at = known
            self.post_message(self.MoreRequested())

    @override
    def block_count(self) -> int:
        return len(self._runs) or 1

    @override
    def block_height(self, index: int, width: int) -> int:
        return 2 if self._runs else 3

    @override
    def draw_block(self, index: int, width: int) -> list[Text]:
        palette = palette_of(self)
        if not self._runs:
            words = (
                f"Nothing here yet. {hint('home.new')} starts a run, {hint('home.demo')} plays the "
                "demo: no key, no network."
            )
            return [Text(), Text(f"  {words}", style=palette.dim), Text()]
        run = self._runs[index]
        branch = self._branch(run)
        marked, waits = run.id in self._marked, run.id in self.waiting
        return [
            title_line(run, width, palette, branch=branch, marked=marked, waits=waits),
            facts_line(
                run,
                width,
                palette,
                indent=len(branch),
                parting=self._parting(run),
                tags=self._tags.get(run.id, ()),
                waits=waits,
            ),
        ]

    def _branch(self, run: RunSummary) -> str:
        """The branch drawn from a parent to its fork."""
        depth = self._kin.get(run.id, Lineage()).depth
        return f"{'   ' * min(depth - 1, MAX_INDENTED_DEPTH)} └─" if depth else ""

    def _parting(self, run: RunSummary) -> str:
        """The step, and the parent, that a fork starts from."""
        kin = self._kin.get(run.id)
        if kin is None or kin.step is None:
            return ""
        return f"forked at step {kin.step}" + ("" if kin.depth else f" of {run.parent}")
