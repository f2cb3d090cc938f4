"""Reclaiming space while the database is in use."""

from __future__ import annotations

import contextlib
import gzip
import os
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from sandbox_tui.core.base.errors import StoreError
from sandbox_tui.core.events import types as e
from sandbox_tui.sessions import Store, replay
from sandbox_tui.sessions.search.across_sessions import search
from sandbox_tui.sessions.store import database
from sandbox_tui.sessions.store import maintenance as upkeep
from sandbox_tui.sessions.store.maintenance import check, reclaim, size, vacuum
from tests.unit.event_streams import started
from tests.unit.sample_run import keep, sample
from tests.unit.sessions.store.test_store_versions import OLDER


def fill(store: Store, run_id: str) -> None:
    large = [
        e.TerminalOutput(seq=n, t=n, terminal="model", data=os.urandom(60_000))
        for n in range(2, 60)
    ]
    store.append(run_id, [started(run_id), *large])


@pytest.mark.parametrize("give_back", [vacuum, reclaim])
def test_nobody_waits_while_space_is_reclaimed(
    store: Store, monkeypatch: pytest.MonkeyPatch, give_back: Callable[[Store], int]
) -> None:
    """In the middle of it, the screen reads, and runs of this and of another program write."""
    keep(store, *sample("words"))
    fill(store, "large")
    before = size(store)
    store.delete("large")
    in_the_middle, go_on = threading.Event(), threading.Event()

    def rest(took: float) -> None:
        in_the_middle.set()
        go_on.wait()

    monkeypatch.setattr(upkeep, "rest", rest)
    with ThreadPoolExecutor(1) as pool:
        freed: Future[int] = pool.submit(give_back, store)
        in_the_middle.wait()
        with contextlib.closing(sqlite3.connect(store.path, timeout=0)) as other:
            other.execute("UPDATE runs SET title = 'of another program' WHERE id = 'r'")
            other.commit()
        assert store.run("r").title == "of another program"
        store.append("new", [started("new")])
        assert not freed.done()
        go_on.set()
        assert freed.result() > 3_000_000
    assert size(store) < before - 3_000_000
    assert list(replay(store, "r")) == sample("words")[0]
    assert {hit.run.id for hit in search(store, "words")} == {"r"}
    assert check(store).problems == []


@pytest.fixture
def older(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], Store]:
    """Open a file of an older version that is too large to be compacted at once."""
    monkeypatch.setattr(database, "SMALL_BYTES", 0)

    def opened(path: Path) -> Store:
        path.write_bytes(gzip.decompress(OLDER.read_bytes()))
        return Store(path)

    return opened


def mode(store: Store) -> int:
    return store.rows("SELECT auto_vacuum AS mode FROM pragma_auto_vacuum")[0]["mode"]


def test_an_older_file_learns_to_give_space_back(
    tmp_path: Path, older: Callable[[Path], Store]
) -> None:
    for number, give_back in enumerate((vacuum, reclaim)):
        with contextlib.closing(older(tmp_path / f"{number}.db")) as store:
            assert mode(store) == 0
            fill(store, "large")
            store.delete("large")
            assert give_back(store) > 3_000_000
            with contextlib.closing(Store(store.path)) as again:
                assert mode(again) == 2
            assert check(store).problems == []


def test_an_older_file_is_not_rewritten_while_a_run_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, older: Callable[[Path], Store]
) -> None:
    with contextlib.closing(older(tmp_path / "s.db")) as store:
        fill(store, "large")
        store.delete("large")
        store.append("going", [started("going")])
        with pytest.raises(StoreError, match="going, which is being recorded"):
            vacuum(store)
        assert reclaim(store) == 0
        store.delete("going")
        monkeypatch.setattr(upkeep, "MAX_REWRITE_BYTES", 1_000_000)
        assert reclaim(store) == 0, "a large one is rewritten by `sessions vacuum` alone"
        assert mode(store) == 0
