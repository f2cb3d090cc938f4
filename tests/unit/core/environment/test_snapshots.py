"""Which snapshots are kept, and what happens to the snapshots of a deleted session."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.config.settings import snapshot_dir
from sandbox_tui.core.environment.locks import SandboxLocks
from sandbox_tui.core.environment.snapshotter import (
    SnapshotPolicy,
    SnapshotRecord,
    Snapshotter,
    snapshots_to_evict,
)
from sandbox_tui.core.events import types as e
from sandbox_tui.core.lineage.recovery import recover
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.recording.session_snapshots import remove_orphaned_snapshots
from tests.fakes import FakeSandbox
from tests.unit.event_streams import started
from tests.unit.sample_run import sample


@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(0, 100)), max_size=40),
    st.integers(1, 12),
    st.integers(0, 400),
)
def test_bounds_hold_and_the_newest_stays(
    gaps: list[tuple[int, int]], most: int, most_bytes: int
) -> None:
    step, retained = 0, list[SnapshotRecord]()
    for gap, size in gaps:
        step += gap
        retained.append(SnapshotRecord(f"s{step}", step, size))
        for one in snapshots_to_evict(
            retained, SnapshotPolicy(max_count=most, max_bytes=most_bytes)
        ):
            retained.remove(one)
        assert len(retained) <= most
        assert len(retained) == 1 or sum(one.size for one in retained) <= most_bytes
        assert retained[-1].step == step


def test_kept_snapshots_are_spread_over_the_run() -> None:
    retained: list[SnapshotRecord] = []
    for step in range(1, 101):
        retained.append(SnapshotRecord(f"s{step}", step, 1))
        for one in snapshots_to_evict(retained, SnapshotPolicy(max_count=8)):
            retained.remove(one)
    steps = [0, *(one.step for one in retained)]
    assert max(b - a for a, b in itertools.pairwise(steps)) <= 40


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # docker-py's socket
@pytest.mark.parametrize("sandbox", ["docker", "bubblewrap"])
def test_without_an_engine_images_stay_noted_and_folders_go(
    sandbox: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nobody.sock")
    store = Store(tmp_path / "s.db")
    events, _ = sample()
    store.append("gone", events)
    with store.transaction() as connection:
        connection.execute("UPDATE runs SET sandbox = ? WHERE id = 'gone'", [sandbox])
    taken = e.SnapshotTaken(seq=len(events) + 1, t=99.0, step=1, image="gone/1", at=3)
    store.append("gone", [taken])
    place = snapshot_dir() / "gone" / "1"
    place.mkdir(parents=True)
    (place / "file").write_text("x")
    store.delete("gone")
    problems = remove_orphaned_snapshots(store)
    left = store.rows("SELECT run_id FROM orphaned_snapshots")
    assert not place.exists()
    if sandbox == "docker":
        assert "No Docker engine answers" in problems[0]
        assert [row["run_id"] for row in left] == ["gone"]
    else:
        assert problems == []
        assert left == []
    store.close()


@pytest.mark.parametrize("moved_on", [False, True])
async def test_bounds_cover_both_parts_of_a_resumed_run(moved_on: bool) -> None:
    """Earlier programs' snapshots count towards the limit; unchanged state is not snapshotted."""
    events: list[e.AnyEvent] = [started()]
    for step in (1, 2, 3):
        typed = e.TerminalInput(seq=len(events) + 1, terminal="shell-1", data=b"x")
        taken = e.SnapshotTaken(seq=typed.seq + 1, step=step, image=f"fake/{step}", at=typed.seq)
        events += [typed, taken]
    if moved_on:
        again = e.TerminalInput(seq=len(events) + 1, terminal="shell-1", data=b"x")
        events.append(again)
    past = recover(events)
    assert past is not None
    posted: list[e.AnyEvent] = []

    async def flush() -> None:
        pass

    sandbox = FakeSandbox()
    snapshots = Snapshotter(
        sandbox,
        SnapshotPolicy(when="every", max_count=3),
        post=lambda event: posted.append(event) or event,
        locks=SandboxLocks(),
        flush=flush,
    )
    snapshots.restore(past.snapshots)
    assert [one.name for one in snapshots.retained] == ["fake/1", "fake/2", "fake/3"]
    await snapshots.finish(4)
    assert [type(event) for event in posted] == ([e.SnapshotTaken] if moved_on else [])
    assert len(snapshots.retained) == 3
    assert sandbox.removed_snapshots == (["fake/1"] if moved_on else [])
