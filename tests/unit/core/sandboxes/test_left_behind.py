"""Whether the sandbox that a run left behind still exists."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from sandbox_tui.core.sandboxes.bubblewrap.owner_record import PREFIX, OwnerRecord
from sandbox_tui.core.sandboxes.left_behind import is_gone


def test_an_embedded_sandbox_is_there_as_long_as_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = tmp_path / f"{PREFIX}x"
    folder.mkdir()
    assert is_gone("bubblewrap", "mine")
    OwnerRecord.without_owner("mine", 60).write(folder)
    assert not is_gone("bubblewrap", "mine")
    assert is_gone("bubblewrap", "another")


def test_it_is_not_called_gone_if_that_cannot_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere.sock")
    assert not is_gone("docker", "mine")
    assert not is_gone("none", "mine")
