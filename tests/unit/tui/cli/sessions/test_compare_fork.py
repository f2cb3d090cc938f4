"""`sandbox-tui compare FORK` compares a fork with its parent."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import msgspec
from click.testing import CliRunner

from sandbox_tui.sessions import Store
from sandbox_tui.tui.cli.main import main
from tests.unit.event_streams import started


def test_a_fork_alone_is_compared_with_its_parent(own_home: Path) -> None:
    own_home.mkdir()
    with contextlib.closing(Store(own_home / "sessions.db")) as store:
        store.append("first", [started("first")])
        for name, parent in (("fork", "first"), ("orphan", "gone")):
            event = msgspec.structs.replace(started(name), parent=parent, parent_seq=1)
            store.append(name, [event])
    done = CliRunner().invoke(main, ["compare", "fork", "--json"])
    both = json.loads(done.stdout)
    assert (both["left"]["id"], both["right"]["id"]) == ("first", "fork")
    assert both == json.loads(
        CliRunner().invoke(main, ["compare", "first", "fork", "--json"]).stdout
    )
    assert both["own"] == [None, None], "neither has recorded where it was forked"
    alone = CliRunner().invoke(main, ["compare", "first", "--json"])
    assert (alone.exit_code, alone.stdout) == (2, "")
    assert "first is no fork: name the session to compare it with, too." in alone.stderr
    orphan = CliRunner().invoke(main, ["compare", "orphan"])
    assert orphan.exit_code == 2
    assert "was deleted: name another session to compare it with" in orphan.stderr
    same = CliRunner().invoke(main, ["compare", "first", "fir"])
    assert (same.exit_code, same.stdout) == (2, "")
    assert "first and fir are the same session, first." in same.stderr
