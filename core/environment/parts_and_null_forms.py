"""What surrounds the tools of an environment, each part with a null form that costs nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from typing_extensions import override

from sandbox_tui.core.base.errors import FileRefused
from sandbox_tui.core.base.io_types import Size
from sandbox_tui.core.events.run_state import FileState
from sandbox_tui.core.events.types import Actor, AnyEvent
from sandbox_tui.core.sandboxes.base import Listing, OutputSink
from sandbox_tui.core.terminal.mirror import Who
from sandbox_tui.core.tools.base import Observation

Work = Callable[[OutputSink | None], Awaitable[Observation]]
"""Runs a tool; gets what takes the output of its commands."""


class FileObserver(Protocol):
    """Writes what changes among the sandbox's files; `FileWatcher` does."""

    @property
    def has_listing(self) -> bool:
        """Whether it knows what files there were at its last scan."""
        ...

    async def scan_initial(self) -> None:
        """Write all files as `FilesListed`."""
        ...

    def restore(self, known: Listing) -> None:
        """Continue from what was known of the files before the run was resumed."""
        ...

    async def baseline_fork(self, known: Mapping[str, FileState], *, step: int) -> None:
        """In a fork's sandbox: write what differs from the files that are known."""
        ...

    async def scan(
        self, *, step: int, by: Actor, call: int | None = None, quiet: bool = False
    ) -> None:
        """Write what changed since the last scan as `FilesChanged`.

        Args:
            step, by, call: whose work it is.
            quiet: whether a scan that fails is not reported.
        """
        ...

    def schedule_scan(self, *, step: int, by: Actor, call: int | None = None) -> None:
        """Scan while the run continues; `flush` waits for the end of it."""
        ...

    async def flush(self) -> None:
        """Wait until the scheduled scans have been written."""
        ...


class NullFileObserver(FileObserver):
    """Never looks at a file."""

    @property
    @override
    def has_listing(self) -> bool:
        return False

    @override
    async def scan_initial(self) -> None:
        pass

    @override
    def restore(self, known: Listing) -> None:
        pass

    @override
    async def baseline_fork(self, known: Mapping[str, FileState], *, step: int) -> None:
        pass

    @override
    async def scan(
        self, *, step: int, by: Actor, call: int | None = None, quiet: bool = False
    ) -> None:
        pass

    @override
    def schedule_scan(self, *, step: int, by: Actor, call: int | None = None) -> None:
        pass

    @override
    async def flush(self) -> None:
        pass


class SandboxFreezer(Protocol):
    """Freezes and thaws the sandbox; `Freezer` does."""

    frozen: bool

    async def freeze(self, by: Actor = "human") -> None:
        """Stop everything in the sandbox."""
        ...

    async def thaw(self, by: Actor = "human") -> None:
        """Resume every process."""
        ...

    def schedule_thaw(self) -> None:
        """Thaw without waiting for it."""
        ...

    async def thaw_for_the_end(self) -> None:
        """Thaw because the run ends; it cannot be frozen afterwards."""
        ...

    async def wait_thawed(self) -> None:
        """Wait while it is frozen."""
        ...

    def attach_deadline(self, deadline: asyncio.Timeout) -> None:
        """Stop this deadline's clock whenever the sandbox is frozen."""
        ...


class NullFreezer(SandboxFreezer):
    """Never freezes."""

    frozen = False

    @override
    async def freeze(self, by: Actor = "human") -> None:
        raise FileRefused("This sandbox cannot be frozen.")

    @override
    async def thaw(self, by: Actor = "human") -> None:
        pass

    @override
    def schedule_thaw(self) -> None:
        pass

    @override
    async def thaw_for_the_end(self) -> None:
        pass

    @override
    async def wait_thawed(self) -> None:
        pass

    @override
    def attach_deadline(self, deadline: asyncio.Timeout) -> None:
        pass


class Mirror(Protocol):
    """Shows what runs in the sandbox on a terminal; `TerminalMirror` does."""

    @property
    def tty(self) -> Size | None:
        """Size of the terminal that commands run on; None: they run without one."""
        ...

    async def show(self, who: Who, command: str, work: Work) -> Observation:
        """Do `work`, with the command before its output and how it ended below."""
        ...

    async def remark(self, words: str) -> None:
        """Write a line of the program's own."""
        ...


class NullMirror(Mirror):
    """Shows nothing; commands run without a terminal."""

    @property
    @override
    def tty(self) -> Size | None:
        return None

    @override
    async def show(self, who: Who, command: str, work: Work) -> Observation:
        return await work(None)

    @override
    async def remark(self, words: str) -> None:
        pass


class SnapshotTaker(Protocol):
    """Takes snapshots of the sandbox; `Snapshotter` does."""

    def on_event(self, event: AnyEvent) -> None:
        """Notice what changes the sandbox, and the moments at which nothing does."""
        ...

    def restore(self, events: Sequence[AnyEvent]) -> None:
        """Continue from the snapshots that were taken before the run was resumed."""
        ...

    async def finish(self, step: int) -> None:
        """Wait for the snapshot that is being taken, and take the last one."""
        ...


class NullSnapshotTaker(SnapshotTaker):
    """Takes no snapshot."""

    @override
    def on_event(self, event: AnyEvent) -> None:
        pass

    @override
    def restore(self, events: Sequence[AnyEvent]) -> None:
        pass

    @override
    async def finish(self, step: int) -> None:
        pass
