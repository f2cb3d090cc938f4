"""Files that the user names: links and devices stay what they are."""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.write_file import (
    is_special,
    is_stdout,
    would_overwrite,
    write_file,
    write_private_file,
)


@pytest.mark.parametrize("write", [write_file, write_private_file])
@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_and_its_target_is_written(
    tmp_path: Path, write: Callable[[Path, bytes], None], exists: bool
) -> None:
    (tmp_path / "below").mkdir()
    target, link = tmp_path / "below" / "real.md", tmp_path / "link.md"
    link.symlink_to("below/real.md")
    if exists:
        target.write_bytes(b"old")
    assert would_overwrite(link) is exists
    write(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert sorted(tmp_path.rglob("*")) == [target.parent, target, link]


def test_links_that_lead_nowhere_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(ConfigError, match="a cannot be written: Too many levels"):
        write_file(tmp_path / "a", b"new")
    with pytest.raises(OSError, match="Too many levels"):
        write_private_file(tmp_path / "a", b"new")
    assert (tmp_path / "a").is_symlink()


def test_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    target = tmp_path / "run.md"
    target.write_bytes(b"old")
    target.chmod(0o640)
    write_file(target, b"new")
    assert (target.read_bytes(), target.stat().st_mode & 0o777) == (b"new", 0o640)


def test_a_private_file_becomes_private(tmp_path: Path) -> None:
    target = tmp_path / "draft"
    target.write_bytes(b"old")
    target.chmod(0o644)
    write_private_file(target, b"new")
    assert target.stat().st_mode & 0o777 == 0o600


def test_a_named_pipe_takes_the_bytes_and_stays(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", list[bytes]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    assert is_special(pipe)
    assert not would_overwrite(pipe)
    write_file(pipe, b"x" * 200_000)
    reader.join()
    assert read == [b"x" * 200_000]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_device_stays(tmp_path: Path) -> None:
    node, link = tmp_path / "nul", tmp_path / "link"
    try:
        os.mknod(node, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root makes device nodes")
    link.symlink_to(node)
    for path in (node, link):
        assert not would_overwrite(path)
        with contextlib.suppress(ConfigError):  # a file system may have no devices
            write_file(path, b"data")
    assert stat.S_ISCHR(node.stat().st_mode)
    assert link.is_symlink()


def test_a_link_to_an_open_file_writes_to_it(tmp_path: Path) -> None:
    """As /dev/stdout is one: what was written before stays, redirected to a file too."""
    out, link = tmp_path / "out", tmp_path / "stdout"
    with out.open("wb", buffering=0) as stream:
        link.symlink_to(f"/proc/self/fd/{stream.fileno()}")
        stream.write(b"before ")
        assert not would_overwrite(link)
        write_file(link, b"data")
        stream.write(b" after")
    assert out.read_bytes() == b"before data after"
    assert link.is_symlink()


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Is a directory"):
        write_file(tmp_path, b"data")


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_names_of_stdout(name: str) -> None:
    assert is_stdout(Path(name))
    assert not is_stdout(Path(f"{name}.md"))
