"""The environment of a recorded run, with a file watcher, a freezer, a mirror and snapshots."""

from __future__ import annotations

from collections.abc import Sequence

from sandbox_tui.core.base.blob_store import BlobStore
from sandbox_tui.core.base.io_types import Size
from sandbox_tui.core.environment.environment_parts import FileObserver, NullFileObserver
from sandbox_tui.core.environment.file_watcher import FileWatcher, FinalFileWatcher
from sandbox_tui.core.environment.freezer import Freezer
from sandbox_tui.core.environment.locks import SandboxLocks
from sandbox_tui.core.environment.snapshotter import Snapshotter
from sandbox_tui.core.environment.terminal_mirror import TerminalMirror
from sandbox_tui.core.environment.tool_environment import ToolBounds, ToolEnvironment
from sandbox_tui.core.events.journal import Journal
from sandbox_tui.core.events.run_state import MIRROR, RunState
from sandbox_tui.core.run.spec import RunSpec
from sandbox_tui.core.sandboxes.base import Sandbox
from sandbox_tui.core.tools.base import Tool


def live_environment(
    spec: RunSpec,
    sandbox: Sandbox,
    tools: Sequence[Tool],
    *,
    journal: Journal,
    state: RunState,
    root: str,
    blobs: BlobStore,
) -> ToolEnvironment:
    """Build the environment of a run.

    Args:
        spec: the run's spec.
        sandbox: where tools run.
        tools: the tools the model may call.
        journal: where events are posted.
        state: the fold of the run's events, which holds the mirror's size.
        root: the directory to watch.
        blobs: where file contents are stored.
    """

    def mirror_size() -> Size:
        return state.terminals.get(MIRROR, spec.mirror_size)

    locks = SandboxLocks()
    watcher = _watcher(spec, sandbox, root, blobs, journal, locks)
    snapshots = Snapshotter(
        sandbox, spec.snapshots, post=journal.post, locks=locks, flush=watcher.flush
    )
    journal.observers.append(snapshots.on_event)
    return ToolEnvironment(
        sandbox,
        tools,
        bounds=ToolBounds(
            command_timeout=spec.limits.command_timeout,
            max_lines=spec.max_lines,
            max_chars=spec.max_chars,
        ),
        events=journal,
        watcher=watcher,
        freezer=Freezer(sandbox, locks.files, journal.post),
        mirror=TerminalMirror(sandbox, journal, size=mirror_size if spec.tty else None),
        snapshots=snapshots,
        locks=locks,
    )


def _watcher(
    spec: RunSpec,
    sandbox: Sandbox,
    root: str,
    blobs: BlobStore,
    journal: Journal,
    locks: SandboxLocks,
) -> FileObserver:
    if spec.watch == "off":
        return NullFileObserver()
    kind = FileWatcher if spec.watch == "live" else FinalFileWatcher
    return kind(sandbox, root, blobs, journal.post, locks.files, journal.durability)
