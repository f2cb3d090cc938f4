"""Folders of any depth are measured and removed, and links out of them are not followed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.sandboxes.bubblewrap import sweep as sweep_module
from sandbox_tui.core.sandboxes.bubblewrap.owner_record import OWNER_FILE, PREFIX, OwnerRecord
from sandbox_tui.core.sandboxes.bubblewrap.sweep import sweep
from sandbox_tui.core.sandboxes.protocol.deep_tree_removal import remove_tree, tree_bytes

DEEP = 6000
"""Levels: far beyond Python's recursion limit, and a path longer than PATH_MAX (4096 bytes)."""


@pytest.fixture
def top(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "top"
    if (tmp_path / "top").exists():  # otherwise pytest's own cleanup recurses to the bottom of it
        shutil.move(tmp_path / "top", "/tmp/left-by-test_deep_trees")


def dig(top: Path, levels: int, file: bytes = b"") -> None:
    """Create nested folders with a file in the innermost one."""
    top.mkdir(exist_ok=True)
    here = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY | os.O_DIRECTORY, dir_fd=here)
        os.close(here)
        here = below
    last = os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=here)
    os.write(last, file)
    os.close(last)
    os.close(here)


def test_as_deep_as_one_likes(top: Path) -> None:
    dig(top, DEEP, b"x" * 5000)
    assert tree_bytes(top) == 8192
    assert tree_bytes(top, 100) > 100
    open_before = len(list(Path("/proc/self/fd").iterdir()))
    remove_tree(top)
    assert not top.exists()
    assert len(list(Path("/proc/self/fd").iterdir())) == open_before


def test_broad_and_deep_is_counted_to_the_end(top: Path) -> None:
    for name in ("a", "b", "c"):
        (top / name).mkdir(parents=True)
        dig(top / name, 30, b"x")
        (top / name / "beside").write_bytes(b"y")
    assert tree_bytes(top) == 6 * 4096
    remove_tree(top)
    assert not top.exists()


def test_link_targets_are_kept(top: Path, tmp_path: Path) -> None:
    host = tmp_path / "host"
    host.mkdir(mode=0o500)
    (tmp_path / "file").write_text("the host's")
    (top / "in").mkdir(parents=True)
    (top / "in" / "link").symlink_to(host)
    (top / "in" / "file").symlink_to(tmp_path / "file")
    (top / "link").symlink_to(host)
    remove_tree(top)
    assert not top.exists()
    assert host.stat().st_mode & 0o777 == 0o500
    assert (tmp_path / "file").read_text() == "the host's"
    (tmp_path / "also").symlink_to(host)
    remove_tree(tmp_path / "also")
    assert host.exists()


def test_rights_that_were_taken_away(top: Path) -> None:
    dig(top, 3)
    (top / "d" / "d").chmod(0)
    (top / "d").chmod(0o100)
    remove_tree(top)
    assert not top.exists()


def test_a_folder_that_cannot_be_swept_keeps_no_run_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    gone = OwnerRecord(
        ProcessIdentity(999_999_999, "1", ProcessIdentity.this_process().host),
        "s",
        0,
    )
    for name in ("a", "b"):
        (tmp_path / f"{PREFIX}{name}").mkdir()
        gone.write(tmp_path / f"{PREFIX}{name}")
        os.utime(tmp_path / f"{PREFIX}{name}" / OWNER_FILE, (0, 0))
    tried: list[str] = []

    def remove(folder: Path) -> None:
        tried.append(folder.name)
        if len(tried) == 1:
            raise RecursionError

    monkeypatch.setattr(sweep_module, "remove_folder", remove)
    assert [folder.name for folder in sweep()] == tried[1:]
    assert len(tried) == 2
