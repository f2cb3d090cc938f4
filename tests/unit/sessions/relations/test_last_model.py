"""The model that the next form offers."""

from __future__ import annotations

from sandbox_tui.sessions.relations.last_model import LastModel, later_of


def test_the_model_used_last_is_offered_from_a_run_or_an_evaluation() -> None:
    run, evaluation = LastModel("r", "", 1.0), LastModel("e", "", 2.0)
    assert later_of(run, evaluation) == later_of(evaluation, run) == evaluation
    assert later_of(run, None) == run
    assert later_of(None, None) is None
