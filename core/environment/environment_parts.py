"""The parts of an environment that surround its tools, each with a null form that does nothing."""

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
"""Runs a tool; takes a sink for the output of its commands."""


class FileObserver(Protocol):
    """Records changes to the sandbox's files; implemented by `FileWatcher`."""

    @property
    def has_listing(self) -> bool:
        """Whether it has a listing from an earlier scan."""
        ...

    async def scan_initial(self) -> None:
        """Write all files as `FilesListed`."""
        ...

    def restore(self, known: Listing) -> None:
        """Continue from the listing known before the run was resumed."""
        ...

    async def baseline_fork(self, known: Mapping[str, FileState], *, step: int) -> None:
        """Write how a fork's sandbox differs from the known files."""
        ...

    async def scan(
        self, *, step: int, by: Actor, call: int | None = None, quiet: bool = False
    ) -> None:
        """Write the changes since the last scan as `FilesChanged`.

        Args:
            step, by, call: what the changes are attributed to.
            quiet: whether a failed scan is not reported.
        """
        ...

    def schedule_scan(self, *, step: int, by: Actor, call: int | None = None) -> None:
        """Scan while the run continues; `flush` waits for its end."""
        ...

    async def flush(self) -> None:
        """Wait until the scheduled scans have been written."""
        ...


class NullFileObserver(FileObserver):
    """Never scans files."""

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
    """Freezes and thaws the sandbox; implemented by `Freezer`."""

    frozen: bool

    async def freeze(self, by: Actor = "human") -> None:
        """Stop all processes in the sandbox."""
        ...

    async def thaw(self, by: Actor = "human") -> None:
        """Resume all processes."""
        ...

    def schedule_thaw(self) -> None:
        """Start to thaw, without waiting."""
        ...

    async def thaw_for_the_end(self) -> None:
        """Thaw because the run is ending; the sandbox cannot be frozen again."""
        ...

    async def wait_thawed(self) -> None:
        """Wait while it is frozen."""
        ...

    def attach_deadline(self, deadline: asyncio.Timeout) -> None:
        """Stop the clock of this deadline while the sandbox is frozen."""
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
    """Shows the sandbox's commands on a terminal; implemented by `TerminalMirror`."""

    @property
    def tty(self) -> Size | None:
        """Size of the terminal that commands run on; None if they run without one."""
        ...

    async def show(self, who: Who, command: str, work: Work) -> Observation:
        """Run `work`, and show the command, its output and its outcome."""
        ...

    async def remark(self, words: str) -> None:
        """Show a message from the program on its own line."""
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
    """Takes snapshots of the sandbox; implemented by `Snapshotter`."""

    def on_event(self, event: AnyEvent) -> None:
        """Process an event, which may mark a change of the sandbox or a time for a snapshot."""
        ...

    def restore(self, events: Sequence[AnyEvent]) -> None:
        """Continue from the snapshots taken before the run was resumed."""
        ...

    async def finish(self, step: int) -> None:
        """Wait for a snapshot in progress, and take the last one."""
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
