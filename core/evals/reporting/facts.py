"""The lines above and below an evaluation's table: what was run, and what the figures do not show.

Names of models, files and errors are untrusted, so everything here is sanitized.
"""

from __future__ import annotations

from collections.abc import Iterator

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.reporting import figures
from sandbox_tui.core.evals.reporting.table import Cell, EvalTable

SAME = "the same scorers"
"""Words for the scorers of an evaluation whose answers were scored again without naming one."""


def title(info: EvalInfo) -> str:
    """Return a one-line title of the evaluation."""
    return sanitize_line(f"{info.suite} · {info.model}")


def facts(table: EvalTable) -> list[tuple[str, str]]:
    """Return pairs of a name and a value: what was run, how, when, and its progress."""
    info = table.info
    return [(name, sanitize_line(value)) for name, value in _facts(table, info) if value]


def _facts(table: EvalTable, info: EvalInfo) -> Iterator[tuple[str, str]]:
    yield "suite", f"{info.suite}, digest {info.digest}"
    yield "model", info.model
    yield "parameters", ", ".join(f"{name} {value}" for name, value in info.shown_params.items())
    yield "sandbox", " ".join(word for word in (info.sandbox, info.image) if word)
    yield "image size", info.image_size
    at_once = (*info.concurrency_before, info.concurrency)
    noun = "sample" if at_once == (1,) else "samples"
    yield "at once", f"{', then '.join(map(str, at_once))} {noun}"
    if info.answers_of:
        yield "scored again", f"the answers of {info.answers_of}, by {info.scored_by or SAME}"
    yield "began", figures.moment(info.began_at)
    yield "ended", _ended(table)
    yield "samples", f"{table.over} of {table.samples} done"
    yield "command", info.command


def _ended(table: EvalTable) -> str:
    if table.info.ended_at:
        return figures.moment(table.info.ended_at)
    left = table.seconds_left
    return "not yet" if left is None else f"not yet; about {figures.duration(left)} left"


def remarks(table: EvalTable) -> list[str]:
    """Return sentences about an exceeded budget, failures by kind, samples without a score, cut
    documents, estimated tokens and unknown costs."""
    of_cells = [text for cell in table.total.cells for text in _remarks(cell)]
    return [sanitize_line(text) for text in (table.over_budget, *of_cells) if text]


def _remarks(cell: Cell) -> Iterator[str]:
    if cell.failures:
        yield f"{cell.mode}: failures by kind: {figures.counted(cell.failures)}."
    lost = cell.unscored + cell.failed
    if lost:
        have = "sample has" if lost == 1 else "samples have"
        yield f"{cell.mode}: {lost} {have} no score."
    if cell.cut:
        were = "sample had" if cell.cut == 1 else "samples had"
        yield f"{cell.mode}: {cell.cut} {were} documents cut to fit the prompt."
    if cell.estimated:
        yield (
            f"{cell.mode}: the tokens of {cell.estimated} of {cell.over} samples are estimates (≈)."
        )
    if cell.cost is not None and cell.cost_unknown:
        unknown = f"{cell.cost_unknown} of {cell.over}"
        yield f"{cell.mode}: the cost of {unknown} samples is not known (+)."
