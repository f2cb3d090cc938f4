"""Fixtures for real sandboxes.

If one is unavailable, the test is skipped with the reason, or fails if
SANDBOX_TUI_REQUIRE_DOCKER=1.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator

import pytest

from sandbox_tui.core.config.settings import snapshot_dir
from sandbox_tui.core.sandboxes.base import Sandbox, SandboxSpec
from sandbox_tui.core.sandboxes.bubblewrap.availability import bubblewrap_problem
from sandbox_tui.core.sandboxes.bubblewrap.sandbox import BubblewrapSandbox
from sandbox_tui.core.sandboxes.docker.engine import engine_status
from sandbox_tui.core.sandboxes.docker.sandbox import DockerSandbox
from sandbox_tui.core.sandboxes.snapshot_store import SnapshotStores
from sandbox_tui.sessions import new_id

TEST_IMAGE = "sandbox-tui-test:latest"


_there: set[str] = set()
"""Kinds of sandboxes already found to be available."""


def require(kind: str) -> None:
    """Skip the test, or fail it, if this kind of sandbox is unavailable."""
    if kind in _there:
        return
    if kind == "docker":
        status = engine_status(TEST_IMAGE)
        problem = status.problem or ("" if status.has_image else f"no image {TEST_IMAGE}")
    else:
        problem = bubblewrap_problem()
    if problem and os.environ.get("SANDBOX_TUI_REQUIRE_DOCKER") == "1":
        pytest.fail(f"{kind} is required here: {problem}")
    if problem:
        pytest.skip(f"{kind}: {problem}")
    _there.add(kind)


def spec(**fields: object) -> SandboxSpec:
    """A spec with a fresh session and the test image."""
    return SandboxSpec(session_id=new_id(), image=TEST_IMAGE, snapshot_dir=snapshot_dir(), **fields)  # type: ignore[arg-type]


def make(kind: str, **fields: object) -> Sandbox:
    """A sandbox that has not been started."""
    return (DockerSandbox if kind == "docker" else BubblewrapSandbox)(spec(**fields))


@pytest.fixture(params=["docker", "bubblewrap"])
async def sandbox(request: pytest.FixtureRequest) -> AsyncIterator[Sandbox]:
    """A started sandbox, once for each kind."""
    require(request.param)
    started = make(request.param)
    await started.start()
    yield started
    await started.close()


@pytest.fixture
async def cleared() -> AsyncIterator[list[str]]:
    """Sessions whose snapshots are removed at the end."""
    sessions: list[str] = []
    yield sessions
    stores = SnapshotStores(snapshot_dir())
    for session in sessions:
        assert stores.remove_all(stores.list(session)[0]) == []
