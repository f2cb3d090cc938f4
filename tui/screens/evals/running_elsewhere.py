"""What the samples that another program runs are doing, from the records of their sessions."""

from __future__ import annotations

from collections.abc import Sequence

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.evals.sample import SampleResult
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.running_now import RunningNow
from sandbox_tui.tui.widgets.evals.activity import Activity

MAX_READ = 64
"""Maximum number of samples whose records are followed: the others do not fit on a screen."""


class RunningElsewhere:
    """Follows the sessions of running samples.

    Args:
        store: the database that they are recorded in.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._runs: dict[str, RunningNow] = {}
        self._activities: dict[str, Activity] = {}

    def read(self, samples: Sequence[SampleResult]) -> None:
        """Read what is new of the running ones among these samples. Blocks."""
        running = [one for one in samples if one.status == "running" and one.run_id]
        running = sorted(running, key=lambda one: one.began_at)[:MAX_READ]
        before, self._runs = self._runs, {}
        activities: dict[str, Activity] = {}
        for sample in running:
            try:
                run = before.get(sample.run_id) or self._begin(sample)
                run.read()
            except SandboxTuiError:  # it has recorded nothing yet, or was deleted
                continue
            self._runs[sample.run_id] = run
            if run.state is not None:
                activities[sample.run_id] = Activity.of(sample, run.state, run.seconds)
        self._activities = activities

    def of(self, sample: SampleResult) -> Activity | None:
        """Return what a sample was doing at the last reading; None if that is unknown."""
        return self._activities.get(sample.run_id)

    def _begin(self, sample: SampleResult) -> RunningNow:
        return RunningNow(self._store, self._store.run(sample.run_id, strict=True))
