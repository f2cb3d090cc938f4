"""The filter of the samples of an evaluation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sandbox_tui.core.base.sanitize import sanitize_line
from sandbox_tui.core.evals.reporting.outcomes import domain_of
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.tui.widgets.evals.sample_rows import has_failed, is_wrong

KINDS: dict[str, Callable[[SampleResult], bool]] = {
    "": lambda _: True,
    "wrong": is_wrong,
    "failed": has_failed,
    "running": lambda sample: sample.status == "running",
}
"""Kinds of samples, in the order in which a key cycles through them."""


@dataclass(frozen=True, slots=True)
class SampleFilter:
    """The samples to show.

    Attributes:
        kind: a key of `KINDS`; empty for every kind.
        domain: None for all domains.
    """

    kind: str = ""
    domain: str | None = None

    def fits(self, sample: SampleResult) -> bool:
        """Return whether a sample is shown."""
        return KINDS[self.kind](sample) and self.domain in (None, domain_of(sample))

    def next_kind(self) -> SampleFilter:
        """Return the filter with the next kind and the same domain."""
        kinds = list(KINDS)
        return replace(self, kind=kinds[(kinds.index(self.kind) + 1) % len(kinds)])

    def of_domain(self, domain: str | None) -> SampleFilter:
        """Return the filter with the same kind and another domain."""
        return replace(self, domain=domain)

    @property
    def words(self) -> str:
        """A description of the filter; empty if everything is shown."""
        parts = [f"{self.kind} only" if self.kind else "", sanitize_line(self.domain or "")]
        return " · ".join(part for part in parts if part)
