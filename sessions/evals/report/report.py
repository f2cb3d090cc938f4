"""The data that every report format is made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sandbox_tui.core.evals.eval_info import EvalInfo
from sandbox_tui.core.evals.meta_capabilities.capability import (
    Capability,
    CountedCall,
    RunCapabilities,
)
from sandbox_tui.core.evals.reporting.outcomes import domain_of
from sandbox_tui.core.evals.reporting.table import EvalTable, eval_table
from sandbox_tui.core.evals.reporting.unsolved import Unsolved, unsolved_tasks
from sandbox_tui.core.evals.sample import EvalMode, SampleResult


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalReport:
    """An evaluation to report. All text in it is untrusted.

    Attributes:
        table: domains by modes.
        results: all samples, ordered by task, number and mode.
        capabilities: how each run used its computer, by run id.
        links: links to the pages of sessions, relative to the report, by run id.
        unsolved: the tasks that no sample of a mode solved.
    """

    table: EvalTable
    results: tuple[SampleResult, ...]
    capabilities: Mapping[str, RunCapabilities] = field(default_factory=dict[str, RunCapabilities])
    links: Mapping[str, str] = field(default_factory=dict[str, str])
    unsolved: tuple[Unsolved, ...] = ()

    def of_cell(self, domain: str, mode: EvalMode) -> list[SampleResult]:
        """Return the samples of a domain in a mode."""
        return [r for r in self.results if r.mode == mode and domain_of(r) == domain]

    def lost(self) -> list[SampleResult]:
        """Return samples that failed or could not be scored."""
        return [result for result in self.results if result.status in ("failed", "unscored")]

    def counted(self, capability: Capability) -> Iterator[tuple[SampleResult, CountedCall]]:
        """Yield the calls that count as a capability, with their samples."""
        for result in self.results:
            for call in self.calls_of(result):
                if call.capability == capability:
                    yield result, call

    def calls_of(self, result: SampleResult) -> Sequence[CountedCall]:
        """Return the calls of a sample that count as any capability."""
        found = self.capabilities.get(result.run_id)
        return () if found is None else found.counted


def eval_report(
    info: EvalInfo,
    results: Sequence[SampleResult],
    *,
    now: float = 0.0,
    capabilities: Mapping[str, RunCapabilities] | None = None,
    links: Mapping[str, str] | None = None,
    questions: Mapping[str, str] | None = None,
    over_budget: str = "",
) -> EvalReport:
    """Return the report of an evaluation; for the arguments, see `eval_table`, `EvalReport.links`
    and `unsolved_tasks`."""
    return EvalReport(
        table=eval_table(
            info, results, now=now, capabilities=capabilities, over_budget=over_budget
        ),
        results=tuple(sorted(results, key=lambda r: (domain_of(r), r.task, r.number, r.mode))),
        capabilities=capabilities or {},
        links=links or {},
        unsolved=unsolved_tasks(results, questions or {}),
    )
