"""The model that the next form offers."""

from __future__ import annotations

import msgspec
import pytest

from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.last_model import (
    FILE,
    RUNS_READ,
    LastModel,
    last_model,
    later_of,
)
from tests.unit.event_streams import started

URL = "http://127.0.0.1:8123/v1"


def replied(step: int) -> e.ModelReplied:
    return e.ModelReplied(
        step=step,
        message={"role": "assistant", "content": "x"},
        text="x",
        reasoning="",
        usage=e.Usage(),
        finish_reason="stop",
        latency=0.1,
    )


def keep(store: Store, model: str, at: float, *rest: e.AnyEvent, parent_seq: int = 0) -> None:
    first = msgspec.structs.replace(
        started(),
        model=model,
        model_params={"base_url": URL},
        started_at=at,
        parent="parent" if parent_seq else None,
        parent_seq=parent_seq or None,
    )
    events = [first, *rest]
    store.append(
        model, [msgspec.structs.replace(one, seq=seq) for seq, one in enumerate(events, 1)]
    )


END = e.RunFinished(reason="cancelled", error=None, totals=e.Totals())


def test_a_run_that_ended_without_a_reply_counts_only_if_there_is_no_other(store: Store) -> None:
    assert last_model(store) is None
    keep(store, "never-replied", 30.0, END)
    assert last_model(store) == LastModel("never-replied", URL, 30.0)
    keep(store, "replied", 10.0, replied(1), END)
    assert last_model(store) == LastModel("replied", URL, 10.0)


def test_the_last_model_outlives_its_session(store: Store) -> None:
    keep(store, "older", 10.0, replied(1), END)
    keep(store, "newer", 20.0, replied(1), END)
    assert last_model(store) == LastModel("newer", URL, 20.0)
    store.delete("newer")
    assert last_model(store) == LastModel("newer", URL, 20.0)
    keep(store, "newest", 30.0, replied(1), END)
    assert last_model(store) == LastModel("newest", URL, 30.0)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"name": "x"}', '{"used_at": [], "name": 1}'])
def test_a_kept_model_that_cannot_be_read_is_ignored(store: Store, text: str) -> None:
    store.path.with_name(FILE).write_text(text)
    keep(store, "replied", 10.0, replied(1), END)
    assert last_model(store) == LastModel("replied", URL, 10.0)


def test_many_runs_without_a_reply_do_not_hide_the_last_one_with_a_reply(store: Store) -> None:
    keep(store, "replied", 10.0, replied(1), END)
    for number in range(RUNS_READ[0] + 1):
        keep(store, f"silent-{number}", 30.0, END)
    assert last_model(store) == LastModel("replied", URL, 10.0)


def test_the_model_of_a_fork_is_not_the_one_of_new_runs(store: Store) -> None:
    keep(store, "fork", 20.0, replied(1), replied(2), END, parent_seq=2)
    keep(store, "running-fork", 30.0, replied(1), parent_seq=2)
    assert last_model(store) is None
    keep(store, "replied", 10.0, replied(1), END)
    assert last_model(store) == LastModel("replied", URL, 10.0)


def test_a_run_that_still_waits_for_its_first_reply_counts(store: Store) -> None:
    keep(store, "replied", 10.0, replied(1), END)
    keep(store, "waiting", 30.0)
    assert last_model(store) == LastModel("waiting", URL, 30.0)
    store.set_owner("waiting", ProcessIdentity.no_process())
    assert last_model(store) == LastModel("replied", URL, 10.0)


def test_the_model_used_last_is_offered_from_a_run_or_an_evaluation() -> None:
    run, evaluation = LastModel("r", "", 1.0), LastModel("e", "", 2.0)
    assert later_of(run, evaluation) == later_of(evaluation, run) == evaluation
    assert later_of(run, None) == run
    assert later_of(None, None) is None
