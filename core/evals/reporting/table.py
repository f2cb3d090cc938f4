"""The table of an evaluation: domains by modes, computed from its samples.

The screen, the reports and the command line all draw this table. How each figure is computed is
stated here and, for readers, in `methods.py`.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.meta_capabilities.capability import (
    CAPABILITIES,
    Capability,
    RunCapabilities,
)
from sandbox_tui.core.evals.reporting.outcomes import (
    by_frequency,
    domain_of,
    failures_by_kind,
    has_ended,
    has_score,
    tokens_of,
)
from sandbox_tui.core.evals.reporting.statistics import (
    Estimate,
    mean_score,
    paired_difference,
    paired_ratio,
)
from sandbox_tui.core.evals.reporting.throughput import samples_per_minute, wall_clock_shares
from sandbox_tui.core.evals.reporting.time_left import seconds_left
from sandbox_tui.core.evals.sample import EVAL_MODES, EvalMode, SampleKey, SampleResult

ALL_DOMAINS = "all"
"""Name of the last row, the total."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The samples of one domain in one mode.

    Means, ratios and shares cover samples whose run ended (`scored` or `unscored`); None if there
    are none. Ratios divide this mode by the baseline on the tasks that ended in both.

    Attributes:
        domain, mode: identify the cell.
        samples: number of planned samples.
        scored, unscored, failed, running, pending: number of samples by status.
        score: mean score over tasks.
        difference: paired difference of the score from the baseline; None in the baseline itself.
        tokens: input and output tokens per sample.
        tokens_ratio: ratio of tokens per sample.
        generated: share of output tokens in all tokens.
        estimated: number of samples whose tokens are estimates.
        seconds: wall-clock seconds per run, excluding scoring.
        scoring_seconds: wall-clock seconds of scoring per sample.
        per_minute: samples per minute of the wall clock that they took (`samples_per_minute`).
        per_minute_ratio: ratio of samples per minute; None unless both have a pace.
        steps, calls: steps and tool calls per sample.
        cost: US dollars for all samples with a known cost; None if there are none.
        cost_unknown: number of samples that ended without a known cost.
        failures: kinds with their counts, most frequent first (`failures_by_kind`).
        cut: number of samples whose documents were cut to fit the prompt.
        memory_idle, memory_peak: bytes; mean of the idle sandboxes, and highest peak.
        capabilities: share of samples that used each; empty if no calls were inspected.
    """

    domain: str
    mode: EvalMode
    samples: int = 0
    scored: int = 0
    unscored: int = 0
    failed: int = 0
    running: int = 0
    pending: int = 0
    score: Estimate | None = None
    difference: Estimate | None = None
    tokens: float | None = None
    tokens_ratio: float | None = None
    generated: float | None = None
    estimated: int = 0
    seconds: float | None = None
    scoring_seconds: float | None = None
    per_minute: float | None = None
    per_minute_ratio: float | None = None
    steps: float | None = None
    calls: float | None = None
    cost: float | None = None
    cost_unknown: int = 0
    failures: tuple[tuple[str, int], ...] = ()
    cut: int = 0
    memory_idle: float | None = None
    memory_peak: int | None = None
    capabilities: Mapping[Capability, float] = field(default_factory=dict[Capability, float])

    @property
    def over(self) -> int:
        """Number of samples with a final status."""
        return self.scored + self.unscored + self.failed


@dataclass(frozen=True, slots=True)
class Row:
    """A domain: its cells in the order of `EvalTable.modes`."""

    domain: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalTable:
    """The state of an evaluation at one time.

    Attributes:
        info: the evaluation.
        modes: the columns; the baseline is `info.baseline`.
        rows: one per domain, by name.
        total: all domains together; each task counts once.
        over_budget: says that it used more than its budget; empty if it did not.
        seconds_left: estimated; 0 when nothing is left, None until a sample of each mode has ended,
            and while only samples are left that take longer than any other did.
    """

    info: EvalInfo
    modes: tuple[EvalMode, ...]
    rows: tuple[Row, ...]
    total: Row
    seconds_left: float | None
    over_budget: str = ""

    @property
    def rows_and_total(self) -> tuple[Row, ...]:
        """The rows to show: the total is left out if it would repeat the only domain."""
        return self.rows if len(self.rows) == 1 else (*self.rows, self.total)

    @property
    def samples(self) -> int:
        """Number of planned samples in all modes."""
        return sum(cell.samples for cell in self.total.cells)

    @property
    def over(self) -> int:
        """Number of samples with a final status, in all modes."""
        return sum(cell.over for cell in self.total.cells)


def eval_table(
    info: EvalInfo,
    results: Sequence[SampleResult],
    *,
    now: float = 0.0,
    capabilities: Mapping[str, RunCapabilities] | None = None,
    over_budget: str = "",
) -> EvalTable:
    """Build the table of an evaluation.

    Args:
        info: the evaluation.
        results: all of its samples, in any order, including pending ones.
        now: seconds since the epoch, for the time left while samples run.
        capabilities: what each run used its computer for, by run id.
        over_budget: see `EvalTable.over_budget`.
    """
    present = {result.mode for result in results}
    others: list[EvalMode] = [mode for mode in EVAL_MODES if mode not in info.modes]
    modes = (*info.modes, *filter(present.__contains__, others))
    look = _Look(info, capabilities or {}, wall_clock_shares(results, now))
    domains: defaultdict[str, dict[EvalMode, list[SampleResult]]] = defaultdict(
        lambda: {mode: [] for mode in modes}
    )
    for result in results:
        domains[domain_of(result)][result.mode].append(result)
    by_domain: dict[str, dict[EvalMode, _Samples]] = {
        name: {mode: _Samples.of(domains[name][mode], look) for mode in modes}
        for name in sorted(domains)
    }
    whole: dict[EvalMode, _Samples] = {
        mode: _Samples.of_all([of[mode] for of in by_domain.values()]) for mode in modes
    }
    return EvalTable(
        info=info,
        modes=modes,
        rows=tuple(_row(name, samples, look) for name, samples in by_domain.items()),
        total=_row(ALL_DOMAINS, whole, look),
        seconds_left=seconds_left(results, info.concurrency, now),
        over_budget=over_budget,
    )


@dataclass(frozen=True, slots=True)
class _Look:
    """What cells are computed from besides their own samples."""

    info: EvalInfo
    used: Mapping[str, RunCapabilities]
    shares: Mapping[SampleKey, float]

    def share_of(self, result: SampleResult) -> float | None:
        return self.shares.get(result.key)


@dataclass(frozen=True, slots=True)
class _Samples:
    """The samples of a cell: all of them, those that ended, per-task figures of these, and failures
    by kind."""

    results: Sequence[SampleResult]
    ended: Sequence[SampleResult]
    scores: Mapping[str, Sequence[float]]
    tokens: Mapping[str, Sequence[float]]
    shares: Mapping[str, Sequence[float]]
    failures: Counter[str]

    @classmethod
    def of(cls, results: Sequence[SampleResult], look: _Look) -> _Samples:
        ended = [result for result in results if has_ended(result)]
        return cls(
            results,
            ended,
            scores_by_task(ended),
            _measures(ended, tokens_of),
            _measures(ended, look.share_of),
            failures_by_kind(results),
        )

    @classmethod
    def of_all(cls, parts: Sequence[_Samples]) -> _Samples:
        """Merge the samples of several domains, in a fraction of the time of inspecting each sample
        again."""
        return cls(
            [result for part in parts for result in part.results],
            [result for part in parts for result in part.ended],
            _joined(part.scores for part in parts),
            _joined(part.tokens for part in parts),
            _joined(part.shares for part in parts),
            sum((part.failures for part in parts), Counter[str]()),
        )

    @property
    def per_minute(self) -> float | None:
        """Samples per minute; None below `MIN_SECONDS`."""
        return samples_per_minute([share for each in self.shares.values() for share in each])


def _row(domain: str, samples: Mapping[EvalMode, _Samples], look: _Look) -> Row:
    base = samples[look.info.baseline]
    cells = [
        _cell(domain, mode, of_mode, None if of_mode is base else base, look)
        for mode, of_mode in samples.items()
    ]
    return Row(domain, tuple(cells))


def _cell(
    domain: str, mode: EvalMode, samples: _Samples, base: _Samples | None, look: _Look
) -> Cell:
    results, ended = samples.results, samples.ended
    statuses = Counter(result.status for result in results)
    scored = sum(map(len, samples.scores.values()))
    unscored = statuses["scored"] + statuses["unscored"] - scored
    costs = [result.cost for result in ended if result.cost is not None]
    pace, base_pace = samples.per_minute, base.per_minute if base else None
    slower = paired_ratio(base.shares, samples.shares) if base and base_pace and pace else None
    return Cell(
        domain=domain,
        mode=mode,
        samples=len(results),
        scored=scored,
        unscored=unscored,
        failed=statuses["failed"],
        running=statuses["running"],
        pending=statuses["pending"],
        score=mean_score(samples.scores),
        difference=paired_difference(base.scores, samples.scores) if base else None,
        tokens=_mean(map(tokens_of, ended)),
        tokens_ratio=paired_ratio(base.tokens, samples.tokens) if base else None,
        generated=_generated(ended),
        estimated=sum(result.estimated for result in ended),
        seconds=_mean(result.seconds for result in ended),
        scoring_seconds=_mean(result.scoring_seconds for result in ended),
        per_minute=pace,
        per_minute_ratio=1 / slower if slower else None,
        steps=_mean(result.steps for result in ended),
        calls=_mean(result.calls for result in ended),
        cost=math.fsum(costs) if costs else None,
        cost_unknown=len(ended) - len(costs),
        failures=by_frequency(samples.failures),
        cut=sum(result.cut_documents > 0 for result in results),
        memory_idle=_mean(r.memory_idle for r in ended if r.memory_idle is not None),
        memory_peak=max((r.memory_peak for r in ended if r.memory_peak is not None), default=None),
        capabilities=_shares([look.used[r.run_id] for r in ended if r.run_id in look.used]),
    )


def scores_by_task(results: Iterable[SampleResult]) -> dict[str, list[float]]:
    """Return the scores of samples by task; tasks without a score are left out."""
    scores: defaultdict[str, list[float]] = defaultdict(list)
    for result in results:
        if has_score(result) and result.score is not None:
            scores[result.task].append(result.score)
    return scores


def _measures(
    ended: Iterable[SampleResult], measure: Callable[[SampleResult], float | None]
) -> dict[str, list[float]]:
    found: defaultdict[str, list[float]] = defaultdict(list)
    for result in ended:
        if (value := measure(result)) is not None:
            found[result.task].append(value)
    return found


def _joined(parts: Iterable[Mapping[str, Sequence[float]]]) -> dict[str, Sequence[float]]:
    """Merge the per-task figures of several domains. A task has one domain, unless the data lists
    it under two."""
    joined: dict[str, Sequence[float]] = {}
    for part in parts:
        for task, values in part.items():
            joined[task] = [*joined[task], *values] if task in joined else values
    return joined


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return math.fsum(found) / len(found) if found else None


def _generated(results: Sequence[SampleResult]) -> float | None:
    tokens = sum(map(tokens_of, results))
    return sum(result.output_tokens for result in results) / tokens if tokens else None


def _shares(runs: Sequence[RunCapabilities]) -> dict[Capability, float]:
    if not runs:
        return {}
    uses = Counter(name for run in runs for name in run.used)
    return {name: uses[name] / len(runs) for name in CAPABILITIES}
