"""Completion in a shell: the script, and the ids of sessions."""

from __future__ import annotations

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from sandbox_tui.sessions import Store
from sandbox_tui.tui.cli.main import main
from tests.unit.event_streams import started

RUNS = ("20261120-101112-abcde", "20261121-101112-fghij")


def completed(*words: str, typed: str = "") -> list[str]:
    shell = ShellComplete(main, {}, "sandbox-tui", "_SANDBOX_TUI_COMPLETE")
    return [item.value for item in shell.get_completions(list(words), typed)]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_calls_the_program(shell: str) -> None:
    done = CliRunner().invoke(main, ["completion", shell])
    assert done.exit_code == 0
    assert f"_SANDBOX_TUI_COMPLETE={shell}_complete" in done.stdout


def test_the_ids_of_sessions_are_completed(store: Store) -> None:
    for number, run in enumerate(RUNS):
        store.append(run, [started(run, started_at=float(number))])
    for command in (["replay"], ["stop"], ["sessions", "export"], ["policy", "check"]):
        assert completed(*command, typed="20261121") == [RUNS[1]]
    assert completed("compare", RUNS[0]) == ["last", RUNS[1], RUNS[0]]


def test_without_sessions_there_is_nothing_to_complete() -> None:
    assert completed("replay", typed="2026") == []
    assert completed(typed="comp") == ["compare", "completion"]
