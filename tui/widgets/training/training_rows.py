"""The two lines of a training run in a list."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions.store.tables.trainings import TrainingStatus, TrainingSummary
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import model_title
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.sessions.session_rows import with_age


def status_sign(status: TrainingStatus, palette: Palette) -> tuple[str, Style]:
    """Return the sign and colour of a training's status."""
    match status:
        case "running":
            return "●", palette.good
        case "finished":
            return "✓", palette.good
        case "failed":
            return "✗", palette.bad
        case _:
            return "◌", palette.warn


def training_lines(
    found: TrainingSummary, width: int, palette: Palette, *, label: str = ""
) -> list[Text]:
    """Return what is trained, and the progress.

    Args:
        found: the training run.
        width: columns.
        palette: the palette to draw with.
        label: prefix for lists that also show other things.
    """
    sign, style = status_sign(found.status, palette)
    first = Text(f" {sign} ", style=style, no_wrap=True)
    first.append(label, style=palette.strong)
    first.append(sanitize_line(found.name), style=palette.text)
    first.append(f"  {model_title(found.model)}", style=palette.strong)
    with_age(first, found.began_at, width, palette)
    parts = [
        found.status,
        numbers.counted(found.steps, "step"),
        numbers.counted(found.rollouts, "rollout"),
        "" if found.mean_reward is None else f"reward {found.mean_reward:.2f}",
        sanitize_line(found.engine),
        found.id,
        sanitize_line(found.error),
    ]
    second = Text("   ", no_wrap=True)
    second.append(" · ".join(part for part in parts if part), style=palette.dim)
    second.truncate(width, overflow="ellipsis")
    return [first, second]
