"""The details of a session that are known before it is opened."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec
import pytest

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.relations.session_detail import read_detail
from tests.unit.event_streams import started


@pytest.mark.parametrize("stored", ["output/r", "/elsewhere/output/r"])
def test_results_are_found_from_any_folder(tmp_path: Path, stored: str) -> None:
    """Also if the session stored the folder as a relative path."""
    folder = tmp_path / "output" / "r"
    folder.mkdir(parents=True)
    (folder / "answer.txt").write_text("42")
    first = msgspec.structs.replace(started("r"), settings=e.RunSettings(output=str(folder)))
    end = e.RunFinished(
        seq=2, t=1.0, reason="submitted", error=None, totals=e.Totals(), output=stored
    )
    with contextlib.closing(Store(tmp_path / "s.db")) as store:
        store.append("r", [first, end])
        detail = read_detail(store, store.run("r"))
    assert detail.folder == (folder if stored == "output/r" else None)
    assert [one.name for one in detail.files] == (["answer.txt"] if detail.folder else [])
