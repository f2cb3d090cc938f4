"""A copy of a sample does not count in the group of its original."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from sandbox_tui.core.base.errors import ImportRefused
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.interchange.imports import import_file
from sandbox_tui.sessions.interchange.redaction import Redactor
from tests.unit.sample_run import SECRET, keep
from tests.unit.sample_run import sample as events_of_a_run
from tests.unit.sessions.interchange.test_imports import bundle

IDS = {1: "20261121-104238-aaaaa", 2: "20261121-104239-bbbbb"}


def keep_samples(store: Store) -> None:
    for number, run_id in IDS.items():
        events, contents = events_of_a_run("words", SECRET)
        assert isinstance(events[0], e.RunStarted)
        settings = e.RunSettings(labels={"samples": "group", "sample": str(number)})
        keep(
            store,
            [msgspec.structs.replace(events[0], settings=settings), *events[1:]],
            contents,
            run_id,
        )


def test_a_copy_does_not_join_the_group_of_its_original(store: Store, tmp_path: Path) -> None:
    keep_samples(store)
    path = bundle(store, tmp_path / "x.sbx", IDS[1], redactor=Redactor())
    (copy,) = import_file(store, path)
    assert [run.id for run in store.samples_of("group")] == [*IDS.values()]
    run = store.run(copy)
    assert (run.samples, run.sample, run.imported) == (None, None, True)
    assert run.title is not None
    assert run.title.endswith("(imported copy)")
    with pytest.raises(ImportRefused, match=f"already here: {copy}"):
        import_file(store, path)


def test_a_copy_without_changes_is_already_here(store: Store, tmp_path: Path) -> None:
    keep_samples(store)
    with pytest.raises(ImportRefused, match=f"already here: {IDS[2]}"):
        import_file(store, bundle(store, tmp_path / "x.sbx", IDS[2]))


def test_samples_form_their_group_elsewhere(store: Store, tmp_path: Path) -> None:
    keep_samples(store)
    with Store(tmp_path / "other.db") as other:
        for run_id in IDS.values():
            import_file(other, bundle(store, tmp_path / "x.sbx", run_id))
        assert [(run.id, run.sample) for run in other.samples_of("group")] == [
            (run_id, number) for number, run_id in IDS.items()
        ]
        assert other.run(IDS[1]).title is None
