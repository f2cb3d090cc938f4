"""No path that a user types ends the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox_tui.core.base.typed_path import is_folder, is_there, typed_path, working_directory


@pytest.mark.parametrize("text", [f"/tmp/{'x' * 300}", "~nobody-of-that-name/x", "/not/there", ""])
def test_a_path_that_cannot_be_is_not_there(text: str) -> None:
    path = typed_path(text) / "x"
    assert not is_there(path)
    assert not is_folder(path)


def test_the_home_is_known() -> None:
    assert typed_path("~/x") == Path.home() / "x"


def test_a_working_directory_that_was_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert working_directory() == tmp_path
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert working_directory() == Path()
