"""The null sandbox of a run without tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from typing_extensions import override

from sandbox_tui.core.base.errors import FileRefused
from sandbox_tui.core.base.io_types import Size
from sandbox_tui.core.sandboxes.base import (
    MAX_LISTED_FILES,
    ExecResult,
    FileEntry,
    Listing,
    OutputSink,
    Sandbox,
    SandboxSpec,
    Shell,
    TerminalReader,
)

KIND = "none"


class NoSandbox(Sandbox):
    """Starts and closes immediately; refuses everything that needs a computer.

    Args:
        spec: the run's spec.
    """

    def __init__(self, spec: SandboxSpec) -> None:
        self.kind = KIND
        self.outlives = True  # nothing can be lost
        self.spec = spec
        self.info: dict[str, str] = {}

    @override
    def on_outage(self, tell: Callable[[str], None] | None) -> None:
        pass

    @override
    async def start(self) -> None:
        pass

    @override
    async def reattach(self) -> None:
        pass

    @override
    async def exec(
        self,
        command: str,
        *,
        timeout: float,
        on_output: OutputSink | None = None,
        tty: Size | None = None,
    ) -> ExecResult:
        _refuse()

    @override
    async def run(
        self, argv: Sequence[str], *, user: str = "", cwd: str = "", timeout: float
    ) -> ExecResult:
        _refuse()

    @override
    async def write_stdin(self, data: bytes) -> bool:
        return False

    @override
    async def terminal_reader(self) -> TerminalReader | None:
        return None

    @override
    async def interrupt(self) -> bool:
        return False

    @override
    async def read_file(self, path: str, *, max_bytes: int | None = None) -> bytes:
        _refuse()

    @override
    async def write_file(self, path: str, data: bytes, *, exclusive: bool = False) -> None:
        _refuse()

    @override
    async def stat(self, path: str) -> FileEntry | None:
        return None

    @override
    async def list_files(self, path: str, *, limit: int = MAX_LISTED_FILES) -> Listing:
        return Listing(entries={})

    @override
    async def changed_files(self, path: str, before: Listing) -> Listing:
        return before

    @override
    async def open_shell(self, cols: int, rows: int) -> Shell:
        _refuse()

    @override
    async def copy_in(self, source: Path, path: str) -> None:
        _refuse()

    @override
    async def copy_out(self, path: str, target: Path) -> list[str]:
        return []

    @override
    async def freeze(self) -> None:
        pass

    @override
    async def thaw(self) -> None:
        pass

    @override
    async def snapshot(self, tag: str, *, max_bytes: int) -> tuple[str, int]:
        _refuse()

    @override
    async def remove_snapshot(self, name: str) -> bool:
        return False

    @override
    async def leave(self, seconds: float = 0.0) -> None:
        pass

    @override
    async def close(self) -> None:
        pass


def _refuse() -> NoReturn:
    raise FileRefused("This run has no tools, and so no sandbox.")
