"""How the figures of a report are computed, as sentences that every report prints."""

from __future__ import annotations

from sandbox_tui.core.evals.reporting.figures import NO_INTERVAL
from sandbox_tui.core.evals.reporting.statistics import (
    CONFIDENCE,
    MIN_NORMAL_TASKS,
    RESAMPLES,
    SEED,
)

METHODS: tuple[tuple[str, str], ...] = (
    (
        "Score",
        "The mean over tasks; a task counts once, with the mean of its samples. Samples without a "
        "score are counted separately and never as 0.",
    ),
    (
        "Intervals",
        f"{CONFIDENCE:.0%}, over tasks: the samples of one task count as one. Where every task is "
        "right or wrong: Wilson's score interval (1927) for a score, Tango's (1998) for a paired "
        f"difference. Otherwise by resampling; “{NO_INTERVAL}”: there is one task, or all are "
        "equal, so that nothing shows how far they spread.",
    ),
    (
        "Resampling",
        f"Percentile bootstrap, {RESAMPLES} resamples of tasks with seed {SEED}. With "
        f"{MIN_NORMAL_TASKS} tasks or more the percentiles are those of the Cornish-Fisher "
        "expansion, to the skewness.",
    ),
    (
        "Difference",
        "The mean over the tasks that have a score in both, of the task's score minus its score in "
        "the baseline; the interval is of these differences.",
    ),
    (
        "Tokens a query",
        "Input and output tokens of all requests of a sample, as the server counts them: in a "
        "conversation of several steps, what was read before is counted again with each step. The "
        "ratio divides the means over the tasks that ended in both.",
    ),
    (
        "Generated",
        "Output tokens divided by all tokens. The rest is read, which servers do many times "
        "faster than they generate.",
    ),
    (
        "Queries a minute",
        "Samples divided by the minutes of wall clock that they took, from the start of their "
        "sandboxes to the end of their runs. Samples that ran at the same moment share it equally, "
        "so that this is the pace at the actual concurrency, also after a resume "
        "with another and when few are left. Scoring, pauses and the time between two programs do "
        "not count. It is left out while they took less than a minute, and so is a ratio to it. "
        "The ratio divides the mean shares of the tasks that ended in both.",
    ),
    (
        "Seconds",
        "The wall clock of a run, from the start of its sandbox to its end; the time that a scorer "
        "took after it is listed separately.",
    ),
    (
        "Failures by kind",
        "Samples without a correct answer that were ended by an error or a limit, whose scorer "
        "failed, or that left no answer. A sample that a limit ended is still scored.",
    ),
    (
        "Samples that count",
        "Tokens, seconds and steps (the turns of the conversation) are means over the samples "
        "whose run ended, with a score or without; samples that failed are left out.",
    ),
)
"""Names of figures, and how they are computed."""
