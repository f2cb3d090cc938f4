"""Which runs `resume` names if the newest cannot be resumed."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.tui.cli import run_to_resume as module
from sandbox_tui.tui.cli.run_to_resume import run_to_resume
from tests.unit.event_streams import started

OLD, NEW = "20261111-100000-aaaaa", "20261111-110000-bbbbb"


def test_if_the_newest_has_ended_those_that_can_be_resumed_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "has_lost_sandbox", lambda run: False)
    store = Store(tmp_path / "s.db")
    store.append(OLD, [started(OLD, task="count the boats")])
    store.give_up(OLD)
    end = e.RunFinished(seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals())
    store.append(NEW, [started(NEW, task="count the ships"), end])
    with pytest.raises(SandboxTuiError) as refused:
        run_to_resume(store, "last")
    assert f"\n  {OLD}  count the boats" in str(refused.value)
    with pytest.raises(SandboxTuiError) as refused:
        run_to_resume(store, NEW)
    assert OLD not in str(refused.value)
    assert run_to_resume(store, OLD).id == OLD
