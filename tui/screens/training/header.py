"""The lines at the top: subject, progress, and why the training ended."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.durations import short_duration
from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions.rl.step_figures import StepFigures
from sandbox_tui.sessions.store.tables.trainings import TrainingSummary
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import model_title
from sandbox_tui.tui.screens.training.screen_data import TrainingScreenData
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.training.training_rows import status_sign


def title_line(found: TrainingSummary, width: int, palette: Palette) -> Text:
    """Draw name, model, engine, seed and id, with the state on the right."""
    sign, style = status_sign(found.status, palette)
    state = f"{sign} {found.status}"
    line = Text(no_wrap=True)
    line.append(sanitize_line(found.name), style=palette.accent)
    line.append(f"  {model_title(found.model)}", style=palette.strong)
    seed = "" if found.seed is None else f"  seed {found.seed}"
    line.append(f"  {sanitize_line(found.engine)}{seed}", style=palette.dim)
    line.append(f"  {found.id}", style=palette.faint)
    room = max(1, width - len(state) - 1)
    line.truncate(room, overflow="ellipsis")
    line.pad_right(max(0, room - line.cell_len) + 1)
    return line.append(state, style=style)


def progress_line(data: TrainingScreenData | None, width: int, palette: Palette) -> Text:
    """Return the progress and the figures of the last step, as many as fit."""
    if data is None:
        return Text("…", style=palette.faint)
    parts = _progress(data, palette)
    while len(parts) > 1 and sum(len(words) + 3 for words, _ in parts) - 3 > width:
        parts.pop()
    line = Text(no_wrap=True, overflow="ellipsis")
    for at, (words, style) in enumerate(parts):
        line.append(" · " if at else "", style=palette.faint)
        line.append(words, style=style)
    return line


def reason_line(found: TrainingSummary, palette: Palette) -> Text:
    """Return why the training stopped; empty if it is running or has finished."""
    words = sanitize_line(found.error)
    if found.status == "interrupted":
        words = (
            f"Its program has exited. `sandbox-tui rl train --resume {found.id}` continues from "
            "its last checkpoint."
        )
    return Text(words, style=palette.warn, no_wrap=True, overflow="ellipsis")


def _progress(data: TrainingScreenData, palette: Palette) -> list[tuple[str, Style]]:
    summary = data.reading.summary
    parts: list[tuple[str, Style]] = [(numbers.counted(summary.steps, "step"), palette.strong)]
    if (last := _last(data.steps)) is not None:
        if last.reward is not None:
            parts.append((f"reward {last.reward:.3f}", palette.strong))
        if (held_out := _last_held_out(data.steps)) is not None:
            parts.append((f"held out {held_out:.3f}", palette.good))
    if data.running:
        words = f"{data.running} running" if summary.running else f"{data.running} lost"
        parts.append((words, palette.good if summary.running else palette.warn))
    parts.append((numbers.counted(summary.rollouts, "rollout"), palette.text))
    if last is not None:
        parts += [(words, palette.dim) for words in _last_words(last)]
    return parts


def _last_words(step: StepFigures) -> list[str]:
    words: list[str] = []
    if step.truncated is not None:
        words.append(f"truncated {100 * step.truncated:.0f}%")
    if step.tool_calls is not None:
        words.append(f"{step.tool_calls:.1f} calls")
    if step.tokens is not None:
        words.append(f"{numbers.count(round(step.tokens))} tok")
    if "seconds" in step.metrics:
        words.append(f"{short_duration(step.metrics['seconds'])} a step")
    return words


def _last(steps: list[StepFigures]) -> StepFigures | None:
    """Return the last finished step, or the last started one if none has finished."""
    finished = [step for step in steps if step.finished]
    return (finished or steps or [None])[-1]


def _last_held_out(steps: list[StepFigures]) -> float | None:
    measured = [step.held_out_reward for step in steps if step.held_out_reward is not None]
    return measured[-1] if measured else None
