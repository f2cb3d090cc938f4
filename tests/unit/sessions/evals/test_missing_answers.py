"""Why a sample has no answer: its file holds none, whatever the model said in `submit`."""

from __future__ import annotations

import pytest

from sandbox_tui.core.evals.sample import EvalMode
from sandbox_tui.core.evals.scorers.base import Attempt
from sandbox_tui.core.evals.scorers.exact import ExactScorer
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.evals.sample_record import recorded_result
from tests.unit.core.evals.reporting.sample_results import result
from tests.unit.event_streams import started


def test_a_sample_says_what_submit_said_instead_of_its_file(store: Store) -> None:
    call = e.ToolCall(number=1, step=1, id="c", name="submit", arguments='{"answer": "17"}')
    why = "output/answer.txt was not written."
    store.append(
        "r",
        [
            started("r"),
            e.CallProposed(seq=2, t=1.0, call=call),
            e.Scored(seq=3, t=2.0, scorer="exact", value=0.0, explanation=why, seconds=0.1),
            e.RunFinished(seq=4, t=2.0, reason="submitted", error=None, totals=e.Totals()),
        ],
    )
    found = recorded_result(store, result("a", "sandbox", status="running", run_id="r"))
    assert found.explanation == "output/answer.txt was not written; submit said '17'."
    assert found.score == 0


@pytest.mark.parametrize(
    ("mode", "answer", "why"),
    [
        ("vanilla", None, "There is no answer."),
        ("sandbox", None, "output/answer.txt was not written."),
        ("sandbox", " ", "output/answer.txt is empty."),
    ],
)
async def test_a_scorer_says_where_the_answer_is_read_from(
    mode: EvalMode, answer: str | None, why: str
) -> None:
    attempt = Attempt(task=Task(id="t", problem="p", target="4"), mode=mode, answer=answer)
    assert (await ExactScorer().score(attempt)).explanation == why
