"""The file that is previewed until the user selects one."""

from __future__ import annotations

import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.file_state import FileState
from sandbox_tui.tui.screens.cockpit.file_panes import latest_changed


def changed(path: str, step: int) -> FileState:
    change = e.FileChange(path=path, change="created", kind="file", size=3)
    return FileState(last=change, run_mark="created", step=step, by="model")


def test_it_is_the_file_changed_last() -> None:
    files = [changed("/testbed/a", 2), changed("/testbed/b", 3), changed("/testbed/c", 1)]
    assert latest_changed(files) is files[1]
    assert latest_changed([]) is None


@pytest.mark.parametrize("name", [".notes.md.swp", ".notes.md.swo", "folder/.x.swp"])
def test_swap_files_are_ignored(name: str) -> None:
    files = [changed("/testbed/notes.md", 1), changed(f"/testbed/{name}", 2)]
    assert latest_changed(files) is files[0]


@pytest.mark.parametrize("name", ["movie.swf", "notes.swp", ".swp"])
def test_files_that_only_look_like_one_count(name: str) -> None:
    files = [changed("/testbed/notes.md", 1), changed(f"/testbed/{name}", 2)]
    assert latest_changed(files) is files[1]
