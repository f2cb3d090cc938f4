"""What the runs of a group came to: samples of a task, or forks of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.text import Text

from sandbox_tui.core.base.durations import clock
from sandbox_tui.sessions.remote.run_handle import FoldedRun
from sandbox_tui.sessions.store.answers import count_answers
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.answers import (
    MAX_ANSWERS,
    answers_words,
    leftovers_words,
    short_answer,
)
from sandbox_tui.tui.format.run_end import said_count_words
from sandbox_tui.tui.format.titles import model_title
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.wall.run_facts import end_sign, end_words
from sandbox_tui.tui.widgets.wall.run_groups import (
    Numbered,
    answer_of,
    differ_in_where,
    have_ended,
    is_fork,
    leftover_of,
    said_answer_of,
    shared_model,
    shared_task,
)

MAX_BAR = 24
"""Length in cells of the bar of an answer that all runs gave."""

MAX_ANSWER_CHARACTERS = 60

FEW = 6
"""Runs that gave an answer are named one by one up to this number."""

WHOLE = 1_000
"""More lines than the answers of a group take."""

MAX_NAME_CHARACTERS = 30
"""Maximum length of the task that names a group."""

MAX_WHOLE_NAME_CHARACTERS = 60
"""The same where lines may be as long as they like."""

MIN_RANGE = 3
"""Runs in a row from which on only the first and the last are named."""


class GroupSummary:
    """Draws the outcomes and answers of groups of runs.

    Args:
        runs: all runs of the wall.
        width: cells of a line; 0 if it may be as long as it likes.
        palette: the palette to draw with.
    """

    def __init__(self, runs: Sequence[Numbered], width: int, palette: Palette) -> None:
        self._runs = runs
        self._width = width
        self._palette = palette

    def lines(self, group: Sequence[Numbered], room: int) -> list[Text]:
        """Return what the runs of a group came to: samples of a task, or forks of a run."""
        if not have_ended(group):
            return self._tally(group)
        is_whole = room == WHOLE or len(group) == len(self._runs)
        return self._summary(group, room if is_whole else 1)

    def _tally(self, group: Sequence[Numbered]) -> list[Text]:
        """Return the answers so far, while some runs have not ended: a line from the start on, so
        that the first answer moves nothing."""
        answers, aside = count_answers(answer_of(run) for _, run in group), _aside(group)
        answered = sum(count for _, count in answers)
        most = answers[0][1] if answers else 0
        agree = f", {most} agree" if most > 1 else ""
        line = Text(no_wrap=True).append(self._group_name(group), style=self._palette.text)
        line.append(f"{answered} of {len(group)} answered{agree}", style=self._palette.dim)
        line.append(" · " if answers or aside else "", style=self._palette.dim)
        return [_with_answers(line, answers, aside, self._palette)]

    def _group_name(self, group: Sequence[Numbered]) -> str:
        """Return what distinguishes a group, task and model; empty if all runs belong to it."""
        if len(group) == len(self._runs):
            return ""
        task, model = group[0][1].task, shared_model(group)
        most = MAX_NAME_CHARACTERS if self._width else MAX_WHOLE_NAME_CHARACTERS
        differs = [
            "" if shared_task(self._runs) else short_answer(task, most),
            "" if shared_model(self._runs) else model_title(model),
        ]
        words = " · ".join(filter(None, differs))
        return f"{words or short_answer(task, most)}: "

    def _summary(self, group: Sequence[Numbered], room: int) -> list[Text]:
        """Draw outcomes and total time of a group that has ended, then its answers; without the
        time if one of several groups has no room for it."""
        name, runs = self._group_name(group), [run for _, run in group]
        ended = f"{'all' if name else 'All'} {len(runs)} runs have ended"
        took = "" if any(map(is_fork, runs)) else f" in {clock(_wall_seconds(runs))}"
        what = self._outcomes(group)
        head = Text(name, style=self._palette.text, no_wrap=True)
        whole = head.copy().append(ended, style=self._palette.strong)
        whole.append(f"{took}: ", style=self._palette.text)
        width = self._width
        if room < 2:
            self._add_answers(what, group, width - head.cell_len)
        is_too_long = 0 < width < whole.cell_len + what.cell_len
        line = (head if name and is_too_long else whole).append_text(what)
        return [line, *self._answers(group, room - 1)]

    def _outcomes(self, group: Sequence[Numbered]) -> Text:
        """Draw how many runs came to each end."""
        line = Text(no_wrap=True)
        reasons = Counter((end_words(run), end_sign(run)) for _, run in group).most_common()
        for index, ((reason, (_, role)), count) in enumerate(reasons):
            style = self._palette.of_role(role)
            line.append(", " if index else "", style=self._palette.dim)
            line.append(f"{count} {reason}", style=style)
            if reason == "submitted" and not any(answer_of(run) for _, run in group):
                line.append(" without an answer", style=self._palette.warn)
        return line

    def _add_answers(
        self, line: Text, group: Sequence[Numbered], width: int, separator: str = " · "
    ) -> None:
        """Append the answers of a group, if there are any, to the line with its outcomes: with the
        runs that gave them, or without room for these with their number."""
        answers, aside = count_answers(answer_of(run) for _, run in group), _aside(group)
        if not answers and not aside:
            return
        line.append(separator, style=self._palette.dim)
        named = answers_with_runs(group)
        if answers and (self._width == 0 or line.cell_len + len(named) <= width):
            line.append(named, style=self._palette.good)
            line.append(f" · {aside}" if aside else "", style=self._palette.dim)
        else:
            _with_answers(line, answers, aside, self._palette)

    def _answers(self, group: Sequence[Numbered], room: int) -> list[Text]:
        """Draw one line per answer, with a bar and the runs that gave it; with room for one line
        only, the most frequent answers on that."""
        by_answer: dict[str, list[int]] = {}
        for number, run in group:
            by_answer.setdefault(answer_of(run), []).append(number)
        silent = len(by_answer.pop("", ())) - _leftovers(group)
        ranked = sorted(by_answer.items(), key=lambda given: -len(given[1]))
        aside = _aside(group)
        left = len(ranked) + bool(aside or (silent and ranked)) - room
        if left > 0 and room == 1:
            line = Text(" ", no_wrap=True)
            self._add_answers(line, group, self._width, " ")
            return [line]
        shown = ranked if left <= 0 else ranked[: max(0, room - 1)]
        lines = [self._answer_line(answer, who) for answer, who in shown]
        more = len(ranked) - len(shown)
        rest = [numbers.counted(more, "more answer")] if more else []
        if aside:
            rest.append(aside)
        if silent and ranked:
            rest.append(f"{silent} without an answer")
        if rest and len(lines) < room:
            lines.append(Text(f"  {', '.join(rest)}", style=self._palette.dim, no_wrap=True))
        return lines

    def _answer_line(self, answer: str, who: Sequence[int]) -> Text:
        share = max(1, round(MAX_BAR * len(who) / len(self._runs)))
        line = Text(no_wrap=True).append(f"{len(who):>5} ", style=self._palette.strong)
        line.append("█" * share, style=self._palette.good)
        line.append(f" {short_answer(answer, MAX_ANSWER_CHARACTERS)}", style=self._palette.text)
        names = " ".join(map(str, who)) if len(who) <= FEW else short_ranges(who)
        return line.append(f"  run{'' if len(who) == 1 else 's'} {names}", style=self._palette.dim)


def short_ranges(numbers_of_runs: Sequence[int]) -> str:
    """Return the numbers of runs, such as `1-4 6 9`."""
    rows: list[list[int]] = []
    for number in sorted(numbers_of_runs):
        if rows and rows[-1][-1] == number - 1:
            rows[-1].append(number)
        else:
            rows.append([number])
    return " ".join(map(_range, rows))


def _range(row: Sequence[int]) -> str:
    return f"{row[0]}-{row[-1]}" if len(row) >= MIN_RANGE else " ".join(map(str, row))


def answers_with_runs(group: Sequence[Numbered]) -> str:
    """Return the most frequent answers of a group, each with the runs that gave it."""
    answers = [answer for answer, _ in count_answers(answer_of(run) for _, run in group)]
    named: list[str] = []
    for answer in answers[:MAX_ANSWERS]:
        who = [number for number, run in group if answer_of(run) == answer]
        runs = "run" if len(who) == 1 else "runs"
        named.append(f"{short_answer(answer)} ({runs} {short_ranges(who)})")
    rest = len(answers) - len(named)
    words = f"answers: {', '.join(named)}"
    return words + (f" and {numbers.counted(rest, 'other')}" if rest else "")


def _leftovers(group: Sequence[Numbered]) -> int:
    """Return how many runs wrote an answer that they did not submit."""
    return sum(bool(leftover_of(run)) for _, run in group)


def _aside(group: Sequence[Numbered]) -> str:
    """Return how many answers were not submitted, or only said in the call of `submit` while others
    are in the file."""
    runs = [run for _, run in group]
    said = sum(bool(said_answer_of(run)) for run in runs) if differ_in_where(runs) else 0
    return ", ".join(filter(None, (leftovers_words(_leftovers(group)), said_count_words(said))))


def _with_answers(line: Text, answers: list[tuple[str, int]], aside: str, palette: Palette) -> Text:
    """Append the most frequent answers, and what has to be said of them."""
    if answers:
        line.append(answers_words(answers), style=palette.good)
    separator = " · " if answers and aside else ""
    return line.append(f"{separator}{aside}", style=palette.dim)


def _wall_seconds(workers: Sequence[FoldedRun]) -> float:
    """Return the seconds from the first start to the last end."""
    spans: list[tuple[float, float]] = []
    for worker in workers:
        started = worker.state.started
        if started is not None:
            begin = started.started_at - started.t
            spans.append((begin, begin + worker.state.t))
    return max(end for _, end in spans) - min(begin for begin, _ in spans) if spans else 0.0
