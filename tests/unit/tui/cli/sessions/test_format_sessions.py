"""Sessions on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from sandbox_tui.sessions import Store
from sandbox_tui.sessions.store.tables.annotations import add_note, add_tag
from sandbox_tui.tui.cli import main as cli
from sandbox_tui.tui.cli.main import main
from sandbox_tui.tui.cli.show_app import Ended
from tests.unit.sample_run import keep, sample


def test_titles_tags_and_notes_are_listed(own_home: Path) -> None:
    own_home.mkdir()
    store = Store(own_home / "sessions.db")
    events, contents = sample("words")
    keep(store, events, contents)
    store.rename("r", "a name of my own")
    add_tag(store, "r", "good")
    add_note(store, "r", 2, "here it goes wrong")
    add_note(store, "r", 0, "the best of them")
    store.close()
    shown = CliRunner().invoke(main, ["sessions", "show", "r"]).output
    for words in ("a name of my own", "good", "step 2: here it goes wrong", "session: the best"):
        assert words in shown
    assert "step 0" not in shown + CliRunner().invoke(main, ["sessions", "note", "r"]).output
    assert "a name of my own" in CliRunner().invoke(main, ["sessions", "ls"]).output


def test_a_failed_replay_says_so_with_its_exit_code(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_home.mkdir()
    store = Store(own_home / "sessions.db")
    events, contents = sample("words")
    keep(store, events, contents)
    store.close()
    monkeypatch.setattr(cli, "is_terminal", lambda: True)
    monkeypatch.setattr(cli, "show", lambda *_: Ended(1, ()))
    assert CliRunner().invoke(main, ["replay", "r"]).exit_code == 1
