"""A finished sample as a line of text or of JSON."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from sandbox_tui.core.base.durations import short_duration
from sandbox_tui.core.base.sanitize import sanitize_json, sanitize_line
from sandbox_tui.core.evals.reporting.outcomes import failure_kind
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.core.evals.scorers.table import NEED_SANDBOX
from sandbox_tui.sessions.evals.report.json import for_programs
from sandbox_tui.sessions.evals.sample_record import MAX_ATTEMPTS
from sandbox_tui.tui.format import numbers


def name_of(result: SampleResult) -> str:
    """Return a sample's task and mode, and its number if it is not the first."""
    number = f" sample {result.number}" if result.number > 1 else ""
    return f"{result.task} {result.mode}{number}"


def line_of(result: SampleResult, over: int, samples: int) -> str:
    """Return a line of text for the user.

    Args:
        result: the sample.
        over: number of samples that have ended.
        samples: total number.
    """
    worth = f"score {result.score:.3g}" if result.score is not None else result.status
    kind = failure_kind(result)
    worth += f", {kind}" if kind not in ("", result.status) else ""
    why = result.explanation or result.error
    tokens = numbers.token_words(result.input_tokens + result.output_tokens)
    return sanitize_line(
        f"{over} of {samples}  {name_of(result)}: {worth} "
        f"({numbers.counted(result.steps, 'step')}, {tokens}, "
        f"{short_duration(result.seconds)}, session {result.run_id})" + (f" {why}" if why else "")
    )


def restart_line(result: SampleResult) -> str:
    """Return a line that says that a sample starts over, after an attempt that an error ended."""
    next_attempt = f"attempt {result.attempts + 1} of {MAX_ATTEMPTS}"
    return sanitize_line(f"{name_of(result)} starts over, {next_attempt}: {result.error}")


def lost_line(eval_id: str, lost: Sequence[SampleResult]) -> str:
    """Return a line that says how to rerun samples without a score, and what that is good for.

    Args:
        eval_id: the evaluation.
        lost: the samples without a score; at least one.
    """
    count = numbers.counted(len(lost), "sample")
    them = "it" if len(lost) == 1 else "them"
    rerun = f"`sandbox-tui eval resume {eval_id} --failed` reruns {them}"
    if all(one.status == "unscored" for one in lost):
        lead = f"{count} without a score, because of the scorer: fix what it reports first."
        if any(one.scorer in NEED_SANDBOX for one in lost):
            return f"{lead} {rerun}, which asks the model again."
        again = f"`sandbox-tui eval rescore {eval_id}` scores {them} again"
        return f"{lead} {again}; {rerun}, which asks the model again."
    return f"{count} without a score: {rerun}."


def left_line(eval_id: str, left: int, because: str) -> str:
    """Return a line about the samples that have not ended: why, and the command that runs them."""
    them = "it" if left == 1 else "them"
    resume = f"`sandbox-tui eval resume {eval_id}` runs {them}."
    return f"{because} {numbers.counted(left, 'sample')} left: {resume}"


def json_of(result: SampleResult) -> str:
    """Return a line of JSON for programs."""
    return sanitize_json(msgspec.json.encode(for_programs(result)).decode())
