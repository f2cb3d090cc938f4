"""The top of the wall: the state of the runs, what they share, and their answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.text import Text
from textual.widget import Widget
from typing_extensions import override

from sandbox_tui.core.base.durations import clock
from sandbox_tui.sessions.remote.run_handle import FoldedRun
from sandbox_tui.sessions.store.answers import count_answers
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.answers import (
    answers_words,
    leftovers_words,
    short_answer,
)
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.run_end import said_count_words
from sandbox_tui.tui.format.status import is_retrying, output_tokens_so_far, stopped_word
from sandbox_tui.tui.format.titles import model_title, task_line
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.wall.run_facts import Kind, failure_words, kind_of, mode_words
from sandbox_tui.tui.widgets.wall.run_groups import (
    Numbered,
    answer_of,
    differ_in_where,
    grouped,
    has_ended,
    is_fork,
    leftover_of,
    model_of,
    said_answer_of,
)

MAX_BAR = 24
"""Length in cells of the bar of an answer that all runs gave."""

MAX_ANSWER_CHARACTERS = 60

MAX_NAMED = 6
"""Maximum number of waiting or silent runs that are named by their numbers."""

MIN_TASK_COLUMNS = 20
"""The task of all runs is cut to this at least, so that their models and mode are seen."""

MAX_NAME_CHARACTERS = 30
"""Maximum length of the task that names a group."""

WORDS: dict[Kind, str] = {
    "waiting": "◆ {} {} for you",
    "running": "● {} running",
    "submitted": "✓ {} submitted",
}
"""Words for runs in one state; of the others, each outcome is named."""

SHORT_WORDS: dict[Kind, str] = {
    "waiting": "◆ {} {}",
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
        self._height = 0

    def show(
        self,
        runs: Sequence[Numbered],
        *,
        sorted_by: str,
        shown: str,
        most: int,
        silent: Sequence[int] = (),
    ) -> bool:
        """Show the runs; return whether the height has changed.

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
        height = len(self._lines(palette_of(self)))
        before, self._height = self._height, height
        self.refresh(layout=height != before)
        return height != before

    @override
    def render(self) -> Text:
        lines = self._lines(palette_of(self))
        for line in lines:
            fit_line(line, max(1, self.content_size.width))
        return Text("\n").join(lines)

    def _lines(self, palette: Palette) -> list[Text]:
        lines = [*self._sums(palette), *self._shared(palette)]
        room = self._most - len(lines)
        for group in grouped(self._runs):
            if len(group) > 1 and room > 0:
                lines += self._of_group(group, palette, room)
                room = self._most - len(lines)
        return [line for line in lines if line.plain]

    # --- one line each

    def _sums(self, palette: Palette) -> list[Text]:
        """Return the states, and the sums with order and filter: on one line if both fit."""
        width, sums = self.content_size.width, self._spent_and_order(palette)
        states = self._states(palette)
        if 0 < width < states.cell_len:
            states = self._states(palette, is_short=True)
        if width and states.cell_len + 2 + sums.cell_len > width:
            return [states, sums]
        return [states.append("  ").append_text(sums)]

    def _states(self, palette: Palette, *, is_short: bool = False) -> Text:
        """Return how many runs are in each state; in short, the signs stand for the states."""
        line = Text(no_wrap=True).append("" if is_short else "sandbox-tui  ", style=palette.accent)
        line.append(numbers.counted(len(self._runs), "run"), style=palette.strong)
        kinds = Counter(kind_of(worker) for _, worker in self._runs)
        retrying = sum(is_retrying(run.state) for _, run in self._runs)
        kinds["running"] -= retrying + len(self._silent)
        stopped = Counter[str]()
        for number, run in self._runs:
            if (word := stopped_word(run.state)) and run.failure is None:
                stopped[word] += 1
                is_counted = is_retrying(run.state) or number in self._silent
                kinds["running"] -= kind_of(run) == "running" and not is_counted
        for kind, words in WORDS.items():
            if count := kinds[kind]:
                waits = "waits" if count == 1 else "wait"
                style = palette.human if kind == "waiting" else palette.good
                form = SHORT_WORDS[kind] if is_short else words
                line.append(f"  {form.format(count, waits)}", style=style)
                if kind == "waiting":
                    line.append(self._who_waits(), style=style)
        for word, count in sorted(stopped.items(), reverse=True):
            line.append(f"  ‖ {count} {word}", style=palette.warn)
        ended = Counter(_outcome(one) for _, one in self._runs if kind_of(one) == "failed")
        if is_short and ended:
            line.append(f"  ✗ {ended.total()}", style=palette.bad)
        for outcome, count in () if is_short else ended.most_common():
            line.append(f"  ✗ {count} {outcome}", style=palette.bad)
        if self._silent:
            line.append(f"  ● {len(self._silent)} silent", style=palette.warn)
            line.append("" if is_short else _few(self._silent), style=palette.warn)
        if retrying:
            line.append(f"  ! {retrying} {'retry' if is_short else 'retrying'}", style=palette.warn)
        return line

    def _spent_and_order(self, palette: Palette) -> Text:
        line = Text(_spent([run for _, run in self._runs]), style=palette.dim, no_wrap=True)
        line.append(f"  sorted by {self._arranged_by}", style=palette.dim)
        if self._shown:
            line.append(f"  {self._shown}", style=palette.accent)
        return line

    def _who_waits(self) -> str:
        """Return the numbers of the runs that wait, unless they are many or there is one run."""
        who = [number for number, run in self._runs if kind_of(run) == "waiting"]
        return _few(who) if len(self._runs) > 1 else ""

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

    def _of_group(self, group: Sequence[Numbered], palette: Palette, room: int) -> list[Text]:
        """Return what the runs of a group came to: samples of a task, or forks of a run."""
        if not all(has_ended(run) for _, run in group):
            return self._tally(group, palette)
        is_alone = len(group) == len(self._runs)
        return self._summary(group, palette, room if is_alone else 1)

    def _tally(self, group: Sequence[Numbered], palette: Palette) -> list[Text]:
        """Return the answers so far, while some runs have not ended."""
        answers, aside = count_answers(answer_of(run) for _, run in group), _aside(group)
        if not answers and not aside:
            return []
        answered = sum(count for _, count in answers)
        most = answers[0][1] if answers else 0
        agree = f", {most} agree" if most > 1 else ""
        line = Text(no_wrap=True).append(self._group_name(group), style=palette.text)
        line.append(f"{answered} of {len(group)} answered{agree} · ", style=palette.dim)
        return [_with_answers(line, answers, aside, palette)]

    def _group_name(self, group: Sequence[Numbered]) -> str:
        """Return what distinguishes a group, task and model; empty if all runs belong to it."""
        if len(group) == len(self._runs):
            return ""
        task, model = group[0][1].task, shared_model(group)
        differs = [
            "" if shared_task(self._runs) else short_answer(task, MAX_NAME_CHARACTERS),
            "" if shared_model(self._runs) else model_title(model),
        ]
        words = " · ".join(filter(None, differs))
        return f"{words or short_answer(task, MAX_NAME_CHARACTERS)}: "

    def _summary(self, group: Sequence[Numbered], palette: Palette, room: int) -> list[Text]:
        """Draw outcomes and total time of a group that has ended, then its answers; without the
        time if one of several groups has no room for it."""
        name, runs = self._group_name(group), [run for _, run in group]
        ended = f"{'all' if name else 'All'} {len(runs)} runs have ended"
        took = "" if any(map(is_fork, runs)) else f" in {clock(_wall_seconds(runs))}"
        what = self._outcomes(group, palette)
        if room < 2:
            self._add_answers(what, group, palette)
        head = Text(name, style=palette.text, no_wrap=True)
        whole = head.copy().append(ended, style=palette.strong)
        whole.append(f"{took}: ", style=palette.text)
        is_too_long = 0 < self.content_size.width < whole.cell_len + what.cell_len
        line = (head if name and is_too_long else whole).append_text(what)
        return [line, *self._answers(group, palette, room - 1)]

    def _outcomes(self, group: Sequence[Numbered], palette: Palette) -> Text:
        """Draw how many runs came to each end."""
        line = Text(no_wrap=True)
        reasons = Counter(_outcome(run) for _, run in group).most_common()
        for index, (reason, count) in enumerate(reasons):
            style = palette.good if reason == "submitted" else palette.bad
            line.append(", " if index else "", style=palette.dim)
            line.append(f"{count} {reason}", style=style)
            if reason == "submitted" and not any(answer_of(run) for _, run in group):
                line.append(" without an answer", style=palette.warn)
        return line

    def _add_answers(self, line: Text, group: Sequence[Numbered], palette: Palette) -> None:
        """Append the answers of a group, if there are any, to the line with its outcomes."""
        answers, aside = count_answers(answer_of(run) for _, run in group), _aside(group)
        if answers or aside:
            _with_answers(line.append(" · ", style=palette.dim), answers, aside, palette)

    def _answers(self, group: Sequence[Numbered], palette: Palette, room: int) -> list[Text]:
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
            answers = count_answers(answer_of(run) for _, run in group)
            return [_with_answers(Text("  ", no_wrap=True), answers, aside, palette)]
        shown = ranked if left <= 0 else ranked[: max(0, room - 1)]
        lines = [self._answer_line(answer, who, palette) for answer, who in shown]
        more = len(ranked) - len(shown)
        rest = [numbers.counted(more, "more answer")] if more else []
        if aside:
            rest.append(aside)
        if silent and ranked:
            rest.append(f"{silent} without an answer")
        if rest and len(lines) < room:
            lines.append(Text(f"  {', '.join(rest)}", style=palette.dim, no_wrap=True))
        return lines

    def _answer_line(self, answer: str, who: Sequence[int], palette: Palette) -> Text:
        share = max(1, round(MAX_BAR * len(who) / len(self._runs)))
        line = Text(no_wrap=True).append(f"{len(who):>5} ", style=palette.strong)
        line.append("█" * share, style=palette.good)
        line.append(f" {short_answer(answer, MAX_ANSWER_CHARACTERS)}", style=palette.text)
        names = " ".join(str(number) for number in who)
        return line.append(f"  run{'' if len(who) == 1 else 's'} {names}", style=palette.dim)


def _few(numbers_of_runs: Sequence[int]) -> str:
    """Return the numbers of runs in brackets, unless they are many."""
    named = " ".join(map(str, numbers_of_runs))
    return f" ({named})" if len(numbers_of_runs) <= MAX_NAMED else ""


def shared_task(runs: Sequence[Numbered]) -> str:
    """Return the task of all runs; empty if they differ."""
    tasks = {run.task for _, run in runs}
    return tasks.pop() if len(tasks) == 1 else ""


def shared_model(runs: Sequence[Numbered]) -> str:
    """Return the model of all runs whose model is known; empty if they differ."""
    models = models_of(runs)
    return models[0] if len(models) == 1 else ""


def shared_mode(runs: Sequence[Numbered]) -> str:
    """Return the mode of all active runs, in words; empty if they differ."""
    modes = set(filter(None, (mode_words(run) for _, run in runs)))
    return modes.pop() if len(modes) == 1 else ""


def models_of(runs: Sequence[Numbered]) -> list[str]:
    """Return the models of runs, in the order in which they first appear."""
    return list(dict.fromkeys(filter(None, (model_of(run) for _, run in runs))))


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


def _spent(workers: Sequence[FoldedRun]) -> str:
    written = [output_tokens_so_far(worker.state) for worker in workers]
    tokens = sum(worker.state.totals.usage.input_tokens for worker in workers)
    tokens += sum(output for output, _ in written)
    is_estimated = any(estimated for _, estimated in written)
    costs = [cost for one in workers if (cost := one.state.totals.cost) is not None]
    parts = [
        f"{numbers.tokens(tokens, estimated=is_estimated)} tok",
        numbers.cost(sum(costs)) if costs else "",
    ]
    return " ".join(part for part in parts if part)


def _outcome(run: FoldedRun) -> str:
    finished = run.state.finished
    return finished.reason.replace("_", " ") if finished else failure_words(run)


def _wall_seconds(workers: Sequence[FoldedRun]) -> float:
    """Return the seconds from the first start to the last end."""
    spans: list[tuple[float, float]] = []
    for worker in workers:
        started = worker.state.started
        if started is not None:
            begin = started.started_at - started.t
            spans.append((begin, begin + worker.state.t))
    return max(end for _, end in spans) - min(begin for begin, _ in spans) if spans else 0.0
