"""Describes an evaluation: enough to tell from a report alone how its figures were produced."""

from __future__ import annotations

from typing import Any

import msgspec

from sandbox_tui.core.config.quantities import quantity_text
from sandbox_tui.core.evals.sample import EvalMode


class EvalInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One evaluation: a suite and the model that attempts it.

    Attributes:
        id: evaluation id.
        suite: suite name.
        digest: suite digest, which covers its prompt texts (`Suite.digest`).
        tasks_digest: identifies its tasks alone (`Suite.tasks_digest`); empty if an older version
            began it.
        tasks: number of its tasks; 0 if an older version began it.
        packs: digest of each prompt pack that its modes use (`SampleRequests.packs`).
        model: model name.
        params: sampling settings and limits, by name.
        modes: modes in which each task is attempted; differences are relative to `vanilla`, or
            else to the first.
        concurrency: maximum number of samples that run at once.
        concurrency_before: concurrency of earlier programs that ran this evaluation, if different.
        sandbox: sandbox kind, `docker` or `bubblewrap`; the requested kind until a sample has run.
        image: container image name; empty if there is none or tasks name their own.
        image_size: its size as text; empty if unknown.
        command: command line that started the evaluation.
        answers_of: id of the evaluation whose recorded answers were scored again; empty: its own.
        scored_by: name of the scorer that did so for all tasks; empty: those of the suite.
        began_at, ended_at: seconds since the epoch; `ended_at` is 0 while it runs.
    """

    id: str
    suite: str
    digest: str
    tasks_digest: str = ""
    tasks: int = 0
    packs: dict[str, str] = {}
    model: str
    params: dict[str, Any] = {}
    modes: tuple[EvalMode, ...] = ("vanilla", "sandbox")
    concurrency: int = 1
    concurrency_before: tuple[int, ...] = ()
    sandbox: str = ""
    image: str = ""
    image_size: str = ""
    command: str = ""
    answers_of: str = ""
    scored_by: str = ""
    began_at: float = 0.0
    ended_at: float = 0.0

    @property
    def shown_params(self) -> dict[str, str]:
        """The sampling settings and limits by name, in the words of `sandbox-tui config`."""
        return {
            name: str(quantity_text(f"limits.{name}", value))
            for name, value in sorted(self.params.items())
        }

    @property
    def sandbox_used(self) -> str:
        """The kind of sandbox that its samples use; empty if none does, or if that is not resolved
        yet."""
        has_computer = any(mode != "vanilla" for mode in self.modes)
        return self.sandbox if has_computer and self.sandbox != "auto" else ""

    @property
    def baseline(self) -> EvalMode:
        """The mode that the others are compared with."""
        return "vanilla" if "vanilla" in self.modes else self.modes[0]
