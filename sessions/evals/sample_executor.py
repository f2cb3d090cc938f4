"""Where the samples of an evaluation run: in this program or on the nodes of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from sandbox_tui.core.evals.sample import Sample
from sandbox_tui.core.evals.sandbox_memory import SandboxMemory
from sandbox_tui.core.evals.scorers.table import scorer_named
from sandbox_tui.core.evals.scoring import SampleScoring
from sandbox_tui.core.run.run_request import RunRequest
from sandbox_tui.sessions.recording.run_worker import RunWorker


@dataclass(frozen=True, slots=True)
class SampleJob:
    """One attempt at a sample, as plain data that can be sent to another machine.

    Attributes:
        sample: the sample.
        run_id: id of the session that records it.
        request: of its run.
        scorer: name of the task's scorer.
        scorer_options: options of the scorer.
    """

    sample: Sample
    run_id: str
    request: RunRequest
    scorer: str
    scorer_options: Mapping[str, Any]

    def scoring(self) -> SampleScoring:
        """Return the scoring that takes place at the end of the run.

        Raises:
            ConfigError: its scorer cannot be used.
        """
        scorer = scorer_named(self.scorer, self.scorer_options)
        return SampleScoring(self.sample, scorer, self.request.settings.sandbox.kind)


@dataclass(frozen=True, slots=True)
class SampleRun:
    """A sample in progress.

    Attributes:
        worker: its run, recorded by this program. If it fails with `RunLost`, the sample is run
            again and the attempt does not count.
        memory: memory used by its sandbox, available after scoring.
    """

    worker: RunWorker
    memory: Callable[[], SandboxMemory | None]


class SamplePlace(Protocol):
    """A slot for one sample."""

    def begin(self, job: SampleJob) -> SampleRun:
        """Start the run of a sample in the background.

        Raises:
            ConfigError: its scorer cannot be used.
        """
        ...

    def release(self) -> None:
        """Return the slot."""
        ...


class SampleExecutor(Protocol):
    """Runs samples, a limited number at once."""

    @property
    def problem(self) -> str:
        """Why no sample can run at present; empty if samples can."""
        ...

    async def open(self) -> None:
        """Prepare to run samples.

        Raises:
            SandboxTuiError: samples cannot run there.
        """
        ...

    async def place(self) -> SamplePlace:
        """Wait for a free slot and reserve it."""
        ...

    async def close(self) -> None:
        """Release all resources; called when no sample is running."""
        ...
