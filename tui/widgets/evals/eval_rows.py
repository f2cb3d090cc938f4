"""The lines of an evaluation in a list."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.outcome import eval_mark, eval_status, mode_scores
from sandbox_tui.tui.format.titles import model_title
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.sessions.session_rows import with_age

BAR_CELLS = 12


def eval_lines(
    found: EvalSummary,
    width: int,
    palette: Palette,
    *,
    label: str = "",
    marked: bool = False,
    differing: str = "",
) -> list[Text]:
    """Return what was evaluated, its progress, and what tells it from others like it, if anything.

    Args:
        found: the evaluation.
        width: columns.
        palette: the palette to draw with.
        label: prefix for lists that also show other things.
        marked: whether the user has marked it.
        differing: what tells it from others of the same suite and model; empty: no line.
    """
    info = found.info
    sign, style = _sign(found, palette)
    first = Text(f" {sign} ", style=style, no_wrap=True)
    if marked:
        first.append("◉ ", style=palette.accent)
    first.append(label, style=palette.strong)
    first.append(sanitize_line(info.suite), style=palette.text)
    first.append(f"  {model_title(info.model)}", style=palette.strong)
    with_age(first, info.began_at, width, palette)
    second = Text("   ", no_wrap=True)
    done = round(BAR_CELLS * found.over / found.samples) if found.samples else 0
    lost = min(done, -(-BAR_CELLS * found.lost // found.samples)) if found.samples else 0
    second.append("━" * (done - lost), style=palette.good)
    second.append("━" * lost, style=palette.warn)
    second.append("─" * (BAR_CELLS - done), style=palette.faint)
    parts = [
        f"  {found.over} of {numbers.counted(found.samples, 'sample')}",
        eval_status(found.status, found.lost),
        mode_scores(info.modes, found.scores),
        info.id,
        sanitize_line(found.stopped_because),
    ]
    second.append(" · ".join(part for part in parts if part), style=palette.dim)
    second.truncate(width, overflow="ellipsis")
    if not differing:
        return [first, second]
    third = Text(f"   {sanitize_line(differing)}", style=palette.faint, no_wrap=True)
    third.truncate(width, overflow="ellipsis")
    return [first, second, third]


def _sign(found: EvalSummary, palette: Palette) -> tuple[str, Style]:
    if found.status == "running":
        return "●", palette.good
    if found.status != "finished":
        return "◌", palette.warn
    mark = eval_mark(found.samples, found.lost)
    return mark, mark_style(mark, palette)


def mark_style(mark: str, palette: Palette) -> Style:
    """Return the style of the mark of a finished evaluation."""
    return {"✓": palette.good, "✗": palette.bad}.get(mark, palette.warn)
