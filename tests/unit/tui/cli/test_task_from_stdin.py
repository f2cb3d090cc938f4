"""`sandbox-tui run -`: the task from standard input."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from sandbox_tui.tui.cli.main import main
from sandbox_tui.tui.cli.settings import task_from_stdin


@pytest.mark.parametrize("typed", ["", " \n\n"])
def test_without_a_task_nothing_starts(typed: str) -> None:
    done = CliRunner().invoke(main, ["run", "-", "--model", "m"], input=typed)
    assert done.exit_code == 2
    assert done.output == (
        "sandbox-tui: Standard input holds no task: write what the model should do.\n"
    )


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_terminal_is_told_how_to_end_the_task(
    is_terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Typed:
        def isatty(self) -> bool:
            return is_terminal

        def read(self) -> str:
            return "count the boats\n"

    monkeypatch.setattr(task_from_stdin.sys, "stdin", Typed())
    assert task_from_stdin.tasks_of(["one", "-"]) == ["one", "count the boats\n"]
    words = "Type the task, then ctrl+d on a new line.\n"
    assert capsys.readouterr().err == (words if is_terminal else "")
