"""The table of sessions on the command line."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox_tui.sessions import RunSummary, Store
from sandbox_tui.tui.cli.sessions.session_table import session_lines
from tests.unit.sample_run import keep, sample


@pytest.fixture
def run(tmp_path: Path) -> RunSummary:
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        keep(store, *sample("words"))
        return store.run("r")


@pytest.mark.parametrize("width", [64, 80, 100, 130, 200])
def test_no_line_is_wider_than_the_terminal(run: RunSummary, width: int) -> None:
    runs = [replace(run, id="20261125-022951-5kc6h", task="a long task " * 20, model="/m/" * 40)]
    heading, line = session_lines(runs, width)
    assert len(line) <= width
    assert heading.startswith("session")
    assert heading.endswith("task")
    assert "a long task" in line
    assert line.endswith("…")


def test_a_file_gets_every_column(run: RunSummary) -> None:
    heading, line = session_lines([run])
    assert " ".join(heading.split()) == "session started outcome steps tokens time model task"
    assert line.startswith("r ")
