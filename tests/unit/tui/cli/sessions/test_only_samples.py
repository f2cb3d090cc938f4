"""Commands for the newest session, where all sessions are samples of an evaluation."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from sandbox_tui.core.config.settings import data_dir
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables import eval_ledger as ledger
from sandbox_tui.tui.cli.main import main
from sandbox_tui.tui.cli.open_store import NO_SESSIONS, ONLY_OF_OTHERS
from tests.snapshots.sample_eval import EVAL_ID, enter_eval
from tests.unit.event_streams import started

COMMANDS = ["sessions ls", "sessions show last", "sessions export last -f markdown", "fork last"]


@pytest.mark.parametrize("command", COMMANDS)
def test_they_say_how_to_list_those(command: str) -> None:
    with Store(data_dir() / "sessions.db"):
        pass
    assert NO_SESSIONS in CliRunner().invoke(main, command.split()).output
    with Store(data_dir() / "sessions.db") as store:
        enter_eval(store, now=1_000_000.0)
        first = ledger.results(store, EVAL_ID)[0]
        ledger.claim(store, EVAL_ID, first.key, "s")
        store.append("s", [started("s")])
    assert ONLY_OF_OTHERS in CliRunner().invoke(main, command.split()).output
