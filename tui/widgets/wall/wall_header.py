"""The top of the wall: the state of the runs, what they share, and their answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.text import Text
from textual.widget import Widget
from typing_extensions import override

from sandbox_tui.core.base.durations import clock
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import RunWorker
from sandbox_tui.sessions.relations.answers import count_answers
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.answers import answers_words, short_answer
from sandbox_tui.tui.format.fit_line import fit_line
from sandbox_tui.tui.format.titles import first_line, model_title
from sandbox_tui.tui.terminal_io.notifications import failed
from sandbox_tui.tui.theming.palette import Palette, palette_of
from sandbox_tui.tui.widgets.wall.run_facts import Kind, kind_of

MAX_BAR = 24
"""Length in cells of the bar of an answer that all runs gave."""

MAX_ANSWER_CHARACTERS = 60

WORDS: dict[Kind, str] = {
    "waiting": "◆ {} {} for you",
    "running": "● {} running",
    "submitted": "✓ {} submitted",
}
"""Words for runs in one state; of the others, each outcome is named."""


class WallHeader(Widget):
    """Shows a summary of all runs; call `show` after any change."""

    DEFAULT_CSS = """
    WallHeader { height: auto; padding: 0 1; background: $panel; }
    """

    def __init__(self) -> None:
        super().__init__(id="wall-title")
        self._runs: Sequence[tuple[int, RunWorker]] = ()
        self._arranged_by = ""
        self._shown = ""
        self._most = 3
        self._height = 0

    def show(
        self, runs: Sequence[tuple[int, RunWorker]], *, sorted_by: str, shown: str, most: int
    ) -> bool:
        """Show the runs; return whether the height has changed.

        Args:
            runs: the runs with their numbers.
            sorted_by: name of the order in which they are shown.
            shown: name of the filter; empty for all runs.
            most: maximum number of lines.
        """
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
        lines = [self._sums(palette), *self._shared(palette)]
        room = self._most - len(lines)
        workers = [worker for _, worker in self._runs]
        if len(workers) > 1 and all(_has_ended(worker) for worker in workers):
            lines += self._summary(palette, room)
        else:
            lines += self._tally(palette)[: max(0, room)]
        return [line for line in lines if line.plain]

    # --- one line each

    def _sums(self, palette: Palette) -> Text:
        line = Text(no_wrap=True).append("sandbox-tui", style=palette.accent)
        line.append(f"  {numbers.counted(len(self._runs), 'run')}", style=palette.strong)
        kinds = Counter(kind_of(worker) for _, worker in self._runs)
        for kind, words in WORDS.items():
            if count := kinds[kind]:
                waits = "waits" if count == 1 else "wait"
                style = palette.human if kind == "waiting" else palette.good
                line.append(f"  {words.format(count, waits)}", style=style)
        ended = Counter(_outcome(one) for _, one in self._runs if kind_of(one) == "failed")
        for outcome, count in ended.most_common():
            line.append(f"  ✗ {count} {outcome}", style=palette.bad)
        line.append(f"  {_spent([worker for _, worker in self._runs])}", style=palette.dim)
        line.append(f"  sorted by {self._arranged_by}", style=palette.dim)
        if self._shown:
            line.append(f"  {self._shown}", style=palette.accent)
        return line

    def _shared(self, palette: Palette) -> list[Text]:
        """Return what all runs have in common: the task, the model."""
        line = Text(no_wrap=True)
        task = shared_task(self._runs)
        model = shared_model(self._runs)
        if task:
            line.append(first_line(task), style=palette.strong)
        if model:
            line.append("  " if task else "")
            line.append(f"model {model_title(model)}", style=palette.dim)
        return [line] if line.plain else []

    def _tally(self, palette: Palette) -> list[Text]:
        """Return the answers so far, while some runs have not ended."""
        lines: list[Text] = []
        for task, runs in _by_task(self._runs).items():
            ended = [worker for _, worker in runs if _answer(worker)]
            answers = count_answers(_answer(worker) for worker in ended)
            if len(runs) < 2 or not answers:
                continue
            agree = f", {answers[0][1]} agree" if answers[0][1] > 1 else ""
            name = "" if len(runs) == len(self._runs) else f"{short_answer(task)}: "
            line = Text(no_wrap=True)
            line.append(f"{name}{len(ended)} of {len(runs)} answered{agree} · ", style=palette.dim)
            lines.append(line.append(answers_words(answers), style=palette.good))
        return lines

    def _summary(self, palette: Palette, room: int) -> list[Text]:
        """Draw outcomes and total time of the ended runs, then their answers."""
        workers = [worker for _, worker in self._runs]
        line = Text(no_wrap=True)
        line.append(f"All {len(workers)} runs have ended", style=palette.strong)
        line.append(f" in {clock(_wall_seconds(workers))}: ", style=palette.text)
        reasons = Counter(_outcome(worker) for worker in workers).most_common()
        for index, (reason, count) in enumerate(reasons):
            style = palette.good if reason == "submitted" else palette.bad
            line.append(", " if index else "", style=palette.dim)
            line.append(f"{count} {reason}", style=style)
        groups = _by_task(self._runs)
        if len(groups) > 1:
            return [line, *self._tally(palette)[: max(0, room - 1)]]
        return [line, *self._answers(palette, room - 1)]

    def _answers(self, palette: Palette, room: int) -> list[Text]:
        """Draw one line per answer, with a bar and the runs that gave it."""
        by_answer: dict[str, list[int]] = {}
        for number, worker in self._runs:
            by_answer.setdefault(_answer(worker), []).append(number)
        silent = len(by_answer.pop("", ()))
        ranked = sorted(by_answer.items(), key=lambda given: -len(given[1]))
        left = len(ranked) - room
        shown = ranked if left <= 0 else ranked[: max(0, room - 1)]
        lines = [self._answer_line(answer, who, palette) for answer, who in shown]
        rest = [numbers.counted(len(ranked) - len(shown), "more answer")] if left > 0 else []
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


def shared_task(runs: Sequence[tuple[int, RunWorker]]) -> str:
    """Return the task of all runs; empty if they differ."""
    tasks = {worker.request.task for _, worker in runs}
    return tasks.pop() if len(tasks) == 1 else ""


def shared_model(runs: Sequence[tuple[int, RunWorker]]) -> str:
    """Return the model of all started runs; empty if they differ."""
    models = {one.state.started.model for _, one in runs if one.state.started is not None}
    return models.pop() if len(models) == 1 else ""


def _by_task(runs: Sequence[tuple[int, RunWorker]]) -> dict[str, list[tuple[int, RunWorker]]]:
    found: dict[str, list[tuple[int, RunWorker]]] = {}
    for number, worker in runs:
        found.setdefault(worker.request.task, []).append((number, worker))
    return found


def _spent(workers: Sequence[RunWorker]) -> str:
    usages = [worker.state.totals.usage for worker in workers]
    tokens = sum(usage.input_tokens + usage.output_tokens for usage in usages)
    costs = [cost for one in workers if (cost := one.state.totals.cost) is not None]
    parts = [f"{numbers.count(tokens)} tok", numbers.cost(sum(costs)) if costs else ""]
    return " ".join(part for part in parts if part)


def _has_ended(worker: RunWorker) -> bool:
    return worker.failure is not None or worker.state.finished is not None


def _finished(worker: RunWorker) -> e.RunFinished | None:
    return worker.state.finished


def _answer(worker: RunWorker) -> str:
    finished = _finished(worker)
    return ((finished.answer if finished else None) or "").strip()


def _outcome(worker: RunWorker) -> str:
    finished = _finished(worker)
    return finished.reason.replace("_", " ") if finished else failed(worker)


def _wall_seconds(workers: Sequence[RunWorker]) -> float:
    """Return the seconds from the first start to the last end."""
    spans: list[tuple[float, float]] = []
    for worker in workers:
        started = worker.state.started
        if started is not None:
            begin = started.started_at - started.t
            spans.append((begin, begin + worker.state.t))
    return max(end for _, end in spans) - min(begin for begin, _ in spans) if spans else 0.0
