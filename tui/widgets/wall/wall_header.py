"""The top of the wall: the state of the runs, what they share, and their answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.text import Text
from textual.geometry import Size
from textual.widget import Widget
from typing_extensions import override

from sandbox_tui.sessions.remote.run_handle import FoldedRun
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.status import is_preparing, is_retrying, output_tokens_so_far
from sandbox_tui.tui.format.titles import model_title, task_line
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.wall.group_summary import (
    WHOLE,
    GroupSummary,
    short_ranges,
)
from sandbox_tui.tui.widgets.wall.run_facts import (
    ELSEWHERE,
    Kind,
    end_sign,
    end_words,
    is_attaching,
    is_decided_here,
    kind_of,
    stopped_word_of,
)
from sandbox_tui.tui.widgets.wall.run_groups import (
    Numbered,
    grouped,
    models_of,
    shared_mode,
    shared_task,
)

MIN_TASK_COLUMNS = 20
"""The task of all runs is cut to this at least, so that their models and mode are seen."""

ONE_LINE_WIDTH = 96
"""Columns from which the states of the runs and the sums are on one line."""

WORDS: dict[Kind, str] = {
    "running": "● {} running",
    "submitted": "✓ {} submitted",
}
"""Words for runs in one state; of those that ended otherwise, each outcome is named."""

SHORT_WORDS: dict[Kind, str] = {
    "running": "● {} run",
    "submitted": "✓ {}",
}


class WallHeader(Widget):
    """Shows a summary of all runs; call `show` after any change."""

    DEFAULT_CSS = """
    WallHeader { height: auto; padding: 0 1; background: $panel; }
    """

    def __init__(self) -> None:
        super().__init__(id="wall-title")
        self._runs: Sequence[Numbered] = ()
        self._arranged_by = ""
        self._shown = ""
        self._silent: Sequence[int] = ()
        self._most = 3
        self._laid_out = 0, Size()
        self._drawn: Sequence[Text] = ()
        self._drawn_for: tuple[int, Palette] | None = None
        self._left_out = 0

    def show(
        self,
        runs: Sequence[Numbered],
        *,
        sorted_by: str,
        shown: str,
        most: int,
        silent: Sequence[int] = (),
    ) -> bool:
        """Show the runs; return whether the height or the width has changed.

        Args:
            runs: the runs with their numbers.
            sorted_by: name of the order in which they are shown.
            shown: name of the filter; empty for all runs.
            most: maximum number of lines.
            silent: the numbers of the runs that may be stuck.
        """
        self._silent = silent
        self._runs, self._arranged_by, self._shown = runs, sorted_by, shown
        self._most = max(2, most)
        palette = palette_of(self)
        self._drawn, self._drawn_for = self._lines(palette), (self.content_size.width, palette)
        # a layout for a new size may have been for lines of the size before
        now = len(self._drawn), self.size
        before, self._laid_out = self._laid_out, now
        self.refresh(layout=now != before)
        return now != before

    @override
    def render(self) -> Text:
        width, palette = self.content_size.width, palette_of(self)
        is_current = self._drawn_for == (width, palette)  # a theme may have been chosen since
        lines = self._drawn if is_current else self._lines(palette)
        for line in lines:
            fit_line(line, max(1, width))
        return Text("\n").join(lines)

    @property
    def sums_up(self) -> bool:
        """Whether there are runs whose answers are counted together."""
        return bool(self._groups)

    @property
    def why_no_answers(self) -> str:
        """Why there is nothing more to show about the answers; empty if there is."""
        if not self.sums_up:
            return "no answers to count"
        return "the header shows all answers" if self.shows_all else ""

    @property
    def shows_all(self) -> bool:
        """Whether nothing of `answers` is left out or cut."""
        width = self.content_size.width
        lines = self._lines(palette_of(self))
        shown = {one.plain for one in lines if one.cell_len <= width}
        return shown.issuperset(filter(None, self.answers().split("\n")))

    def answers(self) -> str:
        """Return all about the outcomes and the answers, whatever the room, with a blank line
        between groups of several lines."""
        summary = GroupSummary(self._runs, 0, palette_of(self))
        blocks = [
            "\n".join(line.plain for line in summary.lines(group, WHOLE)) for group in self._groups
        ]
        return ("\n\n" if any("\n" in block for block in blocks) else "\n").join(blocks)

    @property
    def shared_task(self) -> str:
        """The task of all runs, in one line; empty if they have several."""
        return task_line(task) if (task := shared_task(self._runs)) else ""

    @property
    def _groups(self) -> list[list[Numbered]]:
        return [group for group in grouped(self._runs) if len(group) > 1]

    def _lines(self, palette: Palette) -> list[Text]:
        lines = [*self._sums(palette), *self._shared(palette)]
        lines, room = [line for line in lines if line.plain], self._most
        groups, room = self._groups, max(1, room - len(lines))
        summary = GroupSummary(self._runs, self.content_size.width, palette)
        found = [summary.lines(group, room) for group in groups]
        fits = len(found) if len(found) <= room else room - 1
        self._left_out = len(found) - fits
        if len(found) == 1:
            return [*lines, *found[0]]
        lines += [line for block in found[:fits] for line in block]
        return [*lines, self._more(palette)] if self._left_out else lines

    def _more(self, palette: Palette) -> Text:
        """Return how many groups there is no room for, and the key that shows them."""
        what = "model" if shared_task(self._runs) else "task"
        line = Text(f"{numbers.counted(self._left_out, f'more {what}')} · ", style=palette.warn)
        line.append(f"{hint('wall.answers')} ", style=palette.accent)
        return line.append("show all", style=palette.dim)

    # --- one line each

    def _sums(self, palette: Palette) -> list[Text]:
        """Return the states, and the sums with order and filter: on one line, or on two in a narrow
        terminal, whatever the states, so that none of them moves the tiles."""
        width, sums = self.content_size.width, self._spent_and_order(palette)
        is_narrow = 0 < width < ONE_LINE_WIDTH
        room = width - (0 if is_narrow else sums.cell_len + 2)
        states = self._states(palette)
        for is_short, is_named in ((True, True), (False, False), (True, False)):
            if width == 0 or states.cell_len <= room:
                break
            states = self._states(palette, is_short=is_short, is_named=is_named)
        return [states, sums] if is_narrow else [states.append("  ").append_text(sums)]

    def _states(self, palette: Palette, *, is_short: bool = False, is_named: bool = True) -> Text:
        """Return how many runs are in each state; in short, the signs stand for the states.

        Args:
            palette: the palette to draw with.
            is_short: whether the words are short.
            is_named: whether the runs that want attention are named by their numbers.
        """
        names = is_named and len(self._runs) > 1
        line = Text(no_wrap=True).append("" if is_short else "sandbox-tui  ", style=palette.accent)
        line.append(numbers.counted(len(self._runs), "run"), style=palette.strong)
        again = [number for number, run in self._runs if is_retrying(run.state)]
        begun = [run for n, run in self._runs if n not in self._silent and _is_starting(run)]
        stopped, kinds = Counter[str](), Counter[Kind]()
        for number, run in self._runs:
            kind, word = kind_of(run), stopped_word_of(run)
            if kind != "running":
                kinds[kind] += 1
            elif number not in again and number not in self._silent and run not in begun:
                stopped[word] += 1
        kinds["running"] = stopped.pop("", 0)
        self._add_waiting(line, palette, is_short=is_short, is_named=names)
        for kind, words in WORDS.items():
            if count := kinds[kind]:
                form = SHORT_WORDS[kind] if is_short else words
                line.append(f"  {form.format(count)}", style=palette.good)
        if begun:
            word = _begun_word(begun)
            line.append(f"  ◔ {len(begun)}{'' if is_short else f' {word}'}", style=palette.dim)
        for word, count in sorted(stopped.items(), reverse=True):
            line.append(f"  ‖ {count} {word}", style=palette.warn)
        failed = [run for _, run in self._runs if kind_of(run) == "failed"]
        ended = Counter((end_sign(run), "" if is_short else end_words(run)) for run in failed)
        for ((sign, role), outcome), count in ended.most_common():
            line.append(f"  {sign} {count} {outcome}".rstrip(), style=palette.of_role(role))
        if self._silent:
            line.append(f"  ● {len(self._silent)} silent", style=palette.warn)
            line.append(_in_brackets(self._silent) if names else "", style=palette.warn)
        if again:
            words = f"  ! {len(again)} {'retry' if is_short else 'retrying'}"
            words += _in_brackets(again) if names else ""
            line.append(words, style=palette.warn)
        return line

    def _add_waiting(self, line: Text, palette: Palette, *, is_short: bool, is_named: bool) -> None:
        """Append how many runs wait for the user; apart from them, those that are paused too, and
        those that are decided about elsewhere, so that each run is counted once."""
        waiting: dict[str, list[int]] = {}
        for number, run in self._runs:
            if kind_of(run) == "waiting":
                word = stopped_word_of(run) if is_decided_here(run) else ELSEWHERE
                waiting.setdefault(word, []).append(number)
        more = {"": "" if is_short else " for you", ELSEWHERE: f" {ELSEWHERE}"}
        for word, those in sorted(waiting.items()):
            waits = f"{'waits' if len(those) == 1 else 'wait'}{more.get(word, f', {word}')}"
            who = _in_brackets(those) if is_named else ""
            style = palette.dim if word == ELSEWHERE else palette.human
            line.append(f"  ◆ {len(those)} {waits}{who}", style=style)

    def _spent_and_order(self, palette: Palette) -> Text:
        line = Text(_spent([run for _, run in self._runs]), style=palette.dim, no_wrap=True)
        line.append(f"  sorted by {self._arranged_by}", style=palette.dim)
        if self._arranged_by == "cost" and not _costs([run for _, run in self._runs]):
            line.append(" (none is known)", style=palette.warn)
        if self._shown:
            line.append(f"  {self._shown}", style=palette.accent)
        return line

    def _shared(self, palette: Palette) -> list[Text]:
        """Return what all runs have in common: the task, the model, the mode; or their models."""
        names = ", ".join(map(model_title, models := models_of(self._runs)))
        facts = [f"model{'' if len(models) == 1 else 's'} {names}"] if models else []
        facts += [mode] if (mode := shared_mode(self._runs)) else []
        rest = Text("  ".join(facts), style=palette.dim, no_wrap=True)
        task = shared_task(self._runs)
        if not task:
            return [rest] if facts else []
        line = Text(task_line(task), style=palette.strong, no_wrap=True)
        if facts:
            if width := self.content_size.width:
                fit_line(line, max(MIN_TASK_COLUMNS, width - rest.cell_len - 2))
            line.append("  ").append_text(rest)
        return [line]


def _begun_word(begun: Sequence[FoldedRun]) -> str:
    """Return what runs do that have not asked the model for anything yet."""
    if all(map(is_attaching, begun)):
        return "attaching"
    return "preparing" if all(is_preparing(run.state) for run in begun) else "starting"


def _is_starting(run: FoldedRun) -> bool:
    if is_preparing(run.state):
        return kind_of(run) == "running"
    if kind_of(run) != "running" or run.state.started is not None or stopped_word_of(run):
        return False
    return not (is_attaching(run) and run.summary.steps)


def _in_brackets(numbers_of_runs: Sequence[int]) -> str:
    return f" ({short_ranges(numbers_of_runs)})"


def _costs(workers: Sequence[FoldedRun]) -> list[float]:
    return [cost for one in workers if (cost := one.state.totals.cost) is not None]


def _spent(workers: Sequence[FoldedRun]) -> str:
    written = [output_tokens_so_far(worker.state) for worker in workers]
    tokens = sum(worker.state.totals.usage.input_tokens for worker in workers)
    tokens += sum(output for output, _ in written)
    is_estimated = any(estimated for _, estimated in written)
    costs = _costs(workers)
    parts = [
        f"{numbers.tokens(tokens, estimated=is_estimated)} tok",
        numbers.cost(sum(costs)) if costs else "",
    ]
    return " ".join(part for part in parts if part)
