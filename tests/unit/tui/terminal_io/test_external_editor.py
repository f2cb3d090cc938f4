"""The user's editor: what it needs and leaves behind may be missing."""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox_tui.core.base.errors import SandboxTuiError
from sandbox_tui.tui.terminal_io import open_external
from sandbox_tui.tui.terminal_io.external_editor import edit_in_editor


class Suspended:
    """Stands in for an app that releases its terminal."""

    @contextlib.contextmanager
    def suspend(self) -> Iterator[None]:
        yield

    batch_update = suspend


APP: Any = Suspended()


def use(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.setenv("VISUAL", f'{sys.executable} -c "{code}"')


async def test_a_long_suffix_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, "import sys; open(sys.argv[1], 'a').write('more')")
    assert await edit_in_editor(APP, "text\n", "." + "x" * 300) == "text\nmore"


async def test_an_editor_that_removes_the_file_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use(monkeypatch, "import os, sys; os.remove(sys.argv[1])")
    with pytest.raises(SandboxTuiError, match=r"left no file to read .*: nothing was changed"):
        await edit_in_editor(APP, "text", ".py")


async def test_a_missing_temporary_folder_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use(monkeypatch, "pass")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(SandboxTuiError, match=r"cannot be written: No such file.*TMPDIR"):
        await edit_in_editor(APP, "text", ".py")


def test_a_removed_folder_for_copies_is_made_again() -> None:
    first = open_external.fresh_folder()
    shutil.rmtree(open_external.private_folder())
    assert open_external.fresh_folder().is_dir()
    assert not first.exists()
