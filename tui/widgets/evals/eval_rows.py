"""The two lines of an evaluation in a list."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.titles import model_title
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.sessions.session_rows import with_age

BAR_CELLS = 12


def eval_lines(found: EvalSummary, width: int, palette: Palette, *, label: str = "") -> list[Text]:
    """Return what was evaluated, and its progress.

    Args:
        found: the evaluation.
        width: columns.
        palette: the palette to draw with.
        label: prefix for lists that also show other things.
    """
    info = found.info
    sign, style = _sign(found, palette)
    first = Text(f" {sign} ", style=style, no_wrap=True)
    first.append(label, style=palette.strong)
    first.append(sanitize_line(info.suite), style=palette.text)
    first.append(f"  {model_title(info.model)}", style=palette.strong)
    with_age(first, info.began_at, width, palette)
    second = Text("   ", no_wrap=True)
    done = round(BAR_CELLS * found.over / found.samples) if found.samples else 0
    second.append("━" * done, style=palette.good)
    second.append("─" * (BAR_CELLS - done), style=palette.faint)
    parts = [
        f"  {found.over} of {numbers.counted(found.samples, 'sample')}",
        found.status,
        ", ".join(info.modes),
        info.id,
        sanitize_line(found.stopped_because),
    ]
    second.append(" · ".join(part for part in parts if part), style=palette.dim)
    second.truncate(width, overflow="ellipsis")
    return [first, second]


def _sign(found: EvalSummary, palette: Palette) -> tuple[str, Style]:
    if found.status == "running":
        return "●", palette.good
    return ("✓", palette.good) if found.status == "finished" else ("◌", palette.warn)
