"""The saved sessions, newest first."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from rich.style import Style
from rich.text import Text
from textual.message import Message

from ...core.text import clean_line
from ...sessions import RunSummary
from ...sessions.family import Kinship
from .. import figures
from ..keymap import hint
from ..listing import outcome_words
from ..palette import Palette, palette_of
from .blocks import Blocks

AHEAD = 30
"""So many sessions before the last that is known, more are asked for."""


DEEPEST = 5
"""Forks of forks are not moved further to the right than this."""


class SessionList(Blocks):
    """Shows summaries, two lines each: what was asked, and how it went.

    It may be given the first of many: it says `MoreWanted` as one comes near the last.
    """

    class MoreWanted(Message):
        """There are more sessions than are shown, and somebody comes to them."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._runs: Sequence[RunSummary] = ()
        self._kin: Mapping[str, Kinship] = {}
        self._marked: list[str] = []
        self._total = 0
        self._asked_at = 0
        self.following = False
        self.border_title = "sessions"

    def show(
        self,
        runs: Sequence[RunSummary],
        total: int | None = None,
        kin: Mapping[str, Kinship] | None = None,
    ) -> None:
        """Show these; the cursor stays on the session it was on.

        Args:
            runs: newest first, forks after their parents.
            total: how many there are besides, in all.
            kin: the places of forks in their families, by session.
        """
        selected = self.current
        self._runs = runs
        self._kin = kin or {}
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
        self.border_title = f"sessions {self._total}"

    @property
    def current(self) -> RunSummary | None:
        """The session under the cursor, or None."""
        return self._runs[self.cursor] if 0 <= self.cursor < len(self._runs) else None

    @property
    def marked(self) -> list[RunSummary]:
        """The sessions a person has marked, in that order."""
        by_id = {run.id: run for run in self._runs}
        return [by_id[one] for one in self._marked]

    def mark(self) -> None:
        """Mark the session under the cursor, or take its mark away; at most two are."""
        run = self.current
        if run is None:
            return
        if run.id in self._marked:
            self._marked.remove(run.id)
        else:
            self._marked = [*self._marked[-1:], run.id]
        self.changed()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Near the end, there may be more."""
        super().watch_scroll_y(old_value, new_value)
        known = len(self._runs)
        last_seen = self.block_at(round(new_value) + self.size.height)
        near = last_seen < 0 or last_seen >= known - AHEAD
        if near and known < self._total and self._asked_at != known:
            self._asked_at = known
            self.post_message(self.MoreWanted())

    def block_count(self) -> int:
        """See `Blocks`."""
        return len(self._runs) or 1

    def block_height(self, index: int, width: int) -> int:
        """See `Blocks`."""
        return 2 if self._runs else 3

    def draw_block(self, index: int, width: int) -> list[Text]:
        """See `Blocks`."""
        palette = palette_of(self)
        if not self._runs:
            words = (
                f"Nothing here yet. {hint('home.new')} starts a run, {hint('home.demo')} plays the "
                "demo: no key, no network."
            )
            return [Text(), Text(f"  {words}", style=palette.dim), Text()]
        run = self._runs[index]
        return [self._title(run, width, palette), self._facts(run, width, palette)]

    def _title(self, run: RunSummary, width: int, palette: Palette) -> Text:
        sign, style = _sign(run, palette)
        when = _ago(run.started_at)
        line = Text(self._branch(run), style=palette.faint, no_wrap=True)
        line.append(f" {sign} ", style=style)
        if run.id in self._marked:
            line.append("◉ ", style=palette.accent)
        line.append(clean_line(run.task.strip().split("\n", 1)[0]), style=palette.text)
        room = max(1, width - len(when) - 2)
        line.truncate(room, overflow="ellipsis")
        line.pad_right(max(0, room - line.cell_len) + 1)
        line.append(when, style=palette.dim)
        return line

    def _facts(self, run: RunSummary, width: int, palette: Palette) -> Text:
        tokens = run.input_tokens + run.output_tokens
        parts = [
            self._parting(run),
            outcome_words(run),
            clean_line(run.model),
            clean_line(run.sandbox),
            f"{run.steps} steps",
            f"{figures.count(tokens)} tok" if tokens else "",
            figures.cost(run.cost),
            figures.clock(run.seconds),
        ]
        words = " · ".join(part for part in parts if part)
        line = Text(f"{' ' * len(self._branch(run))}   {words}", style=palette.dim, no_wrap=True)
        line.truncate(width, overflow="ellipsis")
        return line

    def _branch(self, run: RunSummary) -> str:
        """What leads from a parent to its fork."""
        depth = self._kin.get(run.id, Kinship()).depth
        return f"{'   ' * min(depth - 1, DEEPEST)} └─" if depth else ""

    def _parting(self, run: RunSummary) -> str:
        """From whom a fork parted, and when."""
        kin = self._kin.get(run.id)
        if kin is None or kin.step is None:
            return ""
        return f"forked at step {kin.step}" + ("" if kin.depth else f" of {run.parent}")


def _sign(run: RunSummary, palette: Palette) -> tuple[str, Style]:
    if run.outcome == "submitted":
        return "✓", palette.good
    if run.outcome == "running":
        return "●", palette.good
    return ("◌", palette.warn) if run.outcome == "interrupted" else ("✗", palette.bad)


def _ago(then: float) -> str:
    passed = max(0.0, time.time() - then)
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if passed >= length:
            return f"{int(passed // length)} {unit} ago"
    return "just now"
