"""No path that a user types ends the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox_tui.core.base.typed_path import (
    free_path,
    is_folder,
    is_there,
    mistake_of_folder,
    typed_path,
    working_directory,
)


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


def test_a_folder_that_can_be_written_has_no_mistake_and_is_not_created(tmp_path: Path) -> None:
    assert not mistake_of_folder(tmp_path)
    assert not mistake_of_folder(tmp_path / "a" / "b")
    assert not list(tmp_path.iterdir())


def test_why_a_folder_cannot_be_written(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    assert mistake_of_folder(file) == f"Directory '{file}' is a file."
    assert mistake_of_folder(file / "below") == f"Directory '{file}' is a file."
    assert mistake_of_folder(Path("/proc")) == "Directory '/proc' is not writable."
    cannot = "Directory '/proc/nope' cannot be created: '/proc' is not writable."
    assert mistake_of_folder(Path("/proc/nope")) == cannot


def test_a_free_path_is_numbered_if_the_file_exists(tmp_path: Path) -> None:
    path = tmp_path / "a.traj.json"
    assert free_path(path, ".traj.json") == path
    path.touch()
    (tmp_path / "a-2.traj.json").touch()
    assert free_path(path, ".traj.json") == tmp_path / "a-3.traj.json"
    assert free_path(path).name == "a.traj-2.json"
