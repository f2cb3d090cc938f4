"""The report as one JSON object, for other programs.

Scores and shares are fractions of 1; a figure that is not known, and a moment that has not come,
is null.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.reporting.statistics import Estimate
from sandbox_tui.core.evals.reporting.table import Cell
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.sessions.evals.report.report import EvalReport


def json_report(report: EvalReport) -> str:
    """Return the fields of `EvalInfo`, `domains` and `total` with a list of figures (`Cell`), one
    for each mode, and `samples` (`SampleResult`, with the session's id as `session`)."""
    table = report.table
    made = {
        **for_programs(table.info),
        "samples_done": table.over,
        "domains": {row.domain: [_figures(cell) for cell in row.cells] for row in table.rows},
        "total": [_figures(cell) for cell in table.total.cells],
        "samples": [_sample(result) for result in report.results],
    }
    known = json.loads(json.dumps(made), parse_constant=lambda _: None)  # JSON has no NaN
    return json.dumps(known, indent=2) + "\n"


def for_programs(recorded: EvalInfo | SampleResult) -> dict[str, Any]:
    """Return the fields of an evaluation or a sample, with null for a moment that has not come."""
    made: dict[str, Any] = msgspec.to_builtins(recorded)
    return made | {name: made[name] or None for name in ("began_at", "ended_at")}


def _figures(cell: Cell) -> dict[str, Any]:
    made: dict[str, Any] = msgspec.to_builtins(cell)
    made |= {"score": _estimate(cell.score), "difference": _estimate(cell.difference)}
    made["failures"] = dict(cell.failures)
    return made


def _estimate(found: Estimate | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {"value": found.value, "low": found.low, "high": found.high, "tasks": found.tasks}


def _sample(result: SampleResult) -> dict[str, Any]:
    fields = for_programs(result)
    return {"session" if name == "run_id" else name: value for name, value in fields.items()}
