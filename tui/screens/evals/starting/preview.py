"""What an evaluation would start, before it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.evals.loaders.selection import UnknownDomain
from sandbox_tui.core.evals.suite import Suite
from sandbox_tui.core.evals.suite_file import load_suite, needs_download
from sandbox_tui.tui.format import numbers

COUNTING = "counting…"
"""Stands for the number of samples until it is known."""

MANY_SAMPLES = 200
"""Number of samples from which the form asks before it starts them."""


@dataclass(frozen=True, slots=True)
class Size:
    """How many samples an evaluation has.

    Attributes:
        tasks, modes: how many of each.
        each: samples of each task in each mode.
    """

    tasks: int
    modes: int
    each: int

    @classmethod
    def of(cls, suite: Suite) -> Size:
        """Return the size of a suite."""
        return cls(len(suite.tasks), len(suite.modes), suite.samples)

    def changed(self, modes: int, each: int) -> Size:
        """Return the size with so many modes and samples; 0: the suite's."""
        return Size(self.tasks, modes or self.modes, each or self.each)

    @property
    def samples(self) -> int:
        """The total."""
        return self.tasks * self.modes * self.each

    @property
    def total(self) -> str:
        """The total in words."""
        return numbers.counted(self.samples, "sample")

    @property
    def factors(self) -> str:
        """What the total is made of, in words."""
        modes = f" in {self.modes} modes" if self.modes > 1 else ""
        each = f", {self.each} times" if self.each > 1 else ""
        return f"{numbers.counted(self.tasks, 'task')}{modes}{each}"

    def question(self, doubt: str) -> str:
        """Return what to ask before they are started; empty to start them at once.

        Args:
            doubt: what speaks against starting them, as a sentence; or empty.
        """
        many = f"This starts {self.total}: {self.factors}." if self.samples >= MANY_SAMPLES else ""
        end = "Start all the same?" if doubt else "Start them?"
        return " ".join(filter(None, (many, doubt, end))) if many or doubt else ""


@dataclass(frozen=True, slots=True)
class Preview:
    """What is known of a suite before it runs.

    Attributes:
        size: with the suite's own modes and samples; None if it has no such domain.
        domains: of its tasks, without those that have none.
        own: what the suite itself says, by field of the form that may say something else.
        names_scorers: whether every task names its own scorer, so that another has no effect.
    """

    size: Size | None
    domains: tuple[str, ...]
    own: Mapping[str, str]
    names_scorers: bool = False


def preview_of(suite: str, limit: int | None, domains: Sequence[str]) -> Preview | None:
    """Return what is known of a suite. Blocks.

    Args:
        suite: its name, or the path of its file or of a data file.
        limit: maximum number of tasks of each domain.
        domains: only these; empty for all.

    Returns:
        None if its tasks may have to be downloaded first, or if it cannot be read.
    """
    try:
        if not suite or needs_download(suite):
            return None
        whole = load_suite(suite, overrides={"dataset.limit": limit})
        known = tuple(dict.fromkeys(task.domain for task in whole.tasks if task.domain))
        return Preview(
            _size_of_part(suite, whole, limit, domains),
            known,
            _own(whole),
            all(task.scorer for task in whole.tasks),
        )
    except ConfigError:
        return None


def _size_of_part(
    suite: str, whole: Suite, limit: int | None, domains: Sequence[str]
) -> Size | None:
    if not domains:
        return Size.of(whole)
    overrides = {"dataset.limit": limit, "dataset.domains": list(domains)}
    try:
        return Size.of(load_suite(suite, overrides=overrides))
    except UnknownDomain:
        return None


def _own(suite: Suite) -> dict[str, str]:
    said = {
        "samples": suite.samples,
        "steps": suite.limits.get("max_steps"),
        "temperature": suite.model.get("temperature"),
    }
    return {name: str(value) for name, value in said.items() if value is not None}
