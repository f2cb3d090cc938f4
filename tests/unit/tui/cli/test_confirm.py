"""Questions before something is deleted: no, ctrl+c, and nobody to ask."""

from __future__ import annotations

import time

import pytest
from click.testing import CliRunner

from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.cli.main import main
from tests.snapshots.sample_eval import EVAL_ID, enter_eval
from tests.unit.sample_run import keep, sample

NOBODY = "sandbox-tui: Nothing was deleted: there is no terminal to ask on; --yes does not ask.\n"


@pytest.mark.parametrize("command", [("sessions", "rm", "r"), ("eval", "rm", EVAL_ID)])
@pytest.mark.parametrize(
    ("typed", "code", "words"),
    [("n\n", 130, "sandbox-tui: Nothing was deleted.\n"), ("", 2, NOBODY), ("y\n", 0, "")],
)
def test_before_something_is_deleted(
    store: Store, command: tuple[str, ...], typed: str, code: int, words: str
) -> None:
    keep(store, *sample())
    enter_eval(store, time.time())
    ledger.release(store, EVAL_ID)
    done = CliRunner().invoke(main, command, input=typed)
    assert (done.exit_code, done.stderr.lstrip("\n")) == (code, words)


def test_what_was_deleted_before_the_answer_no_is_not_denied(store: Store) -> None:
    for name in ("r1", "r2"):
        keep(store, *sample(), run_id=name)
    done = CliRunner().invoke(main, ["sessions", "rm", "r1", "r2"], input="y\nn\n")
    assert (done.exit_code, done.stderr) == (130, "sandbox-tui: Nothing else was deleted.\n")
    assert [run.id for run in store.runs()] == ["r2"]


def test_ctrl_c_has_its_exit_code(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    keep(store, *sample())
    monkeypatch.setattr(Store, "delete", interrupted)
    done = CliRunner().invoke(main, ["sessions", "rm", "r", "--yes"])
    assert (done.exit_code, done.stderr) == (130, "\nCancelled.\n")
