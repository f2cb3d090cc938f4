"""A group: rollouts of one task that start from one prepared snapshot.

    async with EpisodeGroup(pool, task) as group:
        episodes = [group.episode() for _ in range(8)]
        turns = await asyncio.gather(*(episode.reset(task) for episode in episodes))
        ...

The files are written and the setup commands run only once, and all rollouts see the same bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import secrets
from types import TracebackType

from sandbox_tui.core.base.errors import SandboxError
from sandbox_tui.core.base.process_identity import ProcessIdentity
from sandbox_tui.core.config.settings import snapshot_dir
from sandbox_tui.core.evals.task import Task
from sandbox_tui.core.events.sink import EventSink
from sandbox_tui.core.prompts import load_pack
from sandbox_tui.core.rl.pool import EpisodePool
from sandbox_tui.core.rl.rollouts.agent_episode import AgentEpisode
from sandbox_tui.core.rl.rollouts.record import EpisodeIdentity
from sandbox_tui.core.rl.sandbox_episode import PROMPTS, prepare, sandbox_spec
from sandbox_tui.core.sandboxes.blocking_calls import in_thread, run_shielded
from sandbox_tui.core.sandboxes.snapshot_store import SnapshotStores

MAX_SNAPSHOT_BYTES = 4 << 30
"""Maximum size of a prepared task's snapshot on disk."""


class EpisodeGroup:
    """The rollouts of one task. As a context manager, it prepares the snapshot on entry; on exit it
    closes the episodes and removes the snapshot.

    A text-only pool has nothing to prepare.

    Args:
        pool: creates the episodes.
        task: the task that they attempt.

    Attributes:
        task: as above.
        snapshot: name of the snapshot; empty if there is none.
    """

    def __init__(self, pool: EpisodePool, task: Task) -> None:
        self.task = task
        self.snapshot = ""
        self._pool = pool
        self._episodes: list[AgentEpisode] = []

    async def __aenter__(self) -> EpisodeGroup:
        if self._pool.settings.mode == "sandbox":
            self.snapshot = await run_shielded(self._prepared(), remove_snapshot)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        await run_shielded(self.close())

    def episode(
        self, *, events: EventSink | None = None, identity: EpisodeIdentity | None = None
    ) -> AgentEpisode:
        """Create a rollout, to be reset with the group's task. Arguments as in `AgentEpisode`."""
        episode = self._pool.episode(events=events, identity=identity, snapshot=self.snapshot)
        self._episodes.append(episode)
        return episode

    async def close(self) -> None:
        """Close the episodes, and remove the snapshot once no sandbox is built on it."""
        await asyncio.gather(*(episode.close() for episode in self._episodes))
        snapshot, self.snapshot = self.snapshot, ""
        if snapshot:
            await remove_snapshot(snapshot)

    async def _prepared(self) -> str:
        """Prepare the task in a sandbox, take a snapshot of it and return the snapshot's name."""
        pool, task = self._pool, self.task
        await in_thread(remove_orphaned_groups)
        pack = await asyncio.to_thread(load_pack, pool.settings.prompts or PROMPTS)
        session = new_session()
        sandbox = await pool.open(sandbox_spec(pool.settings, pack, session, image=task.image))
        try:
            await prepare(task, sandbox)
            name, _ = await sandbox.snapshot(session, max_bytes=MAX_SNAPSHOT_BYTES)
        finally:
            await asyncio.shield(pool.release(sandbox))
        return name


async def remove_snapshot(snapshot: str) -> None:
    """Remove a snapshot; one that cannot be removed now is left to `remove_orphaned_groups`."""
    with contextlib.suppress(SandboxError):
        await in_thread(SnapshotStores(snapshot_dir()).remove, snapshot)


# --- snapshots left behind by killed programs


def new_session() -> str:
    """Return a session for a group's snapshot, whose name identifies the owning process."""
    return f"{_prefix(ProcessIdentity.this_process())}-{secrets.token_hex(4)}"


def remove_orphaned_groups() -> None:
    """Remove the snapshots of groups whose program has ended. Blocks."""
    stored = SnapshotStores(snapshot_dir())
    me = ProcessIdentity.this_process()
    prefix = f"group-{_host(me)}-"
    for snapshot in stored.list()[0]:
        _, _, owner = snapshot.session.partition(prefix)
        pid, _, rest = owner.partition("-")
        started, _, _ = rest.partition("-")
        if pid.isdecimal() and not ProcessIdentity(int(pid), started, me.host).alive:
            with contextlib.suppress(SandboxError):
                stored.remove(snapshot.name)


def _prefix(process: ProcessIdentity) -> str:
    return f"group-{_host(process)}-{process.pid}-{process.started}"


def _host(process: ProcessIdentity) -> str:
    return hashlib.sha256(process.host.encode()).hexdigest()[:8]
