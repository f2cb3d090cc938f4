"""ctrl+c before the command line is ready."""

from __future__ import annotations

import sys

import pytest

from sandbox_tui.tui.cli import main as main_module
from sandbox_tui.tui.cli import program


class Interrupted:
    """A module during whose import ctrl+c is pressed."""

    def __getattr__(self, name: str) -> object:
        raise KeyboardInterrupt


def cancelled(capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as exit_info:
        program.run()
    assert exit_info.value.code == 130
    return capsys.readouterr().err


def test_ctrl_c_during_the_imports_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "sandbox_tui.tui.cli.main", Interrupted())  # type: ignore[arg-type]
    assert cancelled(capsys) == "\nCancelled.\n"


def test_ctrl_c_during_a_completion_says_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(main_module, "main", interrupt)
    monkeypatch.setenv(program.COMPLETE, "bash_complete")
    assert cancelled(capsys) == ""
