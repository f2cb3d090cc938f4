"""What the program prints about its runs when it ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from sandbox_tui.sessions import Store
from sandbox_tui.tui.cli.show_app import outcome_lines
from tests.unit.sample_run import keep, sample


@pytest.mark.parametrize("task", ["a short task", "long words " * 40, "長い仕事" * 40])
@pytest.mark.parametrize("width", [40, 80, 300])
def test_the_first_line_fits_the_terminal(own_home: Path, task: str, width: int) -> None:
    own_home.mkdir()
    store = Store(own_home / "sessions.db")
    events, contents = sample("words")
    keep(store, events, contents)
    run = replace(store.run("r"), task=task)
    store.close()
    first = next(outcome_lines(run, width))
    assert cell_len(first) <= min(width, 120)
    assert first.endswith("…") is (len(task) > 20)
