"""Which snapshots stay, and what becomes of those of a deleted session."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core import events as e
from sandbox_tui.core.sandboxes import folder_snapshots
from sandbox_tui.core.snapshots import SnapshotPolicy, Taken, superfluous
from sandbox_tui.sessions import Store
from sandbox_tui.sessions.snapshots import clear_left
from tests.unit.sample_run import sample


@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(0, 100)), max_size=40),
    st.integers(1, 12),
    st.integers(0, 400),
)
def test_bounds_hold_and_the_newest_stays(
    gaps: list[tuple[int, int]], most: int, most_bytes: int
) -> None:
    step, standing = 0, list[Taken]()
    for gap, size in gaps:
        step += gap
        standing.append(Taken(f"s{step}", step, size))
        for one in superfluous(standing, SnapshotPolicy(most=most, most_bytes=most_bytes)):
            standing.remove(one)
        assert len(standing) <= most
        assert len(standing) == 1 or sum(one.size for one in standing) <= most_bytes
        assert standing[-1].step == step


def test_what_stays_is_spread_over_the_run() -> None:
    standing: list[Taken] = []
    for step in range(1, 101):
        standing.append(Taken(f"s{step}", step, 1))
        for one in superfluous(standing, SnapshotPolicy(most=8)):
            standing.remove(one)
    steps = [0, *(one.step for one in standing)]
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
    place = folder_snapshots.root() / "gone" / "1"
    place.mkdir(parents=True)
    (place / "file").write_text("x")
    store.delete("gone")
    problems = clear_left(store)
    left = store.rows("SELECT run_id FROM snapshots_left")
    assert not place.exists()
    if sandbox == "docker":
        assert "No Docker engine answers" in problems[0]
        assert [row["run_id"] for row in left] == ["gone"]
    else:
        assert problems == []
        assert left == []
    store.close()
