"""The lines above the table: subject, progress, and why the evaluation is not running."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.durations import short_duration
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.reporting import figures
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.outcome import eval_mark, eval_status
from sandbox_tui.tui.format.titles import model_title
from sandbox_tui.tui.keys.hint import hint
from sandbox_tui.tui.screens.evals.screen_data import EvalScreenData
from sandbox_tui.tui.screens.evals.source import EvalState
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.evals.activity import Activity
from sandbox_tui.tui.widgets.evals.eval_rows import mark_style

SIGNS: dict[EvalState, str] = {
    "running": "●",
    "paused": "‖",
    "stopping": "◌",
    "interrupted": "◌",
}
"""Marks of the states; that of a finished one depends on its outcome."""

LIVE: tuple[EvalState, ...] = ("running", "paused", "stopping")
"""States in which a program works on the evaluation."""

SERVER_LOADS = "The server is loading its model; the samples wait up to ten minutes for it."

MAX_BAR_CELLS = 40
MIN_BAR_CELLS = 8


def title_line(
    info: EvalInfo, data: EvalScreenData | None, width: int, palette: Palette, program: str = ""
) -> Text:
    """Draw suite, model and id, with the state on the right, and if it runs, which program runs
    it."""
    state = data.reading.state if data else "running"
    words, style = _state(data, palette) if data else ("◌ reads", palette.good)
    line = Text(no_wrap=True)
    line.append(sanitize_line(info.suite), style=palette.accent)
    line.append(f"  {model_title(info.model)}", style=palette.strong)
    line.append(f"  {info.id}", style=palette.faint)
    more = f" {sanitize_line(program)}" if state in LIVE and program else _duration_words(data)
    more = more if data else ""
    if line.cell_len + 1 + len(words) + len(more) <= width:  # the id matters more
        words += more
    room = max(1, width - len(words) - 1)
    line.truncate(room, overflow="ellipsis")
    line.pad_right(max(0, room - line.cell_len) + 1)
    return line.append(words, style=style)


def progress_line(
    data: EvalScreenData | None, width: int, palette: Palette, running: Sequence[Activity] = ()
) -> Text:
    """Return a progress bar and the totals of all samples, as many as fit.

    Args:
        data: the evaluation.
        width: columns.
        palette: the palette to draw with.
        running: what the running samples are doing, with their current figures.

    The time left is not known while all running samples wait for the server.
    """
    if data is None:
        return Text("…", style=palette.faint)
    table = data.table
    over, samples = table.over, table.samples
    parts: list[tuple[str, Style]] = [(f"{over} of {samples}", palette.strong)]
    if data.lost:
        parts.append((f"{data.lost} no score", palette.warn))
    left = None if _all_wait(data, running) else _seconds_left(data)
    if left is not None:
        parts.append((f"{figures.duration(left)} left", palette.text))
    parts.append((f"{_tokens(data, running)} tok", palette.dim))
    if data.cost is not None:
        parts.append((numbers.cost(data.cost), palette.dim))
    if data.running:
        how_long = "" if left is not None else _last_for(data)
        parts.insert(1, (f"{len(data.running)} running{how_long}", palette.good))
    if waiting := sum(bool(one.failure) for one in running):
        parts.insert(2, (f"{waiting} retrying", palette.warn))
    while len(parts) > 1 and _cells(parts) + MIN_BAR_CELLS + 2 > width:
        parts.pop()
    line = _bar(over, data.lost, samples, _bar_cells(width - _cells(parts) - 2), palette)
    line.append("  ")
    for at, (words, style) in enumerate(parts):
        line.append(" · " if at else "", style=palette.faint)
        line.append(words, style=style)
    return line


def failures_line(data: EvalScreenData | None, width: int, palette: Palette) -> Text:
    """Failures by kind, as many kinds as fit, and the number of samples with other kinds."""
    failures = data.failures if data else ()
    words = [f"{count} {sanitize_line(kind)}" for kind, count in failures]
    shown = len(words)
    while shown > 1 and len(_failures(words, failures, shown)) > width:
        shown -= 1
    line = Text(no_wrap=True, overflow="ellipsis")
    line.append(_FAILURES, style=palette.dim)
    return line.append(_failures(words, failures, shown)[len(_FAILURES) :], style=palette.warn)


_FAILURES = "failures  "


def _failures(words: list[str], failures: tuple[tuple[str, int], ...], shown: int) -> str:
    more = sum(count for _, count in failures[shown:])
    return _FAILURES + " · ".join([*words[:shown], *([f"{more} others"] if more else [])])


def reason_line(
    data: EvalScreenData | None,
    palette: Palette,
    *,
    has_key: bool = False,
    server: str = "",
) -> Text:
    """Return why the evaluation is paused, stopped or waits, that it exceeded its budget, or how to
    rerun what has no score; empty otherwise.

    Args:
        data: the evaluation.
        palette: the palette to draw with.
        has_key: whether a key of the screen resumes it; otherwise a command does.
        server: why samples wait for the server (`server_words`).
    """
    reason = data.reading.reason if data else ""
    if data is None:
        return Text()
    command = f"`sandbox-tui eval resume {data.reading.info.id}"
    if data.reading.state == "interrupted":
        reason += f" {hint('eval.resume') if has_key else f'{command}`'} runs what is left."
    elif data.can_rerun:
        reason += " " if reason else ""
        how = hint("eval.resume") if has_key else f"{command} --failed`"
        if data.is_scorer_lost:
            again = f"`sandbox-tui eval rescore {data.reading.info.id}` scores again"
            reason += "The scorer failed. First fix what it reports: "
            reason += f"{again}, " if data.can_rescore else ""
            reason += f"{how} asks the model again."
        else:
            reason += f"{how} reruns the {numbers.counted(data.lost, 'sample')} without a score."
    else:
        reason = reason or server
    return Text(sanitize_line(reason), style=palette.warn)


def server_words(running: Iterable[Activity | None]) -> str:
    """Return why running samples wait for the server; empty if none does."""
    known = [one for one in running if one is not None]
    if any(one.is_loading for one in known):
        return SERVER_LOADS
    return next((one.failure for one in known if one.failure), "")


def _tokens(data: EvalScreenData, running: Sequence[Activity]) -> str:
    samples = [one.sample for one in running]
    number = data.tokens + sum(one.input_tokens + one.output_tokens for one in samples)
    return numbers.tokens(number, estimated=data.estimated or any(one.estimated for one in samples))


def _duration_words(data: EvalScreenData | None) -> str:
    """Return how long a finished evaluation took; empty for all others."""
    if data is None or not data.run_seconds:
        return ""
    return f" in {short_duration(data.run_seconds)}"


def _seconds_left(data: EvalScreenData) -> float | None:
    """Return the last estimate minus the time since; None if samples take longer."""
    left = data.table.seconds_left
    if not left or data.reading.state != "running":
        return None
    rest = left - (time.time() - data.reading.at)
    return rest if rest >= 1 else None


def _all_wait(data: EvalScreenData, running: Sequence[Activity]) -> bool:
    """Return whether every running sample waits for the server, so that none comes closer to its
    end."""
    waiting = sum(bool(one.failure) or one.is_loading for one in running)
    return 0 < len(data.running) <= waiting


def _last_for(data: EvalScreenData) -> str:
    """Return how long the last samples have been running, whose end no other lets foresee."""
    running = data.running
    if data.reading.state != "running" or not data.over:
        return ""
    if len(running) < data.table.samples - data.table.over:
        return ""
    up_to = " up to" if len(running) > 1 else ""
    return f" for{up_to} {figures.duration(time.time() - running[0].began_at)}"


def _bar_cells(room: int) -> int:
    return max(0, min(MAX_BAR_CELLS, room))


def _bar(over: int, lost: int, samples: int, cells: int, palette: Palette) -> Text:
    """Return the share of finished samples; those without a score in another colour."""
    line = Text(no_wrap=True)
    done = round(cells * over / samples) if samples else 0
    bad = min(done, -(-cells * lost // samples)) if samples else 0
    line.append("━" * (done - bad), style=palette.good)
    line.append("━" * bad, style=palette.warn)
    return line.append("─" * (cells - done), style=palette.faint)


def _cells(parts: list[tuple[str, Style]]) -> int:
    return sum(len(words) for words, _ in parts) + 3 * (len(parts) - 1)


def _state(data: EvalScreenData, palette: Palette) -> tuple[str, Style]:
    """Return the state in words and its style: of a finished one, by what it lost."""
    state = data.reading.state
    if state != "finished":
        return f"{SIGNS[state]} {state}", palette.good if state == "running" else palette.warn
    mark = eval_mark(data.table.samples, data.lost)
    return f"{mark} {eval_status(state, data.lost)}", mark_style(mark, palette)
