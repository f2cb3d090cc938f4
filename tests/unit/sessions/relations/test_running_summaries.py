"""The summaries of running sessions, brought up to now."""

from __future__ import annotations

import time
from dataclasses import replace

from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.running_summaries import up_to_now
from tests.unit.event_streams import started


def test_the_clock_of_a_fork_does_not_run_from_its_parents_start(store: Store) -> None:
    now = time.time()
    run = time.strftime("%Y%m%d-%H%M%S-forka", time.gmtime(now - 60))
    store.append(run, [started(run, started_at=now - 86_400)])
    fork = replace(store.run(run), parent="other", parent_seq=1)
    (summary,) = up_to_now(store, [fork])
    assert 60 <= summary.seconds < 600
