"""CSV for other programs (RFC 4180): a line per sample, or a line per domain and mode."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from operator import attrgetter

from sandbox_tui.core.base.sanitize import sanitize
from sandbox_tui.core.evals.meta_capabilities.capability import CAPABILITIES
from sandbox_tui.core.evals.reporting import figures
from sandbox_tui.core.evals.reporting.statistics import Estimate
from sandbox_tui.core.evals.reporting.table import Cell
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.sessions.evals.report.report import EvalReport

_FORMULA = re.compile(r"\s*[=+@\t\r-]")
_NUMBER = re.compile(r"[+-]?[0-9.]+(e[+-]?[0-9]+)?", re.ASCII | re.IGNORECASE)

SAMPLE_FIELDS = SampleResult.__struct_fields__
_CALLS = tuple(f"{name}_calls" for name in CAPABILITIES)

_COUNTS = ("samples", "scored", "unscored", "failed", "running", "pending", "cut", "estimated")
_MEANS = (
    *("tokens", "tokens_ratio", "generated", "seconds", "scoring_seconds"),
    *("per_minute", "per_minute_ratio", "steps", "calls", "cost", "cost_unknown"),
    *("memory_idle", "memory_peak"),
)
_ENDS = ("", "_low", "_high", "_tasks")

Value = str | int | float | bool | None


def samples_csv(report: EvalReport) -> str:
    """Return a line per sample: the fields of `SampleResult`, and the number of calls for each
    meta-capability, which is empty if calls were not classified."""
    fields = attrgetter(*SAMPLE_FIELDS)
    lines = ([*fields(result), *_calls(report, result)] for result in report.results)
    return _written((*SAMPLE_FIELDS, *_CALLS), lines)


def cells_csv(report: EvalReport) -> str:
    """Return a line per domain and mode, with the total last: the figures of `Cell`, scores and
    shares as fractions of 1."""
    head = (
        *("domain", "mode", *_COUNTS),
        *(f"{name}{end}" for name in ("score", "difference") for end in _ENDS),
        *_MEANS,
        "failures",
        *CAPABILITIES,
    )
    rows = (*report.table.rows, report.table.total)
    return _written(head, (_cell(cell) for row in rows for cell in row.cells))


def _calls(report: EvalReport, result: SampleResult) -> list[Value]:
    if result.run_id not in report.capabilities:
        return [None] * len(CAPABILITIES)
    counts = Counter(call.capability for call in report.calls_of(result))
    return [counts[name] for name in CAPABILITIES]


def _cell(cell: Cell) -> list[Value]:
    made: list[Value] = [cell.domain, cell.mode]
    made += (getattr(cell, name) for name in _COUNTS)
    made += (*_estimate(cell.score), *_estimate(cell.difference))
    made += (getattr(cell, name) for name in _MEANS)
    made.append(figures.counted(cell.failures))
    return [*made, *(cell.capabilities.get(name) for name in CAPABILITIES)]


def _estimate(found: Estimate | None) -> Sequence[Value]:
    return [None] * 4 if found is None else [found.value, found.low, found.high, found.tasks]


def _written(head: Sequence[str], lines: Iterable[Sequence[Value]]) -> str:
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\r\n")
    writer.writerow(head)
    writer.writerows([_safe(value) for value in line] for line in lines)
    return made.getvalue()


def _safe(value: Value) -> Value:
    """Remove control characters from text, and put a quote in front if a spreadsheet would treat it
    as a formula; numbers in text form stay unchanged."""
    if not isinstance(value, str):
        return value
    text = sanitize(value.replace("\r\n", "\n"))
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text
