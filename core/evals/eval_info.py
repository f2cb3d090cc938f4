"""What an evaluation runs: enough to tell from a report alone how its figures were produced."""

from __future__ import annotations

from typing import Any

import msgspec

from sandbox_tui.core.evals.sample import EvalMode


class EvalInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One evaluation: a suite, and the model that attempts it.

    Attributes:
        id: of the evaluation.
        suite: the suite's name.
        digest: the suite's, with the texts of its prompts (`Suite.digest`).
        model: name of the model.
        params: its sampling settings and limits, by name.
        modes: in which each task is attempted; differences are against `vanilla`, or the first.
        concurrency: samples that run at once.
        concurrency_before: the same of the programs before this one, where it was another.
        sandbox: kind of the sandbox, `docker` or `bubblewrap`; as asked for until one has run.
        image: name of the container image; empty where there is none, or tasks have their own.
        image_size: its size in words; empty where it is not known.
        command: the command line that began the evaluation.
        began_at, ended_at: seconds since the epoch; `ended_at` is 0 while it runs.
    """

    id: str
    suite: str
    digest: str
    model: str
    params: dict[str, Any] = {}
    modes: tuple[EvalMode, ...] = ("vanilla", "sandbox")
    concurrency: int = 1
    concurrency_before: tuple[int, ...] = ()
    sandbox: str = ""
    image: str = ""
    image_size: str = ""
    command: str = ""
    began_at: float = 0.0
    ended_at: float = 0.0

    @property
    def baseline(self) -> EvalMode:
        """The mode that the others are compared with."""
        return "vanilla" if "vanilla" in self.modes else self.modes[0]
