"""The lines of an evaluation in a list."""

from __future__ import annotations

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.reporting import figures
from sandbox_tui.sessions.store.tables.eval_ledger import EvalSummary
from sandbox_tui.tui.format import numbers
from sandbox_tui.tui.format.outcome import eval_mark, eval_status, mode_scores
from sandbox_tui.tui.format.titles import model_title
from sandbox_tui.tui.theming.palette import Palette
from sandbox_tui.tui.widgets.sessions.session_rows import ago, with_age

BAR_CELLS = 12

NAME_CELLS = 12
"""Columns of the suite's name that the scores leave on one line."""

NARROW = 70
"""A narrower list shows the bar only while it grows, so that the scores are not cut."""


def eval_lines(
    found: EvalSummary,
    width: int,
    palette: Palette,
    *,
    label: str = "",
    marked: bool = False,
    differing: str = "",
) -> list[Text]:
    """Return the two lines of an evaluation: what was evaluated, then its scores, its progress and
    what tells it from others like it.

    Args:
        found: the evaluation.
        width: columns.
        palette: the palette to draw with.
        label: prefix for lists that also show other things.
        marked: whether the user has marked it.
        differing: what tells it from others of the same suite and model, if anything.
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
    return [first, _second(found, width, palette, sanitize_line(differing))]


def _second(found: EvalSummary, width: int, palette: Palette, differing: str) -> Text:
    """Return the scores and more. The bar of one that does not run gives way, then the other facts
    do; the id is whole, or on a narrow list left out."""
    scores, *rest = _facts(found)
    bar = _bar(found, palette).append("  ") if found.running or width >= NARROW else Text()
    facts = "".join(f" · {part}" for part in (*rest, differing) if part)
    name = f" · {found.info.id}"
    line = Text("   ", no_wrap=True)
    over = cell_len(f"{line.plain}{bar.plain}{scores}{facts}{name}") - width
    if over > 0 and not found.running:
        over, bar = over - bar.cell_len, Text()
    if over > 0 and width < NARROW:
        name = ""
    line.append_text(bar).append(scores, style=palette.text).append(facts, style=palette.dim)
    line.truncate(max(1, width - len(name)), overflow="ellipsis")
    return line.append(name, style=palette.dim)


def eval_line(found: EvalSummary, width: int, palette: Palette) -> Text:
    """Return an evaluation on one line: its scores, or its progress if there are none, first. They
    are shortened if they leave too little of the suite's name."""
    sign, style = _sign(found, palette)
    line = Text(f" {sign} ", style=style, no_wrap=True).append("eval  ", style=palette.strong)
    suite = sanitize_line(found.info.suite)
    room = width - line.cell_len - len(ago(found.info.began_at)) - 3  # an ellipsis follows the name
    line.append(_short_facts(found, room - min(NAME_CELLS, cell_len(suite)) - 2), palette.text)
    what = f"  {suite}  {model_title(found.info.model)}"
    return with_age(line.append(what, style=palette.dim), found.info.began_at, width, palette)


def _short_facts(found: EvalSummary, room: int) -> str:
    """Return the scores, without decimals or without the modes if they would not fit otherwise; or
    the progress if there are none."""
    first = _facts(found)[0]
    if not found.scores or cell_len(first) <= room:
        return first
    modes = [mode for mode in found.info.modes if mode in found.scores]
    rounded = ", ".join(f"{mode} {100 * found.scores[mode]:.0f} %" for mode in modes)
    if cell_len(rounded) <= room:
        return rounded
    return ", ".join(f"{figures.points(found.scores[mode])} %" for mode in modes)


def _bar(found: EvalSummary, palette: Palette) -> Text:
    """Return how many samples are over, those without a score apart, as a bar."""
    done = round(BAR_CELLS * found.over / found.samples) if found.samples else 0
    lost = min(done, -(-BAR_CELLS * found.lost // found.samples)) if found.samples else 0
    bar = Text("━" * (done - lost), style=palette.good, no_wrap=True)
    bar.append("━" * lost, style=palette.warn)
    return bar.append("─" * (BAR_CELLS - done), style=palette.faint)


def _facts(found: EvalSummary) -> list[str]:
    """Return the scores, the progress, and what is unusual, the most important first: the sign
    says that it has finished."""
    progress = f"{found.over} of {numbers.counted(found.samples, 'sample')}"
    modes = mode_scores(found.info.modes, found.scores)
    status = eval_status("" if found.status == "finished" else found.status, found.lost)
    known = (modes, progress) if found.scores else (progress, modes)
    if found.scores and found.status == "finished":  # what has no score matters more than that
        known, status = (modes, status, progress), ""
    facts = (*known, status, found.stopped_because)
    return [sanitize_line(fact) for fact in facts if fact]


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
