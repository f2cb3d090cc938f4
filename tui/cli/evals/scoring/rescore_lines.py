"""What scoring again has changed, as lines of text or of JSON."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from sandbox_tui.core.base.sanitize import sanitize_json, sanitize_line
from sandbox_tui.core.evals.reporting.outcomes import has_score
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.sessions.evals.report.json import for_programs
from sandbox_tui.sessions.evals.rescore import Change, Rescored
from sandbox_tui.tui.cli.evals.sample_lines import name_of
from sandbox_tui.tui.format.evals.rescored import changed_verdicts


def change_line(change: Change) -> str:
    """Return a sample with both verdicts and the reason of the new one."""
    before, after = change.before, change.after
    why = after.explanation or after.error
    worth = f"{_worth(before)} → {_worth(after)}"
    return sanitize_line(f"{name_of(after)}: {worth}" + (f" {why}" if why else ""))


def change_as_json(change: Change) -> str:
    """Return a sample with its new result, and the old verdict."""
    before = change.before
    fields = {
        **for_programs(change.after),
        "before": {
            "status": before.status,
            "score": before.score,
            "scorer": before.scorer,
            "explanation": before.explanation,
            "error": before.error,
        },
    }
    return sanitize_json(msgspec.json.encode(fields).decode())


def summary_lines(found: Rescored) -> Iterator[str]:
    """Yield how many verdicts changed, and of how many tasks; what was not scored; and where the
    new scores are."""
    yield changed_verdicts(found)
    for scorer, count in found.kept.items():
        keep = "sample keeps its score" if count == 1 else "samples keep their scores"
        yield f"{count} {keep}: {scorer} works in a sandbox, which is gone."
    old = found.old.id
    if found.info is None:
        yield f"The evaluation {old} stays as it is; no other one is added."
        return
    new = found.info.id
    yield f"The new scores are the evaluation {new}; {old} stays as it is."
    yield f"`sandbox-tui eval compare {old} {new}` compares them."


def _worth(sample: SampleResult) -> str:
    return f"{sample.score:.3g}" if has_score(sample) else "no score"
