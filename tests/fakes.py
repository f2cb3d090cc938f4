"""Stand-ins for the real dependencies of unit tests."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Sequence
from pathlib import Path

from sandbox_tui.core.base.errors import FileRefused
from sandbox_tui.core.base.io_types import Size
from sandbox_tui.core.base.path_codec import text_to_path
from sandbox_tui.core.sandboxes.base import (
    ExecResult,
    FileEntry,
    Listing,
    OutputSink,
    SandboxSpec,
    Shell,
)


def result(stdout: bytes = b"", stderr: bytes = b"", code: int | None = 0, **more: object):
    """Build the result of a command whose output was kept in full, unless `more` says otherwise."""
    fields = {"stdout_bytes": len(stdout), "stderr_bytes": len(stderr), "duration": 0.01, **more}
    return ExecResult(exit_code=code, stdout=stdout, stderr=stderr, **fields)  # type: ignore[arg-type]


class FakeSandbox:
    """An in-memory `Sandbox`: files in a dict, commands with scripted results.

    Attributes:
        files: content by absolute path.
        dirs: directories, in addition to the parents of `files`.
        results: results of the next commands; the last one is repeated.
        commands: the commands that were run, with their timeouts.
        removed_snapshots: names passed to `remove_snapshot`.
    """

    kind = "fake"
    outlives = True

    def __init__(self, files: dict[str, bytes] | None = None, cwd: str = "/testbed") -> None:
        self.spec = SandboxSpec(session_id="fake")
        self.info: dict[str, str] = {}
        self.cwd = cwd.encode()
        self.files = {text_to_path(path): data for path, data in (files or {}).items()}
        self.dirs: set[bytes] = {b"/", b"/testbed", b"/testbed/input", b"/testbed/output"}
        self.results: list[ExecResult] = [result()]
        self.commands: list[tuple[str, float]] = []
        self.removed_snapshots: list[str] = []

    def on_outage(self, tell: object) -> None: ...

    async def start(self) -> None: ...

    async def reattach(self) -> None: ...

    async def exec(
        self,
        command: str,
        *,
        timeout: float,
        on_output: OutputSink | None = None,
        tty: Size | None = None,
    ) -> ExecResult:
        self.commands.append((command, timeout))
        ended = self.results.pop(0) if len(self.results) > 1 else self.results[0]
        if on_output is not None:
            await on_output("stdout", ended.stdout)
            await on_output("stderr", ended.stderr)
        return ended

    async def run(
        self, argv: Sequence[str], *, user: str = "", cwd: str = "", timeout: float
    ) -> ExecResult:
        return await self.exec(shlex.join(argv), timeout=timeout)

    async def write_stdin(self, data: bytes) -> bool:
        return False

    async def terminal_reader(self) -> None:
        return None

    async def interrupt(self) -> bool:
        return False

    async def read_file(self, path: str, *, max_bytes: int | None = None) -> bytes:
        name = self._absolute(path)
        if name in self._all_dirs():
            raise FileRefused(f"{path} is not a regular file.")
        if name not in self.files:
            raise FileRefused(f"{path} does not exist.")
        return self.files[name][:max_bytes]

    async def write_file(self, path: str, data: bytes, *, exclusive: bool = False) -> None:
        name = self._absolute(path)
        if name in self._all_dirs():
            raise FileRefused(f"{path} is not a regular file.")
        if exclusive and name in self.files:
            raise FileRefused(f"{path} already exists.")
        self.files[name] = data

    async def stat(self, path: str) -> FileEntry | None:
        return self._entries().get(self._absolute(path))

    async def list_files(self, path: str, *, limit: int = 20_000) -> Listing:
        root = self._absolute(path).rstrip(b"/") + b"/"
        below = {n: e for n, e in self._entries().items() if n.startswith(root) and n != root}
        return Listing(entries=dict(list(below.items())[:limit]), complete=len(below) <= limit)

    async def changed_files(self, path: str, before: Listing) -> Listing:
        return await self.list_files(path)

    async def open_shell(self, cols: int, rows: int) -> Shell:
        raise NotImplementedError

    async def copy_in(self, source: Path, path: str) -> None:
        raise NotImplementedError

    async def copy_out(self, path: str, target: Path) -> list[str]:
        raise NotImplementedError

    async def freeze(self) -> None: ...

    async def thaw(self) -> None: ...

    async def snapshot(self, tag: str, *, max_bytes: int) -> tuple[str, int]:
        return f"fake/{tag}", 0

    async def remove_snapshot(self, name: str) -> bool:
        self.removed_snapshots.append(name)
        return True

    async def close(self) -> None: ...

    def _absolute(self, path: str) -> bytes:
        return posixpath.normpath(posixpath.join(self.cwd, text_to_path(path)))

    def _all_dirs(self) -> set[bytes]:
        found = set(self.dirs)
        for name in self.files:
            while name != b"/":
                name = posixpath.dirname(name)
                found.add(name)
        return found

    def _entries(self) -> dict[bytes, FileEntry]:
        def entry(path: bytes, kind: str, size: int) -> FileEntry:
            return FileEntry(path=path, kind=kind, size=size, mode=0o644, mtime=0.0)  # type: ignore[arg-type]

        entries = {path: entry(path, "dir", 0) for path in self._all_dirs()}
        entries |= {path: entry(path, "file", len(data)) for path, data in self.files.items()}
        return dict(sorted(entries.items()))
