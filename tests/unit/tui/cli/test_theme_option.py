"""`--theme` before any command has to name an existing theme."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from sandbox_tui.tui.cli.main import main


@pytest.mark.parametrize("command", [["sessions", "ls"], ["demo", "--headless"], []])
def test_an_unknown_theme_is_refused_before_the_command_runs(command: list[str]) -> None:
    done = CliRunner().invoke(main, ["--theme", "nosuch", *command])
    assert done.exit_code == 2
    assert "There is no theme named 'nosuch'. Known themes:" in done.stderr
    assert "lamplight" in done.stderr
    assert done.stdout == ""


def test_a_theme_of_textual_is_known() -> None:
    assert CliRunner().invoke(main, ["--theme", "nord", "config", "path"]).exit_code == 0
