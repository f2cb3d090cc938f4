"""Positions at which a session can be forked, named by the user."""

from __future__ import annotations

import pytest

from sandbox_tui.core.base.errors import ForkRefused
from sandbox_tui.core.lineage.fork_point import resolve_position
from tests.unit.event_streams import started
from tests.unit.sample_run import sample


@pytest.mark.parametrize("at", ["step:99", "99", "call:99"])
def test_a_position_that_does_not_exist_is_answered_with_those_that_do(at: str) -> None:
    events, _ = sample("words")
    what = "call" if "call" in at else "step"
    with pytest.raises(ForkRefused, match=rf"no {what} 99: it has (only {what} 1|{what}s 1 to \d)"):
        resolve_position(events, at)
    with pytest.raises(ForkRefused, match=f"no {what} 99: it has no {what}s."):
        resolve_position([started()], at)
